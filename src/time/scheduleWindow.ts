// When is a window open that opens at every hit of its schedules? Overlapping and touching openings are one (B4).
import { findChoruses } from './chorus.ts';
import { formatDuration } from './duration.ts';
import { earliest, type Instant } from './instant.ts';
import { remembered } from './remembered.ts';
import { compileSchedule, endOfLast, type Schedule } from './schedule.ts';
import { solo, type Voice } from './voice.ts';
import { horizon, never, type Window } from './window.ts';

/** Some 50 milliseconds. A run that has not ended after so many questions to its schedules is taken for endless. */
const mostAsked = 100_000;

/** Open while at least one of the schedules is; one that never fires adds nothing. */
export function scheduleWindow(schedules: readonly Schedule[]): Window {
  const compiled = schedules.map(compileSchedule).filter((schedule) => schedule !== undefined);
  if (compiled.length === 0) return never;
  const lastEnd = (at: Instant) =>
    compiled.reduce((last, schedule) => Math.max(last, endOfLast(schedule, at)), -Infinity) as Instant;
  let known: readonly Voice[] | undefined;
  const voices = (): readonly Voice[] => (known ??= [...findChoruses(compiled), ...compiled.map(solo)]);
  return remembered({
    text: compiled.map(describe).join(' or '),
    isOpen: (at) => at < lastEnd(at),
    nextChange: (at) => (at < lastEnd(at) ? endOfRun(voices(), at) : nextHit(compiled, at)),
    lastChange: (at) => (at < lastEnd(at) ? startOfRun(voices(), at) : lastEnd(at)),
  });
}

function describe({ cron, duration }: Schedule): string {
  const zone = cron.zone.name === 'UTC' || cron.prefix !== undefined ? '' : ` (${cron.zone.name})`;
  return `${cron.text} for ${formatDuration(duration)}${zone}`;
}

const nextHit = (schedules: readonly Schedule[], at: Instant): Instant | undefined =>
  schedules.map(({ cron }) => cron.next(at)).reduce(earliest);

/** Goes on with the first voice that carries further: those that carry far stand first, and the others need not be asked. */
function endOfRun(voices: readonly Voice[], at: Instant): Instant | undefined {
  // Who has said all it can say up to some instant is not asked before.
  const again = voices.map(() => -Infinity);
  let end = at;
  for (let [index, asked] = [0, 0]; index < voices.length; index++) {
    if (asked > mostAsked || end - at >= horizon) return undefined;
    if ((again[index] as number) > end) continue;
    const said = (voices[index] as Voice).forwards(end);
    asked++;
    again[index] = said.again;
    if (said.reach > end) [end, index] = [said.reach, -1];
  }
  return end;
}

/** The same, backwards. */
function startOfRun(voices: readonly Voice[], at: Instant): Instant | undefined {
  const again = voices.map(() => Infinity);
  let start = at;
  for (let [index, asked] = [0, 0]; index < voices.length; index++) {
    if (asked > mostAsked || at - start >= horizon) return undefined;
    if ((again[index] as number) < start) continue;
    const said = (voices[index] as Voice).backwards(start);
    asked++;
    again[index] = said.again;
    if (said.reach < start) [start, index] = [said.reach, -1];
  }
  return start;
}
