// Can all nodes be replaced in their hours before they expire (N7)?
import { limitQuery } from '../../engine/limits/poolBudgets.ts';
import type { Situation } from '../../engine/situation.ts';
import { any } from '../../time/combine.ts';
import { earliest, formatInstant, type Instant } from '../../time/instant.ts';
import { actingSituation, type Expiry, expiriesOf, expiryHours, isEnforced } from '../facts/expiry.ts';
import { expireAfterPath, type PoolFacts, poolFacts } from '../facts/pools.ts';
import { rollingRoom } from '../facts/rollingRoom.ts';
import type { Rule } from '../rule.ts';

const name = 'expiry-cannot-finish';

export const expiryCannotFinish: Rule = {
  name,
  finds:
    'A pool whose nodes cannot all be replaced, at its limit and in its open hours, before they reach expireAfter.',
  why: 'What is left at the deadline goes by force, all at once, outside every budget and window.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template: {spec: {expireAfter: 48h}}
  disruption:
    budgets:
      # One at a time, and only in ten minutes of the day.
      - {nodes: "1"}
      - {nodes: "0", schedule: 10 0 * * *, duration: 23h50m}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-1, labels: &pool {karpenter.sh/nodepool: default, karpenter.sh/initialized: "true"}}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-1, creationTimestamp: "2098-03-01T00:00:00Z"}, spec: {expireAfter: 48h}, status: {nodeName: n-1}}
  - {apiVersion: v1, kind: Node, metadata: {name: n-2, labels: *pool}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-2, creationTimestamp: "2098-03-01T00:00:00Z"}, spec: {expireAfter: 48h}, status: {nodeName: n-2}}
  - {apiVersion: v1, kind: Node, metadata: {name: n-3, labels: *pool}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-3, creationTimestamp: "2098-03-01T00:00:00Z"}, spec: {expireAfter: 48h}, status: {nodeName: n-3}}
`,
  *check(policy) {
    const situation = actingSituation(policy);
    for (const facts of poolFacts(policy).filter((each) => isEnforced(each, policy))) {
      const short = shortfall(facts, situation);
      if (!short) continue;
      yield {
        rule: name,
        severity: 'warning',
        object: facts.object,
        path: expireAfterPath(policy, facts),
        message: `${short.due} nodes of ${facts.pool.name} expire by ${formatInstant(short.by)}, but in its open hours and at its limit only about ${short.room} of them can be replaced before. Karpenter takes the others by force, all at once.`,
        suggestion: `Let more nodes of ${facts.pool.name} go at once for Expired, open it longer, or let them go earlier (lull.dev/expire-after).`,
      };
    }
  },
};

interface Shortfall {
  readonly due: number;
  readonly room: number;
  readonly by: Instant;
}

/** The first deadline by which more nodes are due than can be replaced. Where none can at all, another rule says so. */
function shortfall(facts: PoolFacts, situation: Situation): Shortfall | undefined {
  const tally = situation.tallies.get(facts.pool.name);
  const expiries = expiriesOf(facts, situation);
  const from = expiries.map((expiry) => expiry.from).reduce<Instant | undefined>(earliest, undefined);
  if (!tally || from === undefined) return undefined;
  const hoursOver = expiryHours(facts.pool);
  const sets = [...new Set(expiries.map(({ view }) => view.windows))];
  const rolling = {
    query: limitQuery(tally, 'Expired', situation),
    hours: any(sets.map(hoursOver)),
    windows: sets.flat(),
    nodes: situation.cluster.nodes.filter(({ managed }) => managed),
  };
  let room = 0;
  let at = from;
  for (const [deadline, due] of dueBy(expiries)) {
    room += rollingRoom(rolling, at, deadline);
    at = deadline;
    if (room < due) return room === 0 ? undefined : { due, room, by: deadline };
  }
  return undefined;
}

/** How many are due by each deadline, those before included. */
function dueBy(expiries: readonly Expiry[]): ReadonlyMap<Instant, number> {
  const due = new Map<Instant, number>();
  expiries.forEach(({ deadline }, i) => {
    due.set(deadline, i + 1);
  });
  return due;
}
