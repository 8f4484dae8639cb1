// Where do the pods of nodes that leave together go? On the others, as far as they fit; who fits nowhere is homeless.
import type { PodClass, Row } from '../placement/board.ts';
import type { BoardState } from '../placement/boardState.ts';
import type { Tables } from '../placement/tables.ts';
import { findSnug } from './snug.ts';

export interface Seating {
  /** Which pod goes where, in the order in which they were seated; two numbers each. */
  readonly seats: readonly number[];
  readonly homeless: readonly PodClass[];
}

/** All of them leave first, so that none takes the pods of another. What is done stays done: whoever tries only marks before and undoes. */
export function seat(board: BoardState, rows: readonly Row[]): Seating {
  for (const row of rows) board.lift(row);
  const seats: number[] = [];
  const homeless: PodClass[] = [];
  for (const pod of podsOn(board, rows)) {
    const target = findSnug(board, pod);
    if (target === undefined) {
      homeless.push(pod);
      continue;
    }
    board.take(pod, target);
    seats.push(pod, target);
  }
  return { seats, homeless };
}

/** One node's pods, all or nothing: on others, or else on the new node, where there is one. */
export function seatAll(board: BoardState, row: Row, fresh?: Row): readonly number[] | undefined {
  const pods = board.podsOn(row);
  board.lift(row);
  const seats: number[] = [];
  for (let index = 0; index < pods.length; index++) {
    const pod = pods[index] as PodClass;
    const target = findSnug(board, pod) ?? (fresh !== undefined && board.fits(pod, fresh) ? fresh : undefined);
    if (target === undefined) return undefined;
    board.take(pod, target);
    seats.push(pod, target);
  }
  return seats;
}

/** The same again, without asking anew. */
export function replay(board: BoardState, rows: readonly Row[], seats: readonly number[]): void {
  for (const row of rows) board.lift(row);
  for (let index = 0; index < seats.length; index += 2) board.take(seats[index] as PodClass, seats[index + 1] as Row);
}

/** Largest first: small ones find a hole that large ones leave. */
function podsOn(board: BoardState, rows: readonly Row[]): readonly PodClass[] {
  if (rows.length === 1) return Array.from(board.podsOn(rows[0] as Row));
  // Numbers of classes hang on who was met first: they decide nothing.
  const sized = rows.flatMap((row) =>
    Array.from(board.podsOn(row), (pod) => ({ pod, size: sizeOf([pod], board.tables) })),
  );
  const more = (a: Float64Array, b: Float64Array, column: number): number => (b[column] ?? 0) - (a[column] ?? 0);
  return sized.sort((a, b) => more(a.size, b.size, 0) || more(a.size, b.size, 1)).map(({ pod }) => pod);
}

/** What these pods request together, by the board's columns. */
export function sizeOf(pods: ArrayLike<PodClass>, { classes, resources }: Tables): Float64Array {
  const size = new Float64Array(resources.length);
  for (let place = 0; place < pods.length; place++) {
    const { columns, amounts } = classes[pods[place] as PodClass] ?? nothing;
    for (let index = 0; index < columns.length; index++) {
      const column = columns[index] as number;
      size[column] = (size[column] as number) + (amounts[index] as number);
    }
  }
  return size;
}

const nothing = { columns: [], amounts: [] };
