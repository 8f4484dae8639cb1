// Which windows never close, though somebody gave them hours?
import { isZero } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { formatDuration } from '../../time/duration.ts';
import { soundWindows, windowObject } from '../facts/windows.ts';
import { valueAt, writtenAs } from '../facts/written.ts';
import { isAlwaysOpen, type WrittenSchedule, writtenSchedules } from '../facts/writtenSchedules.ts';
import type { Edit, Finding, Policy, Rule } from '../rule.ts';

const name = 'schedule-always-open';

export const scheduleAlwaysOpen: Rule = {
  name,
  finds: 'A schedule whose openings touch or overlap without end: it is always open.',
  why: 'A schedule that never closes says the same as none. Written as a limit per hour or day it is none: a budget counts nodes that are gone at once, not in a time.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      # Meant: five nodes a day.
      - nodes: "5"
        schedule: "@daily"
        duration: 24h
`,
  *check(policy) {
    const open = writtenSchedules(policy).filter(({ window }) => isAlwaysOpen(window, policy));
    for (const schedule of open) {
      yield {
        rule: name,
        severity: meansAlways(schedule) ? 'info' : 'warning',
        object: schedule.object,
        path: schedule.path,
        message: `This fires again before, or just when, its ${formatDuration(schedule.duration)} are over, so it is open at all times${sayEffect(schedule)}.`,
        ...suggest(schedule),
      };
    }
    yield* unions(open, policy);
  },
};

/** Whoever writes every minute of every day means always; older documents do. */
const meansAlways = ({ cron }: WrittenSchedule): boolean => /^\*(\s+\*){4}$/.test(cron.text);

function sayEffect({ budget }: WrittenSchedule): string {
  if (!budget) return '';
  const { nodes } = budget.budget;
  return isZero(nodes) ? ': nothing ever goes' : `: ${formatNodeCount(nodes)} at once, whatever the hour`;
}

function suggest({ budget, pool, key }: WrittenSchedule): Pick<Finding, 'suggestion' | 'fix'> {
  if (!budget || !pool) return { suggestion: 'Give a duration shorter than the time between two hits.' };
  const fields = [key, 'duration', 'timeZone'].filter((field) => field in budget.entry);
  const fix: Edit[] = fields.map((field) => ({ path: `${budget.path}.${field}`, remove: true }));
  return {
    suggestion: 'Leave schedule and duration out, or give a duration shorter than the time between two hits.',
    ...(pool.pool.budgetsFrom === 'spec' && { fix }),
  };
}

/** Maintenance windows none of whose schedules is always open, but all of them together are. */
function* unions(told: readonly WrittenSchedule[], policy: Policy): Generator<Finding> {
  for (const window of soundWindows(policy)) {
    const object = windowObject(window);
    const schedules = valueAt(writtenAs(policy, object)?.object, 'spec', 'schedules');
    if (!Array.isArray(schedules) || schedules.length < 2 || told.some((it) => it.object === object)) continue;
    if (!isAlwaysOpen(window.window, policy)) continue;
    const effect = window.mode === 'Allow' ? 'allows at all times, so it holds nothing back' : 'blocks at all times';
    yield {
      rule: name,
      severity: 'warning',
      object,
      path: 'spec.schedules',
      message: `Together these schedules leave no hour out: the window ${effect}.`,
      suggestion: 'Leave a time between them, or remove schedules if always is meant.',
    };
  }
}
