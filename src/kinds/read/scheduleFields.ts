// Readers for the cron, duration and timeZone fields of budgets, maintenance windows and pod schedules.
import { longestPeriod } from '../../cluster/ledger.ts';
import { type Calendar, parseDate, parseDates, parseWeeks } from '../../time/calendar.ts';
import { type Cron, onDates, parseCron } from '../../time/cron.ts';
import { formatDuration, parseDuration } from '../../time/duration.ts';
import { asDuration, type Duration, minute } from '../../time/instant.ts';
import type { Schedule } from '../../time/schedule.ts';
import { findZone } from '../../time/zone.ts';
import { show } from './findings.ts';
import { durationHint, type Reader, useDuration } from './reader.ts';

export const useCron = 'Use five fields (minute, hour, day of month, month, day of week), such as "0 9 * * mon-fri".';
export const useZone = 'Use an IANA time zone such as Europe/Berlin.';
export const neverFires = 'never fires. Use a date that exists.';

/** The maximum per window or pod: each use of the window evaluates all of its schedules. */
export const maxSchedules = 50;

/** Every value of every field and a zone, written out, take 450 characters. A longer text is rejected before it enters the cron cache. */
const longestCron = 500;

export function parseSchedule(text: string, zone?: string): ReturnType<typeof parseCron> {
  return text.length > longestCron
    ? { fault: `it has ${text.length} characters, more than ${longestCron}` }
    : parseCron(text, zone);
}

/** A schedule in its time zone; undefined, with a fault, if it is invalid or never fires (B6). */
export function readCron(reader: Reader, key: string): Cron | undefined {
  const text = reader.text(key);
  const zone = readZone(reader);
  if (text === undefined) return undefined;
  const parsed = parseSchedule(text, zone);
  if ('fault' in parsed) {
    reader.fault(key, `${show(text)} is not a valid schedule: ${parsed.fault}. ${useCron}`);
    return undefined;
  }
  const { cron } = parsed;
  if (zone !== undefined && cron.prefix !== undefined) {
    reader.fault(
      'timeZone',
      `timeZone is ignored: the schedule itself sets ${cron.prefix}. Keep one of the two.`,
      'warning',
    );
  }
  if (cron.fires) return cron;
  reader.fault(key, `${show(text)} ${neverFires}`);
  return undefined;
}

function readZone(reader: Reader): string | undefined {
  const name = reader.text('timeZone');
  if (name === undefined || findZone(name)) return name;
  return reader.wrong('timeZone', 'time zone', useZone);
}

/** Drops seconds; at least one minute must remain (B5). */
export function readMinutes(reader: Reader, key: string): Duration | undefined {
  const value = reader.raw(key);
  if (value === undefined) return undefined;
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined) return reader.wrong(key, 'duration', durationHint(value) ?? useDuration);
  const minutes = Math.floor(duration / minute) * minute;
  if (minutes >= minute) return asDuration(minutes);
  reader.fault(key, `${show(value)} is too short. Use at least 1m: seconds are dropped.`);
  return undefined;
}

/** The period of a rate limit, in whole minutes (P1). */
export function readRatePeriod(reader: Reader, key: string): Duration | undefined {
  const period = readMinutes(reader, key);
  if (period === undefined || period <= longestPeriod) return period;
  reader.fault(key, `${show(reader.raw(key))} is too long. Use at most ${formatDuration(longestPeriod)}.`);
  return undefined;
}

/** The maximum per schedule: each search passes over all of them. */
export const maxExceptions = 100;

/** One of the schedules of a maintenance window (D1, R2). Where the window allows, exceptions also cut openings that began earlier. */
export function readWindowSchedule(entry: Reader, mode: unknown): Schedule | undefined {
  const before = entry.findings.wrongs;
  const cron = readCron(entry, 'cron');
  const duration = readMinutes(entry, 'duration');
  const calendar = readCalendarFields(entry, mode === 'Allow');
  if (!cron || duration === undefined || entry.findings.wrongs > before) return undefined;
  if (!calendar) return { cron, duration };
  const dated = onDates(cron, calendar);
  if (dated.fires) return { cron: dated, duration };
  entry.fault(
    'cron',
    `${show(entry.raw('cron'))} never fires in the weeks that every and anchor name. Use another anchor.`,
  );
  return undefined;
}

function readCalendarFields(entry: Reader, cuts: boolean): Calendar | undefined {
  const every = readEvery(entry);
  const count = entry.list('exceptDates')?.length ?? 0;
  if (count > maxExceptions) entry.fault('exceptDates', `There are ${count} dates. Use at most ${maxExceptions}.`);
  const except = entry
    .eachText('exceptDates', (text, fault) => {
      const range = parseDates(text);
      if (!range)
        fault(`${show(text)} is not a date. Use a date such as 2026-12-24, or two such as 2026-12-25..2026-12-26.`);
      return range;
    })
    .slice(0, maxExceptions);
  return every || except.length > 0 ? { ...(every && { every }), except, cuts } : undefined;
}

function readEvery(entry: Reader): Calendar['every'] {
  const [text, anchorText] = [entry.text('every'), entry.text('anchor')];
  const weeks = text === undefined ? undefined : parseWeeks(text);
  const anchor = anchorText === undefined ? undefined : parseDate(anchorText);
  if (text !== undefined && weeks === undefined)
    entry.wrong('every', 'number of weeks', 'Use weeks from 1w to 52w, such as 2w.');
  if (anchorText !== undefined && anchor === undefined)
    entry.wrong('anchor', 'date', 'Use a date such as 2026-11-02, in a week in which the schedule applies.');
  if (entry.has('every') && !entry.has('anchor'))
    entry.fault('every', 'every is set without anchor. Add a date of a week in which the schedule applies.');
  if (entry.has('anchor') && !entry.has('every'))
    entry.fault('anchor', 'anchor is set without every. Add every, such as 2w, or remove anchor.');
  return weeks === undefined || anchor === undefined ? undefined : { weeks, anchor, text: anchorText ?? '' };
}
