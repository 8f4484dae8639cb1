// N5: how is a pod whose schedule is closed kept from Karpenter's drain? It is parked as nodes are, until its window opens.
import { openSlot } from '../../cluster/memory.ts';
import type { Pod } from '../../cluster/model.ts';
import type { NodeView, PodView } from '../../cluster/nodeView.ts';
import { isActive } from '../../cluster/pod.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Instant } from '../../time/instant.ts';
import { podOptedOut, podScheduleRefusals } from '../gates/podRules.ts';
import type { Action, PatchOperation } from './action.ts';
import { isParked, isUsersOwn, type KeepOff, parkPatch, unparkPatch } from './keepOff.ts';

/**
 * Pods that Karpenter's drain would take though they are not to go now: their schedule is closed, or they opt out by a name that it
 * does not know. A2: the schedules of an unhealthy node's pods would hold up their own repair.
 */
function closedPods({ timed }: NodeView, reason: Reason, now: Instant): readonly Pod[] {
  if (reason === 'Interrupted') return [];
  const isClosed = (it: PodView): boolean => reason !== 'Unhealthy' && podScheduleRefusals(it, now).length > 0;
  const optsOut = ({ pod }: PodView): boolean =>
    pod.rules?.optOut?.unread === true && podOptedOut(pod, reason, now) !== undefined;
  return timed.flatMap((it) => (isClosed(it) || optsOut(it) ? [it.pod] : []));
}

/** Closed, and nothing keeps Karpenter off them yet, or nothing for long. */
export const unguardedPods = (view: NodeView, reason: Reason, now: Instant): readonly Pod[] =>
  closedPods(view, reason, now).filter((pod) => !isParked(seenOn(pod)) && !isUsersOwn(seenOn(pod)));

/** Parked pods whose time has come. */
export function guardedInVain(view: NodeView, reason: Reason, now: Instant): readonly Pod[] {
  const parked = parkedPods(view);
  if (parked.length === 0) return parked;
  const closed = new Set(closedPods(view, reason, now));
  return parked.filter((pod) => !closed.has(pod));
}

const remembered = openSlot<readonly Pod[]>();

export const parkedPods = (view: NodeView): readonly Pod[] =>
  remembered.recall(view) ??
  remembered.keep(
    view,
    view.pods.filter((pod) => pod.marks?.parked !== undefined && isActive(pod)),
  );

function seenOn({ marks }: Pod): KeepOff {
  return { doNotDisrupt: marks?.doNotDisrupt, parked: marks?.parked, before: marks?.before };
}

export const parkPod = (pod: Pod, now: Instant): Action =>
  patchPod(pod, parkPatch(seenOn(pod), now, pod.marks === undefined));

export const unparkPod = (pod: Pod): Action => patchPod(pod, unparkPatch(seenOn(pod)));

const patchPod = (pod: Pod, patch: readonly PatchOperation[]): Action => ({
  verb: 'patch',
  kind: 'Pod',
  namespace: pod.namespace,
  name: pod.name,
  patch,
  preconditions: { uid: pod.uid },
});
