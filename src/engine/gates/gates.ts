// Every rule that may refuse a wish by itself, in the order in which people look for the cause: node, pool, pods, windows.
// All are asked (J1): a person sees everything that holds a node, not only the first thing.
import { openSlot } from '../../cluster/memory.ts';
import type { Settings } from '../../cluster/settings.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { windowRules } from '../limits/poolHours.ts';
import { isStillSo, nextPodChange } from '../podTimes.ts';
import type { Refusal } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { closesTooSoon } from './closesTooSoon.ts';
import type { Gate } from './gate.ts';
import { karpenterReads } from './karpenterReads.ts';
import { namespaceCrowded } from './namespaceCrowded.ts';
import { consolidationOptedOut, held, nodeOptedOut, repairOptedOut } from './nodeRules.ts';
import { nominated } from './nominated.ts';
import { notInitialized } from './notInitialized.ts';
import { notReady } from './notReady.ts';
import { notStable } from './notStable.ts';
import { offersWithheld } from './offersWithheld.ts';
import { pdbs } from './pdbs.ts';
import { podRules } from './podRules.ts';
import { policyOff } from './policyOff.ts';
import { poolBackingOff, poolFault, poolMissing, replacementSlow } from './poolState.ts';
import { rebooting } from './rebooting.ts';
import { repairBreaker } from './repairBreaker.ts';
import { windows } from './windows.ts';

/** What hangs on the node, its pool as it is written, and the time. */
const steady: readonly Gate[] = [
  notInitialized,
  notReady,
  rebooting,
  poolMissing,
  poolFault,
  policyOff,
  notStable,
  nodeOptedOut,
  consolidationOptedOut,
  repairOptedOut,
  held,
  podRules,
  namespaceCrowded,
  windows,
  closesTooSoon,
];

/** What hangs on others: the ledger, pending pods, PDBs, the rest of the pool. */
const live: readonly Gate[] = [poolBackingOff, replacementSlow, nominated, pdbs, repairBreaker, karpenterReads];

/** No rule refuses a forced wish (A2); but beside a Karpenter that cannot take the node, offering it would do nothing (N11). */
export function askGates(wish: Wish, situation: Situation): readonly Refusal[] {
  const withheld = offersWithheld(situation.settings);
  if (wish.kind === 'forced') return withheld;
  const steadily = steadyRefusals(wish, situation);
  let refusals = withheld.length > 0 ? [...withheld, ...steadily] : steadily;
  for (const gate of live) {
    const more = gate(wish, situation);
    if (more.length > 0) refusals = refusals.length > 0 ? [...refusals, ...more] : more;
  }
  return refusals;
}

interface Said {
  readonly settings: Settings;
  readonly asked: Instant;
  readonly until: Instant | undefined;
  readonly refusals: readonly Refusal[];
}

/** A wish is the same object while nothing about its node and pool changes; then only time can change what they say. */
const remembered = openSlot<Said>();

function steadyRefusals(wish: Wish, situation: Situation): readonly Refusal[] {
  const { now, settings } = situation;
  const known = remembered.recall(wish);
  if (known && known.settings === settings && isStillSo(known.asked, known.until, now)) return known.refusals;
  const refusals = steady.flatMap((gate) => gate(wish, situation));
  remembered.keep(wish, { settings, asked: now, until: nextEdge(wish, refusals, situation), refusals });
  return refusals;
}

/** Until when the steady gates say the same. With a margin (B8) every closing has two edges: then they are asked anew. */
function nextEdge(
  { view, reason }: Wish,
  refusals: readonly Refusal[],
  { now, settings }: Situation,
): Instant | undefined {
  if (settings.windowMargin > 0) return now;
  let next = nextPodChange(view, now);
  for (const window of windowRules(view.windows, reason).parts) next = earliest(next, window.nextChange(now));
  for (const { liftsAt } of refusals) next = earliest(next, liftsAt);
  return next;
}
