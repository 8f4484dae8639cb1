// Which schedules look like office hours somewhere, and say no time zone (B3)?
import { asDuration, day } from '../../time/instant.ts';
import { cronOf } from '../facts/cronText.ts';
import { habitOf, type WeekStretch } from '../facts/habit.ts';
import { sayStretch } from '../facts/spanWords.ts';
import { utc } from '../facts/unlimited.ts';
import { type WrittenSchedule, writtenSchedules } from '../facts/writtenSchedules.ts';
import { openSpans, yearAround } from '../facts/year.ts';
import type { Finding, Policy, Rule } from '../rule.ts';
import { sayClock } from '../words/clockWords.ts';

const name = 'schedule-zone-missing';

export const scheduleZoneMissing: Rule = {
  name,
  finds: 'Hours that look like those of an office, on weekdays, without a time zone.',
  why: 'Without timeZone a schedule is in UTC: the hours are those of an office elsewhere, and where clocks change they are an hour off for half of the year.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      - nodes: "0"
        schedule: "0 9 * * mon-fri"
        duration: 8h
`,
  *check(policy) {
    for (const schedule of writtenSchedules(policy)) {
      const words = schedule.zoned ? undefined : lookAt(schedule, policy);
      if (words) yield { rule: name, severity: 'info', object: schedule.object, path: schedule.path, ...words };
    }
  },
};

/** Fields of the schedule; beside Karpenter zones are read from the annotation alone (C17), so budgets move there. */
function suggest({ pool }: WrittenSchedule, { settings }: Policy, fields: readonly string[]): string {
  if (pool?.pool.budgetsFrom !== 'spec' || pool.pool.provisioner || settings.role === 'drive')
    return `${fields.join('\n')}  # or where the office is`;
  return `Karpenter's CRD knows no time zones. Move the budgets to the annotation lull.dev/budgets, and write there: ${fields.join(', ')}, or where the office is.`;
}

/** A longer schedule is no week of an office. */
const aWeek = asDuration(7 * day);

function lookAt(schedule: WrittenSchedule, policy: Policy): Words | undefined {
  const { window, duration, zoneKey } = schedule;
  if (duration >= aWeek) return undefined;
  const year = yearAround(policy.now);
  const { weekly } = habitOf(openSpans(window, year), utc, year);
  const [only, ...others] = weekly;
  if (!only || others.length > 0 || !isWorkdays(only)) return undefined;
  const hours = `${sayStretch(only)} UTC`;
  const suggestion = suggest(schedule, policy, [`${zoneKey}: Europe/Berlin`]);
  const inUtc = 'like office hours, but no time zone is given, and UTC is meant then.';
  if (isOffice(only)) return { message: `${hours}: these look ${inUtc}`, suggestion };
  if (isOffice(complement(only))) return { message: `${hours}: what is left looks ${inUtc}`, suggestion };
  return isElsewhere(only) && isAlone(schedule, policy) ? sayElsewhere(only, schedule, policy) : undefined;
}

type Words = Pick<Finding, 'message' | 'suggestion'>;

/** Monday to Friday, Sunday to Thursday, Saturdays included. */
const isWorkdays = ({ days }: WeekStretch): boolean => days.length >= 4 && days.length <= 6;

const hour = 60;
const isBetween = (value: number, least: number, most: number): boolean =>
  value >= least * hour && value <= most * hour;

const isOffice = ({ start, length }: Hours): boolean => isBetween(start, 6, 10) && isBetween(length, 8, 13);

type Hours = Pick<WeekStretch, 'start' | 'length'>;

const complement = ({ start, length }: Hours): Hours => ({
  start: (start + length) % (24 * hour),
  length: 24 * hour - length,
});

/** Nights are often written in two parts, one on either side of midnight. */
const isAlone = ({ object }: WrittenSchedule, policy: Policy): boolean =>
  writtenSchedules(policy).filter((other) => other.object === object).length === 1;

/** Office hours in Asia or in the Americas, written in UTC by hand. */
const isElsewhere = ({ start, length }: Hours): boolean =>
  isBetween(length, 8, 11) && (isBetween(start, 0, 5) || isBetween(start, 11, 17));

/** Zones in which it is nine o'clock then, in winter; the nearest before that hour. */
const nineOClock: readonly (readonly [hours: number, offset: number, zone: string])[] = [
  [0, 9, 'Asia/Seoul'],
  [1, 8, 'Asia/Singapore'],
  [3, 5.5, 'Asia/Kolkata'],
  [5, 4, 'Asia/Dubai'],
  [11, -3, 'America/Sao_Paulo'],
  [13, -5, 'America/New_York'],
  [15, -6, 'America/Chicago'],
  [16, -8, 'America/Los_Angeles'],
];

function sayElsewhere(stretch: WeekStretch, schedule: WrittenSchedule, policy: Policy): Words {
  const { key, zoneKey } = schedule;
  const [, offset, zone] = nineOClock.findLast(([from]) => stretch.start >= from * hour) ?? [0, 0, 'UTC'];
  const local = (time: number): number => (time + offset * hour + 24 * hour) % (24 * hour);
  const [start, end] = [local(stretch.start), local(stretch.start + stretch.length)];
  return {
    message: `${sayStretch(stretch)} UTC: if these are office hours elsewhere (${sayClock(start)} to ${sayClock(end)} in ${zone}), ${zoneKey} says so, and keeps them where clocks change.`,
    suggestion: suggest(schedule, policy, [`${key}: "${cronOf({ ...stretch, start })}"`, `${zoneKey}: ${zone}`]),
  };
}
