// Describes the limits of each reason over all hours of the week, and groups reasons with the same text.
import type { Budget } from '../cluster/model.ts';
import type { Reason } from '../cluster/reason.ts';
import {
  describeHours,
  formatDate,
  formatPlainDate,
  formatTimeOfDay,
  type HoursText,
  inZone,
  minuteOfDay,
} from '../time/describeClock.ts';
import { day, type Instant } from '../time/instant.ts';
import { andList, groupsOf } from '../time/lists.ts';
import { offsetAt, wallTime, type Zone } from '../time/zone.ts';
import type { ReasonOff } from './describeLifetime.ts';
import { describeBound, type PoolSize } from './describeLimit.ts';
import { describeWindow } from './describeWindow.ts';
import { type Bound, closed, type IrregularBudget, type ReasonRule } from './poolRule.ts';
import { differences, hoursOf, type Season, type Segment, type StateSpan, week } from './week.ts';

export interface TextContext {
  readonly zone: Zone;
  readonly size: PoolSize;
  readonly now: Instant;
}

interface RuleContext extends TextContext {
  /** Budgets whose details an earlier sentence has. */
  readonly told: Set<Budget>;
}

/** One sentence for the usual week and one for each exception; without the reason and without full stops. */
function describeRule({ year, clauses, windows, further }: ReasonRule, textContext: TextContext): string[] {
  const context: RuleContext = { ...textContext, told: new Set() };
  const included = windows.length > 0 ? `; includes ${describeNames(windows)}` : '';
  const besides = further.length > 0 ? `; see also ${describeNames(further)}` : '';
  return [
    `${describeWeek(year.usual, context)}${included}${besides}`,
    ...clauses.map((clause) => describeClause(clause, year.usual, context)),
    ...year.seasons.map((season) => describeSeason(season, year.usual, context)),
    ...describeClockChanges(year.odd, context),
  ];
}

const boundText = (bound: Bound, { size, told }: RuleContext): string => describeBound(bound, size, told);

const describeNames = (windows: ReasonRule['windows']): string =>
  `${windows.length === 1 ? 'window' : 'windows'} ${andList(windows.map(({ name }) => name))}`;

/** With more pieces than this, “at all other times” is not spelled out. */
const mostPieces = 4;

type Week = readonly Segment<Bound>[];

function describeWeek(week: Week, context: RuleContext): string {
  const told = hoursByState(week);
  const [only, ...more] = told;
  if (only && more.length === 0)
    return only.state.closed ? 'at no time' : `any time, ${boundText(only.state, context)}`;
  const rest = told.pop();
  if (!rest) return '';
  const restHours = rest.hours.pieces <= mostPieces && !rest.hours.most ? ` (${rest.hours.text})` : '';
  return [...describeStates(told, context), `at all other times${restHours}, ${boundText(rest.state, context)}`].join(
    '; ',
  );
}

interface StateHours {
  readonly state: Bound;
  readonly hours: HoursText;
}

/** Few pieces first, nearly the whole week last; closed hours first among equals. */
const hoursByState = (week: Week): StateHours[] =>
  [...new Set(week.map(({ state }) => state))]
    .map((state) => ({ state, hours: describeHours(hoursOf(week, state)) }))
    .sort(
      (a, b) =>
        Number(a.hours.most ?? false) - Number(b.hours.most ?? false) ||
        a.hours.pieces - b.hours.pieces ||
        Number(b.state.closed) - Number(a.state.closed),
    );

/** Names the time zone only once. */
const describeStates = (told: readonly StateHours[], context: RuleContext): string[] =>
  told.map(
    ({ state, hours }, index) =>
      `${index === 0 ? inZone(hours.text, context.zone) : hours.text}, ${boundText(state, context)}`,
  );

function describeClause({ budget, week }: IrregularBudget, usual: Week, context: RuleContext): string {
  return `But ${budget.window ? describeWindow(budget.window, context.now) : ''}: ${describeDifferences(week, usual, context)}`;
}

function describeSeason({ from, to, week }: Season<Bound>, usual: Week, context: RuleContext): string {
  const [first, last] = [from, to].map((at) => formatPlainDate(wallTime(context.zone, at)));
  return `From ${first} to ${last}, when clocks are set differently: ${describeDifferences(week, usual, context)}`;
}

/** Only the differences from the usual week. */
function describeDifferences(week: Week, usual: Week, context: RuleContext): string {
  const [only, ...others] = new Set(week.map(({ state }) => state));
  if (only && others.length === 0) return boundText(only, context);
  return describeStates(hoursByState(differences(week, usual)), context).join('; ');
}

function describeClockChanges(odd: readonly StateSpan<Bound>[], context: RuleContext): string[] {
  const { zone } = context;
  const byDay = Map.groupBy(odd, ({ from }) => Math.floor(wallTime(zone, from) / day));
  return [...byDay].map(([days, its]) => {
    const hours = its.map((stretch) => `${formatSpan(stretch, zone)} ${boundText(stretch.state, context)}`);
    return `On ${formatDate(days * day)}, when clocks change, ${hours.join('; ')}`;
  });
}

function formatSpan({ from, to }: StateSpan<Bound>, zone: Zone): string {
  const [start, end] = [minuteOfDay(wallTime(zone, from)), minuteOfDay(wallTime(zone, to))];
  const again = from < zone.periodAt(from).repeatedUntil ? 'the second ' : '';
  const sameDay = Math.floor(wallTime(zone, from) / day) === Math.floor(wallTime(zone, to) / day);
  const lasts = offsetAt(zone, from) === offsetAt(zone, to) && (sameDay || end === 0);
  if (lasts) return `${again}${formatTimeOfDay(start)}–${formatTimeOfDay(end === 0 ? 1440 : end)}`;
  return `${again}${formatTimeOfDay(start)} until ${formatDate(wallTime(zone, to))} ${formatTimeOfDay(end)}`;
}

export interface ReasonGroup {
  readonly reasons: readonly Reason[];
  /** Karpenter's own reading of spec.disruption.budgets, which applies as well. Absent = Lull's reading. */
  readonly reader?: 'Karpenter';
  /** `Drifted and Expired`, `Every reason` */
  readonly subject: string;
  /** The rule, without the subject. */
  readonly text: string;
  /** The limit in each hour of a usual week. */
  readonly week: readonly Segment<Bound>[];
  /** Absent if the reason does not arise, nothing holds it, or the pool is invalid. */
  readonly rule?: ReasonRule;
}

type ReasonText = Omit<ReasonGroup, 'reasons' | 'subject' | 'reader'> & { readonly reason: Reason };

const free: Bound = { closed: false, domains: [] };

export const wholeWeek = (state: Bound): Segment<Bound>[] => [{ from: 0, to: week, state }];

export function describeReason(rule: ReasonRule, off: ReasonOff | undefined, context: TextContext): ReasonText {
  const { reason, year } = rule;
  if (off) return { reason, text: `${off.text}.`, week: wholeWeek(off.never ? closed : free) };
  return { reason, text: `${describeRule(rule, context).join('. ')}.`, week: year.usual, rule };
}

/** Groups reasons with the same text, in the order of their first reasons. */
export const grouped = (told: readonly ReasonText[], all = told, suffix = ''): ReasonGroup[] =>
  groupsOf(told, ({ text }) => text).map((its) => {
    const { reason: _, ...first } = its[0];
    const reasons = its.map(({ reason }) => reason);
    const subject = reasons.length === all.length ? 'Every reason' : andList(reasons);
    return { ...first, reasons, subject: `${subject}${suffix}` };
  });

/** Karpenter's reading of the reasons for which it differs from Lull's. */
export function groupedByKarpenter(told: readonly ReasonText[], own: readonly ReasonText[]): ReasonGroup[] {
  const differing = told.filter(({ text }, index) => text !== own[index]?.text);
  const groups = grouped(differing, told, ', as Karpenter reads the spec');
  return groups.map((group) => ({ ...group, reader: 'Karpenter' }));
}
