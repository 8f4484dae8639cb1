// A6: consolidation waits until no pod has come or gone for consolidateAfter.
import { createdAt, type NodeView } from '../../cluster/nodeView.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, type Instant, latest } from '../../time/instant.ts';
import { none, refuse } from '../refusal.ts';
import type { Gate } from './gate.ts';

export const notStable: Gate = ({ view, pool, reason }, { now }) => {
  if ((reason !== 'Empty' && reason !== 'Underutilized') || !pool || pool.consolidateAfter === 'Never') return none;
  const since = stableSince(view);
  if (since === undefined) return [refuse('NotStable', 'the claim is not Initialized yet')];
  const liftsAt = after(since, pool.consolidateAfter);
  if (now >= liftsAt) return none;
  const after_ = formatDuration(pool.consolidateAfter);
  const owner = { kind: 'NodePool', name: pool.name };
  return [refuse('NotStable', `pods came or went less than consolidateAfter (${after_}) ago`, { owner, liftsAt })];
};

/** The later of the last pod event and the moment it was Initialized; undefined where it is not. */
export function stableSince(view: NodeView): Instant | undefined {
  const { claim } = view;
  if (!claim) return createdAt(view);
  const initialized = claim.conditions.Initialized;
  if (initialized?.status !== 'True') return undefined;
  return latest(claim.lastPodEventAt, initialized.since ?? claim.createdAt);
}
