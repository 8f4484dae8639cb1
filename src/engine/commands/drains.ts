// Drains under a deadline (H): which nodes are drained, how many evictions PDBs permit, and when each pod is forced (H2, H3).
import type { Command } from '../../cluster/ledger.ts';
import type { Claim, Pod } from '../../cluster/model.ts';
import type { NodeView, PdbRef } from '../../cluster/nodeView.ts';
import { isEvictable, isOnItsWay } from '../../cluster/pod.ts';
import { matches } from '../../cluster/selector.ts';
import {
  after,
  asDuration,
  asInstant,
  type Duration,
  earliest,
  type Instant,
  minute,
  second,
} from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import { type DisruptedNode, type Drains, disruptedNodesOf, isLeaving, type PdbUnits } from './step.ts';

/** Counted from the start of the drain, or earlier if the claim already has a deadline (H1). */
export function deadlineOf({ stepAt }: Command, claim: Claim | undefined): Instant | undefined {
  const grace = claim?.spec.terminationGracePeriod;
  return grace === undefined ? undefined : earliest(after(stepAt, grace), claim?.terminateAt);
}

/** The pods of one PDB are spread over all nodes being drained, so all drains are considered together. */
export function openDrains(situation: Situation): Drains {
  const inLedger = new Set(
    situation.ledger.commands.filter(({ step, hands }) => step === 'draining' && hands === 'lull'),
  );
  let known: ReadonlyMap<string, Instant> | undefined;
  const forced = new Set<PdbRef>();
  return {
    forceOne: (box) => {
      if (forced.has(box) || [...inLedger].some((command) => hasEnding(command, box, situation))) return false;
      forced.add(box);
      return true;
    },
    momentsFor: (command) => {
      // A drain that starts now is considered with the others from the next round on; it forces no pod yet.
      if (!inLedger.has(command)) return findMoments([command], situation);
      known ??= findMoments(inLedger, situation);
      return known;
    },
  };
}

const hasEnding = (command: Command, { pdb }: PdbRef, { cluster, now }: Situation): boolean =>
  // On a node that is not Ready no kubelet ends them: the others would wait until their deadline.
  disruptedNodesOf(command, cluster).some(({ view }) =>
    view?.state.ready
      ? view.pods.some(
          (pod) => isEnding(pod, now) && pod.namespace === pdb.namespace && matches(pdb.selector, pod.labels),
        )
      : false,
  );

/** Whether a pod is terminating and not stuck. */
export const isEnding = (pod: Pod, now: Instant): boolean => isOnItsWay(pod) && now < endsAt(pod);

/** A pod that exists this long after its grace period is stuck and is not waited for. */
const overdue = minute;

export const endsAt = ({ deletingAt = never }: Pod): Instant => after(deletingAt, overdue);
const never = asInstant(Infinity);

function findMoments(commands: Iterable<Command>, { cluster }: Situation): ReadonlyMap<string, Instant> {
  const moments = new Map<string, Instant>();
  const groups = new Map<PdbRef, (EvictionDeadline & { uid: string })[]>();
  for (const command of commands) {
    for (const place of disruptedNodesOf(command, cluster)) {
      for (const { pod, box, doomed } of podsToForce(command, place)) {
        if (box) groups.set(box, [...(groups.get(box) ?? []), { ...doomed, uid: pod.uid }]);
        else moments.set(pod.uid, forcedAt(doomed));
      }
    }
  }
  for (const group of groups.values()) {
    for (const [{ uid }, at] of spreadOut(group)) moments.set(uid, at);
  }
  return moments;
}

interface PodToForce {
  readonly pod: Pod;
  readonly box?: PdbRef;
  readonly doomed: EvictionDeadline;
}

function podsToForce(command: Command, place: DisruptedNode): readonly PodToForce[] {
  const { view, claim } = place;
  const deadline = deadlineOf(command, claim);
  if (!view || deadline === undefined || isLeaving(place)) return [];
  const boxes = pdbsOn(view);
  return view.pods.filter(isEvictable).map((pod) => {
    const box = boxes.get(pod);
    const { namespace, name, graceSeconds } = pod;
    const doomed = { key: `${namespace}/${name}`, graceSeconds, drainAt: command.stepAt, deadline };
    return { pod, doomed, ...(box && { box }) };
  });
}

/** The PDB of each pod; the first if two select it. */
export function pdbsOn({ guarded, overlapping }: NodeView): ReadonlyMap<Pod, PdbRef> {
  const boxes = new Map<Pod, PdbRef>();
  for (const { box, pods } of guarded) for (const pod of pods) boxes.set(pod, box);
  for (const { pod, pdbs } of overlapping) if (pdbs[0]) boxes.set(pod, pdbs[0]);
  return boxes;
}

export function openPdbUnits(): PdbUnits {
  const taken = new Map<number, number>();
  return {
    take: ({ id, pdb }) => {
      const used = taken.get(id) ?? 0;
      if (used >= pdb.disruptionsAllowed) return false;
      taken.set(id, used + 1);
      return true;
    },
  };
}

// When a pod is forced (H2, H3): pods of one PDB one at a time, spread out before the deadline.

export interface EvictionDeadline {
  /** `namespace/name` */
  readonly key: string;
  readonly graceSeconds: number;
  /** When the drain of its node began. */
  readonly drainAt: Instant;
  readonly deadline: Instant;
}

/** Long enough for a replacement pod to become ready in most cases. */
const widestSpacing = asDuration(2 * minute);

/** For a pod without a PDB: the deadline minus its grace period. */
export const forcedAt = ({ graceSeconds, drainAt, deadline }: EvictionDeadline): Instant =>
  asInstant(Math.max(drainAt, deadline - graceSeconds * second));

/**
 * The pods of one PDB, those with the earliest deadline first. Computed from the pods that still exist, without state: a pod's position
 * from the end does not change when the first is gone, so the next pod is never due before the previous one was.
 */
export function spreadOut<It extends EvictionDeadline>(pods: readonly It[]): ReadonlyMap<It, Instant> {
  const lastFirst = [...pods].sort((a, b) => b.deadline - a.deadline || (a.key < b.key ? 1 : a.key > b.key ? -1 : 0));
  const spacing = spacingOf(lastFirst);
  let next = Number.POSITIVE_INFINITY;
  const moments = new Map<It, Instant>();
  for (const [index, doomed] of lastFirst.entries()) {
    const { deadline, graceSeconds, drainAt } = doomed;
    next = Math.min(deadline - graceSeconds * second, next - spacing);
    // If grace periods are too long to spread out all pods, shorten them instead of forcing all at the same time.
    const share = ((deadline - drainAt) * (pods.length - index)) / (pods.length + 1);
    moments.set(doomed, asInstant(Math.max(Math.floor(next), Math.ceil(drainAt + share))));
  }
  return moments;
}

function spacingOf(pods: readonly EvictionDeadline[]): Duration {
  const shortest = Math.min(...pods.map(({ deadline, drainAt }) => Math.max(deadline - drainAt, 0)));
  return asDuration(Math.min(widestSpacing, shortest / (pods.length + 1)));
}
