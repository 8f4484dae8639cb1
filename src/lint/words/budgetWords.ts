// What is to be said of a pool's list of budgets itself: where it stands, and which of them change nothing?
import type { Budget, Pool } from '../../cluster/model.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { idleBudgets } from './idleBudgets.ts';
import { andList } from './lists.ts';
import type { PoolParts } from './poolRule.ts';
import { sayWindow } from './windowWords.ts';

export const sayBudgets = (parts: PoolParts): string[] => [
  ...saySource(parts.pool),
  ...idleBudgets(parts).map((budget) => sayIdle(budget, parts)),
];

function saySource({ budgets, budgetsFrom, provisioner }: Pool): string[] {
  if (budgetsFrom === 'default')
    return [`There are no budgets${provisioner ? '' : ' in spec.disruption.budgets'}, so 10% holds for every reason.`];
  const where = budgetsFrom === 'annotation' ? 'annotation lull.dev/budgets' : 'list of budgets';
  if (budgets.length === 0) return [`The ${where} is empty: nothing is limited. Leaving it out would mean 10%.`];
  return budgetsFrom === 'annotation'
    ? ['Lull reads the budgets in the annotation lull.dev/budgets, not those in the spec.']
    : [];
}

function sayIdle(budget: Budget, { now }: PoolParts): string {
  const { index, nodes, reasons, window, topologyKey } = budget;
  const forWhat = reasons ? ` for ${andList([...reasons])}` : '';
  const what = `budgets[${index}] (${formatNodeCount(nodes)}${forWhat}${window ? `, ${sayWindow(window, now)}` : ''})`;
  if (topologyKey !== undefined && reasons && !reasons.has('Drifted'))
    return `${what} changes nothing: a budget with topologyKey binds Drifted alone.`;
  return `${what} changes nothing: wherever it holds, another budget decides.`;
}
