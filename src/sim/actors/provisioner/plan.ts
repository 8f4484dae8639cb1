// What would be around a pod on a node that is not there yet? The cluster as it is, and the nodes that are being launched with their pods.
import { label } from '../../../cluster/names.ts';
import type { World } from '../../world.ts';
import type { Offering } from '../cloud/offerings.ts';
import { isTerminal, type Node, type Pod } from '../manifest.ts';
import type { Around } from '../scheduler/around.ts';
import { firstOf, otherRules } from '../scheduler/feasible.ts';
import { asksMore } from '../scheduler/findNode.ts';
import { Guards } from '../scheduler/guards.ts';
import { add, needsOf } from '../scheduler/needs.ts';
import { type Bin, binOf, offeringsFor } from './bin.ts';
import { poolsInOrder } from './poolsInOrder.ts';

interface Given {
  readonly world: World;
  /** The pods that stand somewhere and keep others away. */
  readonly guards: Iterable<Pod>;
  /** The node that is about to go, with all that is on it. */
  readonly gone?: string;
}

export class Plan {
  readonly #given: Given;
  readonly #guards = new Guards();
  /** Where it is decided what they become: by name. */
  readonly #placed = new Map<Bin, string>();
  #ghosts: readonly Node[] | undefined;

  constructor(given: Given) {
    this.#given = given;
    for (const pod of given.guards) this.#guards.set(pod, true);
  }

  /** It is on its way, and will be much what it is now. */
  place(bin: Bin): void {
    if (!this.#placed.has(bin)) this.#placed.set(bin, bin.node ?? `new-${this.#placed.size}`);
  }

  /** It comes to nothing. */
  drop(bin: Bin): void {
    this.#placed.delete(bin);
    for (const pod of bin.pods) this.#guards.set(pod, false);
  }

  /** Whether room, labels and taints are all there is to it. */
  isPlain(pod: Pod): boolean {
    return !asksMore(pod) && !this.#guards.mind(pod, this.#given.world.objects);
  }

  /** Whether the bin takes the pod too; if so, it has. */
  put(bin: Bin, pod: Pod): boolean {
    const fitting = offeringsFor(bin, pod);
    const offerings = fitting.length === 0 || this.isPlain(pod) ? fitting : this.#narrow(bin, pod, fitting);
    if (offerings.length === 0) return false;
    bin.offerings = offerings;
    bin.pods.push(pod);
    add(bin.used, needsOf(pod).requests);
    this.#guards.set(pod, true);
    return true;
  }

  /** Those where the pod may go: once it asks for a place, that is where the bin will be. */
  #narrow(bin: Bin, pod: Pod, offerings: readonly Offering[]): readonly Offering[] {
    const places = new Map(
      offerings.map((offering) => [placeOf(offering), offering]).reverse() as [string, Offering][],
    );
    const right = [...places.values()].filter((offering) => this.#judge(bin, pod, offering)).reverse();
    const [chosen] = [...right].sort((a, b) => a.price - b.price || this.#inZoneOf(a) - this.#inZoneOf(b));
    if (!chosen) return [];
    this.place(bin);
    return offerings.filter((offering) => placeOf(offering) === placeOf(chosen));
  }

  /** How many nodes there are in its zone, or will be. */
  #inZoneOf({ labels }: Offering): number {
    const zone = labels[label.zone];
    const there = [...this.#given.world.objects.list('Node')].map(({ metadata }) => metadata.labels?.[label.zone]);
    const coming = [...this.#placed.keys()].map(({ offerings }) => offerings[0]?.labels[label.zone]);
    return [...there, ...coming].filter((each) => each === zone).length;
  }

  #judge(bin: Bin, pod: Pod, offering: Offering): boolean {
    const node = nodeOf(bin, this.#placed.get(bin) ?? 'new', offering);
    const around = this.#around(bin, node);
    return firstOf(otherRules.flatMap((rule) => rule(pod, around) ?? []))(node) === undefined;
  }

  #around(bin: Bin, node: Node): Around {
    const bins = new Map([...this.#placed].map(([each, name]) => [name, each]));
    bins.set(node.metadata.name, bin);
    const { gone, world } = this.#given;
    const { objects } = world;
    const there = ([...objects.list('Node')] as Node[]).filter(
      ({ metadata: { name } }) => name !== gone && !bins.has(name),
    );
    const coming = [...bins].flatMap(([name, each]) =>
      each === bin ? [node] : each.offerings.slice(0, 1).map((offering) => nodeOf(each, name, offering)),
    );
    const standing = (name: string): Pod[] => ([...objects.podsOn(name)] as Pod[]).filter((pod) => !isTerminal(pod));
    return {
      nodes: () => [...there, ...coming, ...this.#places()],
      podsOn: (name) => [...standing(name), ...(bins.get(name)?.pods ?? [])],
      get: (kind, key) => objects.get(kind, key),
      list: (kind) => objects.list(kind),
    };
  }

  /** As Karpenter sees it, wherever a pool could launch a node is a domain, though nothing is there yet. */
  #places(): readonly Node[] {
    if (this.#ghosts) return this.#ghosts;
    const { world } = this.#given;
    const found = new Map<string, Node>();
    for (const pool of poolsInOrder(world)) {
      const bin = binOf(pool, {}, world);
      for (const offering of bin.offerings) {
        const place = placeOf(offering);
        if (!found.has(place)) found.set(place, nodeOf(bin, undefined, offering));
      }
    }
    this.#ghosts = [...found.values()];
    return this.#ghosts;
  }
}

/** Without a name it is none that anybody could be on. */
function nodeOf({ taints }: Bin, name: string | undefined, { labels, allocatable }: Offering): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: name ?? '', labels: { ...labels, ...(name !== undefined && { [label.hostname]: name }) } },
    spec: { taints },
    status: { allocatable },
  };
}

/** All but the type, which is still free. */
function placeOf({ labels }: Offering): string {
  const { [label.instanceType]: _, ...place } = labels;
  return JSON.stringify(place);
}
