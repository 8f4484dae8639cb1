// Gates of the pods on a node: their own rules, their PodDisruptionBudgets, and namespaces with too much to evaluate.
import { excessTexts } from '../../cluster/crowding.ts';
import { memo, memoUntil } from '../../cluster/memo.ts';
import type { Pdb } from '../../cluster/model.ts';
import type { Uncounted } from '../../cluster/nodeView.ts';
import type { Instant } from '../../time/instant.ts';
import { count } from '../../time/lists.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import {
  blockedPodsAreWaived,
  nextPodChange,
  pdbOverlap,
  pdbSpent,
  pdbsAreWaived,
  podOptedOut,
  podScheduleRefusals,
  podsToEvict,
} from '../rules/podRules.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Gate, SteadyGate } from './gate.ts';

/** Opt-outs and schedules of each pod (E1, E3–E7). */
export const podRules: SteadyGate = (wish, { now }) => {
  if (wish.view.timed.length === 0 || blockedPodsAreWaived(wish)) return none;
  const refusals: Refusal[] = [];
  for (const pod of wish.view.timed) {
    const optedOut = podOptedOut(pod.pod, wish.reason, now);
    if (optedOut) refusals.push(optedOut);
    // Pods on a node that is not Ready serve no traffic; their schedules would delay their own recovery (A2).
    if (wish.reason !== 'Unhealthy') refusals.push(...podScheduleRefusals(pod, now));
  }
  return refusals;
};

/** PodDisruptionBudgets of the node's pods (E10). */
export const pdbs: Gate = (wish, situation) => (pdbsAreWaived(wish) ? none : refusalsOfPdbs(wish, situation));

export function refusalsOfPdbs(wish: Wish, { cluster, now }: Situation): readonly Refusal[] {
  const { overlapping, guarded } = wish.view;
  return overlapping.length + guarded.length === 0 ? none : refusalsUnder(wish, now, cluster.pdbRevision);
}

/** Cached until a pod's opt-out ends or a PDB's status changes. */
const refusalsUnder = memoUntil((wish: Wish, now, _pdbRevision: number) => ({
  value: workOut(wish, now),
  until: nextPodChange(wish.view, now),
}));

function workOut({ view, reason }: Wish, now: Instant): readonly Refusal[] {
  const refusals: Refusal[] = [];
  for (const pod of view.overlapping) if (!podOptedOut(pod.pod, reason, now)) refusals.push(pdbOverlap(pod));
  for (const it of view.guarded) {
    const pods = it.box.pdb.disruptionsAllowed < 1 ? podsToEvict(it, reason, now) : 0;
    if (pods > 0) refusals.push(allowsNone(it.box.pdb, pods));
  }
  return refusals.length > 0 ? refusals : none;
}

/** Cached: the same for many nodes in every round. */
const allowsNone = memo(
  (pdb: Pdb, pods: number): Refusal =>
    pdbSpent(pdb, `allows no eviction now; it selects ${count(pods, 'pod')} on this node`),
  10,
);

/** Waived like PodDisruptionBudgets: for repair, and for eventual reasons with a terminationGracePeriod (A2). */
export const namespaceCrowded: SteadyGate = (wish) => {
  const { uncounted } = wish.view;
  if (uncounted.length === 0 || wish.reason === 'Unhealthy' || blockedPodsAreWaived(wish)) return none;
  return uncounted.map(crowded);
};

function crowded({ pod, pods, excess }: Uncounted): Refusal {
  const { namespace, name } = pod;
  const { what, help } = excessTexts[excess];
  const whose = `pod ${namespace}/${name}${pods > 1 ? ` and ${pods - 1} more in its namespace` : ''}`;
  const owner = { kind: 'Pod', namespace, name };
  return refuse('NamespaceCrowded', `${whose} cannot be evaluated: in namespace ${namespace}, ${what}`, {
    owner,
    help,
  });
}
