// Which nodes does Karpenter's expiry take before budgets and windows let them go (N7)?
import type { Pool } from '../../cluster/model.ts';
import type { Situation } from '../../engine/situation.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, type Duration, formatInstant, hour } from '../../time/instant.ts';
import { opensAt } from '../../time/window.ts';
import { actingSituation, expiriesOf, expiryHours, isEnforced } from '../facts/expiry.ts';
import { longestClosing } from '../facts/hours.ts';
import { expireAfterPath, type PoolFacts, poolFacts, windowSetsOf } from '../facts/pools.ts';
import type { Policy, Rule } from '../rule.ts';
import { someOf } from '../words/lists.ts';

const name = 'expiry-before-windows';

export const expiryBeforeWindows: Rule = {
  name,
  finds: 'Nodes that reach expireAfter before budgets and MaintenanceWindows next let them go for their age.',
  why: 'Karpenter enforces expireAfter by the clock: it obeys no budget and no window. Such nodes go outside the hours in which they may, many at once if they were born together.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec: {template: {spec: {expireAfter: 336h}}}
---
# Once a month; but nodes live for two weeks.
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: monthly}
spec:
  mode: Allow
  schedules: [{cron: 0 2 1 * *, duration: 8h}]
`,
  *check(policy) {
    const situation = actingSituation(policy);
    for (const facts of poolFacts(policy).filter((each) => isEnforced(each, policy))) {
      const message = ofNodes(facts, situation) ?? ofNodesToCome(facts, policy);
      if (message === undefined) continue;
      yield {
        rule: name,
        severity: 'warning',
        object: facts.object,
        path: expireAfterPath(policy, facts),
        message,
        suggestion: `Open ${facts.pool.name} for Expired more often, or make expireAfter longer.`,
      };
    }
  },
};

/** Those that are there. */
function ofNodes({ pool, nodes, object }: PoolFacts, situation: Situation): string | undefined {
  const hours = expiryHours(pool);
  const late = expiriesOf({ pool, nodes, object }, situation).flatMap(({ view, from, deadline }) => {
    const opens = opensAt(hours(view.windows), from);
    return opens !== undefined && opens < deadline ? [] : [{ name: view.node.name, opens, deadline }];
  });
  const [first] = late;
  if (!first) return undefined;
  const at = formatInstant(first.deadline);
  const many = `${late.length} nodes of ${pool.name} by force when they expire (${someOf(late.map((it) => it.name))}), the first at ${at}`;
  const who = late.length > 1 ? many : `node ${first.name} of ${pool.name} by force when it expires at ${at}`;
  const opens = first.opens === undefined ? 'never open' : `do not open before ${formatInstant(first.opens)}`;
  return `Karpenter will take ${who}: for Expired, budgets and windows ${opens}.`;
}

/** Those that are made at a bad moment: all of the time in which they should go is closed. */
function ofNodesToCome(facts: PoolFacts, policy: Policy): string | undefined {
  const { pool } = facts;
  const lifetime = pool.template.expireAfter;
  if (typeof lifetime !== 'number') return undefined;
  const lead = longestLead(pool, lifetime, policy);
  const hours = expiryHours(pool);
  const closed = Math.max(...windowSetsOf(facts, policy).map((set) => longestClosing(hours(set), policy.now)));
  if (closed < lead) return undefined;
  const stretch = closed === Infinity ? 'for ever' : `for up to ${inHours(closed)} at a time`;
  return `Nodes of ${pool.name} live for ${formatDuration(lifetime)} and go for their age in the last ${inHours(lead)} of that at most, but budgets and windows are closed for Expired ${stretch}. Karpenter takes by force whatever expires meanwhile.`;
}

/** N7: so much of a lifetime is the lead at most. */
const mostShare = 0.5;

/** How long before its deadline a node may go for its age at best. */
function longestLead({ expireEarlyAfter: early }: Pool, lifetime: Duration, { settings }: Policy): Duration {
  if (typeof early === 'number' && early < lifetime) return asDuration(lifetime - early);
  const most = lifetime * mostShare;
  return asDuration(settings.expireLead === 'auto' ? most : Math.min(settings.expireLead, most));
}

const inHours = (elapsed: number): string => formatDuration(asDuration(Math.round(elapsed / hour) * hour));
