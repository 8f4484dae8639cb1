// Which pool is asked first for a new node? The heaviest; those with a fixed number of nodes never.
import { isDeleting } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Pool } from '../manifest.ts';

/** The heaviest first, then by name. Static pools launch for nobody. */
export function poolsInOrder({ objects }: World): Pool[] {
  const pools = [...(objects.list('NodePool') as Iterable<Pool>)];
  return pools
    .filter((pool) => pool.spec?.replicas === undefined && !isDeleting(pool))
    .sort((a, b) => (b.spec?.weight ?? 0) - (a.spec?.weight ?? 0) || (a.metadata.name < b.metadata.name ? -1 : 1));
}
