// All gates, in the order in which people look for a cause: node, pool, pods, windows.
// Every gate is evaluated (J1), so that a user sees everything that holds a node, not only the first refusal.
import { memoUntil } from '../../cluster/memo.ts';
import type { Settings } from '../../cluster/settings.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import type { Refusal } from '../refusal.ts';
import { approvalOf } from '../rules/approvals.ts';
import { windowRules } from '../rules/openHours.ts';
import { nextPodChange } from '../rules/podRules.ts';
import type { EvaluationContext, Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Gate, SteadyGate } from './gate.ts';
import { healthGates } from './healthGates.ts';
import { karpenterReads } from './karpenterReads.ts';
import {
  consolidationOptedOut,
  held,
  nodeOptedOut,
  nominated,
  notInitialized,
  notReady,
  notStable,
  rebooting,
  repairOptedOut,
} from './nodeGates.ts';
import { namespaceCrowded, pdbs, podRules } from './podGates.ts';
import {
  driftTooRecent,
  offersWithheld,
  policyOff,
  poolBackingOff,
  poolFault,
  poolMissing,
  repairBreaker,
  replacementSlow,
} from './poolGates.ts';
import { closesTooSoon, needsApproval, windows } from './windowGates.ts';

/** Gates that depend on the node, the pool's spec and the time. */
const steady: readonly SteadyGate[] = [
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
  needsApproval,
  closesTooSoon,
];

/** Gates that depend on other objects: the ledger, pending pods, PDBs, health gates, the rest of the pool. */
const live: readonly Gate[] = [
  poolBackingOff,
  replacementSlow,
  driftTooRecent,
  nominated,
  pdbs,
  repairBreaker,
  healthGates,
  karpenterReads,
];

/** No gate refuses a forced wish (A2), except that an offer is pointless while Karpenter cannot take it (N11). */
export function askGates(wish: Wish, situation: Situation): readonly Refusal[] {
  const withheld = offersWithheld(situation.settings);
  if (wish.kind === 'forced') return withheld;
  const steadily = steadyRefusals(wish, situation.now, situation.settings);
  let refusals = withheld.length > 0 ? [...withheld, ...steadily] : steadily;
  for (const gate of live) {
    const more = gate(wish, situation);
    if (more.length > 0) refusals = refusals.length > 0 ? [...refusals, ...more] : more;
  }
  return refusals;
}

/** A wish is the same object while its node and pool do not change, so only time can change the result. */
const steadyRefusals = memoUntil((wish: Wish, now, settings: Settings) => {
  const moment = { now, settings };
  const refusals: readonly Refusal[] = steady.flatMap((gate) => gate(wish, moment));
  return { value: refusals, until: nextEdge(wish, refusals, moment) };
});

/** How long the result of the steady gates is valid. With a margin (B8) every closing has two edges, so nothing is cached. */
function nextEdge(wish: Wish, refusals: readonly Refusal[], { now, settings }: EvaluationContext): Instant | undefined {
  if (settings.windowMargin > 0) return now;
  const { view, reason } = wish;
  let next = nextPodChange(view, now);
  for (const window of windowRules(view.windows, reason).parts) next = earliest(next, window.nextChange(now));
  for (const { liftsAt } of refusals) next = earliest(next, liftsAt);
  const approval = approvalOf(wish);
  if (approval && approval.at > now) next = earliest(next, approval.at);
  return next;
}
