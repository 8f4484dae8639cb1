// Which hits of a schedule run into each other, so that it stays open longer than its duration (B4)?
import { formatDuration } from '../../time/duration.ts';
import { after, asInstant, type Instant } from '../../time/instant.ts';
import type { Schedule } from '../../time/schedule.ts';
import { offsetAt } from '../../time/zone.ts';
import { cronOf } from '../facts/cronText.ts';
import { habitOf, type WeekStretch } from '../facts/habit.ts';
import { sayHabit, sayWeekday } from '../facts/spanWords.ts';
import { isAlwaysOpen, type WrittenSchedule, writtenSchedules } from '../facts/writtenSchedules.ts';
import { openSpans, type Span, yearAround } from '../facts/year.ts';
import type { Rule } from '../rule.ts';

const name = 'schedule-overlap';

export const scheduleOverlap: Rule = {
  name,
  finds: 'A schedule that fires again before its duration is over.',
  why: 'A range of hours fires at each of them, and each hit lasts for the whole duration. What was meant as office hours goes on into the night, a weekend into Tuesday.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      # Meant: from 9 to 18.
      - nodes: "1"
        schedule: "0 9-18 * * mon-fri"
        duration: 9h
`,
  *check(policy) {
    for (const schedule of writtenSchedules(policy)) {
      const overlap = isAlwaysOpen(schedule.window, policy) ? undefined : firstOverlap(schedule, policy.now);
      const run = overlap === undefined ? undefined : runAt(schedule, overlap);
      if (!run) continue;
      const year = yearAround(policy.now);
      const { weekly } = habitOf(openSpans(schedule.window, year), schedule.cron.zone, year);
      yield {
        rule: name,
        severity: 'warning',
        object: schedule.object,
        path: schedule.path,
        message: `${hitsIn(schedule, run)} hits run into each other: each lasts ${formatDuration(schedule.duration)}, so from the first to the end of the last this is open ${sayRun(run, weekly, schedule)}.`,
        ...suggest(schedule, weekly),
      };
    }
  },
};

/** Hits that overlap at all do so soon. */
const mostHits = 2000;

/** The first hit from now on that comes before the end of the one before it; not for a change of the clocks alone. */
function firstOverlap({ cron, duration }: Schedule, now: Instant): Instant | undefined {
  const { to } = yearAround(now);
  let hit = cron.next(now);
  for (let hits = 0; hit !== undefined && hit < to && hits < mostHits; hits++) {
    const next = cron.next(hit);
    if (next === undefined) return undefined;
    if (next < after(hit, duration) && offsetAt(cron.zone, hit) === offsetAt(cron.zone, next)) return next;
    hit = next;
  }
  return undefined;
}

function runAt({ window }: WrittenSchedule, at: Instant): Span | undefined {
  const [from, to] = [window.lastChange(at), window.nextChange(at)];
  return from === undefined || to === undefined ? undefined : { from, to };
}

function hitsIn({ cron }: Schedule, { from, to }: Span): number {
  let hits = 0;
  for (let at = cron.next(asInstant(from - 1)); at !== undefined && at < to; at = cron.next(at)) hits++;
  return hits;
}

/** As it is every week, or else this once. */
function sayRun(run: Span, weekly: readonly WeekStretch[], { cron: { zone } }: Schedule): string {
  return weekly.length > 0 ? sayHabit({ weekly, odd: [] }, zone) : sayWeekday(run, zone);
}

/** Only the first hit of each run, for as long as was written. */
function suggest(
  { duration, key, durationKey }: WrittenSchedule,
  [only, ...others]: readonly WeekStretch[],
): { suggestion?: string } {
  if (!only || others.length > 0) return {};
  return { suggestion: `${key}: "${cronOf(only)}"\n${durationKey}: ${formatDuration(duration)}` };
}
