// Gates of the node itself: its state, its annotations (E2), and pods about to be scheduled on it.
import { label } from '../../cluster/names.ts';
import { createdAt, type NodeView, unreadySince } from '../../cluster/nodeView.ts';
import { isConsolidation } from '../../cluster/reason.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, formatInstant, type Instant, latest } from '../../time/instant.ts';
import { none, type RuleOwner, refuse } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import type { Gate, SteadyGate } from './gate.ts';

/** A node that has not finished starting is only repaired, and only once it has registered. */
export const notInitialized: SteadyGate = ({ view, reason }) => {
  if (view.state.initialized || view.state.rebooting) return none;
  if (reason === 'Unhealthy' && view.node.labels[label.registered] === 'true') return none;
  return [refuse('NotInitialized', 'the node has not finished starting (no label karpenter.sh/initialized)')];
};

/** In a network partition a node's pods are deleted and it looks empty: a node that is not Ready is only repaired or interrupted (A5). */
export const notReady: SteadyGate = ({ view, reason }) => {
  if (view.state.ready || reason === 'Unhealthy') return none;
  return [
    refuse(
      'NotReady',
      `the node has not been Ready since ${formatInstant(unreadySince(view))}; it is disrupted only for Unhealthy or Interrupted`,
    ),
  ];
};

/** A node that is rebooting comes back by itself. */
export const rebooting: SteadyGate = ({ view }) =>
  view.state.rebooting ? [refuse('Rebooting', 'the node is rebooting')] : none;

/** Consolidation waits until no pod was added or removed for consolidateAfter (A6). */
export const notStable: SteadyGate = ({ view, pool, reason }, { now }) => {
  if (!isConsolidation(reason) || !pool || pool.consolidateAfter === 'Never') return none;
  const since = stableSince(view);
  if (since === undefined) return [refuse('NotStable', 'its NodeClaim is not Initialized yet')];
  const liftsAt = after(since, pool.consolidateAfter);
  if (now >= liftsAt) return none;
  const after_ = formatDuration(pool.consolidateAfter);
  const owner = { kind: 'NodePool', name: pool.name };
  return [
    refuse('NotStable', `pods were added or removed less than consolidateAfter (${after_}) ago`, { owner, liftsAt }),
  ];
};

/** The later of the last pod event and the instant it was Initialized; undefined if it is not. */
export function stableSince(view: NodeView): Instant | undefined {
  const { claim } = view;
  if (!claim) return createdAt(view);
  const initialized = claim.conditions.Initialized;
  if (initialized?.status !== 'True') return undefined;
  return latest(claim.lastPodEventAt, initialized.since ?? claim.createdAt);
}

const owner = ({ view }: Wish): RuleOwner => ({ kind: 'Node', name: view.node.name });

export const nodeOptedOut: SteadyGate = (wish, { now }) => {
  const optOut = wish.view.node.rules.doNotDisrupt;
  if (!optOut || wish.reason === 'Unhealthy' || (optOut.until !== undefined && now >= optOut.until)) return none;
  const details = { owner: owner(wish), liftsAt: optOut.until };
  return [refuse('NodeOptedOut', 'the node is annotated karpenter.sh/do-not-disrupt', details)];
};

export const consolidationOptedOut: SteadyGate = (wish) => {
  if (!wish.view.node.rules.doNotConsolidate || !isConsolidation(wish.reason)) return none;
  return [
    refuse('ConsolidationOptedOut', 'the node is annotated karpenter.sh/do-not-consolidate', { owner: owner(wish) }),
  ];
};

export const repairOptedOut: SteadyGate = (wish) => {
  if (!wish.view.node.rules.doNotRepair || wish.reason !== 'Unhealthy') return none;
  return [refuse('RepairOptedOut', 'the node is annotated karpenter.sh/do-not-repair', { owner: owner(wish) })];
};

export const held: SteadyGate = (wish) => {
  const why = wish.view.node.rules.hold;
  if (why === undefined) return none;
  return [refuse('Held', `held by annotation lull.dev/hold: ${why || '(no reason given)'}`, { owner: owner(wish) })];
};

/** A node that is about to receive pods is not disrupted (N0). */
export const nominated: Gate = ({ view }, situation) => {
  if (!situation.nominated.has(view.node.name)) return none;
  return [refuse('Nominated', 'pods are about to be scheduled on it')];
};
