// Rules that mask one field: one for each form that a field can have. What has no rule is left out, and what a rule does not know is masked.
import { isMap, type Json } from '../../kinds/reader.ts';
import type { Masks, Sort } from './masks.ts';

/** Undefined = nothing of it is kept. */
export type Rule = (value: unknown, masks: Masks) => unknown;

/** Only what form it has: what was broken stays broken in the same way, and says nothing. */
export const masked: Rule = (value, masks) => {
  if (typeof value === 'string') return masks.name('text', value);
  if (typeof value === 'number') return masks.number(value);
  if (Array.isArray(value)) return [];
  return isMap(value) ? {} : value;
};

/** Kept where it is on the allow-list. */
export const keepIf =
  (isKnown: (value: unknown) => boolean): Rule =>
  (value, masks) =>
    isKnown(value) ? value : masked(value, masks);

/** Kept texts. */
export const keepText = (isKnown: (text: string) => boolean): Rule =>
  keepIf((value) => typeof value === 'string' && isKnown(value));

export const oneOf = (...words: readonly string[]): Rule => keepText((text) => words.includes(text));

/** A name of some sort. */
export const name =
  (sort: Sort): Rule =>
  (value, masks) =>
    typeof value === 'string' ? masks.name(sort, value) : masked(value, masks);

/** A name of some sort, unless it is a word of the allow-list. */
export const nameUnless =
  (sort: Sort, known: Pick<ReadonlySet<string>, 'has'>): Rule =>
  (value, masks) =>
    typeof value === 'string' && known.has(value) ? value : name(sort)(value, masks);

/** Only equality is kept. */
export const digest: Rule = (value, masks) =>
  typeof value === 'string' && value !== '' ? masks.digest(value) : masked(value, masks);

/** Only compared with others of its kind. */
export const digestMap: Rule = (value, masks) =>
  isMap(value) ? { digest: masks.digest(inOneOrder(value)) } : masked(value, masks);

const inOneOrder = (value: unknown): string =>
  JSON.stringify(value, (_, inside: unknown) =>
    isMap(inside) ? Object.fromEntries(Object.entries(inside).sort(([a], [b]) => (a < b ? -1 : 1))) : inside,
  );

/** Fields of a map, or of each map of a list. Fields without a rule are left out. */
export const fields = (rules: Readonly<Record<string, Rule>>): Rule => {
  const rule: Rule = (value, masks) => {
    if (Array.isArray(value)) return value.map((item) => rule(item, masks));
    if (!isMap(value)) return masked(value, masks);
    const kept: [string, unknown][] = [];
    for (const field of Object.keys(rules)) {
      const inside = Object.hasOwn(value, field) ? rules[field]?.(value[field], masks) : undefined;
      if (inside !== undefined) kept.push([field, inside]);
    }
    return Object.fromEntries(kept);
  };
  return rule;
};

/** The same where a field that is not known is a fault: that there is one is kept. */
export const onlyFields = (rules: Readonly<Record<string, Rule>>): Rule => {
  const known = fields(rules);
  const rule: Rule = (value, masks) => {
    if (Array.isArray(value)) return value.map((item) => rule(item, masks));
    const kept = known(value, masks);
    if (!isMap(value) || !isMap(kept)) return kept;
    const hasUnknown = Object.keys(value).some((key) => !Object.hasOwn(rules, key) && (value[key] ?? null) !== null);
    return hasUnknown ? { ...kept, unknownField: true } : kept;
  };
  return rule;
};

export const each =
  (rule: Rule): Rule =>
  (value, masks) =>
    Array.isArray(value) ? value.map((item) => rule(item, masks)) : masked(value, masks);

type MaskEntry = (key: string, value: unknown) => readonly [string, unknown];

/** In the order of the new keys: the order of the old ones would say how they begin. */
export function mapEntries(value: unknown, masks: Masks, mask: MaskEntry): unknown {
  if (!isMap(value)) return masked(value, masks);
  const entries = Object.entries(value).map(([key, inside]) => mask(key, inside));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) satisfies Json;
}
