// Do budgets for different reasons look like separate accounts, where they share one counter (C4)?
import type { Budget, NodeCount } from '../../cluster/model.ts';
import { amountOf, isZero } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { nameBudget } from '../facts/budgetText.ts';
import { nameReasons } from '../facts/reasons.ts';
import { writtenPools } from '../facts/writtenPools.ts';
import type { Rule } from '../rule.ts';

const name = 'budget-shared-counter';

export const budgetSharedCounter: Rule = {
  name,
  finds: 'Two budgets for different reasons of which one is many times the other.',
  why: 'What is in flight is counted once, whatever the reason. While nodes go under the larger budget, the smaller one is used up: its reason waits.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "1"
        reasons: [Drifted]
      - nodes: "100%"
        reasons: [Empty, Underutilized]
`,
  *check(policy) {
    for (const { object, budgets } of writtenPools(policy)) {
      const scoped = budgets.filter(({ budget, sound }) => sound && isScoped(budget));
      const [small] = scoped.toSorted((a, b) => typical(a.budget.nodes) - typical(b.budget.nodes));
      const large = scoped.find(
        (it) => small && isOther(it.budget, small.budget) && isFarAbove(it.budget, small.budget),
      );
      if (!small || !large) continue;
      yield {
        rule: name,
        severity: 'info',
        object,
        path: `${small.path}.nodes`,
        message: `All reasons share one counter: nodes that go for ${nameReasons(large.budget.reasons ?? [])} under ${nameBudget(large.budget)} use up this ${formatNodeCount(small.budget.nodes)} too, so ${nameReasons(small.budget.reasons ?? [])} must wait while they are in flight.`,
      };
    }
  },
};

const isScoped = ({ nodes, reasons, topologyKey }: Budget): boolean =>
  reasons !== undefined && topologyKey === undefined && !isZero(nodes);

/** As many as it comes to in a pool of a hundred. */
const typical = (nodes: NodeCount): number => amountOf(nodes, 100);
const manyTimes = 10;

const isFarAbove = (large: Budget, small: Budget): boolean => typical(large.nodes) >= manyTimes * typical(small.nodes);

const isOther = ({ reasons }: Budget, small: Budget): boolean =>
  [...(reasons ?? [])].every((reason) => !small.reasons?.has(reason));
