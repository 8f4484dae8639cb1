// How is a budget written, and how is it named in a sentence?
import type { Budget } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import type { Json } from '../../kinds/reader.ts';
import { formatDuration } from '../../time/duration.ts';
import type { Zone } from '../../time/zone.ts';
import { andList } from '../words/lists.ts';
import { cronOf, lengthOf } from './cronText.ts';
import type { WeekStretch } from './habit.ts';

/** `budgets[2] (10%)` */
export const nameBudget = ({ index, nodes }: Budget): string => `budgets[${index}] (${formatNodeCount(nodes)})`;

/** `budgets[0] (10%) and budgets[3] (0)` */
export const nameBudgets = (budgets: readonly Budget[]): string => andList(budgets.map(nameBudget));

/** An entry of a list of budgets, as YAML. */
export function budgetYaml(fields: Json): string {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${valueYaml(value)}`);
  return lines.map((line, index) => `${index === 0 ? '- ' : '  '}${line}`).join('\n');
}

/** Plain where no reader of YAML could take it for anything but text. */
const plainText = /^[A-Za-z][\w./-]*$|^\d+[hm](\d+[hms])*$/;

function valueYaml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueYaml).join(', ')}]`;
  return typeof value === 'string' && plainText.test(value) ? value : JSON.stringify(value);
}

/** What a budget is for besides its hours. */
export interface Purpose {
  readonly nodes: string;
  readonly reasons?: readonly Reason[] | undefined;
  readonly zone: Zone;
}

/** Budgets that hold at just these hours of every week, as YAML. */
export const weeklyBudgets = (weekly: readonly WeekStretch[], purpose: Purpose): string =>
  weekly.map((stretch) => weeklyBudget(stretch, purpose)).join('\n');

function weeklyBudget(stretch: WeekStretch, { nodes, reasons, zone }: Purpose): string {
  return budgetYaml({
    nodes,
    schedule: cronOf(stretch),
    duration: formatDuration(lengthOf(stretch)),
    ...(zone.name !== 'UTC' && { timeZone: zone.name }),
    ...(reasons && reasons.length < budgetReasons.length && { reasons }),
  });
}
