// What must be launched before a node may go? Its pods are placed on what is there; for the rest, new claims, as the provisioner makes them.
import { label } from '../../../cluster/names.ts';
import { asInstant } from '../../../time/instant.ts';
import { isDeleting } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { claimOf } from '../cloud/claimObject.ts';
import { zonesUsed } from '../cloud/zones.ts';
import { freshName } from '../freshName.ts';
import { type Claim, isTerminal, type Node, nodeNameOf, type Pod } from '../manifest.ts';
import { type Bin, binOf, requirementsOf } from '../provisioner/bin.ts';
import { daemonsOn } from '../provisioner/daemons.ts';
import { formatResources } from '../provisioner/formatResources.ts';
import { Plan } from '../provisioner/plan.ts';
import { poolsInOrder } from '../provisioner/poolsInOrder.ts';
import { usedBy } from '../provisioner/poolUse.ts';
import { reserve } from '../provisioner/provisioner.ts';
import { findNode } from '../scheduler/findNode.ts';
import { isGuard } from '../scheduler/guards.ts';
import { Rooms } from '../scheduler/rooms.ts';
import type { Candidate } from './candidates.ts';

const [longAgo, forEver] = [asInstant(0), asInstant(Number.MAX_SAFE_INTEGER)];

/** The claims to make; undefined where some pod would find no place. */
export function replacementsFor(candidate: Candidate, world: World, draw: () => number): readonly Claim[] | undefined {
  const { pool } = candidate;
  const naming = (prefix: string) => freshName({ kind: 'NodeClaim', prefix }, world, draw);
  if (pool.spec?.replicas !== undefined) return [claimOf(pool, { name: naming(pool.metadata.name) })];
  const bins = binsFor(homeless(candidate, world), planWithout(candidate, world), world);
  return bins?.flatMap((bin) => {
    if (!bin.pool) return [];
    const requirements = requirementsOf(bin, zonesWithout(candidate, world));
    return [
      claimOf(bin.pool, { name: naming(bin.pool.metadata.name), requirements, requests: formatResources(bin.used) }),
    ];
  });
}

/** The pods that no other node has room for. */
function homeless({ node, pods }: Candidate, world: World): readonly Pod[] {
  const rooms = new Rooms();
  for (const other of world.objects.list('Node') as Iterable<Node>)
    if (other.metadata.name !== node.metadata.name && !isDeleting(other)) rooms.setNode(other, longAgo);
  for (const pod of world.objects.list('Pod') as Iterable<Pod>) {
    const at = nodeNameOf(pod);
    if (at !== undefined && at !== node.metadata.name && !isTerminal(pod)) rooms.setPod(pod, at);
  }
  return pods.flatMap((pod) => {
    const target = findNode(pod, { rooms, objects: world.objects, before: forEver });
    if (target === undefined) return [pod];
    rooms.setPod(pod, target);
    return [];
  });
}

function planWithout({ node }: Candidate, world: World): Plan {
  const gone = node.metadata.name;
  const guards = ([...world.objects.list('Pod')] as Pod[]).filter((pod) => {
    const at = nodeNameOf(pod);
    return at !== undefined && at !== gone && isGuard(pod) && !isTerminal(pod);
  });
  return new Plan({ world, guards, gone });
}

function binsFor(all: readonly Pod[], plan: Plan, world: World): readonly Bin[] | undefined {
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

/** Without the node that goes, so that its place is the emptiest. */
function zonesWithout({ node, pool }: Candidate, world: World): Map<string, number> {
  const zones = zonesUsed(pool.metadata.name, world);
  const zone = node.metadata.labels?.[label.zone] ?? '';
  return zones.set(zone, (zones.get(zone) ?? 1) - 1);
}
