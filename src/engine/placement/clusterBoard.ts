// The board of a cluster, updated incrementally: a row is read again when its node's view has changed.
import type { Pod } from '../../cluster/model.ts';
import { conditionIsTrue, type NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { AttachLimits } from '../../cluster/volumes.ts';
import { after } from '../../time/instant.ts';
import { stableSince } from '../gates/nodeGates.ts';
import type { Situation } from '../situation.ts';
import { Board } from './board.ts';
import { Demands } from './demands.ts';
import { countZones } from './karpenterZones.ts';
import { isSameRow, stableBit, targetBit } from './nodeRows.ts';
import { PodClasses } from './podClasses.ts';
import { type PriceOf, pricesOf } from './price.ts';
import { Removals } from './removals.ts';
import { readRow } from './rowFacts.ts';
import type { PodClass, RowFacts, RowId } from './tables.ts';
import { asPlaced } from './uncounted.ts';

/** The objects a row was read from. */
interface RowSource {
  readonly view: NodeView;
  readonly pods: readonly Pod[];
  readonly limits: AttachLimits | undefined;
}

/** With more unused classes than this, left over from deleted pods, the board is rebuilt. */
const classesToSpare = 4096;

export class ClusterBoard {
  readonly board: Board;
  readonly removals: Removals;
  /** Nodes that were promised to pods of commands under way. */
  promised: ReadonlySet<string> = new Set();
  readonly #demands: Demands;
  readonly #classes: PodClasses;
  readonly #columns: ReadonlyMap<string, number>;
  /** By row. */
  readonly #sources: (RowSource | undefined)[] = [];
  /** The views as last read, sorted by name. */
  #views: readonly { readonly view: NodeView; readonly row: RowId }[] = [];
  readonly #unused: RowId[] = [];
  /** The label keys of nodes; undefined if every pod is evaluated. */
  readonly #topologyKeys: ReadonlySet<string> | undefined;
  #volumes = -1;
  #namespaces = -1;
  #priceOf: PriceOf | undefined;
  #mostClasses = Number.POSITIVE_INFINITY;

  constructor(situation: Situation) {
    const { cluster } = situation;
    const demands = new Demands();
    this.#demands = demands;
    this.#collectDemands(cluster.nodes, cluster);
    this.board = new Board({
      resources: [...demands.resources],
      nodeKeys: new Set(demands.nodeKeys),
      asksNames: demands.names,
      rules: [],
      traits: [],
      traitsIds: new Map(),
      keys: [],
      topologies: [],
      tallies: [],
      drivers: [],
      classes: [],
      zones: countZones(situation),
    });
    if (demands.hasUncounted) this.#topologyKeys = keysOfNodes(cluster.nodes);
    const keys = { podKeys: new Set(demands.podKeys), topologyKeys: this.#topologyKeys ?? new Set<string>() };
    this.#classes = new PodClasses(this.board.tables, cluster, keys);
    this.#columns = new Map(this.board.tables.resources.map((name, column) => [name, column]));
    this.removals = new Removals(this.board);
  }

  /** The pod objects of the row's `podsOn`, in the same order. */
  podsFrom(row: RowId): readonly Pod[] {
    return this.#sources[row]?.pods ?? [];
  }

  /** The class of a pod of this cluster. */
  classOf(pod: Pod): PodClass {
    const number = this.#classes.classOf(pod);
    this.#countNewTallies();
    return number;
  }

  /** Counts the pods on the board in tallies that new classes added. */
  #countNewTallies(): void {
    const { late } = this.#classes.registry;
    this.board.tallies.catchUp();
    this.board.countLate(late);
    late.clear();
  }

  /** Reads what has changed. False = the board cannot be updated and has to be rebuilt. */
  update(situation: Situation): boolean {
    const { cluster, settings } = situation;
    if (!this.#knowsNamespaces(situation) || this.board.tables.zones !== countZones(situation)) return false;
    const changed = this.#changedViews(cluster.nodes);
    this.#addMounting(changed, situation);
    if (this.#views.length > 0 && this.#collectDemands(changed, cluster)) return false;
    if (!this.#knowsKeysOf(changed)) return false;
    const priceOf = pricesOf(settings);
    if (priceOf !== this.#priceOf) for (const view of cluster.nodes) changed.add(view);
    this.#priceOf = priceOf;
    this.#read(changed, situation, priceOf);
    this.#views = cluster.nodes.map((view) => ({ view, row: this.board.rows.of(view.node.name) ?? -1 }));
    return this.board.tables.classes.length <= this.#mostClasses;
  }

  /** False if labels of namespaces changed and pod rules depend on them. */
  #knowsNamespaces({ cluster }: Situation): boolean {
    const isSame = this.#namespaces === cluster.namespaceRevision;
    const isFirst = this.#namespaces < 0;
    this.#namespaces = cluster.namespaceRevision;
    return isSame || isFirst || !this.#classes.registry.usesNamespaceLabels;
  }

  #knowsKeysOf(views: Iterable<NodeView>): boolean {
    if (!this.#topologyKeys) return true;
    for (const key of keysOfNodes(views)) if (!this.#topologyKeys.has(key)) return false;
    return true;
  }

  /** Merges two lists sorted by name. Rows of deleted nodes are cleared. */
  #changedViews(views: readonly NodeView[]): Set<NodeView> {
    const changed = new Set<NodeView>();
    const before = this.#views.values();
    let known = before.next().value;
    for (const view of views) {
      for (; known && known.view.node.name < view.node.name; known = before.next().value) this.#forget(known.row);
      if (known?.view !== view) changed.add(view);
      if (known?.view.node.name === view.node.name) known = before.next().value;
    }
    for (; known; known = before.next().value) this.#forget(known.row);
    return changed;
  }

  /** Adds nodes whose attach limits, or whose pods' volumes, have changed. */
  #addMounting(changed: Set<NodeView>, { cluster }: Situation): void {
    if (this.#volumes === cluster.volumes.revision) return;
    this.#volumes = cluster.volumes.revision;
    const others = this.#classes.forgetChanged();
    for (const view of cluster.nodes) {
      const row = this.board.rows.of(view.node.name);
      if (row === undefined) continue;
      const isLimited = this.#sources[row]?.limits !== cluster.volumes.attachLimits(view.node.name);
      if (isLimited || this.board.rows.factsOf(row)?.running.some((it) => others.has(it))) changed.add(view);
    }
  }

  /** Returns whether one of their pods, or a pending pod, asks for something new. */
  #collectDemands(views: Iterable<NodeView>, cluster: Cluster): boolean {
    const add = (pod: Pod): boolean => this.#demands.add(placedIn(cluster, pod), cluster.volumes);
    let isNew = false;
    for (const { pods } of views) for (const pod of pods) isNew = add(pod) || isNew;
    for (const pod of cluster.pendingPods) isNew = add(pod) || isNew;
    return isNew;
  }

  #read(changed: ReadonlySet<NodeView>, { cluster }: Situation, priceOf: PriceOf): void {
    const { tables, rows } = this.board;
    const parts = { tables, columns: this.#columns, classes: this.#classes };
    const read = [...changed].map((view) => {
      const limits = cluster.volumes.attachLimits(view.node.name);
      const worth = worthOf(view, priceOf);
      return { view, limits, ...readRow(view, { ...parts, limits, worth }) };
    });
    this.#countNewTallies();
    for (const { view, pods, limits, facts } of read) {
      const row = rows.of(view.node.name) ?? this.#unused.pop() ?? rows.length;
      this.#sources[row] = { view, pods, limits };
      if (!isSameRow(rows.factsOf(row), facts)) this.#setRow(row, facts);
    }
    this.#mostClasses = Math.min(this.#mostClasses, 2 * tables.classes.length + classesToSpare);
  }

  #forget(row: RowId): void {
    this.#sources[row] = undefined;
    this.#unused.push(row);
    this.#setRow(row, undefined);
  }

  #setRow(row: RowId, facts: RowFacts | undefined): void {
    this.board.setRow(row, facts);
    this.removals.changed.add(row);
  }

  /** Updates which nodes are targets, which also depends on the time and on commands under way. */
  updateTargets(situation: Situation): void {
    for (const { view, row } of this.#views) this.board.setTarget(row, targetBits(view, situation));
  }
}

/** Ready nodes that are not leaving are targets (F6). Stable ones are also past their consolidateAfter. */
function targetBits(view: NodeView, situation: Situation): number {
  const { state, managed, node } = view;
  if (!state.ready || (managed && !state.initialized) || situation.inFlight.has(node.name)) return 0;
  return isStable(view, situation) ? targetBit | stableBit : targetBit;
}

/** Past its consolidateAfter; `0s` and Never do not count. */
function isStable(view: NodeView, { cluster, now }: Situation): boolean {
  const pool = view.managed && view.poolName !== undefined ? cluster.pools.get(view.poolName) : undefined;
  if (!pool || pool.consolidateAfter === 'Never' || pool.consolidateAfter === 0) return true;
  const since = stableSince(view);
  return since !== undefined && now >= after(since, pool.consolidateAfter);
}

function keysOfNodes(views: Iterable<NodeView>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { node } of views) for (const key in node.labels) keys.add(key);
  return keys;
}

const placedIn = (cluster: Cluster, pod: Pod): Pod => asPlaced(pod, (it) => cluster.excessOn(it));

/** Drifted nodes will be replaced soon, so pods placed there would move twice: they come last. */
const worthOf = (view: NodeView, priceOf: PriceOf): number =>
  (priceOf(view) ?? 1) / view.cost + (conditionIsTrue(view, 'Drifted') ? driftedPenalty : 0);

/** More than any node costs. */
const driftedPenalty = 1e9;
