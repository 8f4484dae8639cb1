// The NodeClaims Karpenter launches before it deletes a node, for the pods that no existing node has room for.
import { label } from '../../../cluster/names.ts';
import { asInstant } from '../../../time/instant.ts';
import { isDeleting } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { claimOf } from '../cloud/machineObjects.ts';
import { zonesUsed } from '../cloud/offerings.ts';
import { type Bin, binOf, daemonsOn, requirementsOf } from '../provisioner/bin.ts';
import { reserve } from '../provisioner/launchForPods.ts';
import { SimLaunchPlan } from '../provisioner/launchPlan.ts';
import { formatResources, poolsInOrder, usedBy } from '../provisioner/pools.ts';
import { isTerminal, nodeNameOf, type RawClaim, type RawPod } from '../rawObjects.ts';
import { findNode } from '../scheduler/findNode.ts';
import { hasAntiAffinity } from '../scheduler/podAffinity.ts';
import { Rooms } from '../scheduler/rooms.ts';
import { freshName } from '../workloads/ownedPods.ts';
import type { KarpenterCandidate } from './candidates.ts';

const [longAgo, farFuture] = [asInstant(0), asInstant(Number.MAX_SAFE_INTEGER)];

/** The claims to create; undefined if some pod would not fit anywhere. */
export function replacementsFor(
  candidate: KarpenterCandidate,
  world: World,
  draw: () => number,
): readonly RawClaim[] | undefined {
  const { pool } = candidate;
  const naming = (prefix: string) => freshName({ kind: 'NodeClaim', prefix }, world, draw);
  if (pool.spec?.replicas !== undefined) return [claimOf(pool, { name: naming(pool.metadata.name) })];
  const bins = binsFor(unplacedPods(candidate, world), planWithout(candidate, world), world);
  return bins?.flatMap((bin) => {
    if (!bin.pool) return [];
    const requirements = requirementsOf(bin, zonesWithout(candidate, world));
    return [
      claimOf(bin.pool, { name: naming(bin.pool.metadata.name), requirements, requests: formatResources(bin.used) }),
    ];
  });
}

/** The candidate's pods that fit on no other node. */
function unplacedPods({ node, pods }: KarpenterCandidate, world: World): readonly RawPod[] {
  const rooms = new Rooms();
  for (const other of world.objects.list('Node'))
    if (other.metadata.name !== node.metadata.name && !isDeleting(other)) rooms.setNode(other, longAgo);
  for (const pod of world.objects.list('Pod')) {
    const at = nodeNameOf(pod);
    if (at !== undefined && at !== node.metadata.name && !isTerminal(pod)) rooms.setPod(pod, at);
  }
  return pods.flatMap((pod) => {
    const target = findNode(pod, { rooms, objects: world.objects, before: farFuture });
    if (target === undefined) return [pod];
    rooms.setPod(pod, target);
    return [];
  });
}

function planWithout({ node }: KarpenterCandidate, world: World): SimLaunchPlan {
  const gone = node.metadata.name;
  const guards = [...world.objects.list('Pod')].filter((pod) => {
    const at = nodeNameOf(pod);
    return at !== undefined && at !== gone && hasAntiAffinity(pod) && !isTerminal(pod);
  });
  return new SimLaunchPlan({ world, guards, gone });
}

function binsFor(all: readonly RawPod[], plan: SimLaunchPlan, world: World): readonly Bin[] | undefined {
  const pools = poolsInOrder(world);
  const used = new Map(pools.map(({ metadata }) => [metadata.name, usedBy(metadata.name, world)]));
  const bins: Bin[] = [];
  for (const pod of all) {
    if (bins.some((bin) => plan.put(bin, pod))) continue;
    const made = pools.map((pool) => ({ pool, bin: binOf(pool, daemonsOn(pool, world), world) }));
    const fitting = made.find(({ pool, bin }) => {
      if (!plan.put(bin, pod)) return false;
      if (reserve(pool, bin, used)) return true;
      plan.drop(bin);
      return false;
    });
    if (!fitting) return undefined;
    bins.push(fitting.bin);
  }
  return bins;
}

/** Without the disrupted node, so that its zone is preferred. */
function zonesWithout({ node, pool }: KarpenterCandidate, world: World): Map<string, number> {
  const zones = zonesUsed(pool.metadata.name, world);
  const zone = node.metadata.labels?.[label.zone] ?? '';
  return zones.set(zone, (zones.get(zone) ?? 1) - 1);
}
