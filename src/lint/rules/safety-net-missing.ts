// A pool that only Lull limits: its spec lets Karpenter take every node at once while Lull is away (C17, N10).
import type { NodeCount, Pool } from '../../cluster/model.ts';
import { isBesideKarpenter } from '../../cluster/settings.ts';
import { amountOf } from '../../engine/limits/budgets.ts';
import { isLimit, lacksSafetyNet, safetyNetOf } from '../../engine/limits/safetyNet.ts';
import { steering } from '../../kinds/annotationName.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { type PoolFacts, poolFacts } from '../facts/pools.ts';
import type { Rule } from '../rule.ts';
import { sayNet } from '../words/netWords.ts';

const name = 'safety-net-missing';

export const safetyNetMissing: Rule = {
  name,
  finds:
    'A pool with a limit in lull.dev/budgets whose spec.disruption.budgets leave a reason without one at some hour.',
  why: 'spec.disruption.budgets is what Karpenter enforces when Lull is not there. With 100% or an empty list there, Karpenter may take every node of the pool at once as soon as Lull is away or released.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
  annotations:
    lull.dev/budgets: |
      - {nodes: "1"}
spec:
  disruption:
    budgets: [{nodes: 100%}]
`,
  *check({ settings, now, ...policy }) {
    if (!isBesideKarpenter(settings)) return;
    for (const facts of poolFacts({ settings, now, ...policy })) {
      const { pool, object } = facts;
      const isLimited = pool.budgetsFrom === 'annotation' && pool.budgets.some(({ nodes }) => isLimit(nodes));
      if (!isLimited || !lacksSafetyNet(pool, now)) continue;
      yield {
        rule: name,
        severity: 'warning',
        object,
        path: 'spec.disruption.budgets',
        message: `Only ${steering.budgets} limits this pool. While Lull is away Karpenter goes by spec.disruption.budgets: ${sayNet(safetyNetOf(pool, now), now)}.`,
        suggestion: `Write a limit in the spec that holds always, such as budgets: [{nodes: "${formatNodeCount(netFor(facts))}"}]. The smaller of both limits holds.`,
      };
    }
  },
};

const usual: NodeCount = { percent: 10 };
/** A pool without nodes is judged as if it had this many. */
const nominal = 100;

/** Not below what the annotation allows at most: it would bind before the annotation does. */
function netFor({ pool, nodes }: PoolFacts): NodeCount {
  const counted = nodes.filter(({ state }) => state.counted).length || nominal;
  return limitsOf(pool).reduce(
    (most, each) => (amountOf(each, counted) > amountOf(most, counted) ? each : most),
    usual,
  );
}

const limitsOf = ({ budgets }: Pool): readonly NodeCount[] =>
  budgets.filter(({ topologyKey, nodes }) => topologyKey === undefined && isLimit(nodes)).map(({ nodes }) => nodes);
