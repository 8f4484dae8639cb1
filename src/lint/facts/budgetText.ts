// Budgets and reasons as text and as YAML, and the reasons for which a pool disrupts nodes at all.
import type { Budget, Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Json } from '../../kinds/read/reader.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { formatDuration } from '../../time/duration.ts';
import type { Instant } from '../../time/instant.ts';
import { andList } from '../../time/lists.ts';
import type { Window } from '../../time/window.ts';
import type { Zone } from '../../time/zone.ts';
import type { Severity } from '../rule.ts';
import { cronOf, lengthOf } from './cronText.ts';
import { closedPattern, type WeeklyHours } from './weeklyPattern.ts';

/** `budgets[2] (10%)` */
export const nameBudget = ({ index, nodes }: Budget): string => `budgets[${index}] (${formatNodeCount(nodes)})`;

/** `budgets[0] (10%) and budgets[3] (0)` */
export const nameBudgets = (budgets: readonly Budget[]): string => andList(budgets.map(nameBudget));

/** An entry of a list of budgets, as YAML. */
export function budgetYaml(fields: Json): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${valueYaml(value)}`);
  return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`).join('\n');
}

/** Text that YAML cannot read as anything but a string. */
const plainText = /^[A-Za-z][\w./-]*$|^\d+[hm](\d+[hms])*$/;

function valueYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueYaml).join(', ')}]`;
  return typeof value === 'string' && plainText.test(value) ? value : JSON.stringify(value);
}

/** The fields of a budget besides its hours. */
export interface BudgetPurpose {
  readonly nodes: string;
  /** Absent = all of them. */
  readonly reasons?: Iterable<Reason> | undefined;
  readonly zone: Zone;
}

/** Budgets that apply exactly at these hours of every week, as YAML. */
export const weeklyBudgets = (weekly: readonly WeeklyHours[], purpose: BudgetPurpose): string =>
  weekly.map((hours) => weeklyBudget(hours, purpose)).join('\n');

/** Budgets that apply whenever a window is closed; undefined if these are not the same hours every week. */
export function budgetsOutside(window: Window, now: Instant, purpose: BudgetPurpose): string | undefined {
  const { weekly } = closedPattern(window, purpose.zone, now);
  return weekly.length === 0 ? undefined : weeklyBudgets(weekly, purpose);
}

function weeklyBudget(hours: WeeklyHours, { nodes, reasons: named = budgetReasons, zone }: BudgetPurpose): string {
  const reasons = [...named];
  return budgetYaml({
    nodes,
    schedule: cronOf(hours),
    duration: formatDuration(lengthOf(hours)),
    ...(zone.name !== 'UTC' && { timeZone: zone.name }),
    ...(reasons.length < budgetReasons.length && { reasons }),
  });
}

/** The field or setting because of which budgets do not apply to a reason; undefined if they do. */
export function offBy(pool: Pool, reason: Reason, { expiration }: Settings): string | undefined {
  switch (reason) {
    case 'Empty':
    case 'Underutilized':
      return consolidationOff(pool, reason);
    case 'Expired':
      if (pool.template.expireAfter === 'Never' && pool.expireEarlyAfter === undefined) return 'expireAfter: Never';
      return expiration === 'forceful' ? 'the setting expiration: forceful' : undefined;
    case 'Unhealthy':
      return pool.repairAfter === 'Never' ? 'repairAfter: Never' : undefined;
    default:
      return undefined;
  }
}

function consolidationOff(pool: Pool, reason: Reason): string | undefined {
  if (pool.replicas !== undefined) return 'replicas';
  if (pool.consolidateAfter === 'Never') return 'consolidateAfter: Never';
  return pool.consolidationPolicy === 'WhenEmpty' && reason === 'Underutilized'
    ? 'consolidationPolicy: WhenEmpty'
    : undefined;
}

/** The reasons that arise in this pool and that budgets apply to. */
export const reasonsOf = (pool: Pool, settings: Settings): Reason[] =>
  budgetReasons.filter((reason) => offBy(pool, reason, settings) === undefined);

/** The reasons that Karpenter's budgets have too (Unhealthy since 1.15). */
export const upstreamReasons: ReadonlySet<string> = new Set(['Empty', 'Underutilized', 'Drifted', 'Unhealthy']);

/** The reasons that budgets have always had. */
const wellKnown: ReadonlySet<Reason> = new Set(['Empty', 'Underutilized', 'Drifted']);

/** The severity of reasons without a limit: the newer reasons matter only where Lull acts itself. */
export const severityOfFree = (reasons: readonly Reason[], { role }: Settings): Severity =>
  role === 'observe' && !reasons.some((reason) => wellKnown.has(reason)) ? 'info' : 'warning';

/** `Drifted`, `Empty and Underutilized`, `every reason` */
export const nameReasons = (reasons: Iterable<Reason>): string => {
  const named = [...reasons];
  return named.length === budgetReasons.length ? 'every reason' : andList(named);
};
