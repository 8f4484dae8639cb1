// What is played? A cluster, its policies, a script of happenings, and what must hold: one file of scenarios/.
import type { Settings } from '../../cluster/settings.ts';
import type { Json } from '../../kinds/reader.ts';
import type { Duration, Instant } from '../../time/instant.ts';
import type { InstanceType } from '../world.ts';
import type { Expectation } from './expectation.ts';
import type { Happening } from './happening.ts';

export interface Scenario {
  readonly name: string;
  /** Who, what they want, what happens: one paragraph. */
  readonly story: string;
  readonly from: Instant;
  readonly for: Duration;
  readonly seed: number;
  readonly settings: Settings;
  /** Everything that is there at the start, but for nodes and pods, as raw Kubernetes objects. */
  readonly objects: readonly Json[];
  readonly nodes: readonly Growth[];
  /** Absent = those the box has anyway. */
  readonly instanceTypes?: ReadonlyMap<string, InstanceType>;
  readonly zones?: readonly string[];
  readonly script: readonly Happening[];
  /** Whether Karpenter takes nodes away by itself. */
  readonly karpenter: boolean;
  /** Whether the admission policy is installed that parks new nodes from their birth. */
  readonly bornParked: boolean;
  /** How many Lulls run at once. */
  readonly controllers: number;
  readonly expect: readonly Expectation[];
}

/** Nodes that are there at the start: initialized, Ready, and of some age. */
export interface Growth {
  readonly pool: string;
  readonly count: number;
  /** In turn; empty = anywhere. */
  readonly zones: readonly string[];
  /** Absent = the cheapest that the pool allows. */
  readonly instanceType?: string;
  readonly capacityType?: string;
  readonly age: Duration;
}

/** What may stand under `spec`, for the reader and the reference. */
export const scenarioFields: Readonly<Record<string, string>> = {
  story: 'who, what they want, what happens: one paragraph',
  from: 'the instant at which it starts, in RFC 3339',
  for: 'how long it is played, as a Go duration',
  seed: 'where chance begins; 1 where nothing is said',
  settings: 'over `role: drive` and `drift: computed`; beside Karpenter over `role: guide` and `drift: claims`',
  karpenter: 'true: Karpenter takes nodes away by itself, and Lull tells it which; false where nothing is said',
  bornParked:
    'true: the admission policy lull-born-parked is installed, so that new nodes are parked from birth; default false',
  zones: 'where machines can stand; a, b and c where nothing is said',
  instanceTypes: 'what machines there are, by name; s, m and l of 2, 4 and 8 CPUs where nothing is said',
  nodes:
    'the nodes at the start: initialized, Ready, called `<pool>-<n>`, with the workloads of the file running on them',
  script: 'what happens, and when',
  controllers: 'how many Lulls run at once, called `lull-<n>`; 1 where nothing is said',
  expect: 'what must hold, beyond what must always hold',
};

/** What may stand under an entry of `nodes`. */
export const growthFields: Readonly<Record<string, string>> = {
  pool: 'the NodePool they are of',
  count: 'how many; 1 where nothing is said',
  zones: 'where they stand, in turn',
  instanceType: 'which machine; else the cheapest that the pool allows',
  capacityType: 'on-demand, spot or reserved',
  age: 'how old they are at the start; a day where nothing is said',
};

/** What may stand under an instance type. */
export const typeFields: Readonly<Record<string, string>> = {
  cpu: 'what a node of it has for its pods; 4 where nothing is said',
  memory: 'the same; 16Gi where nothing is said',
  pods: 'the same; 110 where nothing is said',
  price: 'per hour',
};
