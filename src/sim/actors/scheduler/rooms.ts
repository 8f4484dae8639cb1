// Where is room for a pod? Free room of every node, kept with each change and in order, so that the fullest that fits is found at once.
import { parseResources, type Resources } from '../../../cluster/quantity.ts';
import type { Instant } from '../../../time/instant.ts';
import { type Json, type Key, keyOf } from '../../kubeObject.ts';
import type { Node, Pod } from '../manifest.ts';
import { taintsOf } from '../taints.ts';
import { admits, cordon, type Place } from './admits.ts';
import { Guards } from './guards.ts';
import { type Needs, needsOf, type Rules } from './needs.ts';

interface Room extends Place {
  readonly node: Node;
  readonly allocatable: Json | undefined;
  readonly free: Record<string, number>;
  /** When it last changed. */
  readonly since: Instant;
  /** By the id of a pod's rules: asked once for each node as it is. */
  readonly admitted: Map<number, boolean>;
}

interface Taken {
  readonly node: string;
  readonly requests: Resources;
  /** As it was last seen. */
  pod: Pod;
}

export class Rooms {
  readonly #rooms = new Map<string, Room>();
  /** By free cpu, then by name: the most allocated first. */
  #order: Room[] = [];
  readonly #taken = new Map<Key, Taken>();
  /** What is taken on nodes, whether they are there or not. */
  readonly #used = new Map<string, Map<Key, Taken>>();
  /** Those that keep others away. */
  readonly guards = new Guards();

  /** Says whether anything has changed that a waiting pod could wait for. */
  setNode(node: Node, since: Instant): boolean {
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

  /** A pod takes room on a node, or none any more. Says on which node room got free. */
  setPod(pod: Pod, node: string | undefined): string | undefined {
    const key = keyOf(pod);
    const was = this.#taken.get(key);
    if (was?.node === node) {
      if (was) was.pod = pod;
      return undefined;
    }
    if (was) this.#move(key, was, 1);
    this.guards.set(pod, node !== undefined);
    if (node === undefined) this.#taken.delete(key);
    else {
      const taken = { node, requests: needsOf(pod).requests, pod };
      this.#taken.set(key, taken);
      this.#move(key, taken, -1);
    }
    return was?.node;
  }

  /** All that are known. */
  *nodes(): Generator<Node> {
    for (const { node } of this.#rooms.values()) yield node;
  }

  *podsOn(name: string): Generator<Pod> {
    for (const { pod } of this.#used.get(name)?.values() ?? []) yield pod;
  }

  /** All that have the room and admit it, the most allocated first. */
  fitting({ requests, rules }: Needs, before: Instant): Node[] {
    const rooms =
      rules.only === undefined ? this.#order : [this.#rooms.get(rules.only)].filter((it) => it !== undefined);
    return rooms
      .filter((room) => (rules.only !== undefined || room.since < before) && this.#isFit(room, requests, rules))
      .map(({ node }) => node);
  }

  fitsOn(name: string, { requests, rules }: Needs): boolean {
    if (rules.only !== undefined && rules.only !== name) return false;
    return this.#isFit(this.#rooms.get(name), requests, rules);
  }

  /** The most allocated node that has the room and admits it, among those that are as they were before this instant. */
  find({ requests, rules }: Needs, before: Instant): string | undefined {
    if (rules.only !== undefined)
      return this.#isFit(this.#rooms.get(rules.only), requests, rules) ? rules.only : undefined;
    for (let index = this.#firstWith(requests.cpu ?? 0); index < this.#order.length; index++) {
      const room = this.#order[index];
      if (room && room.since < before && this.#isFit(room, requests, rules)) return room.name;
    }
    return undefined;
  }

  #isFit(room: Room | undefined, requests: Resources, rules: Rules): boolean {
    if (!room) return false;
    for (const name in requests) if ((requests[name] ?? 0) > Math.max(0, room.free[name] ?? 0)) return false;
    if (rules.only !== undefined) return admits(room, rules);
    const known = room.admitted.get(rules.id);
    if (known !== undefined) return known;
    const answer = admits(room, rules);
    room.admitted.set(rules.id, answer);
    return answer;
  }

  #move(key: Key, taken: Taken, sign: 1 | -1): void {
    const { node, requests } = taken;
    const used = this.#used.get(node) ?? new Map<Key, Taken>();
    if (sign < 0) this.#used.set(node, used.set(key, taken));
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
    this.#order.splice(this.#place(cpuOf(room), room.name), 0, room);
  }

  #indexOf(room: Room): number {
    return this.#place(cpuOf(room), room.name);
  }

  #firstWith(cpu: number): number {
    return this.#place(cpu, '');
  }

  /** Where a room with so much free cpu and this name stands, or would. */
  #place(cpu: number, name: string): number {
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

const sameTaints = (a: Place['taints'], b: Place['taints']): boolean =>
  a.length === b.length &&
  a.every(({ key, value, effect }, i) => key === b[i]?.key && value === b[i].value && effect === b[i].effect);
