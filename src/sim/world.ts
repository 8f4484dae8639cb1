// What is the box? One cluster in memory: its clock, its objects, its chance, and what is wrong in it on purpose.
import type { Instant } from '../time/instant.ts';
import { Grouped } from './actors/grouped.ts';
import { controllerOf, nodeNameOf, poolOf } from './actors/manifest.ts';
import { NodeNames } from './actors/nodeNames.ts';
import { Clock } from './clock.ts';
import { Conditions } from './conditions.ts';
import { Objects } from './objects.ts';
import { Random } from './random.ts';

export interface World {
  readonly clock: Clock;
  readonly objects: Objects;
  readonly random: Random;
  readonly conditions: Conditions;
  /** By name. */
  readonly instanceTypes: ReadonlyMap<string, InstanceType>;
  readonly zones: readonly string[];
  /** Pods and ReplicaSets by the uid of their controller. */
  readonly podsByOwner: Grouped;
  readonly setsByOwner: Grouped;
  readonly claimsByPool: Grouped;
  /** One claim a node, as a rule. */
  readonly claimsByNode: Grouped;
  readonly nodeNames: NodeNames;
  /** Whether Karpenter takes nodes away by itself, as N says. */
  readonly karpenter: boolean;
  /** Whether admission parks new claims, as the policy that `lull install` makes for guide. */
  readonly bornParked: boolean;
}

/** What the cloud offers, everywhere alike. Amounts are what a node has for its pods. */
export interface InstanceType {
  readonly cpu: string;
  readonly memory: string;
  readonly pods?: string;
  /** Per hour. */
  readonly price?: number;
}

export interface WorldOptions {
  readonly at: Instant;
  readonly seed: number | string;
  readonly instanceTypes?: ReadonlyMap<string, InstanceType>;
  readonly zones?: readonly string[];
  readonly karpenter?: boolean;
  readonly bornParked?: boolean;
}

/** Where a scenario names none. */
export const usualTypes: ReadonlyMap<string, InstanceType> = new Map([
  ['s', { cpu: '2', memory: '8Gi', price: 0.1 }],
  ['m', { cpu: '4', memory: '16Gi', price: 0.2 }],
  ['l', { cpu: '8', memory: '32Gi', price: 0.4 }],
]);

export function openWorld(options: WorldOptions): World {
  const { at, seed, instanceTypes = usualTypes, zones = ['a', 'b', 'c'] } = options;
  const { karpenter = false, bornParked = false } = options;
  const clock = new Clock(at);
  const objects = new Objects(clock);
  return {
    clock,
    objects,
    random: new Random(seed),
    conditions: new Conditions(),
    instanceTypes,
    zones,
    podsByOwner: new Grouped(objects, 'Pod', controllerOf),
    setsByOwner: new Grouped(objects, 'ReplicaSet', controllerOf),
    claimsByPool: new Grouped(objects, 'NodeClaim', poolOf),
    claimsByNode: new Grouped(objects, 'NodeClaim', nodeNameOf),
    nodeNames: new NodeNames(objects),
    karpenter,
    bornParked,
  };
}
