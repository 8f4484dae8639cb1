// A spec that lets Karpenter take fewer nodes than the annotation allows (C17, N4).
import type { Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { consolidates } from '../../engine/gates/policyOff.ts';
import { limitAt } from '../../engine/limits/budgets.ts';
import { steering } from '../../kinds/annotationName.ts';
import { after, asDuration, day, earliest, formatInstant, type Instant } from '../../time/instant.ts';
import { bindsDrift } from '../facts/budgets.ts';
import { type PoolFacts, poolFacts } from '../facts/pools.ts';
import { valueAt, writtenAs } from '../facts/written.ts';
import type { Policy, Rule } from '../rule.ts';

const name = 'karpenter-budget-binds';

export const karpenterBudgetBinds: Rule = {
  name,
  finds: 'A pool with budgets in lull.dev/budgets whose spec.disruption.budgets let fewer nodes go.',
  why: 'Karpenter reads the spec alone, and 10% where there is none. What may go is the smaller of both, so that the annotation does not do what it says.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: default
  annotations:
    lull.dev/budgets: |
      - {nodes: 50%}
spec:
  disruption:
    budgets: [{nodes: 10%}]
`,
  *check(policy) {
    for (const facts of poolFacts(policy)) {
      const { pool, object } = facts;
      const binding = pool.budgetsFrom === 'annotation' && !pool.provisioner ? findBinding(facts, policy) : undefined;
      if (!binding) continue;
      const written = valueAt(writtenAs(policy, object)?.object, 'spec', 'disruption', 'budgets');
      const source = written === undefined ? 'the default of Karpenter, 10%,' : 'spec.disruption.budgets';
      const { reason, at, ours, theirs, of } = binding;
      const when = at === policy.now ? '' : ` at ${formatInstant(at)}`;
      yield {
        rule: name,
        severity: 'info',
        object,
        path: 'spec.disruption.budgets',
        message: `${steering.budgets} lets ${ours} of ${of} nodes go at once for ${reason}${when}, but ${source} lets Karpenter take ${theirs}: the smaller holds.`,
        suggestion: `Nothing, if the spec is what should hold: it also holds while Lull is away. Otherwise raise its limit to ${ours}; keep one there.`,
      };
    }
  },
};

interface Binding {
  readonly reason: Reason;
  readonly at: Instant;
  readonly ours: number;
  readonly theirs: number;
  readonly of: number;
}

/** What Karpenter knows by these names; all else is drift to it (N6). */
const reasons = ['Drifted', 'Empty', 'Underutilized'] as const;
/** A pool without nodes is judged as if it had so many. */
const nominal = 100;
const week = asDuration(8 * day);
/** A budget that opens every few minutes shows itself long before. */
const mostEdges = 500;

/** The first moment within a week at which Karpenter lets fewer go. */
function findBinding({ pool, nodes }: PoolFacts, { now, settings }: Policy): Binding | undefined {
  const of = nodes.filter(({ state }) => state.counted).length || nominal;
  const asKarpenter: Pool = { ...pool, budgets: pool.karpenterBudgets };
  const end = after(now, week);
  let at: Instant | undefined = now;
  for (let edges = 0; at !== undefined && at < end && edges < mostEdges; edges++) {
    for (const reason of reasons.filter((each) => each === 'Drifted' || consolidates(pool, each))) {
      const query = { reason, counted: of };
      const flat = Math.min(limitAt({ ...query, pool, rule: settings.defaultBudgets }, at).limit ?? of, of);
      // By domains it may be any number from one on.
      const ours = reason === 'Drifted' && pool.budgets.some(bindsDrift) ? Math.min(flat, 1) : flat;
      const theirs = Math.min(limitAt({ ...query, pool: asKarpenter, rule: 'ceiling' }, at).limit ?? of, of);
      // No limit in the annotation asks for nothing: then the spec's is the one that is meant.
      if (theirs < ours && ours < of) return { reason, at, ours, theirs, of };
    }
    at = nextEdge([...pool.budgets, ...pool.karpenterBudgets], at);
  }
  return undefined;
}

const nextEdge = (budgets: Pool['budgets'], at: Instant): Instant | undefined =>
  budgets.reduce<Instant | undefined>((next, { window }) => earliest(next, window?.nextChange(at)), undefined);
