// Unknown field names and the known names they are close to, to report typos (K4).
import type { Schema } from '../schema/schema.ts';
import { brief, type Severity } from './findings.ts';
import { isMap, orList, type Reader } from './reader.ts';

/** Reports every unknown field. */
export function faultUnknownFields(reader: Reader, known: readonly string[], severity?: Severity): void {
  for (const key of unknownIn(reader, known)) {
    const meant = nearMisses(key, known);
    const remedy = meant.length > 0 ? didYouMean(meant) : `Known fields: ${known.join(', ')}.`;
    reader.unknown(key, meant, { message: `Unknown field ${brief(key)}. ${remedy}`, severity });
  }
}

/** Reports every unknown field of a value and of the maps and lists below it, as far as the schema describes them. */
export function faultUnknownInside(reader: Reader, schema: Schema, severity: Severity): void {
  const { properties, items } = schema;
  if (properties) faultUnknownFields(reader, Object.keys(properties), severity);
  for (const key of Object.keys(reader.values)) {
    const inside = properties?.[key] ?? items;
    if (inside && isMap(reader.raw(key))) faultUnknownInside(reader.at(key), inside, severity);
    else if (inside?.items && Array.isArray(reader.raw(key))) faultUnknownInside(reader.at(key), inside, severity);
  }
}

/** Reports likely typos only, for Karpenter's kinds: a newer Karpenter may have more fields. */
export function noteNearMisses(reader: Reader, known: readonly string[]): void {
  for (const key of unknownIn(reader, known)) {
    const meant = nearMisses(key, known);
    if (meant.length === 0) continue;
    const message = `Unknown field ${brief(key)} is ignored. ${didYouMean(meant)}`;
    reader.unknown(key, meant, { message, severity: 'info' });
  }
}

const unknownIn = (reader: Reader, known: readonly string[]): string[] =>
  Object.keys(reader.values).filter((key) => !known.includes(key) && reader.has(key));

export const didYouMean = (meant: readonly string[]): string => `Did you mean ${orList(meant)}?`;

/** The first known word that is one typo away. */
export const nearest = (word: string, known: readonly string[]): string | undefined => nearMisses(word, known)[0];

/** The known words one typo away. Words that differ only in case and separators come before all others. */
export function nearMisses(word: string, known: readonly string[]): readonly string[] {
  const folded = fold(word);
  const same = known.filter((candidate) => fold(candidate) === folded);
  if (same.length > 0) return same;
  const lower = word.toLowerCase();
  return lower.length > 2 ? known.filter((candidate) => isOneTypoAway(lower, candidate.toLowerCase())) : [];
}

const fold = (word: string): string => word.toLowerCase().replace(/[-_]/g, '');

/** One character added, missing or wrong, or two adjacent ones swapped. */
function isOneTypoAway(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const restA = a.slice(start, a.length - end);
  const restB = b.slice(start, b.length - end);
  return Math.max(restA.length, restB.length) <= 1 || (restA.length === 2 && restA === `${restB[1]}${restB[0]}`);
}
