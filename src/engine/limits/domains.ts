// How many drifted nodes of one topology domain may be gone at once (C9, C14, C15)?
import type { CommandNode } from '../../cluster/ledger.ts';
import type { Budget, Pool } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { labelOf } from '../../cluster/selector.ts';
import type { Instant } from '../../time/instant.ts';
import { isConsumed, type Situation, type Tally } from '../situation.ts';
import { isActive, leastOf } from './budgets.ts';

/** A domain of one pool under one topology key, as the round begins. */
export interface Domain {
  readonly topologyKey: string;
  /** Absent = the nodes without the label. */
  readonly name?: string;
  readonly nodes: readonly NodeView[];
  readonly counted: number;
  readonly consumed: number;
  readonly limit: number;
  readonly budget: Budget;
}

/** C9: topology budgets bind drift alone; one that names other reasons does nothing. */
const bindsDrift = ({ topologyKey, reasons }: Budget): boolean =>
  topologyKey !== undefined && (reasons === undefined || reasons.has('Drifted'));

/** C15: of the sequential ones only the first active one is used. */
export function activeTopologyBudgets(pool: Pool, at: Instant): readonly Budget[] {
  const active = pool.budgets.filter((budget) => bindsDrift(budget) && isActive(budget, at));
  const sequential = active.find((budget) => budget.sequential);
  return active.filter((budget) => !budget.sequential || budget === sequential);
}

export function findDomains(tally: Tally, situation: Situation): readonly Domain[] {
  const budgets = activeTopologyBudgets(tally.pool, situation.now);
  const keys = [...new Set(budgets.map(({ topologyKey }) => topologyKey as string))].sort(compareText);
  return keys.flatMap((topologyKey) => {
    const mine = budgets.filter((budget) => budget.topologyKey === topologyKey);
    return groupByDomain(tally.nodes, topologyKey).map(([name, nodes]) =>
      domain(topologyKey, name, nodes, { mine, situation }),
    );
  });
}

function domain(
  topologyKey: string,
  name: string | undefined,
  nodes: readonly NodeView[],
  { mine, situation }: { mine: readonly Budget[]; situation: Situation },
): Domain {
  const counted = nodes.filter(({ state }) => state.counted);
  const consumed = counted.filter((view) => isConsumed(view, 'Drifted', situation)).length;
  const { limit, budget } = leastOf(mine, counted.length);
  return {
    topologyKey,
    ...(name !== undefined && { name }),
    nodes,
    counted: counted.length,
    consumed,
    limit: limit as number,
    budget: budget as Budget,
  };
}

/** The value of a topology label on a node; undefined = it has none. */
export const domainOf = ({ node }: NodeView, topologyKey: string): string | undefined =>
  labelOf(node.labels, topologyKey);

/**
 * The domain of a node that a command takes. The node may be gone before its command is, so it is remembered with it; and the
 * command may be older than the budget, so that nobody thought of remembering.
 */
export function domainOfTaken(
  { name, domain }: CommandNode,
  topologyKey: string,
  { cluster }: Pick<Situation, 'cluster'>,
): string | undefined {
  const view = cluster.node(name);
  return view ? domainOf(view, topologyKey) : domain;
}

/** By name; the nodes without the label last (C14). */
function groupByDomain(nodes: readonly NodeView[], topologyKey: string): [string | undefined, NodeView[]][] {
  const groups = new Map<string | undefined, NodeView[]>();
  for (const view of nodes) {
    const name = domainOf(view, topologyKey);
    const group = groups.get(name) ?? [];
    group.push(view);
    groups.set(name, group);
  }
  return [...groups].sort(([a], [b]) => compareDomains(a, b));
}

export function compareDomains(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  return compareText(a, b);
}
