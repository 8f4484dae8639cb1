// The simulated world: one cluster in memory with its clock, objects, random numbers and injected faults.

import type { Instant } from '../time/instant.ts';
import { controllerOf, nodeNameOf, poolOf, type Stored } from './actors/rawObjects.ts';
import { type KubeObject, keyOf, type ObjectKey } from './kubeObject.ts';
import { Objects } from './objects.ts';
import { Random } from './random.ts';
import { VirtualClock } from './virtualClock.ts';

/** The faults that can be injected, with their modes. Each applies to a named object. */
export interface FaultModes {
  /** By pool. `never`: launches hang; `fails`: launches fail at once; a number: they take that many times as long. */
  readonly launches: 'never' | 'fails' | number;
  /** By pool. From launch to Ready takes that many times as long. */
  readonly boots: number;
  /** By the node label `image`. `nodes`: nodes never become Ready; `pods`: pods on them crash. */
  readonly images: 'nodes' | 'pods';
  /** By node: its kubelet does not respond, though its instance may still exist. */
  readonly kubelets: 'dead';
  /** By node: its instance is gone, whatever the cluster says. */
  readonly instances: 'lost';
  /** By `namespace/name` of a pod, or `namespace/Kind/name` of its ReplicaSet or Deployment: the pods start and crash. */
  readonly workloads: 'crash';
}

export type FaultKind = keyof FaultModes;

/** Applies to every object without an entry of its own. */
export const everything = '*';

class InjectedFaults {
  readonly #faults = new Map<FaultKind, Map<string, FaultModes[FaultKind]>>();
  readonly #listeners: (() => void)[] = [];

  of<Kind extends FaultKind>(what: Kind, name: string): FaultModes[Kind] | undefined {
    const named = this.#faults.get(what);
    return named && ((named.get(name) ?? named.get(everything)) as FaultModes[Kind] | undefined);
  }

  set<Kind extends FaultKind>(what: Kind, name: string, how: FaultModes[Kind]): void {
    const named = this.#faults.get(what) ?? new Map<string, FaultModes[FaultKind]>();
    this.#faults.set(what, named.set(name, how));
    this.#notify();
  }

  clear(what: FaultKind, name: string): void {
    const named = this.#faults.get(what);
    if (!named?.delete(name)) return;
    if (named.size === 0) this.#faults.delete(what);
    this.#notify();
  }

  /** Whether any fault of this kind is active: checked before looking through 20,000 pods. */
  has(what: FaultKind): boolean {
    return this.#faults.has(what);
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

export class Grouped<Kind extends string> {
  readonly #groups = new Map<string, Map<ObjectKey, Stored<Kind>>>();
  readonly #groupOf: (object: KubeObject) => string | undefined;

  /** Objects without a group are left out. */
  constructor(objects: Objects, kind: Kind, groupOf: (object: KubeObject) => string | undefined) {
    this.#groupOf = groupOf;
    for (const object of objects.list(kind)) this.#change(undefined, object);
    objects.onChange(({ type, object, was }) => {
      if (object.kind !== kind) return;
      this.#change(was, type === 'DELETED' ? undefined : (object as Stored<Kind>));
    });
  }

  /** In the order in which they were added. */
  of(group: string): ReadonlyMap<ObjectKey, Stored<Kind>> {
    return this.#groups.get(group) ?? new Map();
  }

  #change(was: KubeObject | undefined, is: Stored<Kind> | undefined): void {
    const left = was && this.#groupOf(was);
    const joined = is && this.#groupOf(is);
    if (was && left !== undefined && left !== joined) this.#leave(left, keyOf(was));
    if (!is || joined === undefined) return;
    const group = this.#groups.get(joined);
    if (group) group.set(keyOf(is), is);
    else this.#groups.set(joined, new Map([[keyOf(is), is]]));
  }

  #leave(name: string, key: ObjectKey): void {
    const group = this.#groups.get(name);
    group?.delete(key);
    if (group?.size === 0) this.#groups.delete(name);
  }
}

class NodeNames {
  readonly #last = new Map<string, number>();

  constructor(objects: Objects) {
    objects.onChange(({ type, object }) => {
      if (type === 'ADDED' && object.kind === 'Node') this.#see(object.metadata.name);
    });
  }

  next(pool: string): string {
    const number = (this.#last.get(pool) ?? 0) + 1;
    this.#last.set(pool, number);
    return `${pool}-${number}`;
  }

  #see(name: string): void {
    const [, pool, digits] = /^(.+)-(\d{1,9})$/.exec(name) ?? [];
    if (pool !== undefined) this.#last.set(pool, Math.max(this.#last.get(pool) ?? 0, Number(digits)));
  }
}

export interface World {
  readonly clock: VirtualClock;
  readonly objects: Objects;
  readonly random: Random;
  readonly faults: InjectedFaults;
  /** By name. */
  readonly instanceTypes: ReadonlyMap<string, SimInstanceType>;
  readonly zones: readonly string[];
  /** Pods and ReplicaSets by the uid of their controller. */
  readonly podsByOwner: Grouped<'Pod'>;
  readonly setsByOwner: Grouped<'ReplicaSet'>;
  readonly claimsByPool: Grouped<'NodeClaim'>;
  /** Usually one claim per node. */
  readonly claimsByNode: Grouped<'NodeClaim'>;
  readonly nodeNames: NodeNames;
  /** Whether Karpenter disrupts nodes itself (N). */
  readonly karpenter: boolean;
  /** Whether an admission policy parks new claims, as `lull install` sets up for guide. */
  readonly bornParked: boolean;
}

/** An instance type of the cloud, available in every zone. Amounts are allocatable to pods. */
export interface SimInstanceType {
  readonly cpu: string;
  readonly memory: string;
  readonly pods?: string;
  /** Per hour. */
  readonly price?: number;
}

export interface WorldOptions {
  readonly at: Instant;
  readonly seed: number | string;
  readonly instanceTypes?: ReadonlyMap<string, SimInstanceType>;
  readonly zones?: readonly string[];
  readonly karpenter?: boolean;
  readonly bornParked?: boolean;
}

/** The default instance types. */
export const usualTypes: ReadonlyMap<string, SimInstanceType> = new Map([
  ['s', { cpu: '2', memory: '8Gi', price: 0.1 }],
  ['m', { cpu: '4', memory: '16Gi', price: 0.2 }],
  ['l', { cpu: '8', memory: '32Gi', price: 0.4 }],
]);

export function openWorld(options: WorldOptions): World {
  const { at, seed, instanceTypes = usualTypes, zones = ['a', 'b', 'c'] } = options;
  const { karpenter = false, bornParked = false } = options;
  const clock = new VirtualClock(at);
  const objects = new Objects(clock);
  return {
    clock,
    objects,
    random: new Random(seed),
    faults: new InjectedFaults(),
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
