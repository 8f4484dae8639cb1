// What may be asked of the facts, and how do they change? The engine reads a Cluster; whoever watches one applies Changes.
import type { Excess } from './crowding.ts';
import type { DaemonSet } from './daemonSet.ts';
import type { Fault } from './fault.ts';
import type { Memory } from './memory.ts';
import type {
  Claim,
  MaintenanceWindow,
  Namespace,
  Node,
  NodeEvent,
  Pdb,
  Pod,
  PodSchedule,
  Pool,
  PoolDefinition,
} from './model.ts';
import type { NodeGroup } from './nodeGroups.ts';
import type { NodeView } from './nodeView.ts';
import type { TextMap } from './selector.ts';
import type { VolumeRecords } from './volumeIndex.ts';
import type { Volumes } from './volumes.ts';

/** The facts as the engine reads them. */
export interface Cluster {
  /** Every node, by name. */
  readonly nodes: readonly NodeView[];
  /** The same nodes, by the pool they belong to. */
  readonly groups: readonly NodeGroup[];
  readonly pools: ReadonlyMap<string, Pool>;
  readonly windows: readonly MaintenanceWindow[];
  readonly podSchedules: readonly PodSchedule[];
  /** Active pods that are bound to no node yet. */
  readonly pendingPods: readonly Pod[];
  readonly faults: readonly Fault[];
  node(name: string): NodeView | undefined;
  /** The nodes of a pool that Karpenter manages. */
  nodesOf(pool: string): NodeGroup;
  claim(name: string): Claim | undefined;
  readonly claims: Iterable<Claim>;
  /** Those that are not Initialized yet by their own conditions, and are not deleted. */
  readonly startingClaims: Iterable<Claim>;
  /** By `namespace/name`. */
  pdb(key: string): Pdb | undefined;
  /** Another number whenever some PDB has changed. */
  readonly pdbRevision: number;
  /** How many active pods a PodDisruptionSchedule means. */
  podsUnder(schedule: PodSchedule): number;
  /** N3: what Karpenter said last of a node that it does not take. */
  eventOn(node: string, about: NodeEvent['about']): NodeEvent | undefined;
  /** N9: the CRD of NodePools; undefined = it has not been seen. */
  readonly poolDefinition: PoolDefinition | undefined;
  readonly volumes: Volumes;
  /** By namespace and name; another list whenever one of them has changed. */
  readonly daemonSets: readonly DaemonSet[];
  /** At the least the name that every namespace carries as a label, whether or not anything else is known of it. */
  namespaceLabels(name: string): TextMap;
  /** Another number whenever the labels of some namespace have changed. */
  readonly namespaceRevision: number;
  /** What its namespace has too much of, so that this pod is not worked out (decision 0008). */
  excessOn(pod: Pod): readonly Excess[];
  /** For what is worked out from all of it and kept up with its changes; never read by any rule but the one that wrote it. */
  readonly memory: Memory;
}

/** The records the store holds, by kind. */
export interface Records extends VolumeRecords {
  Node: Node;
  NodeClaim: Claim;
  NodePool: Pool;
  Pod: Pod;
  PodDisruptionBudget: Pdb;
  PodDisruptionSchedule: PodSchedule;
  MaintenanceWindow: MaintenanceWindow;
  Namespace: Namespace;
  Event: NodeEvent;
  CustomResourceDefinition: PoolDefinition;
  DaemonSet: DaemonSet;
}

export type Change = {
  [Kind in keyof Records]:
    | { readonly kind: Kind; readonly put: Records[Kind]; readonly faults?: readonly Fault[] }
    | { readonly kind: Kind; readonly gone: string };
}[keyof Records];

/** `name`, or `namespace/name`. */
export const keyOf = (record: { readonly name: string; readonly namespace?: string }): string =>
  record.namespace === undefined ? record.name : `${record.namespace}/${record.name}`;
