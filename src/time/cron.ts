// Cron expressions in a zone, compiled once: the next and the previous hit of an instant.

import { admittedFrom, admittedUntil, type Calendar } from './calendar.ts';
import { type CronFault, type CronFields, readFields } from './cronFields.ts';
import { after, asInstant, before, type Duration, day, type Instant, minute } from './instant.ts';
import { keepNewest } from './keepNewest.ts';
import { compilePattern, hasNoGapOver, matchAtOrAfter, matchAtOrBefore, type Pattern } from './pattern.ts';
import { horizon } from './window.ts';
import { findZone, firstInstantOf, instantsOf, nextJump, type OffsetPeriod, wallTime, type Zone } from './zone.ts';

export interface Cron {
  /** As it was written. */
  readonly text: string;
  readonly zone: Zone;
  /** The wall-clock times it matches, regardless of the zone. */
  readonly pattern: Pattern;
  /** The zone named by a `TZ=` or `CRON_TZ=` prefix of the text itself. */
  readonly prefix: string | undefined;
  /** False if it never fires, as on 30 February. */
  readonly fires: boolean;
  /** The dates on which it fires, of those that match (R2). Absent = all of them. */
  readonly calendar?: Calendar;
  /** Why upstream Karpenter would reject the text; undefined if it would not. */
  readonly superset: string | undefined;
  /** The first hit strictly after that instant; undefined if it never fires. */
  next(after: Instant): Instant | undefined;
  /** The last hit at or before that instant; undefined if it never fires. */
  previous(at: Instant): Instant | undefined;
  /** Whether hits are never further apart than that in wall-clock time. */
  hasNoGapOver(limit: Duration): boolean;
}

const crons = new Map<string, { readonly cron: Cron } | CronFault>();
const cronsKept = 5000;

const zonePrefix = /^(?:CRON_)?TZ=(\S*)(.*)$/s;

/** Parses a cron text in a zone, UTC by default; a zone in the text itself takes precedence (B3). */
export function parseCron(text: string, zone = ''): { readonly cron: Cron } | CronFault {
  const key = `${zone}\n${text}`;
  return crons.get(key) ?? keepNewest(crons, cronsKept, key, readCron(text.trim(), zone));
}

function readCron(text: string, zoneName: string): { readonly cron: Cron } | CronFault {
  const [, prefix, rest = text] = zonePrefix.exec(text) ?? [];
  const name = prefix ?? zoneName;
  const zone = findZone(name);
  if (!zone) return { fault: `time zone ${name} is unknown: an IANA name is needed, such as Europe/Berlin` };
  const fields = readFields(rest.trim());
  return 'fault' in fields ? fields : { cron: compile(text, zone, prefix, fields) };
}

function compile(text: string, zone: Zone, prefix: string | undefined, fields: CronFields): Cron {
  const pattern = compilePattern(fields);
  const fires = pattern.everMatches;
  const beyond = [...(prefix === undefined ? [] : ['upstream knows no zone but UTC']), ...fields.beyondUpstream];
  return {
    text,
    zone,
    pattern,
    prefix,
    fires,
    superset: beyond.length > 0 ? beyond.join('; ') : undefined,
    next: (after) => (fires ? nextHit(pattern, zone, after) : undefined),
    previous: (at) => (fires ? previousHit(pattern, zone, at) : undefined),
    hasNoGapOver: (limit) => fires && hasNoGapOver(pattern, limit / minute),
  };
}

/** The same cron on the dates of a calendar: the date that its clock shows when it fires (R2). */
export function onDates(cron: Cron, calendar: Calendar): Cron {
  const next = (from: Instant): Instant | undefined => nextOnDates(cron, calendar, from);
  const latest = Math.max(calendar.every?.anchor ?? 0, ...calendar.except.map(({ to }) => to));
  return {
    ...cron,
    calendar,
    fires: next(asInstant(latest * day)) !== undefined,
    next,
    previous: (at) => previousOnDates(cron, calendar, at),
    hasNoGapOver: () => false,
  };
}

export const dateOf = (zone: Zone, at: Instant): number => Math.floor(wallTime(zone, at) / day);

/** Not searched for beyond the horizon: a date and a week may meet only once in centuries. */
function nextOnDates(cron: Cron, calendar: Calendar, from: Instant): Instant | undefined {
  const { zone } = cron;
  const end = after(from, horizon);
  let hit = cron.next(from);
  while (hit !== undefined && hit <= end) {
    const date = dateOf(zone, hit);
    const admitted = admittedFrom(calendar, date);
    if (admitted === date) return hit;
    // A clock that is set back over midnight returns to an earlier date.
    const isEven = !((nextJump(zone, hit, day)?.jump ?? 0) < 0);
    hit = cron.next(isEven ? asInstant(Math.max(hit, firstInstantOf(zone, admitted * day) - 1)) : hit);
  }
  return undefined;
}

function previousOnDates(cron: Cron, calendar: Calendar, at: Instant): Instant | undefined {
  const { zone } = cron;
  const end = before(at, horizon);
  let hit = cron.previous(at);
  while (hit !== undefined && hit >= end) {
    const date = dateOf(zone, hit);
    const admitted = admittedUntil(calendar, date);
    if (admitted === date) return hit;
    const midnight = (admitted + 1) * day;
    const over = instantsOf(zone, midnight).at(-1) ?? firstInstantOf(zone, midnight);
    hit = cron.previous(asInstant(Math.min(hit, over) - 1));
  }
  return undefined;
}

/** The first hit after `after`. The pattern must have a match. */
function nextHit(pattern: Pattern, zone: Zone, after: Instant): Instant {
  let period = zone.periodAt(after);
  let hit = firstHit(pattern, period, after);
  while (hit >= period.end) {
    period = zone.periodAt(period.end);
    hit = firstHit(pattern, period, asInstant(period.start - 1));
  }
  return hit;
}

/** The last hit up to `at`. The pattern must have a match. */
function previousHit(pattern: Pattern, zone: Zone, at: Instant): Instant {
  let period = zone.periodAt(at);
  let hit = lastHit(pattern, period, at);
  while (hit < period.start) {
    const before = asInstant(period.start - 1);
    period = zone.periodAt(before);
    hit = lastHit(pattern, period, before);
  }
  return hit;
}

/** The first hit of a period after `at`; an instant beyond its end if there is none. */
function firstHit(pattern: Pattern, period: OffsetPeriod, at: Instant): Instant {
  const { start, repeatedUntil } = period;
  if (at < start && skipsMatch(pattern, period)) return start;
  if (at >= repeatedUntil) return firstMatch(pattern, pattern.hours, period, at);
  const again = firstMatch(pattern, pattern.neighbouredHours, period, at);
  return again < repeatedUntil ? again : firstMatch(pattern, pattern.hours, period, asInstant(repeatedUntil - 1));
}

/** The last hit of a period up to `at`; an instant before its start if there is none. */
function lastHit(pattern: Pattern, period: OffsetPeriod, at: Instant): Instant {
  const { start, repeatedUntil } = period;
  const hit = lastMatch(pattern, pattern.hours, period, at);
  if (hit >= start && hit >= repeatedUntil) return hit;
  if (skipsMatch(pattern, period)) return start;
  return lastMatch(pattern, pattern.neighbouredHours, period, asInstant(Math.min(at, repeatedUntil - 1)));
}

/** Whether the pattern matches a time that the clock change at the start of the period skips. */
function skipsMatch(pattern: Pattern, { start, offset, jump }: OffsetPeriod): boolean {
  if (jump <= 0) return false;
  const shown = start + offset;
  return matchAtOrAfter(pattern, pattern.hours, Math.ceil((shown - jump) / minute)) * minute < shown;
}

function firstMatch(pattern: Pattern, hours: number, { offset }: OffsetPeriod, after: Instant): Instant {
  if (hours === 0) return asInstant(Infinity);
  return asInstant(matchAtOrAfter(pattern, hours, Math.floor((after + offset) / minute) + 1) * minute - offset);
}

function lastMatch(pattern: Pattern, hours: number, { offset }: OffsetPeriod, at: Instant): Instant {
  if (hours === 0) return asInstant(-Infinity);
  return asInstant(matchAtOrBefore(pattern, hours, Math.floor((at + offset) / minute)) * minute - offset);
}
