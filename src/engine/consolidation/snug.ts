// On which target does a pod leave the least behind that nobody can use? Of the first few that have room, the one it suits best.
import type { PodClass, Row } from '../placement/board.ts';
import type { BoardState } from '../placement/boardState.ts';

/** As many are compared: those behind them are worth more to have empty. */
const compared = 16;

/** Where most refuse it for their labels, looking on is not worth it once there is one. */
const lookedAt = 32;

/** What a node keeps free counts less than that it keeps cpu and memory alike: one without the other is of no use. */
const tightness = 0.3;

/** Whoever has been promised pods stays anyway: better more of them there than some on a node that could leave. */
const company = 2;

export function findSnug(board: BoardState, pod: PodClass): Row | undefined {
  let best: Row | undefined;
  let least = Number.POSITIVE_INFINITY;
  let found = 0;
  let looked = 0;
  for (const row of board.mightHaveRoom(pod, 0, 'settled')) {
    if (best !== undefined && looked++ >= lookedAt) break;
    if (!board.fits(pod, row)) continue;
    const waste = wasteAt(board, pod, row) - (board.isTouched(row) ? company : 0);
    if (waste < least) {
      least = waste;
      best = row;
    }
    if (++found === compared) break;
  }
  return best;
}

function wasteAt(board: BoardState, pod: PodClass, row: Row): number {
  const { columns, amounts } = board.classRule(pod);
  const { allocatable } = board.factsOf(row);
  let cpu = board.freeOf(row, 0);
  let memory = board.freeOf(row, 1);
  for (let index = 0; index < columns.length; index++) {
    if (columns[index] === 0) cpu -= amounts[index] as number;
    if (columns[index] === 1) memory -= amounts[index] as number;
  }
  const [ofCpu, ofMemory] = [cpu / (allocatable[0] || 1), memory / (allocatable[1] || 1)];
  return Math.abs(ofCpu - ofMemory) + tightness * (ofCpu + ofMemory);
}
