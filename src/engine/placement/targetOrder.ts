// Which target comes first? Those worth removing least, so that nodes worth removing stay removable (F2).
import { compareText } from '../../cluster/nodeView.ts';
import type { Row } from './board.ts';
import { RoomTree } from './roomTree.ts';
import type { ClassRule, RowFacts } from './tables.ts';

interface Rows {
  factsOf(row: Row): RowFacts | undefined;
  freeOf(row: Row, column: number): number;
  isOpen(row: Row): boolean;
}

export class TargetOrder {
  readonly #rows: Rows;
  readonly #tree = new RoomTree();
  /** Rows whose place in the order is to be found anew. */
  readonly #misplaced = new Set<Row>();
  #order: Row[] = [];
  /** By row; -1 = it is none of them. */
  #position = new Int32Array(0);

  constructor(rows: Rows) {
    this.#rows = rows;
  }

  get length(): number {
    return this.#order.length;
  }

  /** It is new, gone, or worth something else. */
  misplace(row: Row): void {
    this.#misplaced.add(row);
  }

  /** What is free on it has changed, or whether anybody may go there. */
  refresh(row: Row): void {
    const position = this.#position[row] ?? -1;
    // Whoever is to be put in order is looked at then.
    if (position < 0 || this.#misplaced.size > 0) return;
    const rows = this.#rows;
    if (rows.isOpen(row)) this.#tree.set(position, rows.freeOf(row, 0), rows.freeOf(row, 1), rows.freeOf(row, 2));
    else this.#tree.set(position, -1, -1, -1);
  }

  settle(): void {
    if (this.#misplaced.size === 0) return;
    const moved = [...this.#misplaced].filter((row) => this.#rows.factsOf(row) !== undefined);
    const staying = this.#order.filter((row) => !this.#misplaced.has(row));
    moved.sort((a, b) => this.#compare(a, b));
    this.#order = this.#merge(staying, moved);
    this.#misplaced.clear();
    this.#build();
  }

  #build(): void {
    const rows = this.#rows;
    this.#position = new Int32Array(this.#order.reduce((most, row) => Math.max(most, row + 1), 0)).fill(-1);
    this.#tree.reset(this.#order.length);
    this.#order.forEach((row, position) => {
      this.#position[row] = position;
      if (rows.isOpen(row)) this.#tree.place(position, rows.freeOf(row, 0), rows.freeOf(row, 1), rows.freeOf(row, 2));
    });
    this.#tree.build();
  }

  #compare(a: Row, b: Row): number {
    const [one, other] = [this.#rows.factsOf(a), this.#rows.factsOf(b)];
    return (one?.worth ?? 0) - (other?.worth ?? 0) || compareText(one?.name ?? '', other?.name ?? '');
  }

  #merge(staying: readonly Row[], moved: readonly Row[]): Row[] {
    const merged: Row[] = [];
    let next = 0;
    for (const row of staying) {
      while (next < moved.length && this.#compare(moved[next] as Row, row) < 0) merged.push(moved[next++] as Row);
      merged.push(row);
    }
    while (next < moved.length) merged.push(moved[next++] as Row);
    return merged;
  }

  rowAt(position: number): Row {
    return this.#order[position] as Row;
  }

  positionOf(row: Row): number {
    this.settle();
    return this.#position[row] ?? -1;
  }

  get rows(): readonly Row[] {
    this.settle();
    return this.#order;
  }

  /** The next position from here on where there might be room for it; -1 = there is none. */
  next(from: number, [cpu, memory, pods]: Needs): number {
    return this.#tree.next(from, cpu, memory, pods);
  }
}

/** Of cpu, memory and pods. */
export type Needs = readonly [number, number, number];

/** Of what it needs nothing a node may have given away more than it has. */
export function needsOf({ columns, amounts }: ClassRule): Needs {
  const needs: [number, number, number] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (let index = 0; index < columns.length; index++) {
    const column = columns[index] as number;
    if (column < 3) needs[column] = amounts[index] as number;
  }
  return needs;
}
