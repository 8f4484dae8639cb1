// Unknown names and the known ones they are close to: a typo in a field is pointed out (K4).
import { brief, type Severity } from './findings.ts';
import { orList, type Reader } from './reader.ts';

/** Faults every field that is not known. */
export function faultUnknownFields(reader: Reader, known: readonly string[], severity?: Severity): void {
  for (const key of unknownIn(reader, known)) {
    const meant = nearMisses(key, known);
    const remedy = meant.length > 0 ? didYouMean(meant) : `Known fields: ${known.join(', ')}.`;
    reader.unknown(key, meant, { message: `Unknown field ${brief(key)}. ${remedy}`, severity });
  }
}

/** The same for kinds that are Karpenter's: a newer Karpenter may have more fields, so only what is close to a known one is told. */
export function noteNearMisses(reader: Reader, known: readonly string[]): void {
  for (const key of unknownIn(reader, known)) {
    const meant = nearMisses(key, known);
    if (meant.length === 0) continue;
    const message = `Unknown field ${brief(key)}, which is ignored. ${didYouMean(meant)}`;
    reader.unknown(key, meant, { message, severity: 'info' });
  }
}

const unknownIn = (reader: Reader, known: readonly string[]): string[] =>
  Object.keys(reader.values).filter((key) => !known.includes(key) && reader.has(key));

export const didYouMean = (meant: readonly string[]): string => `Did you mean ${orList(meant)}?`;

/** The known word one slip away, or the same in another case. */
export const nearest = (word: string, known: readonly string[]): string | undefined => nearMisses(word, known)[0];

/** All known words that are so close. Those that differ in case and separators alone are closer than any other. */
export function nearMisses(word: string, known: readonly string[]): readonly string[] {
  const folded = fold(word);
  const same = known.filter((candidate) => fold(candidate) === folded);
  if (same.length > 0) return same;
  const lower = word.toLowerCase();
  return lower.length > 2 ? known.filter((candidate) => oneSlip(lower, candidate.toLowerCase())) : [];
}

const fold = (word: string): string => word.toLowerCase().replace(/[-_]/g, '');

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
