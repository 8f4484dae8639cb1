// PDB reservations: limits the nodes chosen together so that they do not all stall on one PodDisruptionBudget (E10 ★).
import type { NodeView, PdbRef } from '../../cluster/nodeView.ts';
import { count } from '../../time/lists.ts';
import { none, type Refusal } from '../refusal.ts';
import { pdbSpent, pdbsAreWaived, podsToEvict } from '../rules/podRules.ts';
import type { Situation } from '../situation.ts';
import type { SharedLimit } from './sharedLimit.ts';

/** Pods of one PDB that are still to be evicted, on nodes chosen or already being disrupted. */
interface PendingEvictions {
  /** On nodes in flight at the start of the round. */
  readonly leaving: number;
  /** On nodes chosen in this round. */
  readonly chosen: number;
  /** Refusals by the number of its pods on a node; the same for all such nodes until another node is chosen. */
  readonly said: Refusal[];
}

/** Pods of each PDB that are still to be evicted, on nodes in flight at the start of the round. */
export function podsLeaving({ cluster, inFlight }: Situation): ReadonlyMap<PdbRef, number> {
  const leaving = new Map<PdbRef, number>();
  for (const name of inFlight.keys())
    for (const { box, pods } of cluster.node(name)?.guarded ?? [])
      leaving.set(box, (leaving.get(box) ?? 0) + pods.length);
  return leaving;
}

export function openPdbReservations({ cluster, inFlight, now }: Situation): SharedLimit {
  const waiting: (PendingEvictions | undefined)[] = [];
  const reserve = ({ guarded }: NodeView, { leaving = 0, chosen = 0 }: Partial<PendingEvictions>): void => {
    for (const { box, pods } of guarded) {
      const known = waiting[box.id];
      const all = {
        leaving: (known?.leaving ?? 0) + leaving * pods.length,
        chosen: (known?.chosen ?? 0) + chosen * pods.length,
      };
      // Without other pods the first node is not limited: it needs only one permitted eviction.
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
        // A PDB that allows nothing is refused by the gate.
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

function sentence(allowed: number, { leaving, chosen }: PendingEvictions, mine: number): string {
  const others = [
    ...(leaving > 0 ? [`${leaving} on nodes already being disrupted`] : []),
    ...(chosen > 0 ? [`${chosen} on nodes chosen in this round`] : []),
  ];
  return `allows ${count(allowed, 'eviction')} now; its pods still to be evicted: ${others.join(', ')}, ${mine} on this node`;
}

/** Not the general help of PdbSpent: no replicas are missing, too many pods would move at the same time. */
const itsTurnComes =
  'Wait: the node may be disrupted once those pods run elsewhere. A PodDisruptionBudget that allows more evictions lets more nodes be disrupted at a time.';
