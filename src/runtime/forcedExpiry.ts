// Nodes that Karpenter's expireAfter took although Lull held them (N7), with what held them.
import type { Settings } from '../cluster/settings.ts';
import type { Refusal } from '../engine/refusal.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import { hardExpiry } from '../engine/wishes/expired.ts';
import { asDuration, before as earlier, formatInstant, type Instant, second } from '../time/instant.ts';

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

/** By node: who is held for its age now, and would expire so. */
export type HeldToExpiry = ReadonlyMap<string, ForcedExpiry>;

interface Seen {
  readonly round: Round;
  readonly facts: Facts;
  readonly role: Settings['role'];
}

/** In observe Lull holds nothing. A wish for age arises well before the hard expiry: only such nodes are looked at. */
export function heldToExpiry({ round, facts: { cluster }, role }: Seen): HeldToExpiry {
  const held = new Map<string, ForcedExpiry>();
  if (role === 'observe') return held;
  for (const { node, pool, reason, outcome, refusals } of round.verdicts) {
    if (reason !== 'Expired' || outcome !== 'held' || refusals.some(({ code }) => code === 'AlreadyUnderway')) continue;
    const view = cluster.node(node);
    const at = view && hardExpiry(view, cluster.pools.get(pool));
    if (view?.claim && at !== undefined)
      held.set(node, { node, uid: view.node.uid, claim: view.claim.name, pool, at, refusals });
  }
  return held;
}

/** Karpenter counts by its own clock. */
const clockSkew = asDuration(10 * second);

/** Of those that were held, whose claim is deleted or gone since its hour came, and that no command took. */
export function forcedExpiries(before: HeldToExpiry, { cluster, ledger }: Facts, now: Instant): ForcedExpiry[] {
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
export function sayForced({ node, pool, at, refusals }: ForcedExpiry): string {
  const all = [...new Set(refusals.map(({ message }) => message))];
  return `${node} of pool ${pool} reached its expireAfter at ${formatInstant(at)} and Karpenter deleted it, although Lull held it: ${all.join('; ')}`;
}
