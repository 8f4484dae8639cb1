// Counts of pods by topology domain, and the lowest count of all domains (F6).
import { allNodes, type ClassRule, eachNode, type Tables, type Topology } from './tables.ts';

/** What a topology needs to know about a node. */
export interface TalliedNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly traits: number;
}

/** Whether a rule selects, or tolerates, nodes with given traits. */
export interface Admission {
  selects(rule: number, traits: number): boolean;
  tolerates(rule: number, traits: number): boolean;
  /** Whether a rule tolerates the taints of a leaving node. */
  toleratesLeaving(rule: number): boolean;
}

/** Called on every change. */
export interface TallyRecorder {
  counted(tally: number, domain: number, change: number): void;
  /** `before`: the number of nodes in the domain before the change. */
  weighed(topology: number, domain: number, before: number): void;
}

export class Tallies {
  readonly #tables: Tables;
  readonly #admission: Admission;
  readonly #counts = new PairCounts();
  /** By topology, then row: the domain; -1 = the node does not count. Undefined = no node does. */
  readonly #domains: (Int32Array | undefined)[] = [];
  /** Topologies by label key. A node is checked only for the keys it has. */
  readonly #topologiesByKey = new Map<string, number[]>();
  /** Topologies that exclude nodes by taints. */
  readonly #taintTopologies: number[] = [];
  /** By topology, then domain: the number of nodes. */
  readonly #nodesIn: number[][] = [];
  /** By topology: the number of domains with nodes. */
  readonly #existing: number[] = [];
  /** By tally. */
  readonly #totals: number[] = [];
  /** For tallies with `hasLeast`: the number of domains above zero, and the number of domains with each count. */
  readonly #nonzero: number[] = [];
  readonly #having: number[][] = [];
  /** By row. */
  readonly #nodes: (TalliedNode | undefined)[] = [];
  /** Rows of removed nodes. */
  readonly #away = new Set<number>();
  recorder: TallyRecorder | undefined;

  constructor(tables: Tables, admission: Admission) {
    this.#tables = tables;
    this.#admission = admission;
  }

  /** Creates columns for entries that were added to the tables. */
  catchUp(): void {
    for (let id = this.#domains.length; id < this.#tables.topologies.length; id++) this.#open(id);
    for (let id = this.#totals.length; id < this.#tables.tallies.length; id++) {
      this.#totals.push(0);
      this.#nonzero.push(0);
      this.#having.push([]);
    }
  }

  #open(id: number): void {
    this.#domains.push(undefined);
    this.#nodesIn.push([]);
    this.#existing.push(0);
    const topology = this.#topology(id);
    if (topology.toleratedBy !== undefined) this.#taintTopologies.push(id);
    const name = this.#keyName(topology);
    const alike = this.#topologiesByKey.get(name);
    if (alike) alike.push(id);
    else this.#topologiesByKey.set(name, [id]);
    this.#nodes.forEach((node, row) => {
      if (node && (isEverywhere(name) || Object.hasOwn(node.labels, name))) this.#enter(id, row, node);
    });
  }

  #topology(id: number): Topology {
    return this.#tables.topologies[id] ?? everyNode;
  }

  #keyName({ key }: Topology): string {
    return this.#tables.keys[key]?.name ?? eachNode;
  }

  /** The topologies that a node with these labels may be in. */
  *#topologiesOf({ labels }: TalliedNode): Generator<number, void> {
    yield* this.#topologiesByKey.get(eachNode) ?? [];
    yield* this.#topologiesByKey.get(allNodes) ?? [];
    if (this.#topologiesByKey.size > 0) for (const key in labels) yield* this.#topologiesByKey.get(key) ?? [];
  }

  /** Adds a node without its pods, which the caller counts. */
  enter(row: number, node: TalliedNode): void {
    this.#nodes[row] = node;
    for (const id of this.#topologiesOf(node)) this.#enter(id, row, node);
  }

  /** Deletes a node, after the caller has uncounted its pods. */
  leave(row: number): void {
    const node = this.#nodes[row];
    this.#nodes[row] = undefined;
    if (!node) return;
    for (const id of this.#topologiesOf(node)) {
      const domain = this.#domainIn(id, row);
      if (domain < 0) continue;
      this.#weigh(id, domain, -1);
      const column = this.#domains[id];
      if (column) column[row] = -1;
    }
  }

  /**
   * A node starts to leave (-1), or stays after all (1). The scheduler counts it as a domain until it is gone, except for spread constraints
   * that honour taints.
   */
  weigh(row: number, change: 1 | -1): void {
    if (change > 0) this.#away.delete(row);
    else this.#away.add(row);
    for (const id of this.#taintTopologies) {
      const domain = this.#domainIn(id, row);
      if (domain >= 0 && this.#heedsTaint(id)) this.#weigh(id, domain, change);
    }
  }

  #heedsTaint(topology: number): boolean {
    const { toleratedBy } = this.#topology(topology);
    return toleratedBy !== undefined && !this.#admission.toleratesLeaving(toleratedBy);
  }

  #weigh(topology: number, domain: number, change: 1 | -1): void {
    const before = this.nodesIn(topology, domain);
    const number = before + change;
    this.recorder?.weighed(topology, domain, before);
    const nodes = this.#nodesIn[topology];
    if (nodes) nodes[domain] = number;
    if (number === (change > 0 ? 1 : 0)) this.#existing[topology] = (this.#existing[topology] ?? 0) + change;
  }

  #enter(id: number, row: number, node: TalliedNode): void {
    const domain = this.#domainOf(this.#topology(id), row, node);
    if (domain < 0) return;
    this.#columnFor(id, row)[row] = domain;
    if (!(this.#away.has(row) && this.#heedsTaint(id))) this.#weigh(id, domain, 1);
  }

  /** The domain column of a topology, large enough for this row. */
  #columnFor(id: number, row: number): Int32Array {
    const known = this.#domains[id];
    if (known && row < known.length) return known;
    const column = new Int32Array(Math.max(16, 2 * row)).fill(-1);
    if (known) column.set(known);
    this.#domains[id] = column;
    return column;
  }

  #domainOf({ key, selectedBy, toleratedBy, alsoKeys }: Topology, row: number, node: TalliedNode): number {
    const { labels, traits } = node;
    if (selectedBy !== undefined && !this.#admission.selects(selectedBy, traits)) return -1;
    if (toleratedBy !== undefined && !this.#admission.tolerates(toleratedBy, traits)) return -1;
    for (const other of alsoKeys) if (!Object.hasOwn(labels, this.#tables.keys[other]?.name ?? '')) return -1;
    const known = this.#tables.keys[key];
    if (!known || known.name === eachNode) return row;
    if (known.name === allNodes) return 0;
    const value = Object.hasOwn(labels, known.name) ? labels[known.name] : undefined;
    if (value === undefined) return -1;
    const domain = known.domains.get(value) ?? known.domains.size;
    known.domains.set(value, domain);
    return domain;
  }

  /** Adds (1) or removes (-1) a pod of a class on a node. */
  count({ counted, attached }: ClassRule, row: number, change: 1 | -1): void {
    for (const tally of counted) this.bump(tally, row, change);
    for (const { volume, used } of attached) {
      const users = this.#counts.add(volume, row, change);
      // A volume is attached once, however many pods use it.
      if (users === (change > 0 ? 1 : 0)) this.#add(used, row, change);
    }
  }

  /** Changes a single tally. */
  bump(tally: number, row: number, change: 1 | -1): void {
    const domain = this.domainAt(tally, row);
    if (domain >= 0) this.#add(tally, domain, change);
  }

  #add(tally: number, domain: number, change: 1 | -1): void {
    const value = this.#counts.add(tally, domain, change);
    this.#totals[tally] = this.total(tally) + change;
    this.recorder?.counted(tally, domain, change);
    if (!this.#tables.tallies[tally]?.hasLeast) return;
    const having = this.#having[tally] ?? [];
    const before = value - change;
    const nonzero = this.#nonzero[tally] ?? 0;
    if (before > 0) having[before] = (having[before] ?? 0) - 1;
    if (value > 0) having[value] = (having[value] ?? 0) + 1;
    this.#nonzero[tally] = nonzero + Number(before <= 0) - Number(value <= 0);
  }

  /** -1 = the node does not count. */
  domainAt(tally: number, row: number): number {
    return this.#domainIn(this.#tables.tallies[tally]?.topology ?? -1, row);
  }

  #domainIn(topology: number, row: number): number {
    return this.#domains[topology]?.[row] ?? -1;
  }

  at(tally: number, row: number): number {
    const domain = this.domainAt(tally, row);
    return domain < 0 ? 0 : this.#counts.get(tally, domain);
  }

  total(tally: number): number {
    return this.#totals[tally] ?? 0;
  }

  /** How many domains there are. */
  domains(tally: number): number {
    return this.#existing[this.#tables.tallies[tally]?.topology ?? 0] ?? 0;
  }

  /** How many nodes a domain has. */
  nodesIn(topology: number, domain: number): number {
    return this.#nodesIn[topology]?.[domain] ?? 0;
  }

  /** The lowest count of all domains. */
  least(tally: number): number {
    if (this.domains(tally) > (this.#nonzero[tally] ?? 0)) return 0;
    const having = this.#having[tally] ?? [];
    for (let value = 1; value < having.length; value++) if ((having[value] ?? 0) > 0) return value;
    return 0;
  }
}

const everyNode: Topology = { key: -1, alsoKeys: [] };

const isEverywhere = (key: string): boolean => key === eachNode || key === allNodes;

const empty = -1;

/** A hash table from pairs of small numbers to counts, in typed arrays. Most pairs never occur. */
export class PairCounts {
  #tallies = new Int32Array(1024).fill(empty);
  #domains = new Int32Array(1024);
  #values = new Int32Array(1024);
  #size = 0;

  get(tally: number, domain: number): number {
    const slot = this.#find(tally, domain);
    return this.#tallies[slot] === empty ? 0 : (this.#values[slot] ?? 0);
  }

  /** Returns the new count. */
  add(tally: number, domain: number, change: number): number {
    const slot = this.#find(tally, domain);
    if (this.#tallies[slot] !== empty) {
      const value = (this.#values[slot] ?? 0) + change;
      this.#values[slot] = value;
      return value;
    }
    this.#tallies[slot] = tally;
    this.#domains[slot] = domain;
    this.#values[slot] = change;
    // At most half full, so that lookups stay short.
    if (++this.#size * 2 > this.#tallies.length) this.#grow();
    return change;
  }

  #find(tally: number, domain: number): number {
    const mask = this.#tallies.length - 1;
    let slot = (Math.imul(tally, 0x9e3779b1) ^ Math.imul(domain, 0x85ebca6b)) & mask;
    while (this.#tallies[slot] !== empty && (this.#tallies[slot] !== tally || this.#domains[slot] !== domain)) {
      slot = (slot + 1) & mask;
    }
    return slot;
  }

  #grow(): void {
    const [tallies, domains, values] = [this.#tallies, this.#domains, this.#values];
    this.#tallies = new Int32Array(tallies.length * 2).fill(empty);
    this.#domains = new Int32Array(tallies.length * 2);
    this.#values = new Int32Array(tallies.length * 2);
    this.#size = 0;
    for (let index = 0; index < tallies.length; index++) {
      const [tally = empty, domain = 0, value = 0] = [tallies[index], domains[index], values[index]];
      // Zero counts are dropped.
      if (tally !== empty && value !== 0) this.add(tally, domain, value);
    }
  }
}
