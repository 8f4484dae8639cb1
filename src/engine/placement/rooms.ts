// Which node has room for a pod? Asked for many pods in one round, in which room only ever shrinks: so a search for one
// shape of pod never looks again at a node that was too small for it.
import { openSlot } from '../../cluster/memory.ts';
import type { Pod, Taint } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { tolerates } from '../../cluster/pod.ts';
import { matchesNode } from '../../cluster/selector.ts';
import type { Situation } from '../situation.ts';

/** Room given away on top of what runs on a node, by resource. */
type Used = Map<string, number>;

export class Rooms {
  readonly #targets: readonly NodeView[];
  /** Nodes that are still starting: pods that would fit there had better wait than have another node started. */
  readonly #starting: readonly NodeView[];
  #byName: ReadonlyMap<string, NodeView> | undefined;
  readonly #kept = new Map<string, Used>();
  readonly #leaving = new Set<string>();
  /** By shape of pod: all targets before this index are too small, or unfit, for ever. */
  readonly #cursors = new Map<string, number>();

  constructor({ cluster, inFlight, replacements }: Situation) {
    const staying = cluster.nodes.filter(({ node }) => !inFlight.has(node.name) && !node.unschedulable);
    this.#targets = staying.filter((view) => view.state.ready && (view.state.initialized || !view.managed));
    // A replacement that starts is meant for the pods of the node it replaces.
    this.#starting = staying.filter(
      (view) => view.managed && !view.state.initialized && !replacements.has(view.node.name),
    );
  }

  /** A trial for the pods of one node, all or nothing. */
  trial(source?: NodeView): Trial {
    return new Trial(this, source);
  }

  leave(view: NodeView): void {
    this.#leaving.add(view.node.name);
  }

  keep(trial: ReadonlyMap<string, Used>): void {
    for (const [node, used] of trial) {
      const kept = this.#kept.get(node) ?? new Map<string, number>();
      for (const [name, amount] of used) kept.set(name, (kept.get(name) ?? 0) + amount);
      this.#kept.set(node, kept);
    }
  }

  find(pod: Pod, source: NodeView | undefined, tried: ReadonlyMap<string, Used>): NodeView | undefined {
    const shape = shapeOf(pod, source);
    let firstOpen: number | undefined;
    for (let index = this.#cursors.get(shape) ?? 0; index < this.#targets.length; index++) {
      const view = this.#targets[index] as NodeView;
      const { name } = view.node;
      if (this.#leaving.has(name)) continue;
      const fits = view !== source && this.#fits(pod, view, tried.get(name));
      // Not for ever: the source may stay, and what this trial took may be given back.
      if (fits || view === source || tried.has(name)) firstOpen ??= index;
      if (fits) {
        this.#cursors.set(shape, firstOpen as number);
        return view;
      }
    }
    this.#cursors.set(shape, firstOpen ?? this.#targets.length);
    return undefined;
  }

  hasRoom(pod: Pod, name: string, tried: ReadonlyMap<string, Used>): boolean {
    this.#byName ??= new Map(this.#targets.map((view) => [view.node.name, view]));
    const view = this.#byName.get(name);
    return view !== undefined && this.#fits(pod, view, tried.get(name));
  }

  /** A node that is still starting and will have room. */
  findStarting(pod: Pod, source: NodeView): NodeView | undefined {
    return this.#starting.find((view) => view !== source && this.#fits(pod, view, undefined));
  }

  get size(): number {
    return this.#targets.length;
  }

  #fits(pod: Pod, view: NodeView, tried: Used | undefined): boolean {
    const kept = this.#kept.get(view.node.name);
    for (const name in pod.requests) {
      const request = pod.requests[name] as number;
      const free = (view.free[name] ?? 0) - (kept?.get(name) ?? 0) - (tried?.get(name) ?? 0);
      if (request > 0 && request > free) return false;
    }
    return admits(pod, view.node);
  }
}

/** One node's pods being placed; kept only if all of them find room. */
export class Trial {
  readonly #rooms: Rooms;
  readonly #source: NodeView | undefined;
  readonly #used = new Map<string, Used>();

  constructor(rooms: Rooms, source: NodeView | undefined) {
    this.#rooms = rooms;
    this.#source = source;
  }

  place(pod: Pod): NodeView | undefined {
    const target = this.#rooms.find(pod, this.#source, this.#used);
    if (target) this.reserve(pod, target.node.name);
    return target;
  }

  /** On the first of these nodes that has room, if any has. */
  placeAmong(pod: Pod, names: readonly string[]): boolean {
    const name = names.find((it) => this.#rooms.hasRoom(pod, it, this.#used));
    if (name !== undefined) this.reserve(pod, name);
    return name !== undefined;
  }

  /** Where it has taken room. */
  get nodes(): Iterable<string> {
    return this.#used.keys();
  }

  reserve(pod: Pod, node: string): void {
    const used = this.#used.get(node) ?? new Map<string, number>();
    for (const name in pod.requests) used.set(name, (used.get(name) ?? 0) + (pod.requests[name] as number));
    this.#used.set(node, used);
  }

  keep(): void {
    this.#rooms.keep(this.#used);
  }
}

interface Place {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
}

/** Node name, selector, required affinity, taints (F6). PreferNoSchedule is a wish, not a rule. */
export function admits(pod: Pod, { name, labels, taints }: Place): boolean {
  for (const taint of taints) {
    if (taint.effect !== 'PreferNoSchedule' && !tolerates(pod.tolerations, taint)) return false;
  }
  return pod.nodeSelector === undefined || matchesNode(pod.nodeSelector, name, labels);
}

/** Pods that schedule alike have the same shape. Bound pods have it remembered with their node's view. */
const remembered = openSlot<Map<Pod, string>>();

function shapeOf(pod: Pod, source: NodeView | undefined): string {
  if (!source) return describeShape(pod);
  const shapes = remembered.recall(source) ?? remembered.keep(source, new Map());
  const known = shapes.get(pod) ?? describeShape(pod);
  shapes.set(pod, known);
  return known;
}

const describeShape = (pod: Pod): string => JSON.stringify([pod.requests, pod.nodeSelector, pod.tolerations]);
