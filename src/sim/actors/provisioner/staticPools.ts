// How does a pool of fixed size keep it? By its `replicas`: claims that are missing are made, those too many deleted.
import { taint } from '../../../cluster/names.ts';
import { isDeleting } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { claimOf } from '../cloud/claimObject.ts';
import { type Controller, nothing } from '../controller.ts';
import { freshName } from '../freshName.ts';
import { type Claim, isDaemonPod, type Node, type Pod, type Pool, poolOf } from '../manifest.ts';
import { taintsOf } from '../taints.ts';
import { create, remove, type Write } from '../write.ts';
import { isWithin, usedBy } from './poolUse.ts';

export function staticPools(world: World): Controller {
  const random = world.random.fork('static claim names');
  return {
    name: 'karpenter-static',
    wakes: {
      NodePool: ({ type, object }) => (type === 'DELETED' ? [] : [object.metadata.name]),
      NodeClaim: ({ object }) => [poolOf(object) ?? ''],
      Node: ({ object, was }) =>
        (was as Node | undefined)?.spec === (object as Node).spec ? [] : [poolOf(object) ?? ''],
    },
    after: [0.5, 1],
    settle: (name) => {
      const pool = world.objects.get('NodePool', name) as Pool | undefined;
      const replicas = pool && !isDeleting(pool) ? pool.spec?.replicas : undefined;
      return pool && replicas !== undefined ? { writes: keep(pool, replicas, world, () => random.next()) } : nothing;
    },
  };
}

/** A node that is being replaced still counts when more are made, and no longer when some are too many. */
function keep(pool: Pool, replicas: number, world: World, draw: () => number): Write[] {
  const { name } = pool.metadata;
  const claims = ([...world.claimsByPool.of(name).values()] as Claim[]).filter((claim) => !isDeleting(claim));
  const staying = claims.filter((claim) => !isMarked(claim, world));
  const surplus = staying.length - replicas;
  if (surplus > 0)
    return leastMissed(staying, world)
      .slice(0, surplus)
      .map(({ metadata }) => remove('NodeClaim', metadata.name));
  const used = usedBy(name, world);
  const naming = { kind: 'NodeClaim', prefix: name, taken: new Set<string>() };
  const writes: Write[] = [];
  for (let count = claims.length; count < replicas; count++) {
    used.nodes = (used.nodes ?? 0) + 1;
    if (!isWithin(pool, used)) break;
    writes.push(create(claimOf(pool, { name: freshName(naming, world, draw) })));
  }
  return writes;
}

function isMarked({ status }: Claim, { objects }: World): boolean {
  const node = objects.get('Node', status?.nodeName ?? '') as Node | undefined;
  return (
    node !== undefined &&
    taintsOf(node).some(({ key }) => key === taint.lullDisrupted || key === taint.karpenterDisrupted)
  );
}

/** Not yet launched, then without pods, then the youngest. */
function leastMissed(claims: readonly Claim[], { objects }: World): Claim[] {
  const rank = ({ status }: Claim): number => {
    if (status?.providerID === undefined) return 0;
    const pods = [...objects.podsOn(status.nodeName ?? '')] as Pod[];
    return pods.every(isDaemonPod) ? 1 : 2;
  };
  const ranked = claims.map((claim) => ({ claim, rank: rank(claim), age: claim.metadata.creationTimestamp ?? '' }));
  return ranked
    .sort((a, b) => a.rank - b.rank || (a.age < b.age ? 1 : a.age > b.age ? -1 : 0))
    .map(({ claim }) => claim);
}
