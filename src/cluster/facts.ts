// What may be asked of the facts, and how do they change? The engine reads a Cluster; whoever watches one applies Changes.
import type { Fault } from './fault.ts';
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
}

/** The records the store holds, by kind. */
export interface Records {
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
}

export type Change = {
  [Kind in keyof Records]:
    | { readonly kind: Kind; readonly put: Records[Kind]; readonly faults?: readonly Fault[] }
    | { readonly kind: Kind; readonly gone: string };
}[keyof Records];

/** `name`, or `namespace/name`. */
export const keyOf = (record: { readonly name: string; readonly namespace?: string }): string =>
  record.namespace === undefined ? record.name : `${record.namespace}/${record.name}`;
