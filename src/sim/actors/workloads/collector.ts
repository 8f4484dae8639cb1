// What becomes of what a deleted object had made? It is deleted too: Kubernetes' garbage collector, for owners that are controllers or pools.
import { isDeleting, keyOf } from '../../kubeObject.ts';
import type { Changed } from '../../objects.ts';
import type { World } from '../../world.ts';
import type { Controller } from '../controller.ts';
import { remove } from '../write.ts';

const owners = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'NodePool'];

/** By the uid of an owner that is gone; a pool by its name, as its claims name it. */
export const collector = (world: World): Controller => ({
  name: 'garbage-collector',
  wakes: Object.fromEntries(
    owners.map((kind) => [
      kind,
      ({ type, object }: Changed) =>
        type === 'DELETED' ? [`${object.metadata.uid} ${kind} ${object.metadata.name}`] : [],
    ]),
  ),
  after: [0.5, 2],
  settle: (key) => {
    const [uid = '', kind, name = ''] = key.split(' ');
    const orphans =
      kind === 'NodePool'
        ? [...world.claimsByPool.of(name).values()]
        : [...world.setsByOwner.of(uid).values(), ...world.podsByOwner.of(uid).values()];
    return { writes: orphans.filter((it) => !isDeleting(it)).map((it) => remove(it.kind, keyOf(it))) };
  },
});
