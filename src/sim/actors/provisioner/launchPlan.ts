// The cluster as it will be once the nodes being launched exist: placement rules for pods that depend on other pods.
import { label } from '../../../cluster/names.ts';
import type { World } from '../../world.ts';
import type { SimOffering } from '../cloud/offerings.ts';
import { isTerminal, type RawNode, type RawPod } from '../rawObjects.ts';
import { firstOf, otherRules } from '../scheduler/feasible.ts';
import { hasSpecialRules } from '../scheduler/findNode.ts';
import { add, needsOf } from '../scheduler/needs.ts';
import { AntiAffinityPods } from '../scheduler/podAffinity.ts';
import type { SchedulingView } from '../scheduler/schedulingView.ts';
import { type Bin, binOf, offeringsFor } from './bin.ts';
import { poolsInOrder } from './pools.ts';

interface LaunchPlanOptions {
  readonly world: World;
  /** Placed pods with required anti-affinity. */
  readonly guards: Iterable<RawPod>;
  /** The node being disrupted; it and its pods are ignored. */
  readonly gone?: string;
}

export class SimLaunchPlan {
  readonly #options: LaunchPlanOptions;
  readonly #guards = new AntiAffinityPods();
  /** Bins whose domains are decided, with their node names. */
  readonly #placed = new Map<Bin, string>();
  #possibleNodes: readonly RawNode[] | undefined;

  constructor(options: LaunchPlanOptions) {
    this.#options = options;
    for (const pod of options.guards) this.#guards.set(pod, true);
  }

  /** Fixes the bin's domains: its node counts for later pods. */
  place(bin: Bin): void {
    if (!this.#placed.has(bin)) this.#placed.set(bin, bin.node ?? `new-${this.#placed.size}`);
  }

  /** Discards the bin. */
  drop(bin: Bin): void {
    this.#placed.delete(bin);
    for (const pod of bin.pods) this.#guards.set(pod, false);
  }

  /** Whether only room, labels and taints matter for the pod. */
  isPlain(pod: RawPod): boolean {
    return !hasSpecialRules(pod) && !this.#guards.repels(pod, this.#options.world.objects);
  }

  /** Adds the pod to the bin if it fits; returns whether it did. */
  put(bin: Bin, pod: RawPod): boolean {
    const fitting = offeringsFor(bin, pod);
    const offerings = fitting.length === 0 || this.isPlain(pod) ? fitting : this.#narrow(bin, pod, fitting);
    if (offerings.length === 0) return false;
    bin.offerings = offerings;
    bin.pods.push(pod);
    add(bin.used, needsOf(pod).requests);
    this.#guards.set(pod, true);
    return true;
  }

  /** Restricts the bin to the domains where the pod may run. */
  #narrow(bin: Bin, pod: RawPod, offerings: readonly SimOffering[]): readonly SimOffering[] {
    const byDomains = new Map(
      offerings.map((offering) => [domainsKey(offering), offering]).reverse() as [string, SimOffering][],
    );
    const allowed = [...byDomains.values()].filter((offering) => this.#isAllowed(bin, pod, offering)).reverse();
    const [chosen] = [...allowed].sort((a, b) => a.price - b.price || this.#inZoneOf(a) - this.#inZoneOf(b));
    if (!chosen) return [];
    this.place(bin);
    return offerings.filter((offering) => domainsKey(offering) === domainsKey(chosen));
  }

  /** The number of nodes in the offering's zone, including planned ones. */
  #inZoneOf({ labels }: SimOffering): number {
    const zone = labels[label.zone];
    const there = [...this.#options.world.objects.list('Node')].map(({ metadata }) => metadata.labels?.[label.zone]);
    const coming = [...this.#placed.keys()].map(({ offerings }) => offerings[0]?.labels[label.zone]);
    return [...there, ...coming].filter((each) => each === zone).length;
  }

  #isAllowed(bin: Bin, pod: RawPod, offering: SimOffering): boolean {
    const node = nodeOf(bin, this.#placed.get(bin) ?? 'new', offering);
    const view = this.#view(bin, node);
    return firstOf(otherRules.flatMap((rule) => rule(pod, view) ?? []))(node) === undefined;
  }

  #view(bin: Bin, node: RawNode): SchedulingView {
    const bins = new Map([...this.#placed].map(([each, name]) => [name, each]));
    bins.set(node.metadata.name, bin);
    const { gone, world } = this.#options;
    const { objects } = world;
    const there = [...objects.list('Node')].filter(({ metadata: { name } }) => name !== gone && !bins.has(name));
    const coming = [...bins].flatMap(([name, each]) =>
      each === bin ? [node] : each.offerings.slice(0, 1).map((offering) => nodeOf(each, name, offering)),
    );
    const placedOn = (name: string): RawPod[] => [...objects.podsOn(name)].filter((pod) => !isTerminal(pod));
    return {
      nodes: () => [...there, ...coming, ...this.#domainNodes()],
      podsOn: (name) => [...placedOn(name), ...(bins.get(name)?.pods ?? [])],
      get: (kind, key) => objects.get(kind, key),
      list: (kind) => objects.list(kind),
    };
  }

  /** Karpenter counts every domain in which a pool could launch a node, even an empty one. */
  #domainNodes(): readonly RawNode[] {
    if (this.#possibleNodes) return this.#possibleNodes;
    const { world } = this.#options;
    const found = new Map<string, RawNode>();
    for (const pool of poolsInOrder(world)) {
      const bin = binOf(pool, {}, world);
      for (const offering of bin.offerings) {
        const place = domainsKey(offering);
        if (!found.has(place)) found.set(place, nodeOf(bin, undefined, offering));
      }
    }
    this.#possibleNodes = [...found.values()];
    return this.#possibleNodes;
  }
}

/** A node without a name only represents its domains: no pod can be on it. */
function nodeOf({ taints }: Bin, name: string | undefined, { labels, allocatable }: SimOffering): RawNode {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: name ?? '', labels: { ...labels, ...(name !== undefined && { [label.hostname]: name }) } },
    spec: { taints },
    status: { allocatable },
  };
}

/** All labels except the instance type, which is not decided yet. */
function domainsKey({ labels }: SimOffering): string {
  const { [label.instanceType]: _, ...place } = labels;
  return JSON.stringify(place);
}
