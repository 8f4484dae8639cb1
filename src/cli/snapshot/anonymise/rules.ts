// Mask rules for one field each, by the form of its value. Fields without a rule are dropped; unknown values are masked.
import { parseResources } from '../../../cluster/quantity.ts';
import { reasonNamed } from '../../../kinds/read/budget.ts';
import { isMap, type Json } from '../../../kinds/read/reader.ts';
import { parseSchedule } from '../../../kinds/read/scheduleFields.ts';
import { parseDate, parseDates, parseWeeks } from '../../../time/calendar.ts';
import { parseDuration } from '../../../time/duration.ts';
import { parseInstant } from '../../../time/instant.ts';
import { findZone } from '../../../time/zone.ts';
import { conditionReasons, conditionTypes } from './allowed.ts';
import type { Masks, Sort } from './masks.ts';

/** Undefined = the field is dropped. */
export type MaskRule = (value: unknown, masks: Masks) => unknown;

/** Keeps only the form: malformed values stay malformed in the same way, without their content. */
export const masked: MaskRule = (value, masks) => {
  if (typeof value === 'string') return masks.name('text', value);
  if (typeof value === 'number') return masks.number(value);
  if (Array.isArray(value)) return [];
  return isMap(value) ? {} : value;
};

/** Kept if it is on the allow-list. */
const keepIf =
  (isKnown: (value: unknown) => boolean): MaskRule =>
  (value, masks) =>
    isKnown(value) ? value : masked(value, masks);

/** Kept texts. */
export const keepText = (isKnown: (text: string) => boolean): MaskRule =>
  keepIf((value) => typeof value === 'string' && isKnown(value));

export const oneOf = (...words: readonly string[]): MaskRule => keepText((text) => words.includes(text));

/** A name of some sort. */
export const name =
  (sort: Sort): MaskRule =>
  (value, masks) =>
    typeof value === 'string' ? masks.name(sort, value) : masked(value, masks);

/** A name of this sort, unless it is on the allow-list. */
export const nameUnless =
  (sort: Sort, known: Pick<ReadonlySet<string>, 'has'>): MaskRule =>
  (value, masks) =>
    typeof value === 'string' && known.has(value) ? value : name(sort)(value, masks);

/** Only equality is kept. */
export const digest: MaskRule = (value, masks) =>
  typeof value === 'string' && value !== '' ? masks.digest(value) : masked(value, masks);

/** Only compared with others of its kind. */
export const digestMap: MaskRule = (value, masks) =>
  isMap(value) ? { digest: masks.digest(inOneOrder(value)) } : masked(value, masks);

const inOneOrder = (value: unknown): string =>
  JSON.stringify(value, (_, inside: unknown) =>
    isMap(inside) ? Object.fromEntries(Object.entries(inside).sort(([a], [b]) => (a < b ? -1 : 1))) : inside,
  );

/** Fields of a map, or of each map of a list. Fields without a rule are left out. */
export const fields = (rules: Readonly<Record<string, MaskRule>>): MaskRule => {
  const rule: MaskRule = (value, masks) => {
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

/** The same if an unknown field is a fault: that there is one is kept. */
export const onlyFields = (rules: Readonly<Record<string, MaskRule>>): MaskRule => {
  const known = fields(rules);
  const rule: MaskRule = (value, masks) => {
    if (Array.isArray(value)) return value.map((item) => rule(item, masks));
    const kept = known(value, masks);
    if (!isMap(value) || !isMap(kept)) return kept;
    const hasUnknown = Object.keys(value).some((key) => !Object.hasOwn(rules, key) && (value[key] ?? null) !== null);
    return hasUnknown ? { ...kept, unknownField: true } : kept;
  };
  return rule;
};

export const each =
  (rule: MaskRule): MaskRule =>
  (value, masks) =>
    Array.isArray(value) ? value.map((item) => rule(item, masks)) : masked(value, masks);

type MaskEntry = (key: string, value: unknown) => readonly [string, unknown];

/** Sorted by the new keys: the order of the old ones would reveal how they begin. */
export function mapEntries(value: unknown, masks: Masks, mask: MaskEntry): unknown {
  if (!isMap(value)) return masked(value, masks);
  const entries = Object.entries(value).map(([key, inside]) => mask(key, inside));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) satisfies Json;
}

export const number: MaskRule = keepIf((value) => typeof value === 'number');
export const flag: MaskRule = keepIf((value) => typeof value === 'boolean');
export const instant: MaskRule = keepText((text) => parseInstant(text) !== undefined);
/** `3` or `10%`, as a text or a number. */
export const count: MaskRule = keepIf((value) => typeof value === 'number' || /^\d{1,15}%?$/.test(String(value)));
export const quantity: MaskRule = keepIf(
  (value) => (typeof value === 'string' || typeof value === 'number') && parseResources({ value }).value !== undefined,
);

/** Older documents also use days, which Go does not know. */
const isDuration = (text: string): boolean =>
  text === 'Never' || parseDuration(text.replaceAll('d', 'h')) !== undefined;
export const duration: MaskRule = keepText(isDuration);

/** `true`, a duration, or a value that protects nothing. */
export const protection: MaskRule = keepText((text) => text === 'true' || text === 'false' || isDuration(text));

/** A reason of a budget, in any spelling that is read. */
export const reason: MaskRule = keepText((text) => reasonNamed(text) !== undefined || text === 'Interrupted');

export const timeZone: MaskRule = (value, masks) => {
  if (typeof value !== 'string' || findZone(value) === undefined) return masked(value, masks);
  if (value !== '') masks.zones.add(value);
  return value;
};

/** A schedule may name its own time zone. */
const zoneIn = /^\s*(?:CRON_)?TZ=(\S+)/;

export const cron: MaskRule = (value, masks) => {
  if (typeof value !== 'string' || 'fault' in parseSchedule(value)) return masked(value, masks);
  const [, zone] = zoneIn.exec(value) ?? [];
  if (zone !== undefined) masks.zones.add(zone);
  masks.schedules.add(value);
  return value;
};

export const weeks: MaskRule = keepText((text) => parseWeeks(text) !== undefined);
export const date: MaskRule = keepText((text) => parseDate(text) !== undefined);
export const dates: MaskRule = keepText((text) => parseDates(text) !== undefined);

/** Several schedules in one text, each masked by itself. */
const inText =
  (separator: string, rule: MaskRule): MaskRule =>
  (value, masks) => {
    if (typeof value !== 'string') return masked(value, masks);
    const part = (text: string): string => (text.trim() === '' ? '' : String(rule(text.trim(), masks)));
    return value.split(separator).map(part).join(separator);
  };

export const crons: MaskRule = inText(';', cron);
export const durations: MaskRule = inText(';', duration);
export const reasons: MaskRule = inText(',', reason);

/** Dropped unless everybody knows it. Of one that is not known it still matters whether it speaks of a failed launch (N6). */
const conditionReason: MaskRule = (value, masks) => {
  if (typeof value !== 'string') return masked(value, masks);
  if (conditionReasons.has(value)) return value;
  return /Fail|Insufficient|NotReady/.test(value) ? 'LaunchFailed' : undefined;
};

const knownTypes = new Set(conditionTypes);

/** Left out, unless it is none. */
const message: MaskRule = (value, masks) => (typeof value === 'string' ? undefined : masked(value, masks));

export const conditions: MaskRule = fields({
  type: nameUnless('condition', knownTypes),
  status: oneOf('True', 'False', 'Unknown'),
  lastTransitionTime: instant,
  reason: conditionReason,
  message,
});

const isVersion = /^v\d{1,3}((alpha|beta)\d{1,3})?$/;

/** `group/version` or `version`, with the group masked as told. */
export const apiVersion =
  (group: (text: string, masks: Masks) => string): MaskRule =>
  (value, masks) => {
    if (typeof value !== 'string') return masked(value, masks);
    const slash = value.indexOf('/');
    const version = value.slice(slash + 1);
    const kept = isVersion.test(version) ? version : 'v0';
    return slash < 0 ? kept : `${group(value.slice(0, slash), masks)}/${kept}`;
  };
