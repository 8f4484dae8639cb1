// N5: how is a pod whose schedule is closed kept from Karpenter's drain? It is parked as nodes are, until its window opens.
import { openSlot } from '../../cluster/memory.ts';
import type { Pod } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isActive } from '../../cluster/pod.ts';
import type { Reason } from '../../cluster/reason.ts';
import { formatInstant, type Instant } from '../../time/instant.ts';
import { podScheduleRefusals } from '../gates/podRules.ts';
import type { Action } from './action.ts';
import { annotate, type Seen } from './annotate.ts';

/** Pods whose schedule is closed now. A2: the schedules of an unhealthy node's pods would hold up their own repair. */
function closedPods({ timed }: NodeView, reason: Reason | undefined, now: Instant): readonly Pod[] {
  if (reason === 'Unhealthy' || reason === 'Interrupted') return [];
  return timed.flatMap((it) => (podScheduleRefusals(it, now).length > 0 ? [it.pod] : []));
}

/** Closed, and nothing keeps Karpenter off them yet. */
export const unguardedPods = (view: NodeView, reason: Reason | undefined, now: Instant): readonly Pod[] =>
  closedPods(view, reason, now).filter(({ marks }) => marks?.doNotDisrupt === undefined);

/** Parked pods whose time has come. */
export function guardedInVain(view: NodeView, reason: Reason | undefined, now: Instant): readonly Pod[] {
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

const seenOn = ({ marks }: Pod): Seen => ({
  [annotation.doNotDisrupt]: marks?.doNotDisrupt,
  [annotation.parked]: marks?.parked,
});

export const parkPod = (pod: Pod, now: Instant): Action =>
  patchPod(pod, { [annotation.doNotDisrupt]: 'true', [annotation.parked]: formatInstant(now) });

export const unparkPod = (pod: Pod): Action =>
  patchPod(pod, { [annotation.doNotDisrupt]: undefined, [annotation.parked]: undefined });

const patchPod = (pod: Pod, wanted: Seen): Action => ({
  verb: 'patch',
  kind: 'Pod',
  namespace: pod.namespace,
  name: pod.name,
  patch: annotate(seenOn(pod), wanted, pod.marks === undefined),
  preconditions: { uid: pod.uid },
});
