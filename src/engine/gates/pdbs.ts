// E10: do the PodDisruptionBudgets of its pods permit a node to be drained?
import { openSlot } from '../../cluster/memory.ts';
import type { Pdb } from '../../cluster/model.ts';
import type { Guarded, PodView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Instant } from '../../time/instant.ts';
import { nextPodChange } from '../podTimes.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Gate } from './gate.ts';
import { blockedPodsAreWaived, podOptedOut } from './podRules.ts';

/** A2: PDBs refuse neither repair nor, where a deadline stands behind it, an eventual reason. */
export const pdbsAreWaived = (wish: Wish): boolean => wish.reason === 'Unhealthy' || blockedPodsAreWaived(wish);

export const pdbs: Gate = (wish, situation) => (pdbsAreWaived(wish) ? none : refusalsOfPdbs(wish, situation));

export function refusalsOfPdbs(wish: Wish, { cluster, now }: Situation): readonly Refusal[] {
  const { overlapping, guarded } = wish.view;
  if (overlapping.length + guarded.length === 0) return none;
  const known = remembered.recall(wish);
  if (
    known &&
    known.revision === cluster.pdbRevision &&
    known.asked <= now &&
    (known.until === undefined || now < known.until)
  ) {
    return known.refusals;
  }
  const refusals = workOut(wish, now);
  remembered.keep(wish, { revision: cluster.pdbRevision, asked: now, until: nextPodChange(wish.view, now), refusals });
  return refusals;
}

interface Said {
  readonly revision: number;
  readonly asked: Instant;
  /** A pod's opt-out may end. */
  readonly until: Instant | undefined;
  readonly refusals: readonly Refusal[];
}

const remembered = openSlot<Said>();

function workOut({ view, reason }: Wish, now: Instant): readonly Refusal[] {
  const refusals: Refusal[] = [];
  for (const pod of view.overlapping) if (!podOptedOut(pod.pod, reason, now)) refusals.push(pdbOverlap(pod));
  for (const it of view.guarded) {
    const pods = it.box.pdb.disruptionsAllowed < 1 ? podsToEvict(it, reason, now) : 0;
    if (pods > 0) refusals.push(allowsNone(it.box.pdb, pods));
  }
  return refusals.length > 0 ? refusals : none;
}

/** E11: a pod that opts out is not evicted, so no PDB is asked for it. */
export function podsToEvict({ pods, mayOptOut }: Guarded, reason: Reason, now: Instant): number {
  if (!mayOptOut) return pods.length;
  let count = 0;
  for (const pod of pods) if (!podOptedOut(pod, reason, now)) count++;
  return count;
}

/** Said of many nodes in every round: remembered until the PDB itself changes. */
function allowsNone(pdb: Pdb, pods: number): Refusal {
  const known = said.get(pdb) ?? [];
  said.set(pdb, known);
  known[pods] ??= pdbSpent(pdb, `it allows no eviction now; pods of it here: ${pods}`);
  return known[pods];
}

const said = new WeakMap<Pdb, Refusal[]>();

export function pdbOverlap({ pod, pdbs: boxes }: PodView): Refusal {
  const names = boxes.map(({ pdb }) => pdb.name).join(' and ');
  const owner = { kind: 'Pod', namespace: pod.namespace, name: pod.name };
  return refuse('PdbOverlap', `pod ${pod.namespace}/${pod.name} is meant by ${names}: nothing can evict it`, { owner });
}

export function pdbSpent(pdb: Pdb, why: string, help?: string): Refusal {
  const owner = { kind: 'PodDisruptionBudget', namespace: pdb.namespace, name: pdb.name };
  const fault = pdb.fault ? ` (its selector cannot be read: ${pdb.fault.message})` : '';
  return refuse('PdbSpent', `PodDisruptionBudget ${pdb.namespace}/${pdb.name}: ${why}${fault}`, {
    owner,
    ...(help !== undefined && { help }),
  });
}
