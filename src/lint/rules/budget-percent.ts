// What does a percentage come to in a pool, or a domain, of today's size? It rounds up (C3).

import { emptyLedger } from '../../cluster/ledger.ts';
import type { Budget } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { amountOf } from '../../engine/limits/budgets.ts';
import { observe } from '../../engine/situation.ts';
import { bindsDrift } from '../facts/budgets.ts';
import { type WrittenBudget, writtenPools } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';
import { count, someOf } from '../words/lists.ts';

const name = 'budget-percent';

export const budgetPercent: Rule = {
  name,
  finds: 'A percentage that comes to far more than it says, because it rounds up in a small pool or domain.',
  why: 'A percentage rounds up to whole nodes and is never less than one: 10% of 3 nodes is a third of them, 25% of the only node of a zone is the zone.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "5%"
`,
  *check(policy) {
    const { tallies } = observe({ cluster: policy.cluster, ledger: emptyLedger }, policy.now, policy.settings);
    for (const { pool, object, budgets } of writtenPools(policy)) {
      const nodes = (tallies.get(pool.name)?.nodes ?? []).filter(({ state }) => state.counted);
      for (const written of budgets) {
        const message = nodes.length > 0 ? sayToday(written, nodes) : sayAnywhere(written);
        if (message === undefined) continue;
        const key = 'maxUnavailable' in written.entry ? 'maxUnavailable' : 'nodes';
        yield { rule: name, severity: 'info', object, path: `${written.path}.${key}`, message };
      }
    }
  },
};

/** From twice its share on, a number is not the one that was meant. */
const farMore = 2;

function sayToday({ budget }: WrittenBudget, nodes: readonly NodeView[]): string | undefined {
  const { nodes: limit, topologyKey } = budget;
  if (!('percent' in limit)) return undefined;
  const { percent } = limit;
  if (topologyKey !== undefined) return bindsDrift(budget) ? sayDomains(budget, percent, nodes) : undefined;
  if (!isFarMore(percent, nodes.length)) return undefined;
  const amount = amountOf(limit, nodes.length);
  return `${percent}% rounds up: of the ${count(nodes.length, 'node')} of today it is ${amount}, ${sayShare(amount, nodes.length)}.`;
}

function sayDomains(
  { nodes: limit, topologyKey = '' }: Budget,
  percent: number,
  nodes: readonly NodeView[],
): string | undefined {
  const domains = Map.groupBy(nodes, ({ node }) => node.labels[topologyKey]);
  const small = [...domains].filter(([, its]) => isFarMore(percent, its.length));
  if (small.length === 0) return undefined;
  const said = small.map(([domain = 'nodes without the label', its]) => {
    const amount = amountOf(limit, its.length);
    return `${domain} has ${count(its.length, 'node')}, so it is ${amount}, ${sayShare(amount, its.length)}`;
  });
  return `${percent}% rounds up in each domain: ${someOf(said.sort())}.`;
}

const isFarMore = (percent: number, of: number): boolean =>
  percent > 0 && (amountOf({ percent }, of) * 100) / of >= farMore * percent;

function sayShare(amount: number, of: number): string {
  return amount === of ? 'all of them' : `${Math.round((amount * 100) / of)}% of them`;
}

/** Whoever writes so little reckons with a large pool; the default of 10% needs no such remark. */
const little = 10;

function sayAnywhere({ budget: { nodes } }: WrittenBudget): string | undefined {
  if (!('percent' in nodes) || nodes.percent === 0 || nodes.percent >= little) return undefined;
  const most = Math.floor(100 / nodes.percent);
  return `${nodes.percent}% rounds up to at least one node: in a pool of up to ${most} nodes it is one, and of a single node that is all.`;
}
