// Which nodes are being drained under a deadline (H), and when is each of their pods forced?
import type { Command } from '../../cluster/ledger.ts';
import type { Claim, Pod } from '../../cluster/model.ts';
import type { NodeView, PdbBox } from '../../cluster/nodeView.ts';
import { isEvictable, isOnItsWay } from '../../cluster/pod.ts';
import { matches } from '../../cluster/selector.ts';
import { after, earliest, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import { type Doomed, forcedAt, spreadOut } from './forced.ts';
import { isLeaving, type Place, placesOf } from './place.ts';

/** H1: from the moment the drain starts; earlier where the claim says so already. */
export function deadlineOf({ stepAt }: Command, claim: Claim | undefined): Instant | undefined {
  const grace = claim?.spec.terminationGracePeriod;
  return grace === undefined ? undefined : earliest(after(stepAt, grace), claim?.terminateAt);
}

export interface Drains {
  /** When a pod of this command's nodes is forced, by uid; none without a deadline. */
  momentsFor(command: Command): ReadonlyMap<string, Instant>;
  /** H3: whether one more pod of a PDB may be forced now. Not while another is ending: several may have become due together. */
  forceOne(box: PdbBox): boolean;
}

/** Pods of one PDB are spread out over all nodes that are being drained, so all of them are looked at together. */
export function openDrains(situation: Situation): Drains {
  const inLedger = new Set(
    situation.ledger.commands.filter(({ step, hands }) => step === 'draining' && hands === 'lull'),
  );
  let known: ReadonlyMap<string, Instant> | undefined;
  const forced = new Set<PdbBox>();
  return {
    forceOne: (box) => {
      if (forced.has(box) || [...inLedger].some((command) => hasEnding(command, box, situation))) return false;
      forced.add(box);
      return true;
    },
    momentsFor: (command) => {
      // What begins its drain now forces nobody of a PDB yet: with the others it is looked at from the next round on.
      if (!inLedger.has(command)) return findMoments([command], situation);
      known ??= findMoments(inLedger, situation);
      return known;
    },
  };
}

const hasEnding = (command: Command, { pdb }: PdbBox, { cluster }: Situation): boolean =>
  placesOf(command, cluster).some(({ view }) =>
    view?.pods.some((pod) => isOnItsWay(pod) && pod.namespace === pdb.namespace && matches(pdb.selector, pod.labels)),
  );

function findMoments(commands: Iterable<Command>, { cluster }: Situation): ReadonlyMap<string, Instant> {
  const moments = new Map<string, Instant>();
  const groups = new Map<PdbBox, (Doomed & { uid: string })[]>();
  for (const command of commands) {
    for (const place of placesOf(command, cluster)) {
      for (const { pod, box, doomed } of doomedOn(command, place)) {
        if (box) groups.set(box, [...(groups.get(box) ?? []), { ...doomed, uid: pod.uid }]);
        else moments.set(pod.uid, forcedAt(doomed));
      }
    }
  }
  for (const group of groups.values()) {
    const spread = spreadOut(group);
    for (const { key, uid } of group) moments.set(uid, spread.get(key) as Instant);
  }
  return moments;
}

interface Sentence {
  readonly pod: Pod;
  readonly box?: PdbBox;
  readonly doomed: Doomed;
}

function doomedOn(command: Command, place: Place): readonly Sentence[] {
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

/** The PDB that is asked for each pod; where two mean it, the first. */
export function pdbsOn({ guarded, overlapping }: NodeView): ReadonlyMap<Pod, PdbBox> {
  const boxes = new Map<Pod, PdbBox>();
  for (const { box, pods } of guarded) for (const pod of pods) boxes.set(pod, box);
  for (const { pod, pdbs } of overlapping) if (pdbs[0]) boxes.set(pod, pdbs[0]);
  return boxes;
}
