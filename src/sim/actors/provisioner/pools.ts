// Pool accounting of Karpenter: used resources against limits, pool order, and lastPodEventTime (A6).
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import { formatInstant, parseInstant, second } from '../../../time/instant.ts';
import { isDeleting, type Json } from '../../kubeObject.ts';
import type { ObjectChange } from '../../objects.ts';
import type { World } from '../../world.ts';
import { type ActorController, change, noWrites } from '../actor.ts';
import { chooseOffering } from '../cloud/machineObjects.ts';
import { isDaemonPod, isTerminal, nodeNameOf, poolOf, type RawPool } from '../rawObjects.ts';
import { add } from '../scheduler/needs.ts';

export const formatResources = (amounts: Resources): Json =>
  Object.fromEntries(
    Object.entries(amounts).map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]),
  );

/** By weight, then by name. Static pools do not launch nodes for pods. */
export function poolsInOrder({ objects }: World): RawPool[] {
  const pools = [...objects.list('NodePool')];
  return pools
    .filter((pool) => pool.spec?.replicas === undefined && !isDeleting(pool))
    .sort((a, b) => (b.spec?.weight ?? 0) - (a.spec?.weight ?? 0) || (a.metadata.name < b.metadata.name ? -1 : 1));
}

export function usedBy(pool: string, world: World): Record<string, number> {
  const used: Record<string, number> = { nodes: 0 };
  for (const claim of world.claimsByPool.of(pool).values()) {
    const { capacity } = claim.status ?? {};
    add(used, capacity ? amountsOf(capacity) : (chooseOffering(claim, world)?.room ?? {}));
    used.nodes = (used.nodes ?? 0) + 1;
  }
  return used;
}

const known = new WeakMap<Json, Resources>();

/** Claims of the same instance type share the capacity object. */
function amountsOf(capacity: Json): Resources {
  const amounts = known.get(capacity) ?? parseResources(capacity);
  known.set(capacity, amounts);
  return amounts;
}

export function isWithin({ spec }: RawPool, used: Resources): boolean {
  const limits = parseResources(spec?.limits);
  return Object.keys(limits).every((name) => (used[name] ?? 0) <= (limits[name] ?? 0));
}

export const poolStatus = (world: World): ActorController => ({
  name: 'karpenter-counter',
  wakes: {
    NodePool: ({ type, object }) => (type === 'ADDED' ? [object.metadata.name] : []),
    NodeClaim: ({ type, object, was }) =>
      type !== 'MODIFIED' || object.status?.capacity !== was?.status?.capacity ? [poolOf(object) ?? ''] : [],
  },
  after: [5, 5],
  reconcile: (name) => {
    if (!world.objects.get('NodePool', name)) return noWrites;
    const { nodes = 0, ...rest } = usedBy(name, world);
    const resources = formatResources({ ...rest, nodes });
    return { writes: [change('NodePool', name, (it) => ({ ...it, status: { ...it.status, nodes, resources } }))] };
  },
});

const minimumInterval = 10 * second;

/** Keys are node names. */
export const podEvents = (world: World): ActorController => ({
  name: 'karpenter-podevents',
  wakes: { Pod: (seen) => (isEvent(seen) ? [nodeNameOf(seen.object) ?? ''] : []) },
  after: [0.1, 0.1],
  reconcile: (node) => {
    const { now } = world.clock;
    const claims = [...world.claimsByNode.of(node).values()];
    const due = claims.filter(
      ({ status }) => now - (parseInstant(status?.lastPodEventTime ?? '') ?? -Infinity) >= minimumInterval,
    );
    const lastPodEventTime = formatInstant(now);
    return {
      writes: due.map(({ metadata }) =>
        change('NodeClaim', metadata.name, (it) => ({ ...it, status: { ...it.status, lastPodEventTime } })),
      ),
    };
  },
});

function isEvent({ type, object: now, was: before, by }: ObjectChange): boolean {
  // Pods that exist at the start are not events.
  if (isDaemonPod(now) || nodeNameOf(now) === undefined || by === 'start') return false;
  if (type === 'ADDED' || !before) return true;
  if (type === 'DELETED') return !isTerminal(before) && !isDeleting(before);
  return (
    nodeNameOf(before) === undefined || isTerminal(before) !== isTerminal(now) || isDeleting(before) !== isDeleting(now)
  );
}
