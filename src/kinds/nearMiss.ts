// Did somebody mean a field that is spelled otherwise? Unknown fields are ignored (K4), but a slip of the pen is pointed out.
import { brief } from './findings.ts';
import type { Reader } from './reader.ts';

/** Notes fields that are nearly, but not quite, one of the known. */
export function noteNearMisses(reader: Reader, known: readonly string[]): void {
  for (const key of Object.keys(reader.values)) {
    if (known.includes(key)) continue;
    const meant = nearest(key, known);
    if (meant !== undefined)
      reader.fault(key, `${brief(key)} is not known here and is ignored. Did you mean ${meant}?`, 'info');
  }
}

/** The known word one slip away, or the same in another case. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  return known.find((candidate) => {
    const other = candidate.toLowerCase();
    return lower === other || (lower.length > 2 && oneSlip(lower, other));
  });
}

/** One letter too many, missing or wrong, or two neighbours exchanged. */
function oneSlip(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const restA = a.slice(start, a.length - end);
  const restB = b.slice(start, b.length - end);
  return Math.max(restA.length, restB.length) <= 1 || (restA.length === 2 && restA === `${restB[1]}${restB[0]}`);
}
