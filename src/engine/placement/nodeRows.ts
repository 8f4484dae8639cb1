// Node data in columns of numbers, one row per node: free resources, target flags, and the facts of the row.
import { traitsId } from './admission.ts';
import type { ClassRule, PodClass, RowFacts, RowId, Tables } from './tables.ts';

/** all: every node that takes pods. stable: without those inside their consolidateAfter, which consolidation leaves alone. */
export type Targets = 'all' | 'stable';

/** Flags of a row: takes pods; past its consolidateAfter; removed; created by `Board.add`; closed to new pods. */
export const targetBit = 1;
export const stableBit = 2;
export const removedBit = 4;
export const madeBit = 8;
export const closedBit = 16;

const shutBits = removedBit | closedBit;

export class NodeRows {
  readonly #tables: Tables;
  readonly #width: number;
  #capacity = 16;
  #free: Float64Array;
  #flags = new Uint8Array(16);
  #places = new Int32Array(16);
  readonly #facts: (RowFacts | undefined)[] = [];
  /** Pods assigned in this decision, in addition to the facts. */
  readonly #extra: PodClass[][] = [];
  readonly #byName = new Map<string, RowId>();

  constructor(tables: Tables) {
    this.#tables = tables;
    this.#width = tables.resources.length;
    this.#free = new Float64Array(this.#capacity * this.#width);
  }

  of(node: string): RowId | undefined {
    return this.#byName.get(node);
  }

  nameOf(row: RowId): string {
    return this.#facts[row]?.name ?? '';
  }

  factsOf(row: RowId): RowFacts | undefined {
    return this.#facts[row];
  }

  extraOf(row: RowId): readonly PodClass[] {
    return this.#extra[row] ?? noPods;
  }

  /** Its reschedulable pods, by priority and then size, followed by those assigned in this decision. */
  podsOn(row: RowId): readonly PodClass[] {
    const pods = this.#facts[row]?.pods ?? noPods;
    const extra = this.extraOf(row);
    return extra.length === 0 ? pods : [...pods, ...extra];
  }

  traitsOf(row: RowId): number {
    return this.#places[row] ?? 0;
  }

  freeOf(row: RowId, column: number): number {
    return this.#free[row * this.#width + column] ?? 0;
  }

  hasRoom({ needs }: ClassRule, row: RowId): boolean {
    const at = row * this.#width;
    for (const { column, amount } of needs) if (amount > (this.#free[at + column] ?? 0)) return false;
    return true;
  }

  /** How many nodes there are. */
  get size(): number {
    return this.#byName.size;
  }

  /** How many rows there are, including empty ones. */
  get length(): number {
    return this.#facts.length;
  }

  /** A copy of the free amounts and flags. */
  columns(): Columns {
    const { length } = this.#facts;
    return { free: this.#free.slice(0, length * this.#width), flags: this.#flags.slice(0, length) };
  }

  flagsOf(row: RowId): number {
    return this.#flags[row] ?? 0;
  }

  setFlags(row: RowId, flags: number): void {
    this.#flags[row] = flags;
  }

  isTarget(row: RowId, targets: Targets): boolean {
    const wanted = targets === 'stable' ? targetBit | stableBit : targetBit;
    return (this.flagsOf(row) & (wanted | shutBits)) === wanted;
  }

  isRemoved(row: RowId): boolean {
    return (this.flagsOf(row) & removedBit) !== 0;
  }

  /** Subtracts a pod's requests from what is free (1), or adds them back (-1). */
  put(pod: PodClass, { needs }: ClassRule, row: RowId, change: 1 | -1): void {
    if (change > 0) this.#extra[row]?.push(pod);
    else this.#extra[row]?.pop();
    for (const { column, amount } of needs) {
      const place = row * this.#width + column;
      this.#free[place] = (this.#free[place] ?? 0) - change * amount;
    }
  }

  write(row: RowId, facts: RowFacts): void {
    while (row >= this.#capacity) this.#widen();
    this.#facts[row] = facts;
    this.#extra[row] ??= [];
    this.#byName.set(facts.name, row);
    this.#places[row] = traitsId(this.#tables, facts);
    this.#flags[row] = 0;
    for (let column = 0; column < this.#width; column++)
      this.#free[row * this.#width + column] = facts.free[column] ?? 0;
  }

  erase(row: RowId): void {
    this.#byName.delete(this.nameOf(row));
    this.#facts[row] = undefined;
    this.#flags[row] = 0;
  }

  /** Drops the last row. */
  drop(row: RowId): void {
    this.erase(row);
    this.#facts.length = row;
    this.#extra.length = row;
  }

  #widen(): void {
    this.#capacity *= 2;
    const [free, flags, places] = [this.#free, this.#flags, this.#places];
    this.#free = new Float64Array(this.#capacity * this.#width);
    this.#free.set(free);
    this.#flags = new Uint8Array(this.#capacity);
    this.#flags.set(flags);
    this.#places = new Int32Array(this.#capacity);
    this.#places.set(places);
  }
}

export interface Columns {
  readonly free: Float64Array;
  readonly flags: Uint8Array;
}

const noPods: readonly PodClass[] = [];

/** Whether newly read facts equal the known ones. */
export const isSameRow = (was: RowFacts | undefined, facts: RowFacts): boolean =>
  was !== undefined &&
  was.worth === facts.worth &&
  was.unschedulable === facts.unschedulable &&
  isSameList(was.free, facts.free) &&
  isSameList(was.pods, facts.pods) &&
  isSameList(was.running, facts.running) &&
  isSameList(was.allocatable, facts.allocatable) &&
  isSameText(was.labels, facts.labels) &&
  isSameText(was.taints, facts.taints) &&
  isSameText(was.limits, facts.limits);

const isSameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index]);

const isSameText = (a: object, b: object): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
