// E10 ★: nodes are not chosen together only to stall on one PodDisruptionBudget.
import type { NodeView, PdbBox } from '../../cluster/nodeView.ts';
import { pdbSpent, pdbsAreWaived, podsToEvict } from '../gates/pdbs.ts';
import { none, type Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { SharedLimit } from './sharedLimit.ts';

/** Pods of one PDB that are not yet evicted, on nodes that are chosen or on their way out. */
interface Waiting {
  /** On nodes that were on their way out as the round began. */
  readonly leaving: number;
  /** On nodes that this round chooses. */
  readonly chosen: number;
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
  const reserve = ({ guarded }: NodeView, { leaving = 0, chosen = 0 }: Partial<Waiting>): void => {
    for (const { box, pods } of guarded) {
      const known = waiting[box.id];
      const all = {
        leaving: (known?.leaving ?? 0) + leaving * pods.length,
        chosen: (known?.chosen ?? 0) + chosen * pods.length,
      };
      // Nobody is not none of many: whoever comes first needs one alone.
      waiting[box.id] = all.leaving + all.chosen > 0 ? { ...all, said: [] } : undefined;
    }
  };
  for (const name of inFlight.keys()) {
    const view = cluster.node(name);
    if (view) reserve(view, { leaving: 1 });
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
        if (!others || mine === 0 || disruptionsAllowed < 1) continue;
        if (others.leaving + others.chosen + mine <= disruptionsAllowed) continue;
        others.said[mine] ??= pdbSpent(guarded.box.pdb, sentence(disruptionsAllowed, others, mine), itsTurnComes);
        refusals ??= [];
        refusals.push(others.said[mine]);
      }
      return refusals ?? none;
    },
    spend: ({ view }) => reserve(view, { chosen: 1 }),
    takeBack: ({ view }) => reserve(view, { chosen: -1 }),
  };
}

function sentence(allowed: number, { leaving, chosen }: Waiting, mine: number): string {
  const others = [
    ...(leaving > 0 ? [`${leaving} of its pods wait on nodes that leave already`] : []),
    ...(chosen > 0 ? [`${chosen} of its pods are on nodes chosen in this round`] : []),
  ];
  return `it allows ${allowed}; ${others.join(', ')}, ${mine} more here`;
}

/** Its replicas are not missing: too many would move at once. */
const itsTurnComes =
  'Wait: it may go once those pods run elsewhere. A PodDisruptionBudget that allows more lets more nodes go at once.';
