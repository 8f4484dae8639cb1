// Which new nodes would take the pods that fit on no other node (F5)?
import type { Pod, Pool } from '../../cluster/model.ts';
import type { BoardOfFacts, Row } from './board.ts';
import type { PlannedReplacement } from './placement.ts';
import type { Shape } from './shapes.ts';

/**
 * One shape for all of them where there is one; else as few as first-fit needs. They stand on the board then. A pod that fits none is
 * named, and the board is as it was.
 */
export function packIntoNew(
  board: BoardOfFacts,
  pods: readonly Pod[],
  shapes: readonly Shape[],
): { shapes: Shape[] } | { misfit: Pod } {
  const mark = board.mark();
  for (const shape of shapes) {
    const row = board.add(shape);
    if (pods.every((pod) => put(board, pod, row))) return { shapes: [shape] };
    board.undo(mark);
  }
  const made: { readonly shape: Shape; readonly row: Row }[] = [];
  const largestFirst = [...pods].sort((a, b) => (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0));
  for (const pod of largestFirst) {
    if (made.some(({ row }) => put(board, pod, row))) continue;
    const bin = openFor(board, pod, shapes);
    if (!bin) {
      board.undo(mark);
      return { misfit: pod };
    }
    made.push(bin);
  }
  return { shapes: made.map(({ shape }) => shape) };
}

/** A new node of the first shape that takes it. */
function openFor(board: BoardOfFacts, pod: Pod, shapes: readonly Shape[]): { shape: Shape; row: Row } | undefined {
  for (const shape of shapes) {
    const mark = board.mark();
    const row = board.add(shape);
    if (put(board, pod, row)) return { shape, row };
    board.undo(mark);
  }
  return undefined;
}

function put(board: BoardOfFacts, pod: Pod, row: Row): boolean {
  const number = board.classOf(pod);
  if (!board.fits(number, row)) return false;
  board.take(number, row);
  return true;
}

export const planOf = (pool: Pool, { instanceType, assumed, price }: Shape): PlannedReplacement => ({
  pool: pool.name,
  ...(instanceType !== undefined && { instanceType }),
  ...(price !== undefined && { price }),
  ...(assumed && { assumed }),
});
