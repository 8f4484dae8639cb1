// N4: an offer is for all reasons. Karpenter may take an offered node for any wish it sees, in an order of its own.
import type { Reason } from '../../cluster/reason.ts';
import type { Asked } from '../judged.ts';
import { none, type Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { SharedLimit } from './sharedLimit.ts';

/** What Karpenter tries before it would take a node for this reason. What it does not know it is nudged into as drift (N6). */
export function triedBefore(reason: Reason): readonly Reason[] {
  if (reason === 'Empty') return [];
  if (reason === 'Drifted') return ['Empty'];
  return ['Empty', 'Drifted'];
}

export interface Offers extends SharedLimit {
  hold(wish: Wish, refusals: readonly Refusal[]): void;
}

/** In guide: whatever holds a wish that Karpenter would try before this one holds this one too. */
export function openOffers({ settings }: Situation, asked: readonly Asked[]): Offers {
  const held = new Map<string, Held[]>();
  const hold = (wish: Wish, refusals: readonly Refusal[]): void => {
    if (settings.role !== 'guide' || refusals.length === 0) return;
    const { name } = wish.view.node;
    held.set(name, [...(held.get(name) ?? []), { wish, refusals }]);
  };
  for (const { wish, refusals } of asked) hold(wish, refusals ?? none);
  return {
    hold,
    refuse: ({ view, reason }) => {
      const mine = held.get(view.node.name);
      if (!mine) return none;
      const before = triedBefore(reason);
      return mine.filter(({ wish }) => before.includes(wish.reason)).flatMap(asOfKarpenter);
    },
    spend: () => undefined,
    takeBack: () => undefined,
  };
}

interface Held {
  readonly wish: Wish;
  readonly refusals: readonly Refusal[];
}

/** What a policy turns off Karpenter does not try either; and a node that may go as Unhealthy may go though it is not Ready. */
const asOfKarpenter = ({ wish, refusals }: Held): Refusal[] =>
  refusals.some(({ code }) => code === 'PolicyOff')
    ? []
    : refusals
        .filter(({ code }) => code !== 'NotReady')
        .map((refusal) => ({
          ...refusal,
          message: `Karpenter would take it for ${wish.reason} first: ${refusal.message}`,
        }));
