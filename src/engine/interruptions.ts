// Nodes that Karpenter removes because the cloud interrupts them: a spot warning, a scheduled change, a stopped instance. Karpenter
// marks their claims with no reason, so its event is the only fact that says what it was (N3).
import type { NodeEvent } from '../cluster/model.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Cluster } from '../cluster/store.ts';
import { after, asDuration, before, type Instant, minute, second } from '../time/instant.ts';
import { countOf } from './situation.ts';

export interface Interruption {
  readonly node: string;
  readonly pool: string;
  readonly at: Instant;
  /** `SpotInterrupted: Spot interruption warning was triggered` */
  readonly message: string;
}

export const findInterruptions = (cluster: Cluster): readonly Interruption[] =>
  cluster.groups
    .flatMap((group) => countOf(group).leaving)
    .flatMap((view) => {
      const event = interruptionOf(view, cluster);
      const { node, poolName = '' } = view;
      return event ? [{ node: node.name, pool: poolName, at: event.at, message: event.message }] : [];
    });

/** Karpenter deletes the claim within seconds of its event. */
const deletedWithin = asDuration(2 * minute);
/** Events and deletions are stamped by different clocks, to the second. */
const clockSkew = asDuration(3 * second);

/** The event that made Karpenter delete the claim. Later ones, such as that the instance now terminates, are consequences. */
function interruptionOf({ node, state }: NodeView, cluster: Cluster): NodeEvent | undefined {
  const since = state.leaving?.since;
  if (since === undefined) return undefined;
  const isCause = (event: NodeEvent | undefined): event is NodeEvent =>
    event !== undefined && event.at >= before(since, deletedWithin) && event.at <= after(since, clockSkew);
  // Karpenter writes two events: what it was, then that it removes the node.
  return [cluster.eventOn(node.name, 'interruption'), cluster.eventOn(node.name, 'termination')].find(isCause);
}
