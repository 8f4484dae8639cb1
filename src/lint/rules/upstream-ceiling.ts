// Where do Lull and Karpenter read the same budgets differently, because a reason is named by one of them (C5)?
import type { Budget } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { limitAt } from '../../engine/limits/budgets.ts';
import { nameBudget, nameBudgets } from '../facts/budgetText.ts';
import { sizesFor } from '../facts/decisive.ts';
import { phasesOf } from '../facts/phases.ts';
import { nameReasons, reasonsOf, upstreamReasons } from '../facts/reasons.ts';
import { poolsKarpenterReads } from '../facts/upstream.ts';
import type { WrittenPool } from '../facts/writtenPools.ts';
import type { Policy, Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'upstream-ceiling';

export const upstreamCeiling: Rule = {
  name,
  finds:
    'A budget that names a reason and allows more than one without reasons, which Karpenter takes as a ceiling for it.',
  why: 'In Lull a budget without reasons is for the reasons that nobody names. In Karpenter it binds all of them, and the least of both wins.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      - nodes: "100%"
        reasons: [Empty]
`,
  *check(policy) {
    if (policy.settings.defaultBudgets === 'ceiling') return;
    for (const written of poolsKarpenterReads(policy)) {
      const alike = Map.groupBy(written.sound ? differences(written, policy) : [], ({ ours }) => ours);
      for (const [ours, its] of alike) {
        const reasons = its.map(({ reason }) => reason);
        const theirs = [...new Set(its.map((it) => it.theirs))];
        yield {
          rule: name,
          severity: policy.settings.role === 'guide' ? 'warning' : 'info',
          object: written.object,
          path: pathOf(ours, written),
          message: `For ${nameReasons(reasons)} ${nameBudget(ours)} decides here, because it names ${reasons.length === 1 ? 'it' : 'them'}. Karpenter takes the least of all active budgets: there ${nameBudgets(theirs)} is a ceiling, and fewer nodes may go.`,
          suggestion: `Give ${andList(theirs.map(({ index }) => `budgets[${index}]`))} reasons of its own to mean the same in both; or set defaultBudgets: ceiling to read budgets as Karpenter does.`,
        };
      }
    }
  },
};

const pathOf = ({ index }: Budget, { path, budgets }: WrittenPool): string =>
  `${path}[${index}].${budgets.some(({ budget, entry }) => budget.index === index && 'reason' in entry) ? 'reason' : 'reasons'}`;

interface Difference {
  readonly reason: Reason;
  readonly ours: Budget;
  readonly theirs: Budget;
}

/** More hours than these show nothing new. */
const mostPhases = 200;

/** The first difference for each reason that both know. */
function differences({ pool }: WrittenPool, { now, settings }: Policy): Difference[] {
  const phases = phasesOf(pool, now).slice(0, mostPhases);
  const sizes = sizesFor(pool.budgets);
  return reasonsOf(pool, settings)
    .filter((reason) => upstreamReasons.has(reason))
    .flatMap((reason) => {
      for (const { at } of phases) {
        for (const counted of sizes) {
          const ours = limitAt({ pool, reason, counted, rule: 'fallback' }, at);
          const theirs = limitAt({ pool, reason, counted, rule: 'ceiling' }, at);
          if (ours.limit !== theirs.limit && ours.budget && theirs.budget)
            return [{ reason, ours: ours.budget, theirs: theirs.budget }];
        }
      }
      return [];
    });
}
