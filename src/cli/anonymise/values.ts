// Rules for values that are kept: numbers, amounts, instants, durations, schedules and time zones, as far as they can be read as such.
import { parseResources } from '../../cluster/quantity.ts';
import { reasonNamed } from '../../kinds/reasonName.ts';
import { parseSchedule } from '../../kinds/schedule.ts';
import { parseDuration } from '../../time/duration.ts';
import { parseInstant } from '../../time/instant.ts';
import { findZone } from '../../time/zone.ts';
import { conditionReasons, conditionTypes } from './allowed.ts';
import type { Masks } from './masks.ts';
import { fields, keepIf, keepText, masked, nameUnless, oneOf, type Rule } from './rules.ts';

export const number: Rule = keepIf((value) => typeof value === 'number');
export const flag: Rule = keepIf((value) => typeof value === 'boolean');
export const instant: Rule = keepText((text) => parseInstant(text) !== undefined);
/** `3` or `10%`, as a text or a number. */
export const count: Rule = keepIf((value) => typeof value === 'number' || /^\d{1,15}%?$/.test(String(value)));
export const quantity: Rule = keepIf(
  (value) => (typeof value === 'string' || typeof value === 'number') && parseResources({ value }).value !== undefined,
);

/** Older documents have days too, which Go does not know. */
const isDuration = (text: string): boolean =>
  text === 'Never' || parseDuration(text.replaceAll('d', 'h')) !== undefined;
export const duration: Rule = keepText(isDuration);

/** `true`, a duration, or something that protects nothing. */
export const protection: Rule = keepText((text) => text === 'true' || text === 'false' || isDuration(text));

/** A reason of a budget, in any spelling that is read. */
export const reason: Rule = keepText((text) => reasonNamed(text) !== undefined || text === 'Interrupted');

export const timeZone: Rule = (value, masks) => {
  if (typeof value !== 'string' || findZone(value) === undefined) return masked(value, masks);
  if (value !== '') masks.zones.add(value);
  return value;
};

/** A schedule may name its own time zone. */
const zoneIn = /^\s*(?:CRON_)?TZ=(\S+)/;

export const cron: Rule = (value, masks) => {
  if (typeof value !== 'string' || 'fault' in parseSchedule(value)) return masked(value, masks);
  const [, zone] = zoneIn.exec(value) ?? [];
  if (zone !== undefined) masks.zones.add(zone);
  masks.schedules.add(value);
  return value;
};

/** Several in one text, of which each counts by itself. */
const inText =
  (separator: string, rule: Rule): Rule =>
  (value, masks) => {
    if (typeof value !== 'string') return masked(value, masks);
    const part = (text: string): string => (text.trim() === '' ? '' : String(rule(text.trim(), masks)));
    return value.split(separator).map(part).join(separator);
  };

export const crons: Rule = inText(';', cron);
export const durations: Rule = inText(';', duration);
export const reasons: Rule = inText(',', reason);

/** Dropped unless everybody knows it. Of one that is not known it still matters whether it speaks of a failed launch (N6). */
const conditionReason: Rule = (value, masks) => {
  if (typeof value !== 'string') return masked(value, masks);
  if (conditionReasons.has(value)) return value;
  return /Fail|Insufficient|NotReady/.test(value) ? 'LaunchFailed' : undefined;
};

const knownTypes = new Set(conditionTypes);

/** Left out, unless it is none. */
const message: Rule = (value, masks) => (typeof value === 'string' ? undefined : masked(value, masks));

export const conditions: Rule = fields({
  type: nameUnless('condition', knownTypes),
  status: oneOf('True', 'False', 'Unknown'),
  lastTransitionTime: instant,
  reason: conditionReason,
  message,
});

const isVersion = /^v\d{1,3}((alpha|beta)\d{1,3})?$/;

/** `group/version` or `version`, with the group masked as told. */
export const apiVersion =
  (group: (text: string, masks: Masks) => string): Rule =>
  (value, masks) => {
    if (typeof value !== 'string') return masked(value, masks);
    const slash = value.indexOf('/');
    const version = value.slice(slash + 1);
    const kept = isVersion.test(version) ? version : 'v0';
    return slash < 0 ? kept : `${group(value.slice(0, slash), masks)}/${kept}`;
  };
