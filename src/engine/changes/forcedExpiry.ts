// Nodes that Karpenter deleted at their expireAfter although Lull held them, with what held them (N7).
import { asDuration, before as earlier, formatInstant, type Instant, second } from '../../time/instant.ts';
import type { Refusal } from '../refusal.ts';
import { hardExpiry } from '../wishes/expired.ts';
import type { RoundWithFacts } from './roundWithFacts.ts';

export interface ForcedExpiry {
  readonly node: string;
  readonly uid: string;
  readonly claim: string;
  readonly pool: string;
  /** When Karpenter deletes the claim. */
  readonly at: Instant;
  /** What held the node in the round before. */
  readonly refusals: readonly Refusal[];
}

/** By node: held Expired wishes, with the expiry that would force them. */
export type HeldToExpiry = ReadonlyMap<string, ForcedExpiry>;

/** Empty in observe, where Lull holds nothing. The wish Expired arises well before the hard expiry, so only such nodes matter. */
export function heldToExpiry({ round, facts: { cluster }, settings }: RoundWithFacts): HeldToExpiry {
  const held = new Map<string, ForcedExpiry>();
  if (settings.role === 'observe') return held;
  for (const { node, pool, reason, outcome, refusals } of round.verdicts) {
    if (reason !== 'Expired' || outcome !== 'held' || refusals.some(({ code }) => code === 'AlreadyUnderway')) continue;
    const view = cluster.node(node);
    const at = view && hardExpiry(view, cluster.pools.get(pool));
    if (view?.claim && at !== undefined)
      held.set(node, { node, uid: view.node.uid, claim: view.claim.name, pool, at, refusals });
  }
  return held;
}

/** The tolerated difference between Karpenter's clock and Lull's. */
const clockSkew = asDuration(10 * second);

/** Held nodes whose claim was deleted at its expiry and that no command took. */
export function forcedExpiries(
  before: HeldToExpiry,
  { cluster, ledger }: RoundWithFacts['facts'],
  now: Instant,
): ForcedExpiry[] {
  if (before.size === 0) return [];
  const commanded = new Set(ledger.commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  return [...before.values()].filter(({ node, claim, at }) => {
    const from = earlier(at, clockSkew);
    if (now < from || commanded.has(node)) return false;
    const found = cluster.claim(claim);
    return !found || (found.deletingSince !== undefined && found.deletingSince >= from);
  });
}

/** `n1 of pool web reached its expireAfter at … and Karpenter deleted it, although Lull held it: …` */
export function describeForcedExpiry({ node, pool, at, refusals }: ForcedExpiry): string {
  const all = [...new Set(refusals.map(({ message }) => message))];
  return `${node} of pool ${pool} reached its expireAfter at ${formatInstant(at)} and Karpenter deleted it, although Lull held it: ${all.join('; ')}`;
}
