// Is a pool ever open in the hours in which its pods may be moved?
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import type { NodeView, PodView } from '../../cluster/nodeView.ts';
import { kindOf, type Reason } from '../../cluster/reason.ts';
import { consolidates } from '../../engine/gates/policyOff.ts';
import { openByBudgets } from '../../engine/limits/poolHours.ts';
import type { Window } from '../../time/window.ts';
import { type Crowd, crowdsOf, nameCrowd } from '../facts/crowd.ts';
import { everOpen } from '../facts/hours.ts';
import { asWritten, type WrittenPod } from '../facts/pods.ts';
import { poolFacts } from '../facts/pools.ts';
import { capital } from '../facts/say.ts';
import { hoursOf, hoursText, isScheduled, scheduleOf } from '../facts/schedules.ts';
import { permittingHours } from '../facts/windows.ts';
import type { Policy, Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'pod-schedule-outside-pool-hours';

export const podScheduleOutsidePoolHours: Rule = {
  name,
  finds: 'A pod schedule that is never open while the budgets and maintenance windows of its pool are.',
  why: 'A node goes only when pods, budgets and windows all permit it. Where these hours never meet, it never does.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - {nodes: 10%}
      - {nodes: "0", schedule: 0 8 * * *, duration: 10h}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-1, labels: {karpenter.sh/nodepool: default}}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-1}, spec: {expireAfter: 720h}, status: {nodeName: n-1}}
  - apiVersion: v1
    kind: Pod
    metadata:
      {namespace: web, name: cart, annotations: {karpenter.sh/disruption-schedule: 0 10 * * *, karpenter.sh/disruption-schedule-duration: 2h}}
    spec: {nodeName: n-1}
`,
  *check(policy) {
    for (const { pool, nodes } of poolFacts(policy)) {
      const shut = new Map<WrittenPod, readonly Reason[]>();
      const missed = missedReasons(pool, policy);
      for (const view of nodes) {
        for (const pod of view.timed) if (isScheduled(pod)) shut.set(asWritten(pod), missed(view, pod));
      }
      const stuck = [...shut].filter(([, reasons]) => reasons.length > 0).map(([pod]) => pod);
      const likeness = (pod: WrittenPod) => `${hoursText(pod)} ${shut.get(pod)}`;
      for (const crowd of crowdsOf(stuck, likeness)) yield asFinding(pool, crowd, shut.get(crowd[0]) ?? []);
    }
  },
};

function asFinding({ name: pool }: Pool, crowd: Crowd, reasons: readonly Reason[]) {
  return {
    rule: name,
    severity: 'warning' as const,
    ...scheduleOf(crowd[0]),
    message: `${capital(nameCrowd(crowd))} may be moved only in its windows (${hoursText(crowd[0])}), in which the budgets and maintenance windows of ${pool} never let a node go for ${andList(reasons)}.`,
    suggestion: `Give it a window in the hours in which ${pool} is open.`,
  };
}

/** What a pod's schedule can hold up at all; for repair it is not asked (A2). */
const held: readonly Reason[] = ['Drifted', 'Expired', 'Underutilized'];

/** The reasons for which a pod's hours and its pool's never meet; worked out once for pods and nodes that are alike. */
function missedReasons(pool: Pool, { now }: Policy): (view: NodeView, pod: PodView) => readonly Reason[] {
  const known = new Map<readonly MaintenanceWindow[], Map<string, readonly Reason[]>>();
  return (view, pod) => {
    const here = known.get(view.windows) ?? new Map<string, readonly Reason[]>();
    known.set(view.windows, here);
    const asked = held.filter((reason) => mayArise(view, pool, reason));
    const key = `${hoursText(pod)} ${asked}`;
    const misses = (reason: Reason): boolean => {
      const hours: Window[] = [openByBudgets(pool, reason), ...permittingHours(view.windows, reason)];
      // Where either never opens by itself, that is the thing to say, and other rules say it.
      return everOpen(hours, now) && everOpen(hoursOf(pod), now) && !everOpen([...hours, ...hoursOf(pod)], now);
    };
    const missed = here.get(key) ?? asked.filter(misses);
    here.set(key, missed);
    return missed;
  };
}

function mayArise({ claim }: NodeView, pool: Pool, reason: Reason): boolean {
  // A2: behind a deadline, an eventual reason does not wait for pods.
  if (kindOf[reason] === 'eventual' && claim?.spec.terminationGracePeriod !== undefined) return false;
  if (reason === 'Expired') return typeof (claim ? claim.spec : pool.template).expireAfter === 'number';
  return reason !== 'Underutilized' || consolidates(pool, reason);
}
