// What does a pool have? Karpenter counts it every few seconds into the pool's status.
import type { World } from '../../world.ts';
import { type Controller, nothing } from '../controller.ts';
import { poolOf } from '../manifest.ts';
import { change } from '../write.ts';
import { formatResources } from './formatResources.ts';
import { usedBy } from './poolUse.ts';

export const poolStatus = (world: World): Controller => ({
  name: 'karpenter-counter',
  wakes: {
    NodePool: ({ type, object }) => (type === 'ADDED' ? [object.metadata.name] : []),
    NodeClaim: ({ type, object, was }) =>
      type !== 'MODIFIED' || object.status?.capacity !== was?.status?.capacity ? [poolOf(object) ?? ''] : [],
  },
  after: [5, 5],
  settle: (name) => {
    if (!world.objects.get('NodePool', name)) return nothing;
    const { nodes = 0, ...rest } = usedBy(name, world);
    const resources = formatResources({ ...rest, nodes });
    return { writes: [change('NodePool', name, (it) => ({ ...it, status: { ...it.status, nodes, resources } }))] };
  },
});
