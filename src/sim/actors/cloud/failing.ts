// What becomes of nodes whose kubelet or machine is gone? The node lifecycle controller notices, and Karpenter clears up.
import { formatInstant } from '../../../time/instant.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Claim, Node } from '../manifest.ts';
import { isTrue, withConditions } from '../status.ts';
import type { Row } from '../table.ts';
import { addTaints, dropTaints, taintKey } from '../taints.ts';
import { change, remove } from '../write.ts';
import { isLifecycle, kubeletLives } from './launching.ts';

const unknown = {
  type: 'Ready',
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
};

const isLost = (name: string, { conditions }: World): boolean => conditions.of('instances', name) === 'lost';

export const failureRows: readonly Row[] = [
  {
    // The monitor waits for 50 s of silence; a cloud says sooner that a machine is gone.
    name: 'a node is not heard of any more',
    by: 'node-lifecycle',
    kind: 'Node',
    when: [
      { condition: 'Ready', isNot: 'Unknown' },
      { so: 'its kubelet is silent', holds: (node, world) => !kubeletLives(node, world) },
    ],
    after: ({ metadata }, world) => (isLost(metadata.name, world) ? [5, 10] : [40, 50]),
    becomes: ({ metadata }, { clock }) => {
      const timeAdded = formatInstant(clock.now);
      const taints = ['NoSchedule', 'NoExecute'].map((effect) => ({ key: taintKey.unreachable, effect, timeAdded }));
      return [
        change('Node', metadata.name, (node) =>
          withConditions(addTaints(dropTaints(node as Node, isLifecycle), taints), clock.now, [unknown]),
        ),
      ];
    },
  },
  {
    name: 'a claim whose machine is gone is deleted',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [{ lacks: 'metadata.deletionTimestamp' }, { so: 'its machine is gone', holds: machineIsGone }],
    also: { Node: ({ object }, { claimsByNode }) => claimsByNode.of(object.metadata.name).values() },
    after: [5, 20],
    becomes: ({ metadata }) => [remove('NodeClaim', metadata.name)],
  },
];

/** Karpenter believes its cloud only where the node is silent too. */
export function machineIsGone(claim: KubeObject, world: World): boolean {
  const name = (claim as Claim).status?.nodeName;
  if (name === undefined || !isLost(name, world)) return false;
  const node = world.objects.get('Node', name);
  return !node || !isTrue(node, 'Ready');
}
