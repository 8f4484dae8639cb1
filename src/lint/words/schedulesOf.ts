// Which schedules made this window? Read back from its text, which is all that a window tells of itself.
import { parseCron } from '../../time/cron.ts';
import { parseDuration } from '../../time/duration.ts';
import type { Schedule } from '../../time/schedule.ts';
import { always, never, type Window } from '../../time/window.ts';

const written = /^(.+) for (\S+?)(?: \((\S+)\))?$/s;

/** None for a window that is always or never open; undefined for one that was not made of schedules alone. */
export function schedulesOf(window: Window): readonly Schedule[] | undefined {
  if (window === always || window === never) return [];
  const schedules = window.text.split(' or ').map(readSchedule);
  return schedules.every((schedule) => schedule !== undefined) ? schedules : undefined;
}

function readSchedule(text: string): Schedule | undefined {
  const [, cronText = '', length = '', zone = ''] = written.exec(text) ?? [];
  const parsed = parseCron(cronText, zone);
  const duration = parseDuration(length);
  return 'fault' in parsed || duration === undefined ? undefined : { cron: parsed.cron, duration };
}
