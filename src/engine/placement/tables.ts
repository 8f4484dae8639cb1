// The tables behind a board's numeric IDs: plain data, shared with copies in workers, append-only.
import type { NodeTerm } from '../../cluster/selector.ts';
import type { Obstacle, PlacementRule, RowTraits } from './placementRule.ts';

/** The index of a node in the columns. It does not imply any order. */
export type RowId = number;
/** Pods of one class schedule alike: same requests, same rules, and same labels as far as any rule looks at them. */
export type PodClass = number;

/** A pod and the node it is assigned to. */
export interface Assignment {
  readonly pod: PodClass;
  readonly row: RowId;
}

export interface Tables {
  /** The resources that pods request. The first three are cpu, memory and pods. */
  readonly resources: readonly string[];
  /** The node label keys that rules use. */
  readonly nodeKeys: ReadonlySet<string>;
  readonly asksNames: boolean;
  readonly rules: PlacementRule[];
  readonly traits: RowTraits[];
  /** By the traits as text. */
  readonly traitsIds: Map<string, number>;
  readonly keys: TopologyKey[];
  readonly topologies: Topology[];
  readonly tallies: TallyDefinition[];
  readonly drivers: string[];
  readonly classes: ClassRule[];
  /** How many zones Karpenter counts; 0 = those with nodes. */
  readonly zones: number;
}

/** A label key whose values divide the nodes into domains. */
interface TopologyKey {
  readonly name: string;
  /** IDs of the values, in order of first use. */
  readonly domains: Map<string, number>;
}

/** Two pseudo keys that no label has: one domain per node, and one domain for all nodes. */
export const eachNode = '(node)';
export const allNodes = '(cluster)';

/** Which nodes count, and how they are divided into domains. Many tallies share one topology. */
export interface Topology {
  readonly key: number;
  /** Only nodes that this rule selects; absent = all. */
  readonly selectedBy?: number;
  /** Only nodes whose taints this rule tolerates; absent = all. */
  readonly toleratedBy?: number;
  /** Only nodes that have these keys too. */
  readonly alsoKeys: readonly number[];
}

/** A count of pods by domain. */
export interface TallyDefinition {
  readonly topology: number;
  /** The lowest count of all domains is needed too. */
  readonly hasLeast: boolean;
  /** The obstacle to report for a pod that may not run where the count is above zero. */
  readonly obstacle: Obstacle;
}

export interface ClassRule {
  readonly needs: readonly Need[];
  readonly rule: number;
  /** The tallies that count pods of this class. */
  readonly counted: number[];
  /** It may not run where one of these counts anything, unless `excused` cancels it out. */
  readonly forbidden: number[];
  /** Subtracted from the anti-affinity counts in `forbidden`. */
  readonly excused: number[];
  readonly spread: readonly SpreadCheck[];
  readonly near?: NearCheck;
  readonly attached: readonly AttachCheck[];
  readonly preferred: readonly { readonly term: NodeTerm; readonly weight: number }[];
  /** Score weights for each pod counted in the domain. */
  readonly liked: Like[];
  readonly softSpread: readonly SpreadCheck[];
}

/** The requested amount of a resource, by its index in `resources`; always above zero. */
export interface Need {
  readonly column: number;
  readonly amount: number;
}

export interface SpreadCheck {
  readonly tally: number;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** It spreads over the zones of all nodes, so Karpenter counts zones without nodes too. */
  readonly isZonal: boolean;
  /** 1 if the selector matches the pod itself. */
  readonly self: 0 | 1;
}

/** Each tally must count a pod in the domain, or none anywhere if the pod matches its own terms. */
export interface NearCheck {
  readonly tallies: readonly number[];
  readonly self: boolean;
}

export interface AttachCheck {
  /** Index in `drivers`. */
  readonly driver: number;
  /** Counts the pods on a node that use the volume. */
  readonly volume: number;
  /** Counts the volumes of the driver on a node. */
  readonly used: number;
}

interface Like {
  readonly tally: number;
  readonly weight: number;
}

/** Everything the board knows about a node. */
export interface RowFacts extends RowTraits {
  /** By resource: allocatable minus the requests of its pods. */
  readonly free: readonly number[];
  readonly allocatable: readonly number[];
  /** The reschedulable pods, in the order in which they are placed. */
  readonly pods: readonly number[];
  /** All pods that run there, including daemons. */
  readonly running: readonly number[];
  /** The value of removing it. Nodes with the least worth are the first targets. */
  readonly worth: number;
  /** By driver: how many volumes can be attached. */
  readonly limits: Readonly<Record<string, number | undefined>>;
}
