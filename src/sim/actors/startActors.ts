// Starts the actors of a simulated cluster: all of Kubernetes and Karpenter, and optionally Karpenter's disruption.
import { annotation, atBirth } from '../../cluster/names.ts';
import { isDeleting, type KubeObject, keyOf } from '../kubeObject.ts';
import type { ObjectChange, Objects } from '../objects.ts';
import type { World } from '../world.ts';
import { type ActorController, type ActorRow, playTable, remove, runController } from './actor.ts';
import { failureRows } from './cloud/failing.ts';
import { claimRows, nodeRows } from './cloud/launching.ts';
import { terminationRows, terminator } from './cloud/terminating.ts';
import { gateProber } from './gateProber.ts';
import { commandsUnderway, disruption } from './karpenter/disruption.ts';
import { karpenterRows, keepPoolSchema } from './karpenter/rows.ts';
import { podRows } from './kubelet.ts';
import { pdbController } from './pdbController.ts';
import { provisioner, staticPools } from './provisioner/launchForPods.ts';
import { podEvents, poolStatus } from './provisioner/pools.ts';
import { scheduler } from './scheduler/scheduler.ts';
import { daemonSets } from './workloads/daemonSet.ts';
import { deployments, replicaSets } from './workloads/deployment.ts';
import { jobs } from './workloads/job.ts';
import { statefulSets } from './workloads/statefulSet.ts';

function parkNewClaims(objects: Objects): void {
  objects.admit = (object) => (object.kind === 'NodeClaim' ? parked(object) : object);
}

function parked(claim: KubeObject): KubeObject {
  const { annotations = {} } = claim.metadata;
  const before = annotations[annotation.doNotDisrupt];
  if (before === 'true') return claim;
  const added = {
    [annotation.doNotDisrupt]: 'true',
    [annotation.parked]: atBirth,
    ...(before !== undefined && { [annotation.keptBefore]: before }),
  };
  return { ...claim, metadata: { ...claim.metadata, annotations: { ...annotations, ...added } } };
}

const owners = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'NodePool'];

/** Deletes the dependents of a deleted owner, by the owner's uid; those of a pool by its name. */
const collector = (world: World): ActorController => ({
  name: 'garbage-collector',
  wakes: Object.fromEntries(
    owners.map((kind) => [
      kind,
      ({ type, object }: ObjectChange) =>
        type === 'DELETED' ? [`${object.metadata.uid} ${kind} ${object.metadata.name}`] : [],
    ]),
  ),
  after: [0.5, 2],
  reconcile: (key) => {
    const [uid = '', kind, name = ''] = key.split(' ');
    const orphans =
      kind === 'NodePool'
        ? [...world.claimsByPool.of(name).values()]
        : [...world.setsByOwner.of(uid).values(), ...world.podsByOwner.of(uid).values()];
    return { writes: orphans.filter((it) => !isDeleting(it)).map((it) => remove(it.kind, keyOf(it))) };
  },
});

/** Rows for single objects. */
const rows: readonly ActorRow[] = [...claimRows, ...nodeRows, ...failureRows, ...terminationRows, ...podRows];

/** Controllers that consider several objects. */
const controllers: readonly ((world: World) => ActorController)[] = [
  scheduler,
  deployments,
  replicaSets,
  statefulSets,
  daemonSets,
  jobs,
  collector,
  pdbController,
  terminator,
  provisioner,
  staticPools,
  poolStatus,
  podEvents,
  gateProber,
];

/** Starts all actors except Karpenter's disruption. */
export function startActors(world: World): void {
  keepPoolSchema(world.objects);
  playTable(world, world.karpenter ? [...rows, ...karpenterRows] : rows);
  for (const open of controllers) runController(world, open(world));
}

/**
 * Karpenter's disruption starts with the story, because nodes are empty while the initial cluster is created. In a world without it,
 * Karpenter still finishes commands that the initial objects show as started.
 */
export function startKarpenter(world: World): void {
  if (world.karpenter || commandsUnderway(world).length > 0) runController(world, disruption(world));
  if (world.bornParked) parkNewClaims(world.objects);
}
