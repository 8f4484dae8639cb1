// How does the board stay right while the facts change? A row is read again when its node's view is another than before.
import { openSlot } from '../../cluster/memory.ts';
import type { Pod } from '../../cluster/model.ts';
import { conditionIsTrue, type NodeView } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { AttachLimits } from '../../cluster/volumes.ts';
import type { Situation } from '../situation.ts';
import { Asked } from './asked.ts';
import type { BoardOfFacts, PodClass, Row } from './board.ts';
import { BoardState } from './boardState.ts';
import { Judgements } from './judgements.ts';
import { PodClasses } from './podClasses.ts';
import { type Prices, pricesOf } from './price.ts';
import { readRow } from './rowFacts.ts';
import { targetBits } from './targets.ts';
import { asPlaced } from './uncounted.ts';

/** What a row was read from. */
interface Source {
  readonly view: NodeView;
  readonly pods: readonly Pod[];
  readonly limits: AttachLimits | undefined;
}

/** Where more classes than these are left over from pods that are gone, everything is read anew. */
const classesToSpare = 4096;

export class FactsBoard extends BoardState implements BoardOfFacts {
  readonly #asked: Asked;
  readonly #classes: PodClasses;
  readonly #columns: ReadonlyMap<string, number>;
  /** By row. */
  readonly #sources: (Source | undefined)[] = [];
  /** The views as they were last read, by name, and their rows. */
  #views: readonly NodeView[] = [];
  #rows: readonly Row[] = [];
  readonly #unused: Row[] = [];
  readonly #judgements: Judgements;
  /** Nodes that the pods of commands under way will need. */
  seated: ReadonlySet<string> = new Set();
  /** The label keys of nodes; absent where every pod is worked out. */
  readonly #topologyKeys: ReadonlySet<string> | undefined;
  #volumes = -1;
  #namespaces = -1;
  #prices: Prices | undefined;
  #mostClasses = Number.POSITIVE_INFINITY;

  constructor({ cluster }: Situation) {
    const asked = new Asked();
    for (const { pods } of cluster.nodes) for (const pod of pods) asked.hear(placedIn(cluster, pod), cluster.volumes);
    for (const pod of cluster.pendingPods) asked.hear(placedIn(cluster, pod), cluster.volumes);
    super({
      resources: [...asked.resources],
      nodeKeys: new Set(asked.nodeKeys),
      asksNames: asked.names,
      rules: [],
      places: [],
      placeIds: new Map(),
      keys: [],
      fields: [],
      tallies: [],
      drivers: [],
      classes: [],
    });
    this.#asked = asked;
    if (asked.hasUncounted) this.#topologyKeys = keysOfNodes(cluster.nodes);
    const keys = { podKeys: new Set(asked.podKeys), topologyKeys: this.#topologyKeys ?? new Set<string>() };
    this.#classes = new PodClasses(this.tables, cluster, keys);
    this.#columns = new Map(this.tables.resources.map((name, column) => [name, column]));
    this.#judgements = new Judgements(this);
  }

  get judgements(): Judgements {
    return this.#judgements;
  }

  /** The pods of `podsOn`, one by one, as the facts have them. */
  podsFrom(row: Row): readonly Pod[] {
    return this.#sources[row]?.pods ?? [];
  }

  /** Of a pod that is among the facts: what it asks for has its columns. */
  classOf(pod: Pod): PodClass {
    const number = this.#classes.classOf(pod);
    this.#learn();
    return number;
  }

  /** What new classes brought is counted for those that stand there already. */
  #learn(): void {
    const { late } = this.#classes.book;
    this.tallies.catchUp();
    this.countLate(late);
    late.clear();
  }

  /** Reads what has changed. False = more has than can be told apart: a new board is needed. */
  follow(situation: Situation): boolean {
    const { cluster, settings } = situation;
    if (!this.#knowsNamespaces(situation)) return false;
    const changed = this.#changedViews(cluster.nodes);
    this.#addMounting(changed, situation);
    if (this.#views.length > 0 && !this.#hearsNothingNew(changed, situation)) return false;
    if (!this.#knowsKeysOf(changed)) return false;
    const prices = this.#prices?.catalogue === settings.catalogue ? this.#prices : pricesOf(settings);
    if (prices !== this.#prices) for (const view of cluster.nodes) changed.add(view);
    this.#prices = prices;
    this.#read(changed, situation, prices);
    this.#views = [...cluster.nodes];
    this.#rows = this.#views.map(({ node }) => this.rowOf(node.name) as Row);
    return this.tables.classes.length <= this.#mostClasses;
  }

  /** False = their labels have changed, and some pod's rules ask for them. */
  #knowsNamespaces({ cluster }: Situation): boolean {
    const isSame = this.#namespaces === cluster.namespaceRevision;
    const isFirst = this.#namespaces < 0;
    this.#namespaces = cluster.namespaceRevision;
    return isSame || isFirst || !this.#classes.book.asksNamespaces;
  }

  #knowsKeysOf(views: Iterable<NodeView>): boolean {
    if (!this.#topologyKeys) return true;
    for (const key of keysOfNodes(views)) if (!this.#topologyKeys.has(key)) return false;
    return true;
  }

  /** Both lists are by name. Those that are gone are forgotten. */
  #changedViews(views: readonly NodeView[]): Set<NodeView> {
    const changed = new Set<NodeView>();
    let at = 0;
    for (const view of views) {
      while (at < this.#views.length && (this.#views[at] as NodeView).node.name < view.node.name) this.#forget(at++);
      const known = this.#views[at];
      if (known !== view) changed.add(view);
      if (known?.node.name === view.node.name) at++;
    }
    while (at < this.#views.length) this.#forget(at++);
    return changed;
  }

  /** Whose volumes, or those of whose pods, are not what they were. */
  #addMounting(changed: Set<NodeView>, { cluster }: Situation): void {
    if (this.#volumes === cluster.volumes.revision) return;
    this.#volumes = cluster.volumes.revision;
    const others = this.#classes.forgetChanged();
    for (const view of cluster.nodes) {
      const row = this.rowOf(view.node.name);
      if (row === undefined) continue;
      const isLimited = this.#sources[row]?.limits !== cluster.volumes.attachLimits(view.node.name);
      if (isLimited || (others.size > 0 && this.factsOf(row).standing.some((it) => others.has(it)))) changed.add(view);
    }
  }

  #hearsNothingNew(changed: ReadonlySet<NodeView>, { cluster }: Situation): boolean {
    let isNew = false;
    for (const { pods } of changed) {
      for (const pod of pods) if (this.#asked.hear(placedIn(cluster, pod), cluster.volumes)) isNew = true;
    }
    for (const pod of cluster.pendingPods) if (this.#asked.hear(placedIn(cluster, pod), cluster.volumes)) isNew = true;
    return !isNew;
  }

  #read(changed: ReadonlySet<NodeView>, { cluster }: Situation, prices: Prices): void {
    const { tables } = this;
    const parts = { tables, columns: this.#columns, classes: this.#classes };
    const read = [...changed].map((view) => {
      const limits = cluster.volumes.attachLimits(view.node.name);
      const worth = worthOf(view, prices);
      return { view, limits, ...readRow(view, { ...parts, limits, worth }) };
    });
    this.#learn();
    for (const { view, pods, limits, facts } of read) {
      const row = this.rowOf(view.node.name) ?? this.#unused.pop() ?? this.length;
      this.#sources[row] = { view, pods, limits };
      if (this.sameRow(row, facts)) continue;
      this.setRow(row, facts);
      this.#judgements.changed.add(row);
    }
    this.#mostClasses = Math.min(this.#mostClasses, 2 * tables.classes.length + classesToSpare);
  }

  #forget(index: number): void {
    const row = this.#rows[index] as Row;
    this.#sources[row] = undefined;
    this.#unused.push(row);
    this.setRow(row, undefined);
    this.#judgements.changed.add(row);
  }

  /** Which nodes take pods now: that hangs on the hour and on what is under way too. */
  aim(situation: Situation): void {
    for (let index = 0; index < this.#views.length; index++) {
      this.setTarget(this.#rows[index] as Row, targetBits(this.#views[index] as NodeView, situation));
    }
  }
}

function keysOfNodes(views: Iterable<NodeView>): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { node } of views) for (const key in node.labels) keys.add(key);
  return keys;
}

const placedIn = (cluster: Cluster, pod: Pod): Pod => asPlaced(pod, (it) => cluster.excessOn(it));

const remembered = openSlot<FactsBoard>();

/** The board as the facts have it, with nothing tried. It is one for all rounds on a cluster: whoever opens it ends what others tried. */
export function boardOf(situation: Situation): FactsBoard {
  const { cluster } = situation;
  const known = remembered.recall(cluster);
  if (known) {
    known.judgements.beginChange();
    if (known.follow(situation)) {
      known.aim(situation);
      return known;
    }
  }
  const board = new FactsBoard(situation);
  board.follow(situation);
  board.aim(situation);
  return remembered.keep(cluster, board);
}

/** What has drifted is rolled next: pods that are moved there would be moved twice, so it comes after all others. */
const worthOf = (view: NodeView, prices: Prices): number =>
  (prices.of(view) ?? 1) / view.cost + (conditionIsTrue(view, 'Drifted') ? rolledNext : 0);

/** Dearer than any machine. */
const rolledNext = 1e9;
