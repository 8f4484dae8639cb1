// E10 ★: nodes are not chosen together only to stall on one PodDisruptionBudget.
import type { NodeView, PdbBox } from '../../cluster/nodeView.ts';
import { pdbSpent, pdbsAreWaived, podsToEvict } from '../gates/pdbs.ts';
import { none, type Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { SharedLimit } from './sharedLimit.ts';

/** Pods of one PDB that are not yet evicted, on nodes that are chosen or on their way out. */
interface Waiting {
  readonly pods: number;
  /** What it says to a node with so many of its pods; the same for all of them until another node is chosen. */
  readonly said: Refusal[];
}

/** Pods of each PDB that are not yet evicted, on nodes that leave as the round begins. */
export function podsLeaving({ cluster, inFlight }: Situation): ReadonlyMap<PdbBox, number> {
  const leaving = new Map<PdbBox, number>();
  for (const name of inFlight.keys())
    for (const { box, pods } of cluster.node(name)?.guarded ?? [])
      leaving.set(box, (leaving.get(box) ?? 0) + pods.length);
  return leaving;
}

export function openPdbReservations({ cluster, inFlight, now }: Situation): SharedLimit {
  const waiting: (Waiting | undefined)[] = [];
  const reserve = ({ guarded }: NodeView, change: 1 | -1): void => {
    for (const { box, pods } of guarded) {
      const all = (waiting[box.id]?.pods ?? 0) + change * pods.length;
      // Nobody is not none of many: whoever comes first needs one alone.
      waiting[box.id] = all > 0 ? { pods: all, said: [] } : undefined;
    }
  };
  for (const name of inFlight.keys()) {
    const view = cluster.node(name);
    if (view) reserve(view, 1);
  }
  return {
    refuse: (wish) => {
      if (waiting.length === 0 || pdbsAreWaived(wish)) return none;
      let refusals: Refusal[] | undefined;
      for (const guarded of wish.view.guarded) {
        const others = waiting[guarded.box.id];
        const mine = others ? podsToEvict(guarded, wish.reason, now) : 0;
        // Where the PDB allows nothing at all the gate has said so already.
        const { disruptionsAllowed } = guarded.box.pdb;
        if (!others || mine === 0 || disruptionsAllowed < 1 || others.pods + mine <= disruptionsAllowed) continue;
        others.said[mine] ??= pdbSpent(guarded.box.pdb, sentence(disruptionsAllowed, others.pods, mine));
        refusals ??= [];
        refusals.push(others.said[mine]);
      }
      return refusals ?? none;
    },
    spend: ({ view }) => reserve(view, 1),
    takeBack: ({ view }) => reserve(view, -1),
  };
}

const sentence = (allowed: number, others: number, mine: number): string =>
  `it allows ${allowed}; ${others} of its pods wait on nodes that leave already, ${mine} more here`;
