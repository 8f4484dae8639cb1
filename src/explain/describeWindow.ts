// Describes windows and MaintenanceWindows: when they are open, what they do, and which nodes they select.
import { memo } from '../cluster/memo.ts';
import type { MaintenanceWindow } from '../cluster/model.ts';
import { budgetReasons, type Reason } from '../cluster/reason.ts';
import type { Requirement, Selector } from '../cluster/selector.ts';
import type { Cluster } from '../cluster/store.ts';
import { amountOf, isZero } from '../engine/rules/budgets.ts';
import { formatNodeCount } from '../kinds/read/reader.ts';
import { describeCalendar } from '../time/calendar.ts';
import { readFields } from '../time/cronFields.ts';
import {
  allWeekBut,
  atAllTimes,
  describeDuration,
  describeHours,
  describeInstant,
  inZone,
} from '../time/describeClock.ts';
import { describeCron, isWeekly, schedulesOf, withoutZone } from '../time/describeCron.ts';
import { asInstant, type Duration, day, hour, type Instant } from '../time/instant.ts';
import { andList, count, orList } from '../time/lists.ts';
import type { Schedule } from '../time/schedule.ts';
import { always, never, type Window } from '../time/window.ts';
import { findZone, type Zone } from '../time/zone.ts';
import { hasFewEdges, hoursOf, yearOf } from './week.ts';

export const utc: Zone = findZone('UTC') as Zone;

/** Whether all weeks are the same, apart from clock changes, and have few edges. Memoised: many pools may share a window. */
export const isUsual = memo(
  (window: Window, now: Instant): boolean =>
    schedulesOf(window)?.every(isOfWeeks) === true && hasFewEdges(window.nextChange, now),
);

function isOfWeeks({ cron }: Schedule): boolean {
  const fields = readFields(withoutZone(cron.text));
  return !('fault' in fields) && isWeekly(fields) && !cron.calendar;
}

/** `Monday to Friday 09:00–17:00 Berlin`, `at all times`, `on the 1st of the month all day (UTC)`. Memoised: many pods may share a window. */
export const describeWindow = memo((window: Window, now: Instant): string => {
  if (window === always) return atAllTimes;
  if (window === never) return 'never';
  const schedules = schedulesOf(window);
  if (!schedules) return `while “${window.text}”`;
  const zones = zonesOf(window);
  const [zone = utc] = zones;
  if (zones.length > 1 || !isUsual(window, now)) return schedules.map(describeSchedule).join(', and ');
  const changing = { zone, stateAt: (at: Instant) => window.isOpen(at), nextEdge: window.nextChange };
  const open = hoursOf(yearOf(changing, zones, now).usual, true);
  return inZone(describeHours(open).text, zone);
});

/** Hours of every day, and nothing else. */
const daily = /^every day ((?:(?!,| and ).)*)$/;

/** `only Saturday 02:00–06:00 UTC`: the hours of an Allow window. */
export function describeAllowed(window: Window, now: Instant): string {
  const hours = describeWindow(window, now);
  if (window === never) return 'never, because its schedule never fires';
  if (hours === atAllTimes) return hours;
  if (hours.startsWith(allWeekBut)) return `at any time except ${hours.slice(allWeekBut.length)}`;
  const [, times] = daily.exec(hours) ?? [];
  return times === undefined ? `only ${hours}` : `every day, but only ${times}`;
}

/** `at any time except Monday to Friday 09:00–17:00 UTC`: the hours outside a Block window. */
export function describeOutside(window: Window, now: Instant): string {
  const hours = describeWindow(window, now);
  if (window === never) return 'at any time, because its schedule never fires';
  if (hours.startsWith(allWeekBut)) return `only ${hours.slice(allWeekBut.length)}`;
  return hours === atAllTimes ? 'never, because it is blocked at all times' : `at any time except ${hours}`;
}

const describeSchedule = ({ cron, duration }: Schedule): string =>
  `${inZone(describeCron(cron.text, duration), cron.zone)}${cron.calendar ? `, ${describeCalendar(cron.calendar)}` : ''}`;

/** Each zone once, in the order of the schedules. */
export function zonesOf(window: Window): Zone[] {
  const zones = (schedulesOf(window) ?? []).map(({ cron }) => cron.zone);
  return zones.filter((zone, index) => zones.findIndex(({ name }) => name === zone.name) === index);
}

/** Earlier than any notBefore. */
const longAgo = asInstant(-100_000 * day);

/** The dates of a window (D4): `from 20 December 2026 00:00 UTC until 4 January 2027 00:00 UTC`; empty without dates. */
function describeLife(life: Window, now: Instant): string {
  if (life === always) return '';
  const first = life.nextChange(longAgo);
  const [from, to] = life.isOpen(longAgo)
    ? [undefined, first]
    : [first, first === undefined ? undefined : life.nextChange(first)];
  const begin = from === undefined ? '' : ` from ${describeInstant(from, utc)}`;
  const end = to === undefined ? '' : ` until ${describeInstant(to, utc)}`;
  const state = life.isOpen(now) ? 'in effect now' : to !== undefined && to <= now ? 'ended' : 'not yet started';
  return `${begin}${end} (${state})`.trim();
}

/** Short names of well-known labels. */
const known: Readonly<Record<string, string>> = {
  'karpenter.sh/nodepool': 'pool',
  'karpenter.sh/provisioner-name': 'provisioner',
  'karpenter.sh/capacity-type': 'capacity type',
  'topology.kubernetes.io/zone': 'zone',
  'topology.kubernetes.io/region': 'region',
  'node.kubernetes.io/instance-type': 'instance type',
  'kubernetes.io/arch': 'arch',
  'kubernetes.io/os': 'os',
  'kubernetes.io/hostname': 'host',
  'kubernetes.io/metadata.name': 'name',
};

/** Labels that name the owner of a node. */
const owners: readonly string[] = ['pool', 'provisioner'];

/** `every node`, `nodes with zone us-west-2a and arch arm64` */
export function describeSelected(noun: string, { requirements }: Pick<Selector, 'requirements'>): string {
  if (requirements.length === 0) return `every ${noun}`;
  const owned = requirements.filter(({ key, operator }) => operator === 'In' && owners.includes(known[key] ?? ''));
  const labelled = requirements.filter((requirement) => !owned.includes(requirement));
  const of = owned.map((requirement) => ` of ${describeRequirement(requirement)}`).join(' and');
  return `${noun}s${of}${labelled.length === 0 ? '' : ` with ${labelled.map(describeRequirement).join(' and ')}`}`;
}

function describeRequirement({ key, operator, values }: Requirement): string {
  const label = known[key] ?? `label ${key}`;
  switch (operator) {
    case 'In':
      return `${label} ${orList(values)}`;
    case 'NotIn':
      return `${label} ${andList(values.map((value) => `not ${value}`))}`;
    case 'Exists':
      return `${label} (any value)`;
    case 'DoesNotExist':
      return `no ${label}`;
    case 'Gt':
      return `${label} above ${values[0]}`;
    case 'Lt':
      return `${label} below ${values[0]}`;
    default:
      return `${label} ${operator === 'Gte' ? 'from' : 'up to'} ${values[0]}`;
  }
}

/** Without its name: `blocks drift and consolidation Monday to Friday 09:00–19:00 UTC on nodes with zone us-west-2a (4 of 11 nodes today)` */
export function describeMaintenance(window: MaintenanceWindow, cluster: Cluster, now: Instant): string {
  const { fault, note } = window;
  const managed = cluster.nodes.filter((view) => view.managed);
  const selected = managed.filter((view) => view.windows.includes(window)).length;
  const where = `on ${describeSelected('node', { requirements: window.selector ?? [] })}`;
  const today =
    managed.length === 0 ? '' : ` (${selected === 0 ? 'none' : selected} of ${count(managed.length, 'node')} today)`;
  const noteText = note ? `; note: ${note.replace(/\.$/, '')}` : '';
  const end = `${isZero(window.nodes) ? '' : ','} ${where}${today}${describeOthers(window, cluster)}${noteText}.`;
  if (fault) return `${describeEffect(window, selected, now)}${end} ${fault.path}: ${fault.message}`;
  return `${describeEffect(window, selected, now)}${end}`;
}

/** Any open Allow window allows (D3). */
function describeOthers({ name, mode, reasons }: MaintenanceWindow, { windows }: Cluster): string {
  if (mode !== 'Allow') return '';
  const others = windows.filter(
    (it) => it.mode === 'Allow' && it.name !== name && [...it.reasons].some((reason) => reasons.has(reason)),
  );
  return others.length === 0
    ? ''
    : `, or while ${orList(others.map((it) => it.name))} is open, if it selects the same node`;
}

/** `blocks drift Monday to Friday 09:00–17:00 UTC`, with its dates. */
export function describeEffect(window: MaintenanceWindow, selected: number, now: Instant): string {
  const { mode, nodes, reasons, life, fault } = window;
  const [what, hours, dates] = [describeActions(reasons), describeWindow(window.window, now), describeLife(life, now)];
  const cap = isZero(nodes) ? '' : describeCap(window, selected);
  const bounds = dates && ` ${dates}`;
  // A freeze by date is always open between its dates.
  const when = dates && window.window === always ? '' : ` ${hours}`;
  if (fault) return `is invalid, so it blocks ${what} at all times`;
  if (mode === 'Approve') return `requires approval (lull approve) for ${what}${when}${bounds}`;
  if (mode === 'Allow')
    return `allows ${what} ${describeAllowed(window.window, now)}${cap && `, and then ${cap}`}${bounds}`;
  return cap ? `limits ${what}${when} to ${cap}${bounds}` : `blocks ${what}${when}${bounds}`;
}

/** A node cap, counted across all pools and reasons (D5). */
function describeCap({ nodes, per }: MaintenanceWindow, selected: number): string {
  const today = selected === 0 || 'count' in nodes ? '' : ` (${amountOf(nodes, selected)} of ${selected} today)`;
  const pace = per === undefined ? 'at a time' : `that begin ${describePeriod(per)}`;
  return `${formatNodeCount(nodes)} of its nodes ${pace}${today}, counted across all pools`;
}

/** `in any 24 hours`, `in one opening` */
export const describePeriod = (per: NonNullable<MaintenanceWindow['per']>): string =>
  per === 'opening' ? 'in one opening' : `in any ${inWords(per)}`;

const inWords = (per: Duration): string => (per % hour === 0 ? count(per / hour, 'hour') : describeDuration(per));

const actionNames: readonly (readonly [Reason, string])[] = [
  ['Drifted', 'drift'],
  ['Expired', 'expiry'],
  ['Rebalance', 'rebalancing'],
  ['Unhealthy', 'repair'],
  ['Empty', 'removal of empty nodes'],
  ['Underutilized', 'consolidation of nodes in use'],
];
const consolidation: readonly Reason[] = ['Empty', 'Underutilized'];

/** `drift and consolidation`; `everything except interruption` for all reasons that windows can block. */
export function describeActions(reasons: ReadonlySet<Reason>): string {
  if (budgetReasons.every((reason) => reasons.has(reason))) return 'everything except interruption';
  const both = consolidation.every((reason) => reasons.has(reason));
  const named = actionNames.filter(([reason]) => reasons.has(reason));
  const apart = both ? named.filter(([reason]) => !consolidation.includes(reason)) : named;
  return andList([...apart.map(([, name]) => name), ...(both ? ['consolidation'] : [])]);
}
