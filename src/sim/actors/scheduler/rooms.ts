// The free capacity of every node, sorted, so that the most allocated node with enough room is found quickly.
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import type { Instant } from '../../../time/instant.ts';
import { type Json, keyOf, type ObjectKey } from '../../kubeObject.ts';
import { type RawNode, type RawPod, taintsOf } from '../rawObjects.ts';
import { needsOf, type SimNodeRules, type SimPodNeeds } from './needs.ts';
import { AntiAffinityPods } from './podAffinity.ts';
import { admits, cordon, type NodeTraits } from './schedulingView.ts';

interface Room extends NodeTraits {
  readonly node: RawNode;
  readonly allocatable: Json | undefined;
  readonly free: Record<string, number>;
  /** When it last changed. */
  readonly since: Instant;
  /** Whether the node admits pods, by the id of their rules; a cache until the node changes. */
  readonly admitted: Map<number, boolean>;
}

interface RoomedPod {
  readonly node: string;
  readonly requests: Resources;
  /** The latest version. */
  pod: RawPod;
}

export class Rooms {
  readonly #rooms = new Map<string, Room>();
  /** By free CPU, then by name: the most allocated first. */
  #order: Room[] = [];
  readonly #placed = new Map<ObjectKey, RoomedPod>();
  /** Placed pods by node, including nodes that do not exist. */
  readonly #used = new Map<string, Map<ObjectKey, RoomedPod>>();
  /** Placed pods with required anti-affinity. */
  readonly guards = new AntiAffinityPods();

  /** Returns whether the change may help a pending pod. */
  setNode(node: RawNode, since: Instant): boolean {
    const { name, labels = {} } = node.metadata;
    const taints = node.spec?.unschedulable ? [...taintsOf(node), cordon] : taintsOf(node);
    const was = this.#rooms.get(name);
    const { allocatable } = node.status ?? {};
    const hasSameLabels = was?.labels === labels;
    const hasSameTaints = was !== undefined && sameTaints(was.taints, taints);
    if (was && hasSameLabels && hasSameTaints && was.allocatable === allocatable) return false;
    this.dropNode(name);
    const free = was?.allocatable === allocatable && was ? was.free : this.#freeOf(name, allocatable);
    this.#enter({ node, name, labels, taints, allocatable, free, since, admitted: new Map() });
    return true;
  }

  dropNode(name: string): void {
    const room = this.#rooms.get(name);
    if (!room) return;
    this.#rooms.delete(name);
    this.#order.splice(this.#indexOf(room), 1);
  }

  /** Sets the node a pod uses; returns the node on which capacity became free. */
  setPod(pod: RawPod, node: string | undefined): string | undefined {
    const key = keyOf(pod);
    const was = this.#placed.get(key);
    if (was?.node === node) {
      if (was) was.pod = pod;
      return undefined;
    }
    if (was) this.#move(key, was, 1);
    this.guards.set(pod, node !== undefined);
    if (node === undefined) this.#placed.delete(key);
    else {
      const placed = { node, requests: needsOf(pod).requests, pod };
      this.#placed.set(key, placed);
      this.#move(key, placed, -1);
    }
    return was?.node;
  }

  /** All known nodes. */
  *nodes(): Generator<RawNode> {
    for (const { node } of this.#rooms.values()) yield node;
  }

  *podsOn(name: string): Generator<RawPod> {
    for (const { pod } of this.#used.get(name)?.values() ?? []) yield pod;
  }

  /** All nodes that have the room and admit the pod, the most allocated first. */
  fitting({ requests, rules }: SimPodNeeds, before: Instant): RawNode[] {
    const rooms =
      rules.only === undefined ? this.#order : [this.#rooms.get(rules.only)].filter((it) => it !== undefined);
    return rooms
      .filter((room) => (rules.only !== undefined || room.since < before) && this.#isFit(room, requests, rules))
      .map(({ node }) => node);
  }

  fitsOn(name: string, { requests, rules }: SimPodNeeds): boolean {
    if (rules.only !== undefined && rules.only !== name) return false;
    return this.#isFit(this.#rooms.get(name), requests, rules);
  }

  /** The most allocated node that has the room and admits the pod, among those that did not change since `before`. */
  find({ requests, rules }: SimPodNeeds, before: Instant): string | undefined {
    if (rules.only !== undefined)
      return this.#isFit(this.#rooms.get(rules.only), requests, rules) ? rules.only : undefined;
    for (let index = this.#firstWith(requests.cpu ?? 0); index < this.#order.length; index++) {
      const room = this.#order[index];
      if (room && room.since < before && this.#isFit(room, requests, rules)) return room.name;
    }
    return undefined;
  }

  #isFit(room: Room | undefined, requests: Resources, rules: SimNodeRules): boolean {
    if (!room) return false;
    for (const name in requests) if ((requests[name] ?? 0) > Math.max(0, room.free[name] ?? 0)) return false;
    if (rules.only !== undefined) return admits(room, rules);
    const known = room.admitted.get(rules.id);
    if (known !== undefined) return known;
    const answer = admits(room, rules);
    room.admitted.set(rules.id, answer);
    return answer;
  }

  #move(key: ObjectKey, placed: RoomedPod, sign: 1 | -1): void {
    const { node, requests } = placed;
    const used = this.#used.get(node) ?? new Map<ObjectKey, RoomedPod>();
    if (sign < 0) this.#used.set(node, used.set(key, placed));
    else if (used.delete(key) && used.size === 0) this.#used.delete(node);
    const room = this.#rooms.get(node);
    if (!room) return;
    this.#order.splice(this.#indexOf(room), 1);
    for (const name in requests) room.free[name] = (room.free[name] ?? 0) + sign * (requests[name] ?? 0);
    this.#insert(room);
  }

  #freeOf(name: string, allocatable: Json | undefined): Record<string, number> {
    const free: Record<string, number> = { ...parseResources(allocatable) };
    for (const { requests } of this.#used.get(name)?.values() ?? [])
      for (const resource in requests) free[resource] = (free[resource] ?? 0) - (requests[resource] ?? 0);
    return free;
  }

  #enter(room: Room): void {
    this.#rooms.set(room.name, room);
    this.#insert(room);
  }

  #insert(room: Room): void {
    this.#order.splice(this.#position(cpuOf(room), room.name), 0, room);
  }

  #indexOf(room: Room): number {
    return this.#position(cpuOf(room), room.name);
  }

  #firstWith(cpu: number): number {
    return this.#position(cpu, '');
  }

  /** The index of a node with this free CPU and name in the order. */
  #position(cpu: number, name: string): number {
    let [low, high] = [0, this.#order.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const room = this.#order[middle] as Room;
      const isBefore = cpuOf(room) < cpu || (cpuOf(room) === cpu && room.name < name);
      if (isBefore) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const cpuOf = ({ free }: Room): number => free.cpu ?? 0;

const sameTaints = (a: NodeTraits['taints'], b: NodeTraits['taints']): boolean =>
  a.length === b.length &&
  a.every(({ key, value, effect }, i) => key === b[i]?.key && value === b[i].value && effect === b[i].effect);
