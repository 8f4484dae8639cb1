// Who acts in the box? Everyone that a cluster with Karpenter has; Karpenter's own disruption only where a scenario asks for it.
import type { World } from '../world.ts';
import { parkAtBirth } from './bornParked.ts';
import { failureRows } from './cloud/failing.ts';
import { claimRows, nodeRows } from './cloud/launching.ts';
import { terminationRows, terminator } from './cloud/terminating.ts';
import { type Controller, runController } from './controller.ts';
import { commandsUnderway } from './karpenter/command.ts';
import { disruption } from './karpenter/disruption.ts';
import { keepPoolSchema } from './karpenter/poolSchema.ts';
import { karpenterRows } from './karpenter/rows.ts';
import { podRows } from './kubelet/pods.ts';
import { pdbController } from './pdb/pdbController.ts';
import { podEvents } from './provisioner/podEvents.ts';
import { poolStatus } from './provisioner/poolStatus.ts';
import { provisioner } from './provisioner/provisioner.ts';
import { staticPools } from './provisioner/staticPools.ts';
import { scheduler } from './scheduler/scheduler.ts';
import { playTable, type Row } from './table.ts';
import { collector } from './workloads/collector.ts';
import { daemonSets } from './workloads/daemonSet.ts';
import { deployments } from './workloads/deployment.ts';
import { jobs } from './workloads/job.ts';
import { replicaSets } from './workloads/replicaSet.ts';
import { statefulSets } from './workloads/statefulSet.ts';

/** What happens to single objects by themselves. */
const rows: readonly Row[] = [...claimRows, ...nodeRows, ...failureRows, ...terminationRows, ...podRows];

/** Whoever looks at several objects at once. */
const controllers: readonly ((world: World) => Controller)[] = [
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
];

/** What is there already is taken as it is; from now on they act by the clock alone. */
export function startActors(world: World): void {
  keepPoolSchema(world.objects);
  playTable(world, world.karpenter ? [...rows, ...karpenterRows] : rows);
  for (const open of controllers) runController(world, open(world));
}

/**
 * Karpenter's disruption begins with the story: while a cluster is grown its nodes are empty for days. Where it is not part of the world it
 * still finishes what the world shows as begun.
 */
export function startKarpenter(world: World): void {
  if (world.karpenter || commandsUnderway(world).length > 0) runController(world, disruption(world));
  if (world.bornParked) parkAtBirth(world.objects);
}
