// What do the numbers of a board mean? Plain data, the same for the facts and for a worker's copy; only ever added to.
import type { NodeTerm } from '../../cluster/selector.ts';
import type { Obstacle } from './obstacle.ts';
import type { Place, Rule } from './rule.ts';

export interface Tables {
  /** Those that some pod requests. The first three are cpu, memory and pods. */
  readonly resources: readonly string[];
  /** The label keys that anybody asks nodes for. */
  readonly nodeKeys: ReadonlySet<string>;
  readonly asksNames: boolean;
  readonly rules: Rule[];
  readonly places: Place[];
  /** By their text. */
  readonly placeIds: Map<string, number>;
  readonly keys: TopologyKey[];
  readonly fields: Field[];
  readonly tallies: Tally[];
  readonly drivers: string[];
  readonly classes: ClassRule[];
}

/** A label key whose values divide the nodes into domains. */
export interface TopologyKey {
  readonly name: string;
  /** Numbers of the values, in the order in which they were met. */
  readonly domains: Map<string, number>;
}

/** Two keys that no label has: every node for itself, and all nodes together. */
export const eachNode = '(node)';
export const allNodes = '(cluster)';

/** Which nodes are counted, and into which domains. Many tallies share one. */
export interface Field {
  readonly key: number;
  /** Only nodes that this rule selects; absent = all. */
  readonly selectedBy?: number;
  /** Only nodes whose taints this rule tolerates; absent = all. */
  readonly toleratedBy?: number;
  /** Only nodes that have these keys too. */
  readonly alsoKeys: readonly number[];
}

/** Something that is counted by domain. */
export interface Tally {
  readonly field: number;
  /** The lowest count of all domains is asked for too. */
  readonly hasLeast: boolean;
  /** What a pod is told that may not go where something was counted. */
  readonly obstacle: Obstacle;
}

export interface ClassRule {
  /** Places in `resources`, and how much of each; nothing it needs none of. */
  readonly columns: readonly number[];
  readonly amounts: readonly number[];
  readonly rule: number;
  /** Where it is counted once it stands somewhere. */
  readonly counted: number[];
  /** It goes nowhere where any of these has counted something, unless all of that is excused. */
  readonly forbidden: number[];
  /** What is to be taken from the counts of anti-affinity in `forbidden`. */
  readonly excused: number[];
  readonly spread: readonly SpreadCheck[];
  readonly near?: NearCheck;
  readonly attached: readonly AttachCheck[];
  readonly preferred: readonly { readonly term: NodeTerm; readonly weight: number }[];
  /** Added for each that is counted where it would go. */
  readonly liked: Like[];
  readonly softSpread: readonly SpreadCheck[];
}

export interface SpreadCheck {
  readonly tally: number;
  readonly maxSkew: number;
  readonly minDomains: number;
  /** 1 where its own selector means the pod itself. */
  readonly self: 0 | 1;
}

/** Each must have counted somebody where it goes; or nobody anywhere, where the pod itself is whom it looks for. */
export interface NearCheck {
  readonly tallies: readonly number[];
  readonly self: boolean;
}

export interface AttachCheck {
  /** Place in `drivers`. */
  readonly driver: number;
  /** Counts the pods on a node that use the volume. */
  readonly volume: number;
  /** Counts the volumes of the driver on a node. */
  readonly used: number;
}

export interface Like {
  readonly tally: number;
  readonly weight: number;
}

/** All of a node that the board knows. */
export interface RowFacts extends Omit<Place, 'name'> {
  readonly name: string;
  /** By column of the resources: allocatable less what stands there. */
  readonly free: readonly number[];
  readonly allocatable: readonly number[];
  /** The reschedulable pods, in the order in which they are placed. */
  readonly pods: readonly number[];
  /** Everything that runs there, as it counts. */
  readonly standing: readonly number[];
  readonly isTarget: boolean;
  readonly isSettled: boolean;
  /** What removing it is worth: those worth least are the first targets. */
  readonly worth: number;
  /** How many volumes of a driver can be attached. */
  readonly limits: Readonly<Record<string, number | undefined>>;
}
