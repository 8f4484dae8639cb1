// Who launches nodes for pods that fit nowhere? Karpenter's provisioner: gathers them, packs them by size, one claim for each bin.
import type { Resources } from '../../../cluster/quantity.ts';
import { type Instant, second } from '../../../time/instant.ts';
import { isDeleting, type KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { claimOf } from '../cloud/claimObject.ts';
import { zonesUsed } from '../cloud/zones.ts';
import { type Controller, nothing, type Settled } from '../controller.ts';
import { freshName } from '../freshName.ts';
import { Grouped } from '../grouped.ts';
import { type Claim, isDaemonPod, isTerminal, nodeNameOf, type Pod, type Pool } from '../manifest.ts';
import { isGuard } from '../scheduler/guards.ts';
import { add, type Needs, needsOf } from '../scheduler/needs.ts';
import { conditionOf, isTrue } from '../status.ts';
import { create, type Write } from '../write.ts';
import { type Bin, binInFlight, binOf, requirementsOf } from './bin.ts';
import { daemonsOn, requestsOn } from './daemons.ts';
import { formatResources } from './formatResources.ts';
import { Plan } from './plan.ts';
import { poolsInOrder } from './poolsInOrder.ts';
import { isWithin, usedBy } from './poolUse.ts';

/** Pods are gathered until none has come for a second, for ten at most. */
const [idle, longest] = [1 * second, 10 * second];
/** A pool whose launches fail is left alone for a while, in seconds. */
const retryAfter = 60;

const batch = ['batch'];

export function provisioner(world: World): Controller {
  const random = world.random.fork('claim names');
  const waiting = new Grouped(world.objects, 'Pod', (pod) => (isProvisionable(pod) ? 'waiting' : undefined));
  const coming = new Grouped(world.objects, 'NodeClaim', (claim) => (isComing(claim) ? 'coming' : undefined));
  const guarding = new Grouped(world.objects, 'Pod', (pod) => (isStandingGuard(pod) ? 'guards' : undefined));
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
      // What may let pods be launched for that could not before.
      NodePool: () => batch,
      NodeClaim: ({ type }) => (type === 'DELETED' ? batch : []),
      DaemonSet: () => batch,
    },
    after: [1, 1],
    settle: () => {
      const { now } = world.clock;
      const pods = [...waiting.of('waiting').values()] as Pod[];
      if (pods.length === 0) return nothing;
      if (lastAt !== undefined && batchFrom !== undefined && now - lastAt < idle && now - batchFrom < longest)
        return { writes: [], again: (lastAt + idle - now) / second };
      batchFrom = undefined;
      const claims = [...coming.of('coming').values()] as Claim[];
      const guards = guarding.of('guards').values() as Iterable<Pod>;
      return provision({ pods, claims, guards }, world, () => random.next());
    },
  };
}

const isStandingGuard = (pod: Pod): boolean => isGuard(pod) && nodeNameOf(pod) !== undefined && !isTerminal(pod);

/** The scheduler has found nothing for it. Daemons get what there is. */
function isProvisionable(object: KubeObject): boolean {
  const pod = object as Pod;
  if (pod.spec?.nodeName || isDeleting(pod) || isTerminal(pod) || isDaemonPod(pod)) return false;
  return conditionOf(pod, 'PodScheduled')?.reason === 'Unschedulable';
}

interface Asked {
  readonly pods: readonly Pod[];
  /** What is on its way already. */
  readonly claims: readonly Claim[];
  /** The pods that stand somewhere and keep others away. */
  readonly guards: Iterable<Pod>;
}

function provision({ pods, claims, guards }: Asked, world: World, draw: () => number): Settled {
  const failing = new Set(claims.filter(isFailing).map(({ metadata }) => metadata.ownerReferences?.[0]?.name));
  const bins: Bin[] = claims
    .filter((claim) => !isFailing(claim))
    .map((claim) => binInFlight(claim, requestsOn(claim, world), world));
  const pools = poolsInOrder(world).filter(({ metadata }) => !failing.has(metadata.name));
  const used = new Map(pools.map(({ metadata }) => [metadata.name, usedBy(metadata.name, world)]));
  const first = new Map<Needs, number>();
  const plan = new Plan({ world, guards });
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
  readonly plan: Plan;
  readonly first: Map<Needs, number>;
}

/** First fit. Bins only fill up: one that refused such a pod need not be asked by the next like it. */
function putInto({ bins, plan, first }: Packing, pod: Pod): boolean {
  // What a pod asks of others may be refused now and granted later.
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

/** As Karpenter does: only machines that the limits still allow, and the largest of them is counted, whichever it becomes. */
export function reserve(pool: Pool, bin: Bin, used: Map<string, Record<string, number>>): boolean {
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

function launches(bins: readonly Bin[], world: World, draw: () => number): Write[] {
  const zones = new Map<Pool, Map<string, number>>();
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

/** It will be a node that pods can go to, and is not one yet. */
const isComing = (claim: KubeObject): boolean => !isDeleting(claim) && !isTrue(claim, 'Initialized');

const isFailing = (claim: Claim): boolean => conditionOf(claim, 'Launched')?.status === 'False';

/** Large pods first: small ones fit in between. */
function bySize(pods: readonly Pod[]): Pod[] {
  const sized = pods.map((pod) => ({ pod, requests: needsOf(pod).requests }));
  sized.sort(
    (a, b) =>
      (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
      (b.requests.memory ?? 0) - (a.requests.memory ?? 0) ||
      (a.pod.metadata.name < b.pod.metadata.name ? -1 : 1),
  );
  return sized.map(({ pod }) => pod);
}
