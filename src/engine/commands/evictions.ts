// Evictions on one node: which pods are evicted or forced now, and what holds the rest (G6, E9, E10, H2).
import type { Command } from '../../cluster/ledger.ts';
import type { Pod } from '../../cluster/model.ts';
import type { NodeView, PdbRef, PodView } from '../../cluster/nodeView.ts';
import { isDaemon, isEvictable } from '../../cluster/pod.ts';
import { after, asDuration, before, earliest, type Instant, second } from '../../time/instant.ts';
import type { Refusal } from '../refusal.ts';
import { pdbOverlap, pdbSpent, podOptedOut, podScheduleRefusals } from '../rules/podRules.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { type EvictionDeadline, endsAt, isEnding, pdbsOn, spreadOut } from './drains.ts';
import { isUrgent, type StepContext } from './step.ts';

export interface EvictionPlan {
  readonly actions: readonly Action[];
  readonly waitingFor: readonly Refusal[];
  /** Pods still to be evicted. */
  readonly left: number;
  /** Whether pods are terminating. */
  readonly busy: boolean;
  readonly wakeAt: Instant | undefined;
}

export function evictionsOn(
  view: NodeView,
  command: Command,
  { context, deadline }: { context: StepContext; deadline: Instant | undefined },
): EvictionPlan {
  const { now } = context.situation;
  const waiting = view.pods.filter((pod) => isEnding(pod, now));
  const left = view.pods.filter(isEvictable);
  const tier = currentTier([...left, ...waiting]);
  const moments = deadline === undefined ? undefined : context.drains.momentsFor(command);
  const rules = openRules(view, command, context);
  const boxes = pdbsOn(view);
  const actions: Action[] = [];
  const waitingFor: Refusal[] = [];
  let wakeAt: Instant | undefined;
  for (const pod of left) {
    const moment = moments?.get(pod.uid);
    if (deadline !== undefined && moment !== undefined && moment <= now) {
      const latest = latestMoment(pod, deadline);
      const box = boxes.get(pod);
      // A pod that is not Ready does not count for its PDB, so it does not wait for others (H3).
      if (!box || latest <= now || pod.ready !== 'True' || context.drains.forceOne(box))
        actions.push(force(pod, command.id, { deadline, now }));
      else wakeAt = earliest(wakeAt, latest);
      continue;
    }
    wakeAt = earliest(wakeAt, moment);
    if (tierOf(pod) !== tier) continue;
    const refusals = rules(pod);
    if (refusals.length === 0) actions.push(evict(pod, command.id));
    else waitingFor.push(...refusals);
  }
  for (const pod of waiting) {
    wakeAt = earliest(wakeAt, endsAt(pod));
    if (deadline !== undefined && isTooSlow(pod, deadline, now))
      actions.push(force(pod, command.id, { deadline, now }));
  }
  for (const { liftsAt } of waitingFor) wakeAt = earliest(wakeAt, liftsAt);
  return { actions, waitingFor, left: left.length, busy: waiting.length > 0, wakeAt };
}

/** The latest instant to force a pod that still leaves it its grace period (H2). */
const latestMoment = ({ graceSeconds }: Pod, deadline: Instant): Instant =>
  before(deadline, asDuration(graceSeconds * second));

/** Whether it is terminating with a longer grace period than the deadline leaves; a second delete shortens it (H2). */
const isTooSlow = ({ deletingAt }: Pod, deadline: Instant, now: Instant): boolean =>
  deletingAt !== undefined && deletingAt >= after(deadline, second) && deletingAt > after(now, second);

/** Each pod's own rules and its PDB are checked again for every eviction (E9). */
function openRules(view: NodeView, command: Command, context: StepContext): (pod: Pod) => readonly Refusal[] {
  const { now } = context.situation;
  const pressed = isUrgent(command, context);
  const timed = new Map<Pod, PodView>(view.timed.map((it) => [it.pod, it]));
  const overlapping = new Map<Pod, PodView>(view.overlapping.map((it) => [it.pod, it]));
  const boxes = pdbsOn(view);
  return (pod) => {
    const own = pressed ? [] : ownRefusals(pod, timed.get(pod), { command, now });
    if (own.length > 0) return own;
    const twice = overlapping.get(pod);
    if (twice) return [pdbOverlap(twice)];
    const box = boxes.get(pod);
    return !box || context.pdbs.take(box) ? [] : [pdbHolds(pod, box)];
  };
}

function ownRefusals(
  pod: Pod,
  timed: PodView | undefined,
  { command: { reason }, now }: { command: Command; now: Instant },
): readonly Refusal[] {
  const optedOut = podOptedOut(pod, reason, now);
  if (optedOut) return [optedOut];
  return timed && reason !== 'Unhealthy' ? podScheduleRefusals(timed, now) : [];
}

const pdbHolds = ({ namespace, name }: Pod, { pdb }: PdbRef): Refusal =>
  pdbSpent(pdb, `allows no eviction of pod ${namespace}/${name} now`);

const evict = ({ namespace, name, uid }: Pod, command: string): Action => ({
  verb: 'evict',
  kind: 'Pod',
  namespace,
  name,
  preconditions: { uid },
  command,
});

/** Deletes the pod with the remaining seconds, but at most its own grace period. */
function force(
  { namespace, name, uid, graceSeconds }: Pod,
  command: string | undefined,
  { deadline, now }: { deadline: Instant; now: Instant },
): Action {
  const remaining = Math.floor((deadline - now) / second);
  return {
    verb: 'delete',
    kind: 'Pod',
    namespace,
    name,
    preconditions: { uid },
    graceSeconds: Math.max(Math.min(graceSeconds, remaining), 1),
    ...(command !== undefined && { command }),
  };
}

// The order in which a node's pods are evicted (G6): pods that others may depend on come last.

const criticalClasses: ReadonlySet<string | undefined> = new Set(['system-node-critical', 'system-cluster-critical']);

/** Normal, DaemonSet, critical, critical DaemonSet. */
const tierOf = (pod: Pod): number => (criticalClasses.has(pod.priorityClass) ? 2 : 0) + (isDaemon(pod) ? 1 : 0);

/** The first tier with pods left, terminating ones included. */
const currentTier = (pods: readonly Pod[]): number => Math.min(...pods.map(tierOf));

// In guide, pods under one PDB are forced one at a time before Karpenter's own deadline, instead of all at the deadline (H3).

export interface ForcedDeletions {
  readonly actions: readonly Action[];
  readonly wakeAt: Instant | undefined;
}

interface ForcedPod extends EvictionDeadline {
  readonly pod: Pod;
}

/** Skips pods that share their PDB with no other: Karpenter forces them at the same instant anyway. */
export function forceAhead(views: readonly NodeView[], { now }: Situation): ForcedDeletions {
  const actions: Action[] = [];
  let wakeAt: Instant | undefined;
  for (const group of groupsOn(views)) {
    const moments = spreadOut(group);
    for (const forced of group.length > 1 ? group : []) {
      const moment = moments.get(forced);
      if (moment === undefined || moment > now) wakeAt = earliest(wakeAt, moment);
      else actions.push(force(forced.pod, undefined, { deadline: forced.deadline, now }));
    }
  }
  return { actions, wakeAt };
}

function groupsOn(views: readonly NodeView[]): Iterable<readonly ForcedPod[]> {
  const groups = new Map<PdbRef, ForcedPod[]>();
  for (const view of views) {
    const { deletingSince: drainAt, terminateAt: deadline } = view.claim ?? {};
    if (drainAt === undefined || deadline === undefined) continue;
    const boxes = pdbsOn(view);
    for (const pod of view.pods.filter(isEvictable)) {
      const box = boxes.get(pod);
      const { namespace, name, graceSeconds } = pod;
      const sentence = { key: `${namespace}/${name}`, graceSeconds, drainAt, deadline, pod };
      if (box) groups.set(box, [...(groups.get(box) ?? []), sentence]);
    }
  }
  return groups.values();
}
