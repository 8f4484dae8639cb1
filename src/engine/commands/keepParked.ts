// Parks every node that may not be disrupted now, and pods on nodes being drained (N2, N3, N5). Runs in every round.
import type { Fault } from '../../cluster/fault.ts';
import type { Command } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import { annotation, label } from '../../cluster/names.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Instant } from '../../time/instant.ts';
import { withheldWhy } from '../gates/poolGates.ts';
import { isGoverned, type Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { forceAhead } from './evictions.ts';
import {
  forgetBirth,
  guardedInVain,
  isBornParked,
  isMarked,
  isNudged,
  isParked,
  isUsersOwn,
  markOf,
  park,
  parkedPods,
  parkPod,
  unguardedPods,
  unnudge,
  unpark,
  unparkPod,
} from './marks.ts';
import { isTaken } from './step.ts';

export interface Upkeep {
  readonly actions: readonly Action[];
  /** Without the edges of pod schedules, which wake.ts covers. */
  readonly wakeAt: Instant | undefined;
}

const nothing: Upkeep = { actions: [], wakeAt: undefined };

/** `commands`: the commands after this round. */
export function keepParked(situation: Situation, commands: readonly Command[]): Upkeep {
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
      // A nudge without a command: the response to its removal was lost, or the ledger was.
      if (view.claim && isNudged(view.claim)) actions.push(unnudge(view.claim));
      actions.push(...parkingOf(view, rule === 'governed', situation.now));
    }
    actions.push(...birthMarksOf(view));
    const goes = rule === 'governed' && (begun || command?.step === 'offered');
    actions.push(...podsOf(view, goes ? (command?.reason ?? 'Drifted') : undefined, situation.now));
    if (goes && begun) leaving.push(view);
  }
  // Beside an unknown Karpenter, Lull does not delete pods (N11).
  if (withheldWhy(situation.settings) !== undefined) return { ...nothing, actions };
  const forced = forceAhead(leaving, situation);
  return { actions: [...actions, ...forced.actions], wakeAt: forced.wakeAt };
}

/** If the pool is unknown nothing is done: it may just not be visible yet. */
function isOurs({ managed, poolName }: NodeView, { cluster, settings }: Situation): 'governed' | 'not' | 'unknown' {
  const pool = poolName === undefined ? undefined : cluster.pools.get(poolName);
  if (!managed || !pool) return 'unknown';
  return isGoverned(pool, settings) ? 'governed' : 'not';
}

function parkingOf({ node }: NodeView, governed: boolean, now: Instant): readonly Action[] {
  if (!governed) return isMarked(node) ? [unpark(node)] : [];
  return isParked(node) || isUsersOwn(node) ? [] : [park(node, now)];
}

/** Removed only once Karpenter has copied them to the node: until then they protect it. */
function birthMarksOf({ claim, node }: NodeView): readonly Action[] {
  if (!claim || !isBornParked(claim) || claim.deletingSince !== undefined) return [];
  return node.labels[label.registered] === 'true' ? [forgetBirth(claim)] : [];
}

/** Without a reason the node is not being drained, so its parked pods are unparked. */
function podsOf(view: NodeView, reason: Reason | undefined, now: Instant): readonly Action[] {
  if (reason === undefined) return parkedPods(view).map(unparkPod);
  return [
    ...unguardedPods(view, reason, now).map((pod) => parkPod(pod, now)),
    ...guardedInVain(view, reason, now).map(unparkPod),
  ];
}

// Marks of guide in other roles. Drive removes them from pods and claims, but leaves nodes parked: otherwise Karpenter would disrupt nodes
// that Lull holds, and parking does not stop Lull itself. Observe writes nothing and reports them.

/** On nodes that Karpenter is draining, pods stay parked until their windows open (N5). */
function takeMarksOff({ cluster, now }: Situation, commands: readonly Command[]): readonly Action[] {
  const touched = cluster.groups.flatMap((group) => touchedIn(group));
  if (touched.length === 0) return [];
  const underway = new Set(
    commands.flatMap(({ hands, nodes }) => (hands === 'karpenter' ? nodes : [])).map(({ name }) => name),
  );
  return touched.flatMap((view) => {
    const { claim, node } = view;
    const begun = isTaken(view);
    const pods = begun ? guardedInVain(view, 'Drifted', now) : parkedPods(view);
    const isFree = !begun && !underway.has(node.name);
    return [...(isFree && claim && isNudged(claim) ? [unnudge(claim)] : []), ...pods.map(unparkPod)];
  });
}

const touchedIn = memo(({ nodes }: NodeGroup): readonly NodeView[] => nodes.filter(isTouched));

const isTouched = (view: NodeView): boolean =>
  (view.claim !== undefined && isNudged(view.claim)) || parkedPods(view).length > 0;

export function leftMarks({ groups }: Cluster): readonly Fault[] {
  const views = groups.flatMap(({ nodes }) => nodes);
  const parked = views.filter(({ node }) => isMarked(node));
  const tainted = views.filter(({ node }) => markOf(node));
  const [first] = [...parked, ...tainted];
  if (!first) return [];
  const what = [
    ...(parked.length > 0 ? [`parked: ${parked.length}`] : []),
    ...(tainted.length > 0 ? [`tainted: ${tainted.length}`] : []),
  ].join(', ');
  const message = `Nodes carry marks of a Lull in guide or drive mode (${what}). In observe mode Lull does not remove them. Unless another Lull guides or drives this cluster, run \`lull release\`.`;
  const path = `metadata.annotations[${annotation.parked}]`;
  return [{ object: `Node/${first.node.name}`, path, value: parked.length, message, severity: 'info' }];
}
