// The order in which nodes are tried as targets: the least worth removing first, so that the others stay removable (F2).
import { compareText } from '../../cluster/nodeView.ts';
import { closedBit, type NodeRows, removedBit, targetBit } from './nodeRows.ts';
import type { ClassRule, RowId } from './tables.ts';

const openBits = targetBit | removedBit | closedBit;

export class TargetOrder {
  readonly #rows: NodeRows;
  readonly #tree = new RoomTree();
  /** Rows whose position has to be recomputed. */
  readonly #moved = new Set<RowId>();
  #order: RowId[] = [];
  /** By row; -1 = not in the order. */
  #position = new Int32Array(0);

  constructor(rows: NodeRows) {
    this.#rows = rows;
  }

  get length(): number {
    return this.#order.length;
  }

  /** The row is new, gone, or its worth changed. */
  markMoved(row: RowId): void {
    this.#moved.add(row);
  }

  /** The free amounts or target flags of the row changed. */
  refresh(row: RowId): void {
    const position = this.#position[row] ?? -1;
    // The pending rebuild of the order will read it.
    if (position < 0 || this.#moved.size > 0) return;
    const rows = this.#rows;
    if (this.#isTarget(row)) this.#tree.set(position, rows.freeOf(row, 0), rows.freeOf(row, 1), rows.freeOf(row, 2));
    else this.#tree.set(position, -1, -1, -1);
  }

  /** Whether it takes pods. */
  #isTarget(row: RowId): boolean {
    return (this.#rows.flagsOf(row) & openBits) === targetBit;
  }

  settle(): void {
    if (this.#moved.size === 0) return;
    const moved = [...this.#moved].filter((row) => this.#rows.factsOf(row) !== undefined);
    const staying = this.#order.filter((row) => !this.#moved.has(row));
    moved.sort((a, b) => this.#compare(a, b));
    this.#order = this.#merge(staying, moved);
    this.#moved.clear();
    this.#build();
  }

  #build(): void {
    const rows = this.#rows;
    this.#position = new Int32Array(this.#order.reduce((most, row) => Math.max(most, row + 1), 0)).fill(-1);
    this.#tree.reset(this.#order.length);
    this.#order.forEach((row, position) => {
      this.#position[row] = position;
      if (this.#isTarget(row))
        this.#tree.setLeaf(position, rows.freeOf(row, 0), rows.freeOf(row, 1), rows.freeOf(row, 2));
    });
    this.#tree.build();
  }

  #compare(a: RowId, b: RowId): number {
    const [one, other] = [this.#rows.factsOf(a), this.#rows.factsOf(b)];
    return (one?.worth ?? 0) - (other?.worth ?? 0) || compareText(one?.name ?? '', other?.name ?? '');
  }

  #merge(staying: readonly RowId[], moved: readonly RowId[]): RowId[] {
    const merged: RowId[] = [];
    const left = moved.values();
    let next = left.next();
    for (const row of staying) {
      for (; !next.done && this.#compare(next.value, row) < 0; next = left.next()) merged.push(next.value);
      merged.push(row);
    }
    for (; !next.done; next = left.next()) merged.push(next.value);
    return merged;
  }

  rowAt(position: number): RowId {
    return this.#order[position] ?? -1;
  }

  positionOf(row: RowId): number {
    this.settle();
    return this.#position[row] ?? -1;
  }

  rows(): readonly RowId[] {
    this.settle();
    return this.#order;
  }

  /** The next position where there might be room; -1 = none. */
  next(from: number, [cpu, memory, pods]: ResourceNeeds): number {
    return this.#tree.next(from, cpu, memory, pods);
  }
}

/** Requested cpu, memory and pods. */
export type ResourceNeeds = readonly [number, number, number];

/** A resource that is not requested gets -Infinity: the node may even be overcommitted on it. */
export function treeNeeds(rule: ClassRule): ResourceNeeds {
  const needs: [number, number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const { column, amount } of rule.needs) if (column < 3) needs[column] = amount;
  return needs;
}

/** The tree covers cpu, memory and pods, in this order. Other resources are checked per node. */
const treeColumns = 3;

/** A segment tree over the order: each inner node has the maximum free amounts below it. Finds the next node that might have room. */
export class RoomTree {
  #size = 1;
  #most = new Float64Array(2 * treeColumns).fill(-1);

  /** Clears the tree: no position has room, not even for zero. */
  reset(length: number): void {
    let size = 1;
    while (size < length) size *= 2;
    this.#size = size;
    this.#most = new Float64Array(2 * size * treeColumns).fill(-1);
  }

  /** For bulk loading; `build` must follow. */
  setLeaf(position: number, cpu: number, memory: number, pods: number): void {
    this.#write(position + this.#size, cpu, memory, pods);
  }

  build(): void {
    for (let node = this.#size - 1; node > 0; node--) this.#gather(node);
  }

  set(position: number, cpu: number, memory: number, pods: number): void {
    let node = position + this.#size;
    this.#write(node, cpu, memory, pods);
    for (node >>= 1; node > 0; node >>= 1) if (!this.#gather(node)) break;
  }

  /** The first position from `from` with at least that much of each; -1 = none. */
  next(from: number, cpu: number, memory: number, pods: number): number {
    const [most, size] = [this.#most, this.#size];
    if (from >= size) return -1;
    let node = from + size;
    for (;;) {
      const at = node * treeColumns;
      if ((most[at] ?? 0) >= cpu && (most[at + 1] ?? 0) >= memory && (most[at + 2] ?? 0) >= pods) {
        if (node >= size) return node - size;
        node *= 2;
      } else {
        while (node & 1) node >>= 1;
        if (node === 0) return -1;
        node++;
      }
    }
  }

  #write(node: number, cpu: number, memory: number, pods: number): void {
    const at = node * treeColumns;
    this.#most[at] = cpu;
    this.#most[at + 1] = memory;
    this.#most[at + 2] = pods;
  }

  /** Whether anything changed. */
  #gather(node: number): boolean {
    const most = this.#most;
    const at = node * treeColumns;
    const below = at * 2;
    let changed = false;
    for (let column = 0; column < treeColumns; column++) {
      const value = Math.max(most[below + column] ?? -1, most[below + treeColumns + column] ?? -1);
      if (most[at + column] === value) continue;
      most[at + column] = value;
      changed = true;
    }
    return changed;
  }
}
