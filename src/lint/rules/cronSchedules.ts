// Lint rules about cron schedules in budgets, windows and pods (B1–B4).
import { isZero } from '../../engine/rules/budgets.ts';
import { utc } from '../../explain/describeWindow.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { admittedFrom, type Calendar } from '../../time/calendar.ts';
import { type Cron, dateOf } from '../../time/cron.ts';
import { formatTimeOfDay } from '../../time/describeClock.ts';
import { cronDays } from '../../time/describeCron.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, asDuration, asInstant, day, formatInstant, type Instant } from '../../time/instant.ts';
import { someOf } from '../../time/lists.ts';
import type { Schedule } from '../../time/schedule.ts';
import { offsetAt } from '../../time/zone.ts';
import { cronOf, fieldsOf, largeStepsIn, meantAsNth } from '../facts/cronText.ts';
import {
  formatPattern,
  formatSpan,
  formatWeeklyHours,
  openPattern,
  type TimeSpan,
  type WeeklyHours,
  yearAround,
} from '../facts/weeklyPattern.ts';
import { soundWindows, windowObject } from '../facts/windows.ts';
import { writtenAt } from '../facts/writtenObjects.ts';
import { isAlwaysOpen, type WrittenSchedule, writtenSchedules } from '../facts/writtenSchedules.ts';
import { checkEach, type Edit, type LintPolicy, type LintRule, type RuleFinding } from '../rule.ts';

export const cronSchedulesRules: readonly LintRule[] = [
  {
    name: 'schedule-always-open',
    severity: 'warning',
    finds: 'A schedule that is always open, because each opening touches or overlaps the next.',
    why: 'A schedule that never closes means the same as no schedule. It does not turn a budget into a limit per hour or day: a budget limits how many nodes are disrupted at a time, not how many in a period.',
    *check(policy) {
      const open = writtenSchedules(policy).filter(({ window }) => isAlwaysOpen(window, policy));
      yield* open.map(alwaysOpenFinding);
      yield* alwaysOpenUnions(open, policy);
    },
  },
  {
    name: 'schedule-dates', // R2
    severity: 'info',
    finds:
      'Dates of a MaintenanceWindow schedule that have no effect or look like a mistake: exceptions that have passed, every: 1w, or an anchor more than a year away.',
    why: 'Exceptions that have passed hide the next one that is missing. An anchor is any date of a week in which the schedule applies; one that is years away is correct, but hard to check.',
    check: checkEach(writtenSchedules, ({ cron, path }, { now }) =>
      cron.calendar ? dateFindings(cron, cron.calendar, { now, entry: path.replace(/\.cron$/, '') }) : undefined,
    ),
  },
  {
    name: 'schedule-either-day', // B1, R1
    severity: 'warning',
    finds: 'A cron schedule that restricts both the day of the month and the day of the week.',
    why: 'If both are restricted, either one is enough: an attempt at "the first Monday of the month" fires on the first seven days and on every Monday. The first Monday is written mon#1; Karpenter cannot read that.',
    check: checkEach(writtenSchedules, ({ cron, key, budget }) => {
      const fields = fieldsOf(cron.text);
      if (!fields || fields['day-of-month'].star || fields['day-of-week'].star) return undefined;
      const days = cronDays(fields);
      return {
        message: `Day of month and day of week are both restricted, and either one is enough: this schedule fires ${days?.replace(/,$/, '') ?? 'on days that match either'}.`,
        // Where Karpenter reads the budget as well, it could not read the suggestion.
        suggestion: suggestNth(cron, budget?.pool.budgetsFrom === 'spec' ? undefined : key),
      };
    }),
  },
  {
    name: 'schedule-overlap', // B4
    severity: 'warning',
    finds: 'A schedule that fires again before its duration ends.',
    why: 'A range of hours fires at each of them, and each opening lasts for the whole duration. Hours meant as office hours continue into the night, and a weekend into Tuesday.',
    check: checkEach(writtenSchedules, (schedule, policy) => {
      const overlap = isAlwaysOpen(schedule.window, policy) ? undefined : firstOverlap(schedule, policy.now);
      const from = overlap === undefined ? undefined : schedule.window.lastChange(overlap);
      const to = overlap === undefined ? undefined : schedule.window.nextChange(overlap);
      if (from === undefined || to === undefined) return undefined;
      const { weekly } = openPattern(schedule.window, schedule.cron.zone, policy.now);
      // The weekly hours if there are any, if not this one opening.
      const hours =
        weekly.length > 0
          ? formatPattern({ weekly, odd: [] }, schedule.cron.zone)
          : formatSpan({ from, to }, schedule.cron.zone);
      return {
        message: `${hitsIn(schedule, { from, to })} openings overlap: each lasts ${formatDuration(schedule.duration)}, so the schedule stays open ${hours}.`,
        ...firstHits(schedule, weekly),
      };
    }),
  },
  {
    name: 'schedule-step-too-large', // B1
    severity: 'warning',
    finds: 'A cron step that is larger than its range, such as */90 in the minute field.',
    why: 'Cron counts steps within a field and starts over with each hour, day or month. "*/90" does not fire every 90 minutes: it fires at minute 0 of every hour.',
    check: checkEach(writtenSchedules, ({ cron }) =>
      largeStepsIn(cron.text).map(({ field, item, size, value }) => ({
        message: `The step of "${item}" (${field}) is larger than its range of ${size}: only ${field} ${value} matches.`,
        suggestion: `Write ${value} if that is what you mean. If not, list the times: cron starts its steps over in every ${field} field.`,
      })),
    ),
  },
  {
    name: 'schedule-zone-missing', // B3
    severity: 'info',
    finds: 'A schedule that looks like office hours on weekdays but has no time zone.',
    why: 'Without timeZone a schedule is in UTC: the hours are wrong for an office elsewhere, and an hour off for half of the year where clocks change.',
    check: checkEach(writtenSchedules, (schedule, policy) =>
      schedule.zoned ? undefined : checkOfficeHours(schedule, policy),
    ),
  },
];

/** A year. The anchor of a schedule that was written recently is closer. */
const farAway = 366;

function dateFindings(
  { zone }: Cron,
  { every, except }: Calendar,
  { now, entry }: { readonly now: Instant; readonly entry: string },
): Pick<RuleFinding, 'path' | 'message' | 'suggestion'>[] {
  const today = dateOf(zone, now);
  const past = except.filter(({ to }) => to < today).map(({ text }) => text);
  return [
    ...(past.length === 0
      ? []
      : [
          {
            path: `${entry}.exceptDates`,
            message: `${someOf(past)} ${past.length === 1 ? 'has' : 'have'} passed.`,
            suggestion: 'Remove what has passed, and add the next dates if they are meant to be excepted every year.',
          },
        ]),
    ...(every?.weeks === 1
      ? [{ path: `${entry}.every`, message: 'every: 1w means every week.', suggestion: 'Remove every and anchor.' }]
      : []),
    ...(every && every.weeks > 1 && Math.abs(every.anchor - today) > farAway
      ? [
          {
            path: `${entry}.anchor`,
            message: `The anchor ${every.text} is more than a year away.`,
            suggestion: `Use a date of a week in which the schedule applies, such as ${nearAnchor(every, today)}.`,
          },
        ]
      : []),
  ];
}

/** The first date from today on in a week in which the schedule applies. */
function nearAnchor(every: NonNullable<Calendar['every']>, today: number): string {
  const date = admittedFrom({ every, except: [], cuts: false }, today);
  return formatInstant(asInstant(date * day)).slice(0, 'yyyy-mm-dd'.length);
}

function suggestNth(cron: Cron, key: string | undefined): string {
  const nth = key === undefined ? undefined : meantAsNth(cron.text);
  if (nth !== undefined) return `${key}: "${cron.prefix === undefined ? '' : `TZ=${cron.prefix} `}${nth}"`;
  return 'Restrict one of the two and write * for the other; for a single date, use notBefore and notAfter.';
}

function alwaysOpenFinding({ object, path, cron, duration, budget, key }: WrittenSchedule): RuleFinding {
  // Older documents write "always" as every minute of every day.
  const severity = /^\*(\s+\*){4}$/.test(cron.text) ? 'info' : 'warning';
  const message = `This schedule fires at least once in every ${formatDuration(duration)}, its duration, so it is always open`;
  const shorter = 'a duration shorter than the time between two openings.';
  if (!budget) return { severity, object, path, message: `${message}.`, suggestion: `Use ${shorter}` };
  const { nodes } = budget.budget;
  const effect = isZero(nodes) ? 'nothing is ever disrupted' : `the limit is ${formatNodeCount(nodes)} at any hour`;
  const fields = [key, 'duration', 'timeZone'].filter((field) => field in budget.entry);
  const fix: Edit[] = fields.map((field) => ({ path: `${budget.path}.${field}`, remove: true }));
  return {
    severity,
    object,
    path,
    message: `${message}: ${effect}.`,
    suggestion: `Remove schedule and duration, or use ${shorter}`,
    ...(budget.pool.budgetsFrom === 'spec' && { fix }),
  };
}

/** Maintenance windows whose schedules together are always open although none of them is by itself. */
function* alwaysOpenUnions(reported: readonly WrittenSchedule[], policy: LintPolicy): Generator<RuleFinding> {
  for (const window of soundWindows(policy)) {
    const object = windowObject(window);
    const schedules = writtenAt(policy, object, 'spec', 'schedules');
    if (!Array.isArray(schedules) || schedules.length < 2 || reported.some((it) => it.object === object)) continue;
    if (!isAlwaysOpen(window.window, policy)) continue;
    const holds = window.mode === 'Approve' ? 'requires approval at all times' : 'blocks at all times';
    const effect = window.mode === 'Allow' ? 'always allows disruption, so it has no effect' : holds;
    yield {
      object,
      path: 'spec.schedules',
      message: `Together these schedules cover every hour: the window ${effect}.`,
      suggestion: 'Leave a gap between them, or remove schedules if the window is meant to be open always.',
    };
  }
}

/** Bounds the search: openings that overlap at all do so soon. */
const mostHits = 2000;

/** The first hit from now on that comes before the previous opening ends. Overlaps caused only by a clock change do not count. */
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

function hitsIn({ cron }: Schedule, { from, to }: TimeSpan): number {
  let hits = 0;
  for (let at = cron.next(asInstant(from - 1)); at !== undefined && at < to; at = cron.next(at)) hits++;
  return hits;
}

/** A cron that fires only at the first hit of each run, with the same duration. */
function firstHits(
  { duration, key, durationKey }: WrittenSchedule,
  [only, ...others]: readonly WeeklyHours[],
): { suggestion?: string } {
  if (!only || others.length > 0) return {};
  return { suggestion: `${key}: "${cronOf(only)}"\n${durationKey}: ${formatDuration(duration)}` };
}

/** Fields of the schedule. With Karpenter, time zones are read only from the annotation (C17), so the budgets have to move there. */
function suggestFields({ budget }: WrittenSchedule, { settings }: LintPolicy, fields: readonly string[]): string {
  if (budget?.pool.budgetsFrom !== 'spec' || budget.pool.provisioner || settings.role === 'drive')
    return `${fields.join('\n')}  # or the time zone of your office`;
  return `Karpenter's CRD has no time zones. Move the budgets to the annotation lull.dev/budgets and set there: ${fields.join(', ')}, or the time zone of your office.`;
}

/** Schedules of a week and longer are not office hours. */
const aWeek = asDuration(7 * day);

function checkOfficeHours(schedule: WrittenSchedule, policy: LintPolicy): MessageAndSuggestion | undefined {
  const { window, duration, zoneKey } = schedule;
  if (duration >= aWeek) return undefined;
  const [only, ...others] = openPattern(window, utc, policy.now).weekly;
  if (!only || others.length > 0 || !isWorkdays(only)) return undefined;
  const hours = `${formatWeeklyHours(only)} UTC`;
  const suggestion = suggestFields(schedule, policy, [`${zoneKey}: Europe/Berlin`]);
  const inUtc = 'like office hours, but there is no time zone, so the schedule is in UTC.';
  if (isOffice(only)) return { message: `${hours}: this looks ${inUtc}`, suggestion };
  if (isOffice(complement(only))) return { message: `${hours}: the remaining time looks ${inUtc}`, suggestion };
  return isElsewhere(only) && isAlone(schedule, policy) ? describeElsewhere(only, schedule, policy) : undefined;
}

type MessageAndSuggestion = Pick<RuleFinding, 'message' | 'suggestion'>;

/** Four to six days: Monday to Friday, Sunday to Thursday, or with a Saturday. */
const isWorkdays = ({ days }: WeeklyHours): boolean => days.length >= 4 && days.length <= 6;

const hour = 60;
const isBetween = (value: number, least: number, most: number): boolean =>
  value >= least * hour && value <= most * hour;

const isOffice = ({ start, length }: DailyHours): boolean => isBetween(start, 6, 10) && isBetween(length, 8, 13);

type DailyHours = Pick<WeeklyHours, 'start' | 'length'>;

const complement = ({ start, length }: DailyHours): DailyHours => ({
  start: (start + length) % (24 * hour),
  length: 24 * hour - length,
});

/** Nights are often written in two parts, before and after midnight: look only at objects with one schedule. */
const isAlone = ({ object }: WrittenSchedule, policy: LintPolicy): boolean =>
  writtenSchedules(policy).filter((other) => other.object === object).length === 1;

/** Looks like office hours in Asia or in the Americas, converted to UTC by hand. */
const isElsewhere = ({ start, length }: DailyHours): boolean =>
  isBetween(length, 8, 11) && (isBetween(start, 0, 5) || isBetween(start, 11, 17));

/** Time zones in which it is nine o'clock at these UTC hours, in winter. */
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

function describeElsewhere(hours: WeeklyHours, schedule: WrittenSchedule, policy: LintPolicy): MessageAndSuggestion {
  const { key, zoneKey } = schedule;
  const [, offset, zone] = nineOClock.findLast(([from]) => hours.start >= from * hour) ?? [0, 0, 'UTC'];
  const local = (time: number): number => (time + offset * hour + 24 * hour) % (24 * hour);
  const [start, end] = [local(hours.start), local(hours.start + hours.length)];
  return {
    message: `${formatWeeklyHours(hours)} UTC: if these are office hours elsewhere (${formatTimeOfDay(start)} to ${formatTimeOfDay(end)} in ${zone}), set ${zoneKey} so that they stay correct when clocks change.`,
    suggestion: suggestFields(schedule, policy, [`${key}: "${cronOf({ ...hours, start })}"`, `${zoneKey}: ${zone}`]),
  };
}
