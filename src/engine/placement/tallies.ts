// How many pods that matter to others stand in each domain, and where is the least (F6)?
import { Counts } from './counts.ts';
import { allNodes, type ClassRule, eachNode, type Field, type Tables, type Tally } from './tables.ts';

/** What a field must know of a node. */
export interface Standing {
  readonly labels: Readonly<Record<string, string>>;
  readonly place: number;
}

/** Whether a rule selects, or tolerates, the nodes of a place. */
export interface Admission {
  selects(rule: number, place: number): boolean;
  tolerates(rule: number, place: number): boolean;
  /** Whether a rule tolerates the taints of a node that leaves. */
  toleratesLeaving(rule: number): boolean;
}

/** Told of every change, where somebody wants to know what changed. */
export interface Recorder {
  counted(tally: number, domain: number, change: number): void;
  /** How many nodes stood in a domain before. */
  weighed(field: number, domain: number, before: number): void;
}

export class Tallies {
  readonly #tables: Tables;
  readonly #admission: Admission;
  readonly #counts = new Counts();
  /** By field, then row: the domain; -1 = the node does not count there. Absent = no node does. */
  readonly #domains: (Int32Array | undefined)[] = [];
  /** The fields by the label key that divides them: a node is asked only for those whose key it has. */
  readonly #fieldsByKey = new Map<string, number[]>();
  /** The fields that leave out nodes by their taints. */
  readonly #taintFields: number[] = [];
  /** By field, then domain: how many nodes stand in it. */
  readonly #nodesIn: number[][] = [];
  /** By field: how many domains have nodes. */
  readonly #existing: number[] = [];
  /** By tally. */
  readonly #totals: number[] = [];
  /** By tally that asks for the least: how many domains count something, and how many count so many. */
  readonly #nonzero: number[] = [];
  readonly #having: number[][] = [];
  /** By row. */
  readonly #standings: (Standing | undefined)[] = [];
  /** Rows of nodes that leave. */
  readonly #away = new Set<number>();
  #capacity: number;
  recorder: Recorder | undefined;

  constructor(tables: Tables, admission: Admission, capacity: number) {
    this.#tables = tables;
    this.#admission = admission;
    this.#capacity = capacity;
  }

  /** Columns for what has been added to the tables. */
  catchUp(): void {
    for (let id = this.#domains.length; id < this.#tables.fields.length; id++) this.#open(id);
    for (let id = this.#totals.length; id < this.#tables.tallies.length; id++) {
      this.#totals.push(0);
      this.#nonzero.push(0);
      this.#having.push([]);
    }
  }

  grow(capacity: number): void {
    this.#capacity = capacity;
    for (let id = 0; id < this.#domains.length; id++) {
      const column = this.#domains[id];
      if (!column) continue;
      const wider = new Int32Array(capacity).fill(-1);
      wider.set(column);
      this.#domains[id] = wider;
    }
  }

  #open(id: number): void {
    this.#domains.push(undefined);
    this.#nodesIn.push([]);
    this.#existing.push(0);
    const field = this.#tables.fields[id] as Field;
    if (field.toleratedBy !== undefined) this.#taintFields.push(id);
    const name = this.#keyName(field);
    const alike = this.#fieldsByKey.get(name);
    if (alike) alike.push(id);
    else this.#fieldsByKey.set(name, [id]);
    this.#standings.forEach((standing, row) => {
      if (standing && (isEverywhere(name) || Object.hasOwn(standing.labels, name))) this.#enter(id, row, standing);
    });
  }

  #keyName({ key }: Field): string {
    return this.#tables.keys[key]?.name ?? eachNode;
  }

  /** The fields that a node with these labels may count in. */
  *#fieldsOf({ labels }: Standing): Generator<number, void> {
    yield* this.#fieldsByKey.get(eachNode) ?? [];
    yield* this.#fieldsByKey.get(allNodes) ?? [];
    if (this.#fieldsByKey.size > 0) for (const key in labels) yield* this.#fieldsByKey.get(key) ?? [];
  }

  /** A node comes; its pods are counted one by one. */
  enter(row: number, standing: Standing): void {
    this.#standings[row] = standing;
    for (const id of this.#fieldsOf(standing)) this.#enter(id, row, standing);
  }

  /** It goes; its pods have been taken out one by one. */
  leave(row: number): void {
    const standing = this.#standings[row];
    this.#standings[row] = undefined;
    if (!standing) return;
    for (const id of this.#fieldsOf(standing)) {
      const domain = this.#domainIn(id, row);
      if (domain < 0) continue;
      this.#weigh(id, domain, -1);
      (this.#domains[id] as Int32Array)[row] = -1;
    }
  }

  /**
   * A node begins to leave (-1), or stays after all (1). Until it is gone the scheduler counts it as a domain, empty or not; only where a
   * spread honours taints it does not.
   */
  weigh(row: number, change: 1 | -1): void {
    if (change > 0) this.#away.delete(row);
    else this.#away.add(row);
    for (const id of this.#taintFields) {
      const domain = this.#domainIn(id, row);
      if (domain >= 0 && this.#heedsTaint(id)) this.#weigh(id, domain, change);
    }
  }

  #heedsTaint(field: number): boolean {
    const { toleratedBy } = this.#tables.fields[field] as Field;
    return toleratedBy !== undefined && !this.#admission.toleratesLeaving(toleratedBy);
  }

  #weigh(field: number, domain: number, change: 1 | -1): void {
    const nodes = this.#nodesIn[field] as number[];
    const before = nodes[domain] ?? 0;
    const number = before + change;
    this.recorder?.weighed(field, domain, before);
    nodes[domain] = number;
    if (number === (change > 0 ? 1 : 0)) this.#existing[field] = (this.#existing[field] as number) + change;
  }

  #enter(id: number, row: number, standing: Standing): void {
    const domain = this.#domainOf(this.#tables.fields[id] as Field, row, standing);
    if (domain < 0) return;
    let column = this.#domains[id];
    if (!column) {
      column = new Int32Array(this.#capacity).fill(-1);
      this.#domains[id] = column;
    }
    column[row] = domain;
    if (!(this.#away.has(row) && this.#heedsTaint(id))) this.#weigh(id, domain, 1);
  }

  #domainOf({ key, selectedBy, toleratedBy, alsoKeys }: Field, row: number, standing: Standing): number {
    const { labels, place } = standing;
    if (selectedBy !== undefined && !this.#admission.selects(selectedBy, place)) return -1;
    if (toleratedBy !== undefined && !this.#admission.tolerates(toleratedBy, place)) return -1;
    for (const other of alsoKeys) if (!Object.hasOwn(labels, this.#tables.keys[other]?.name ?? '')) return -1;
    const known = this.#tables.keys[key];
    if (!known || known.name === eachNode) return row;
    if (known.name === allNodes) return 0;
    if (!Object.hasOwn(labels, known.name)) return -1;
    const value = labels[known.name] as string;
    const domain = known.domains.get(value) ?? known.domains.size;
    known.domains.set(value, domain);
    return domain;
  }

  /** Pods of a class come to a node (1) or go (-1). */
  count({ counted, attached }: ClassRule, row: number, change: 1 | -1): void {
    for (let index = 0; index < counted.length; index++) this.#bump(counted[index] as number, row, change);
    for (const { volume, used } of attached) {
      const users = this.#counts.add(volume, row, change);
      // However many pods use it, it is attached once.
      if (users === (change > 0 ? 1 : 0)) this.#add(used, row, change);
    }
  }

  /** One tally alone, for pods that stood there before it was kept. */
  countLate(tally: number, row: number): void {
    this.#bump(tally, row, 1);
  }

  #bump(tally: number, row: number, change: 1 | -1): void {
    const { field } = this.#tables.tallies[tally] as Tally;
    const domain = this.#domainIn(field, row);
    if (domain >= 0) this.#add(tally, domain, change);
  }

  #add(tally: number, domain: number, change: 1 | -1): void {
    const value = this.#counts.add(tally, domain, change);
    this.#totals[tally] = (this.#totals[tally] as number) + change;
    this.recorder?.counted(tally, domain, change);
    if (!this.#tables.tallies[tally]?.hasLeast) return;
    const having = this.#having[tally] as number[];
    const before = value - change;
    if (before > 0) having[before] = (having[before] as number) - 1;
    else this.#nonzero[tally] = (this.#nonzero[tally] as number) + 1;
    if (value > 0) having[value] = (having[value] ?? 0) + 1;
    else this.#nonzero[tally] = (this.#nonzero[tally] as number) - 1;
  }

  /** -1 = the node does not count there. */
  domainAt(tally: number, row: number): number {
    const { field } = this.#tables.tallies[tally] as Tally;
    return this.#domainIn(field, row);
  }

  #domainIn(field: number, row: number): number {
    const column = this.#domains[field];
    return column === undefined ? -1 : (column[row] as number);
  }

  at(tally: number, row: number): number {
    const domain = this.domainAt(tally, row);
    return domain < 0 ? 0 : this.#counts.get(tally, domain);
  }

  total(tally: number): number {
    return this.#totals[tally] as number;
  }

  /** How many domains there are. */
  domains(tally: number): number {
    return this.#existing[this.#tables.tallies[tally]?.field ?? 0] as number;
  }

  /** How many nodes stand in a domain. */
  nodesIn(field: number, domain: number): number {
    return this.#nodesIn[field]?.[domain] ?? 0;
  }

  /** The lowest count of all domains. */
  least(tally: number): number {
    if (this.domains(tally) > (this.#nonzero[tally] as number)) return 0;
    const having = this.#having[tally] as number[];
    for (let value = 1; value < having.length; value++) if ((having[value] ?? 0) > 0) return value;
    return 0;
  }
}

const isEverywhere = (key: string): boolean => key === eachNode || key === allNodes;
