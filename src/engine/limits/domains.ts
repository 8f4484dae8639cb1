// Topology domains of a pool, and how many drifted nodes of each may be disrupted at a time (C9, C14, C15).
import { defined } from '../../cluster/defined.ts';
import type { CommandNode } from '../../cluster/ledger.ts';
import type { Budget, Pool, TopologyBudget } from '../../cluster/model.ts';
import { compareText, isCounted, type NodeView } from '../../cluster/nodeView.ts';
import { labelOf } from '../../cluster/selector.ts';
import type { Instant } from '../../time/instant.ts';
import { isActive, leastOf } from '../rules/budgets.ts';
import { isConsumed, type PoolTally, type Situation } from '../situation.ts';

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

/** Topology budgets limit drift only; one that names only other reasons has no effect (C9). */
const bindsDrift = (budget: Budget): budget is TopologyBudget =>
  budget.topologyKey !== undefined && (budget.reasons === undefined || budget.reasons.has('Drifted'));

/** Of several sequential budgets only the first active one is used (C15). */
export function activeTopologyBudgets(pool: Pool, at: Instant): readonly TopologyBudget[] {
  const active = pool.budgets.filter(bindsDrift).filter((budget) => isActive(budget, at));
  const sequential = active.find((budget) => budget.sequential);
  return active.filter((budget) => !budget.sequential || budget === sequential);
}

export function findDomains(tally: PoolTally, situation: Situation): readonly Domain[] {
  const budgets = activeTopologyBudgets(tally.pool, situation.now);
  const keys = [...new Set(budgets.map(({ topologyKey }) => topologyKey))].sort(compareText);
  return keys.flatMap((topologyKey) => {
    const mine = budgets.filter((budget) => budget.topologyKey === topologyKey);
    return groupByDomain(tally.nodes, topologyKey).flatMap(([name, nodes]): Domain[] => {
      const counted = nodes.filter((view) => isCounted(view, situation.settings));
      const consumed = counted.filter((view) => isConsumed(view, 'Drifted', situation)).length;
      const { limit, budget } = leastOf(mine, counted.length);
      if (limit === undefined || !budget) return [];
      return [{ topologyKey, ...defined({ name }), nodes, counted: counted.length, consumed, limit, budget }];
    });
  });
}

/** The value of a topology label on a node; undefined = it has none. */
export const domainOf = ({ node }: NodeView, topologyKey: string): string | undefined =>
  labelOf(node.labels, topologyKey);

/**
 * The domain of a command's node. The command records it, since the node may be gone first; but a command that is older than the budget
 * has no record, so the node's label comes first.
 */
export function domainOfTaken(
  { name, domain }: CommandNode,
  topologyKey: string,
  { cluster }: Pick<Situation, 'cluster'>,
): string | undefined {
  const view = cluster.node(name);
  return view ? domainOf(view, topologyKey) : domain;
}

/** `zone a`, `the nodes without topology.kubernetes.io/zone` */
export const describeDomain = ({ topologyKey, name }: Pick<Domain, 'topologyKey' | 'name'>): string =>
  name === undefined ? `the nodes without ${topologyKey}` : `${topologyKey.split('/').at(-1)} ${name}`;

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
