// When does a rule hold? The cron, duration and timeZone fields of budgets, maintenance windows and pod schedules.
import { type Cron, parseCron } from '../time/cron.ts';
import { parseDuration } from '../time/duration.ts';
import { asDuration, type Duration, minute } from '../time/instant.ts';
import { findZone } from '../time/zone.ts';
import { show } from './findings.ts';
import { type Reader, useDuration } from './reader.ts';

export const useCron = 'Use five fields: minute, hour, day of month, month, day of week, such as "0 9 * * mon-fri".';
export const useZone = 'Use a name of the IANA time zone database such as Europe/Berlin.';
export const neverFires = 'can never fire. Use a date that exists.';

/** As many as one window or pod may have: each is asked whenever the window is. */
export const maxSchedules = 50;

/** Every value of every field and a zone, written out, take 450. A longer text is no schedule, and is not kept in mind like one. */
const longestCron = 500;

export function parseSchedule(text: string, zone?: string): ReturnType<typeof parseCron> {
  return text.length > longestCron
    ? { fault: `it has ${text.length} characters and may have ${longestCron}` }
    : parseCron(text, zone);
}

/** A schedule in its zone; undefined, with a fault, where it cannot be read or never fires (B6). */
export function readCron(reader: Reader, key: string): Cron | undefined {
  const text = reader.text(key);
  const zone = readZone(reader);
  if (text === undefined) return undefined;
  const parsed = parseSchedule(text, zone);
  if ('fault' in parsed) {
    reader.fault(key, `${show(text)} is no schedule: ${parsed.fault}. ${useCron}`);
    return undefined;
  }
  const { cron } = parsed;
  if (zone !== undefined && cron.prefix !== undefined) {
    reader.fault('timeZone', `The schedule itself names ${cron.prefix}, which wins. Keep one of the two.`, 'warning');
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

/** B5: seconds are dropped, and at least a minute must remain. */
export function readMinutes(reader: Reader, key: string): Duration | undefined {
  const value = reader.raw(key);
  if (value === undefined) return undefined;
  const duration = typeof value === 'string' ? parseDuration(value) : undefined;
  if (duration === undefined) return reader.wrong(key, 'duration', useDuration);
  const minutes = Math.floor(duration / minute) * minute;
  if (minutes >= minute) return asDuration(minutes);
  return reader.wrong(key, 'duration of a minute or more', 'Use at least 1m: seconds do not count here.');
}
