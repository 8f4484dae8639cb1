// Where would the pods of a node that leaves go, one after another?
import type { Pod } from '../../cluster/model.ts';
import type { PodClass, Row } from './board.ts';
import type { FactsBoard } from './factsBoard.ts';

export interface Seating {
  readonly seated: readonly { readonly pod: Pod; readonly row: Row }[];
  readonly homeless: readonly Pod[];
}

/** Lifts it first. What finds a place stands there from then on; the caller undoes it, or keeps it. */
export function seatPodsOf(board: FactsBoard, row: Row): Seating {
  const pods = board.podsFrom(row);
  const numbers = Array.from<PodClass>(board.podsOn(row));
  board.lift(row);
  const seated: { pod: Pod; row: Row }[] = [];
  const homeless: Pod[] = [];
  numbers.forEach((number, index) => {
    // Absent = it was to come here in this round, from somewhere else: its move has been told.
    const pod = pods[index];
    const target = board.find(number, 'first', 'all');
    if (target !== undefined) board.take(number, target);
    if (!pod) return;
    if (target === undefined) homeless.push(pod);
    else seated.push({ pod, row: target });
  });
  return { seated, homeless };
}
