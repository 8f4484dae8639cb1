// What keeps Karpenter off all that may not go now (N2, N3, N5)? Looked at in every round, whoever has changed what.
import type { Command } from '../../cluster/ledger.ts';
import { label } from '../../cluster/names.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Instant } from '../../time/instant.ts';
import { withheldWhy } from '../gates/offersWithheld.ts';
import { isGoverned, type Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { forceAhead } from './forcedAhead.ts';
import { takeMarksOff } from './leftMarks.ts';
import { isNudged, unnudge } from './nudge.ts';
import { forgetBirth, isBornParked, isMarked, isParked, isUsersOwn, park, unpark } from './parking.ts';
import { isTaken } from './place.ts';
import { guardedInVain, parkedPods, parkPod, unguardedPods, unparkPod } from './podParking.ts';

export interface Kept {
  readonly actions: readonly Action[];
  /** The edges of pod schedules are watched with those of all pods. */
  readonly wakeAt: Instant | undefined;
}

const nothing: Kept = { actions: [], wakeAt: undefined };

/** `commands`: as they stand after this round. */
export function keepParked(situation: Situation, commands: readonly Command[]): Kept {
  const { role } = situation.settings;
  if (role === 'drive') return { ...nothing, actions: takeMarksOff(situation, commands) };
  if (role !== 'guide') return nothing;
  const byNode = new Map(
    commands.flatMap((it) => (it.hands === 'karpenter' ? it.nodes.map(({ name }) => [name, it] as const) : [])),
  );
  const actions: Action[] = [];
  const leaving: NodeView[] = [];
  for (const view of situation.cluster.nodes) {
    const command = byNode.get(view.node.name);
    const rule = isOurs(view, situation);
    if (rule === 'unknown') continue;
    const begun = isTaken(view);
    if (!command && !begun) {
      // A nudge that no command knows: its answer was lost, or the ledger.
      if (view.claim && isNudged(view.claim)) actions.push(unnudge(view.claim));
      actions.push(...parkingOf(view, rule === 'governed', situation.now));
    }
    actions.push(...birthMarksOf(view));
    const goes = rule === 'governed' && (begun || command?.step === 'offered');
    actions.push(...podsOf(view, goes ? (command?.reason ?? 'Drifted') : undefined, situation.now));
    if (goes && begun) leaving.push(view);
  }
  // Beside a Karpenter that is not known, pods are ended by nobody but itself (N11).
  if (withheldWhy(situation.settings) !== undefined) return { ...nothing, actions };
  const forced = forceAhead(leaving, situation);
  return { actions: [...actions, ...forced.actions], wakeAt: forced.wakeAt };
}

/** Where the pool is not known nothing is done: it may just not have been seen. */
function isOurs({ managed, poolName }: NodeView, { cluster, settings }: Situation): 'governed' | 'not' | 'unknown' {
  const pool = poolName === undefined ? undefined : cluster.pools.get(poolName);
  if (!managed || !pool) return 'unknown';
  return isGoverned(pool, settings) ? 'governed' : 'not';
}

function parkingOf({ node }: NodeView, governed: boolean, now: Instant): readonly Action[] {
  if (!governed) return isMarked(node) ? [unpark(node)] : [];
  return isParked(node) || isUsersOwn(node) ? [] : [park(node, now)];
}

/** Removed only once Karpenter has copied them to the node: until then they are what protects it. */
function birthMarksOf({ claim, node }: NodeView): readonly Action[] {
  if (!claim || !isBornParked(claim) || claim.deletingSince !== undefined) return [];
  return node.labels[label.registered] === 'true' ? [forgetBirth(claim)] : [];
}

/** Without a reason nobody drains the node: what was parked on it is free again. */
function podsOf(view: NodeView, reason: Reason | undefined, now: Instant): readonly Action[] {
  if (reason === undefined) return parkedPods(view).map(unparkPod);
  return [
    ...unguardedPods(view, reason, now).map((pod) => parkPod(pod, now)),
    ...guardedInVain(view, reason, now).map(unparkPod),
  ];
}
