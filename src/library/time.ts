// The package entry `lull/time`: cron schedules, windows, time zones and durations.
export { all, any, not } from '../time/combine.ts';
export { type Cron, parseCron } from '../time/cron.ts';
export { formatDuration, parseDuration } from '../time/duration.ts';
export {
  after,
  asDuration,
  asInstant,
  before,
  between,
  type Duration,
  day,
  formatInstant,
  hour,
  type Instant,
  minute,
  parseInstant,
  second,
} from '../time/instant.ts';
export type { Schedule } from '../time/schedule.ts';
export { scheduleWindow } from '../time/scheduleWindow.ts';
export { always, closesAt, lifetime, never, type Opening, openings, opensAt, type Window } from '../time/window.ts';
export { findZone, type Zone } from '../time/zone.ts';
