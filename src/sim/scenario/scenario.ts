// Scenarios: the initial cluster, the script of what happens to it, and the expectations.

import type { Settings } from '../../cluster/settings.ts';
import type { Json } from '../../kinds/read/reader.ts';
import type { Duration, Instant } from '../../time/instant.ts';
import type { Objects } from '../objects.ts';
import type { PortFaults } from '../simPort.ts';
import type { Flight } from '../story/flight.ts';
import type { StoryEvent } from '../story/storyEvent.ts';
import type { VirtualClock } from '../virtualClock.ts';
import type { SimInstanceType, World } from '../world.ts';

export interface Expectation {
  /** What is expected, as a sentence. */
  readonly text: string;
  /** Starts to observe; the returned check is called at the end. */
  readonly watch: (observed: Observed) => ExpectationCheck;
}

export type ExpectationCheck = () => ExpectationResult;

/** As sentences. */
export interface ExpectationResult {
  /** What happened against the expectation. */
  readonly broken: readonly string[];
  /** What has not happened yet: a failure only if the simulation ran to its end. */
  readonly missing: readonly string[];
}

/** What expectations observe: raw objects and story events. */
export interface Observed {
  readonly objects: Objects;
  readonly clock: VirtualClock;
  readonly flight: Flight;
  readonly from: Instant;
  readonly to: Instant;
  onEvent(listener: (event: StoryEvent) => void): void;
}

export interface ScriptAction {
  /** Time since the start. */
  readonly at: Duration;
  /** The key of the entry: `release`, `scale`, `fault` … */
  readonly name: string;
  readonly run: (context: ScriptContext) => void;
}

export interface ScriptContext {
  readonly world: World;
  readonly controllers: Controllers;
  /** Which repetition of an entry with `every` this is, from 1. */
  readonly repetition: number;
  /** Adds an event to the story. */
  record(event: ScriptEvent): void;
}

/** What a script can do to the controllers. */
export interface Controllers {
  readonly names: readonly string[];
  crash(name: string, downFor: Duration): void;
  /** The controllers cannot work for this long, or for good: the checks extend their deadlines. */
  disturbed(length: Duration | undefined): void;
  /** The connection faults of one controller or of all; changed in place. */
  connections(name?: string): readonly PortFaults[];
}

interface ScriptEvent {
  readonly kind: 'Happening' | 'LoadChanged' | 'Fault';
  readonly text: string;
  readonly node?: string;
  readonly pool?: string;
  readonly workload?: string;
  readonly pods?: { readonly from: number; readonly to: number };
}

export interface Scenario {
  readonly name: string;
  /** The description: who, what they want, what happens. */
  readonly story: string;
  readonly from: Instant;
  readonly for: Duration;
  readonly seed: number;
  readonly settings: Settings;
  /** All objects at the start except nodes and pods, as raw Kubernetes objects. */
  readonly objects: readonly Json[];
  readonly nodes: readonly InitialNodes[];
  /** Absent: the default types. */
  readonly instanceTypes?: ReadonlyMap<string, SimInstanceType>;
  readonly zones?: readonly string[];
  readonly script: readonly ScriptAction[];
  /** Whether Karpenter disrupts nodes itself. */
  readonly karpenter: boolean;
  /** Whether the admission policy that parks new nodes at creation is installed. */
  readonly bornParked: boolean;
  /** How many instances of Lull run side by side. */
  readonly controllers: number;
  readonly expect: readonly Expectation[];
}

/** Nodes that exist at the start: initialized, Ready, with an age. */
export interface InitialNodes {
  readonly pool: string;
  readonly count: number;
  /** Used in turn; empty: any zone. */
  readonly zones: readonly string[];
  /** Absent: the cheapest type that the pool allows. */
  readonly instanceType?: string;
  readonly capacityType?: string;
  readonly age: Duration;
}

/** The fields of `spec`, for the reader and the reference. */
export const scenarioFields: Readonly<Record<string, string>> = {
  story: 'a description in 3 to 5 sentences: who, what they want, what happens',
  from: 'the start time, in RFC 3339',
  for: 'the simulated time, as a Go duration',
  seed: 'the seed of the random numbers; default 1',
  settings:
    'Lull’s settings; defaults `role: drive` and `drift: computed`, with Karpenter `role: guide` and `drift: claims`',
  karpenter: 'true: Karpenter disrupts nodes itself, and Lull decides which and when; default false',
  bornParked:
    'true: the admission policy lull-born-parked is installed, so that new nodes are created parked; default false',
  zones: 'the zones of the cloud; default a, b and c',
  instanceTypes: 'the instance types of the cloud, by name; default s, m and l with 2, 4 and 8 CPUs',
  nodes:
    'the nodes at the start: initialized, Ready, named `<pool>-<n>`, with the workloads of the file running on them',
  script: 'what happens, and when',
  controllers: 'how many instances of Lull run side by side, named `lull-<n>`; default 1',
  expect: 'what must hold in this scenario, in addition to the rules that always hold',
};

/** The fields of an entry of `nodes`. */
export const initialNodesFields: Readonly<Record<string, string>> = {
  pool: 'their NodePool',
  count: 'how many; default 1',
  zones: 'their zones, used in turn',
  instanceType: 'their instance type; default the cheapest that the pool allows',
  capacityType: 'on-demand, spot or reserved',
  age: 'their age at the start; default one day',
};

/** The fields of an instance type. */
export const typeFields: Readonly<Record<string, string>> = {
  cpu: 'the CPU allocatable to pods; default 4',
  memory: 'the memory allocatable to pods; default 16Gi',
  pods: 'the maximum number of pods; default 110',
  price: 'the price per hour',
};
