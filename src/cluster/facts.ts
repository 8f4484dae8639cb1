// The Cluster interface the engine reads, and the records and changes it is built from.
import type { Excess } from './crowding.ts';
import type { Fault } from './fault.ts';
import type { HealthGate } from './healthGateRecord.ts';
import type { Memory } from './memo.ts';
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
  Toleration,
} from './model.ts';
import type { NodeGroup } from './nodeGroups.ts';
import type { NodeView } from './nodeView.ts';
import type { Resources } from './quantity.ts';
import type { NodeSelector, TextMap } from './selector.ts';
import type { VolumeRecords, Volumes } from './volumes.ts';

/** The state of the cluster as the engine reads it. */
export interface Cluster {
  /** Every node, sorted by name. */
  readonly nodes: readonly NodeView[];
  /** The same nodes, grouped by pool. */
  readonly groups: readonly NodeGroup[];
  readonly pools: ReadonlyMap<string, Pool>;
  readonly windows: readonly MaintenanceWindow[];
  /** Sorted by name. */
  readonly gates: readonly HealthGate[];
  readonly podSchedules: readonly PodSchedule[];
  /** Active pods that are not bound to a node yet. */
  readonly pendingPods: readonly Pod[];
  readonly faults: readonly Fault[];
  node(name: string): NodeView | undefined;
  /** The nodes of a pool that Karpenter manages. */
  nodesOf(pool: string): NodeGroup;
  claim(name: string): Claim | undefined;
  readonly claims: Iterable<Claim>;
  /** Claims whose conditions do not say Initialized yet and that are not being deleted. */
  readonly startingClaims: Iterable<Claim>;
  /** By `namespace/name`. */
  pdb(key: string): Pdb | undefined;
  /** Changes whenever a PDB changes. */
  readonly pdbRevision: number;
  /** How many active pods a PodDisruptionSchedule selects. */
  podsUnder(schedule: PodSchedule): number;
  /** Karpenter's last event about why it does not disrupt a node (N3). */
  eventOn(node: string, about: NodeEvent['about']): NodeEvent | undefined;
  /** The CRD of NodePools (N9); undefined = not seen yet. */
  readonly poolDefinition: PoolDefinition | undefined;
  readonly volumes: Volumes;
  /** Sorted by namespace and name; a new array whenever one changes. */
  readonly daemonSets: readonly DaemonSet[];
  /** Contains at least `kubernetes.io/metadata.name`, even for a namespace whose object is unknown. */
  namespaceLabels(name: string): TextMap;
  /** Changes whenever the labels of a namespace change. */
  readonly namespaceRevision: number;
  /** What its namespace has too much of, so that Lull does not evaluate this pod (decision 0008). */
  excessOn(pod: Pod): readonly Excess[];
  /** Memoized values derived from the whole cluster. Each entry is read only by the memo that wrote it. */
  readonly memory: Memory;
}

/** The record type of each kind the store holds. */
export interface Records extends VolumeRecords {
  Node: Node;
  NodeClaim: Claim;
  NodePool: Pool;
  Pod: Pod;
  PodDisruptionBudget: Pdb;
  PodDisruptionSchedule: PodSchedule;
  MaintenanceWindow: MaintenanceWindow;
  HealthGate: HealthGate;
  Namespace: Namespace;
  Event: NodeEvent;
  CustomResourceDefinition: PoolDefinition;
  DaemonSet: DaemonSet;
}

export type RecordKind = keyof Records;

/** A parsed record with its faults. */
export interface ReadRecord<Kind extends RecordKind> {
  readonly kind: Kind;
  readonly record: Records[Kind];
  readonly faults?: readonly Fault[] | undefined;
}

export type Change = {
  [Kind in RecordKind]:
    | { readonly kind: Kind; readonly put: Records[Kind]; readonly faults?: readonly Fault[] }
    | { readonly kind: Kind; readonly gone: string };
}[RecordKind];

/** `name`, or `namespace/name`. */
export const keyOf = (record: { readonly name: string; readonly namespace?: string }): string =>
  record.namespace === undefined ? record.name : `${record.namespace}/${record.name}`;

/** The pod that a DaemonSet would run on a new node. */
export interface DaemonSet {
  readonly namespace: string;
  readonly name: string;
  readonly requests: Resources;
  readonly tolerations: readonly Toleration[];
  readonly nodeSelector?: NodeSelector;
}
