// Karpenter's provisioner: launches nodes for unschedulable pods, and keeps static pools at their size.
import { taint } from '../../../cluster/names.ts';
import type { Resources } from '../../../cluster/quantity.ts';
import { type Instant, second } from '../../../time/instant.ts';
import { isDeleting, type KubeObject } from '../../kubeObject.ts';
import { Grouped, type World } from '../../world.ts';
import { type ActorController, type ActorWrite, create, noWrites, type ReconcileResult, remove } from '../actor.ts';
import { claimOf } from '../cloud/machineObjects.ts';
import { zonesUsed } from '../cloud/offerings.ts';
import {
  conditionOf,
  isDaemonPod,
  isTerminal,
  isTrue,
  nodeNameOf,
  poolOf,
  type RawClaim,
  type RawPod,
  type RawPool,
  taintsOf,
} from '../rawObjects.ts';
import { add, needsOf, type SimPodNeeds } from '../scheduler/needs.ts';
import { hasAntiAffinity } from '../scheduler/podAffinity.ts';
import { freshName } from '../workloads/ownedPods.ts';
import { type Bin, binInFlight, binOf, daemonsOn, requestsOn, requirementsOf } from './bin.ts';
import { SimLaunchPlan } from './launchPlan.ts';
import { formatResources, isWithin, poolsInOrder, usedBy } from './pools.ts';

export function staticPools(world: World): ActorController {
  const random = world.random.fork('static claim names');
  return {
    name: 'karpenter-static',
    wakes: {
      NodePool: ({ type, object }) => (type === 'DELETED' ? [] : [object.metadata.name]),
      NodeClaim: ({ object }) => [poolOf(object) ?? ''],
      Node: ({ object, was }) => (was?.spec === object.spec ? [] : [poolOf(object) ?? '']),
    },
    after: [0.5, 1],
    reconcile: (name) => {
      const pool = world.objects.get('NodePool', name);
      const replicas = pool && !isDeleting(pool) ? pool.spec?.replicas : undefined;
      return pool && replicas !== undefined ? { writes: keep(pool, replicas, world, () => random.next()) } : noWrites;
    },
  };
}

/** A node being replaced counts when nodes are added, but not when nodes are removed. */
function keep(pool: RawPool, replicas: number, world: World, draw: () => number): ActorWrite[] {
  const { name } = pool.metadata;
  const claims = [...world.claimsByPool.of(name).values()].filter((claim) => !isDeleting(claim));
  const staying = claims.filter((claim) => !isMarked(claim, world));
  const surplus = staying.length - replicas;
  if (surplus > 0)
    return removalOrder(staying, world)
      .slice(0, surplus)
      .map(({ metadata }) => remove('NodeClaim', metadata.name));
  const used = usedBy(name, world);
  const naming = { kind: 'NodeClaim', prefix: name, taken: new Set<string>() };
  const writes: ActorWrite[] = [];
  for (let count = claims.length; count < replicas; count++) {
    used.nodes = (used.nodes ?? 0) + 1;
    if (!isWithin(pool, used)) break;
    writes.push(create(claimOf(pool, { name: freshName(naming, world, draw) })));
  }
  return writes;
}

function isMarked({ status }: RawClaim, { objects }: World): boolean {
  const node = objects.get('Node', status?.nodeName ?? '');
  return (
    node !== undefined &&
    taintsOf(node).some(({ key }) => key === taint.lullDisrupted || key === taint.karpenterDisrupted)
  );
}

/** Claims that are not launched first, then those without pods, then the youngest. */
function removalOrder(claims: readonly RawClaim[], { objects }: World): RawClaim[] {
  const rank = ({ status }: RawClaim): number => {
    if (status?.providerID === undefined) return 0;
    const pods = [...objects.podsOn(status.nodeName ?? '')];
    return pods.every(isDaemonPod) ? 1 : 2;
  };
  const ranked = claims.map((claim) => ({ claim, rank: rank(claim), age: claim.metadata.creationTimestamp ?? '' }));
  return ranked
    .sort((a, b) => a.rank - b.rank || (a.age < b.age ? 1 : a.age > b.age ? -1 : 0))
    .map(({ claim }) => claim);
}

/** Pods are batched until none has arrived for a second, for at most ten seconds. */
const [idle, longest] = [1 * second, 10 * second];
/** How long a pool with failed launches is skipped, in seconds. */
const retryAfter = 60;

const batch = ['batch'];

export function provisioner(world: World): ActorController {
  const random = world.random.fork('claim names');
  const waiting = new Grouped(world.objects, 'Pod', (pod) => (isProvisionable(pod) ? 'waiting' : undefined));
  const coming = new Grouped(world.objects, 'NodeClaim', (claim) => (isInFlight(claim) ? 'coming' : undefined));
  const guarding = new Grouped(world.objects, 'Pod', (pod) => (isPlacedWithAntiAffinity(pod) ? 'guards' : undefined));
  let batchFrom: Instant | undefined;
  let lastAt: Instant | undefined;
  return {
    name: 'karpenter-provisioner',
    wakes: {
      Pod: ({ object }) => {
        if (!isProvisionable(object)) return [];
        lastAt = world.clock.now;
        batchFrom ??= lastAt;
        return batch;
      },
      // Changes that may allow launches that were not possible before.
      NodePool: () => batch,
      NodeClaim: ({ type }) => (type === 'DELETED' ? batch : []),
      DaemonSet: () => batch,
    },
    after: [1, 1],
    reconcile: () => {
      const { now } = world.clock;
      const pods = [...waiting.of('waiting').values()];
      if (pods.length === 0) return noWrites;
      if (lastAt !== undefined && batchFrom !== undefined && now - lastAt < idle && now - batchFrom < longest)
        return { writes: [], again: (lastAt + idle - now) / second };
      batchFrom = undefined;
      const claims = [...coming.of('coming').values()];
      const guards = guarding.of('guards').values();
      return provision({ pods, claims, guards }, world, () => random.next());
    },
  };
}

const isPlacedWithAntiAffinity = (pod: RawPod): boolean =>
  hasAntiAffinity(pod) && nodeNameOf(pod) !== undefined && !isTerminal(pod);

/** Whether the scheduler found no node for the pod. No nodes are launched for DaemonSet pods. */
function isProvisionable(object: KubeObject): boolean {
  const pod = object;
  if (pod.spec?.nodeName || isDeleting(pod) || isTerminal(pod) || isDaemonPod(pod)) return false;
  return conditionOf(pod, 'PodScheduled')?.reason === 'Unschedulable';
}

interface ProvisioningInput {
  readonly pods: readonly RawPod[];
  /** Claims in flight. */
  readonly claims: readonly RawClaim[];
  /** Placed pods with required anti-affinity. */
  readonly guards: Iterable<RawPod>;
}

function provision({ pods, claims, guards }: ProvisioningInput, world: World, draw: () => number): ReconcileResult {
  const failing = new Set(claims.filter(isFailing).map(({ metadata }) => metadata.ownerReferences?.[0]?.name));
  const bins: Bin[] = claims
    .filter((claim) => !isFailing(claim))
    .map((claim) => binInFlight(claim, requestsOn(claim, world), world));
  const pools = poolsInOrder(world).filter(({ metadata }) => !failing.has(metadata.name));
  const used = new Map(pools.map(({ metadata }) => [metadata.name, usedBy(metadata.name, world)]));
  const first = new Map<SimPodNeeds, number>();
  const plan = new SimLaunchPlan({ world, guards });
  for (const bin of bins) plan.place(bin);
  for (const pod of bySize(pods)) {
    if (putInto({ bins, plan, first }, pod)) continue;
    for (const pool of pools) {
      const bin = binOf(pool, daemonsOn(pool, world), world);
      if (!plan.put(bin, pod)) continue;
      if (reserve(pool, bin, used)) {
        bins.push(bin);
        break;
      }
      plan.drop(bin);
    }
  }
  return { writes: launches(bins, world, draw), ...(failing.size > 0 && { again: retryAfter }) };
}

interface Packing {
  readonly bins: readonly Bin[];
  readonly plan: SimLaunchPlan;
  readonly first: Map<SimPodNeeds, number>;
}

/** First fit. Bins only fill up, so a bin that refused a pod also refuses later pods with the same needs. */
function putInto({ bins, plan, first }: Packing, pod: RawPod): boolean {
  // Rules about other pods may refuse a bin now and allow it later.
  if (!plan.isPlain(pod)) return bins.some((bin) => plan.put(bin, pod));
  const needs = needsOf(pod);
  for (let index = first.get(needs) ?? 0; index < bins.length; index++) {
    const bin = bins[index];
    first.set(needs, index);
    if (bin && plan.put(bin, pod)) return true;
  }
  first.set(needs, bins.length);
  return false;
}

/** Drops offerings beyond the pool's limits, and counts the largest remaining one, as Karpenter does. */
export function reserve(pool: RawPool, bin: Bin, used: Map<string, Record<string, number>>): boolean {
  const before = used.get(pool.metadata.name) ?? {};
  const withOne = (room: Resources): Record<string, number> => {
    const total = { ...before };
    add(total, { ...room, nodes: 1 });
    return total;
  };
  bin.offerings = bin.offerings.filter(({ room }) => isWithin(pool, withOne(room)));
  if (bin.offerings.length === 0) return false;
  const largest: Record<string, number> = {};
  for (const { room } of bin.offerings)
    for (const name in room) largest[name] = Math.max(largest[name] ?? 0, room[name] ?? 0);
  used.set(pool.metadata.name, withOne(largest));
  return true;
}

function launches(bins: readonly Bin[], world: World, draw: () => number): ActorWrite[] {
  const zones = new Map<RawPool, Map<string, number>>();
  return bins.flatMap((bin) => {
    const { pool } = bin;
    if (!pool) return [];
    const used = zones.get(pool) ?? zonesUsed(pool.metadata.name, world);
    zones.set(pool, used);
    const name = freshName({ kind: 'NodeClaim', prefix: pool.metadata.name }, world, draw);
    const requests = formatResources(bin.used);
    return [create(claimOf(pool, { name, requirements: requirementsOf(bin, used), requests }))];
  });
}

/** The claim is not initialized yet. */
const isInFlight = (claim: KubeObject): boolean => !isDeleting(claim) && !isTrue(claim, 'Initialized');

const isFailing = (claim: RawClaim): boolean => conditionOf(claim, 'Launched')?.status === 'False';

/** Large pods first: small ones fit into the gaps. */
function bySize(pods: readonly RawPod[]): RawPod[] {
  const sized = pods.map((pod) => ({ pod, requests: needsOf(pod).requests }));
  sized.sort(
    (a, b) =>
      (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
      (b.requests.memory ?? 0) - (a.requests.memory ?? 0) ||
      (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1),
  );
  return sized.map(({ pod }) => pod);
}
