// Failing nodes: injecting the failure, the node lifecycle controller's reaction, and Karpenter's cleanup.

import { taint } from '../../../cluster/names.ts';
import { asDuration, type Duration, formatInstant, minute } from '../../../time/instant.ts';
import type { World } from '../../world.ts';
import { type ActorRow, change, remove } from '../actor.ts';
import { addTaints, dropTaints, isTrue, type RawClaim, taintKey, withConditions } from '../rawObjects.ts';
import { isKubeletAlive, isLifecycle } from './launching.ts';

const unknown = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
};

const isLost = (name: string, { faults }: World): boolean => faults.of('instances', name) === 'lost';

export const failureRows: readonly ActorRow[] = [
  {
    // The node monitor waits about 50 s; the cloud reports a terminated instance sooner.
    name: 'a node is not heard of any more',
    by: 'node-lifecycle',
    kind: 'Node',
    when: [
      { condition: 'Ready', isNot: 'Unknown' },
      { so: 'its kubelet is silent', holds: (node, world) => !isKubeletAlive(node, world) },
    ],
    after: ({ metadata }, world) => (isLost(metadata.name, world) ? [5, 10] : [40, 50]),
    becomes: ({ metadata }, { clock }) => {
      const timeAdded = formatInstant(clock.now);
      const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: taintKey.unreachable, effect, timeAdded }));
      return [
        change('Node', metadata.name, (node) =>
          withConditions(addTaints(dropTaints(node, isLifecycle), taints), clock.now, [unknown]),
        ),
      ];
    },
  },
  {
    name: 'a claim whose machine is gone is deleted',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [{ lacks: 'metadata.deletionTimestamp' }, { so: 'its machine is gone', holds: isInstanceGone }],
    also: { Node: ({ object }, { claimsByNode }) => claimsByNode.of(object.metadata.name).values() },
    after: [5, 20],
    becomes: ({ metadata }) => [remove('NodeClaim', metadata.name)],
  },
];

/** Karpenter also requires that the node is not Ready. */
export function isInstanceGone(claim: RawClaim, world: World): boolean {
  const name = claim.status?.nodeName;
  if (name === undefined || !isLost(name, world)) return false;
  const node = world.objects.get('Node', name);
  return !node || !isTrue(node, 'Ready');
}

/** The notice a cloud gives before it terminates a spot instance. */
const notice: Duration = asDuration(2 * minute);

/** Stops the node's kubelet, for a duration or for good. */
export function failNode({ faults, clock }: World, name: string, duration?: Duration): void {
  faults.set('kubelets', name, 'dead');
  if (duration !== undefined) clock.in(duration, () => faults.clear('kubelets', name));
}

/** Taints the node now and terminates its instance in two minutes. */
export function interruptNode({ objects, clock, faults }: World, name: string): void {
  const [spot] = taint.interruption;
  const timeAdded = formatInstant(clock.now);
  const node = objects.write('Node', name, 'cloud', (it) =>
    addTaints(it, [{ key: spot, effect: 'NoSchedule', timeAdded }]),
  );
  if (!node) return;
  clock.in(notice, () => {
    if (objects.get('Node', name)?.metadata.uid === node.metadata.uid) faults.set('instances', name, 'lost');
  });
}
