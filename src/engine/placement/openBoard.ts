// The board of a round: everything where the facts have it, and those seated who wait for a place already (F6).
import type { Command } from '../../cluster/ledger.ts';
import { isDaemon } from '../../cluster/pod.ts';
import { type InFlight, type Situation, targetsOf } from '../situation.ts';
import type { Board, Row } from './board.ts';
import { BoardState } from './boardState.ts';
import { boardOf, FactsBoard } from './factsBoard.ts';
import { judgeOn, type Removal } from './judgements.ts';
import { inOrderOfPlacing } from './rowFacts.ts';
import { openSeats, type Seats } from './seats.ts';

const noNodes: ReadonlySet<string> = new Set();

/**
 * It is one for all rounds on a cluster: whoever opens it ends what others tried on it.
 * `judgedAgain`: nodes on their way out whose pods are about to be placed anew, so that their old promise is not held against them.
 */
export function openBoard(situation: Situation, judgedAgain: ReadonlySet<string> = noNodes): FactsBoard {
  const board = boardOf(situation);
  const { cluster, inFlight } = situation;
  const leaving = [...inFlight].filter(([name]) => !judgedAgain.has(name));
  for (const [name] of leaving) {
    const row = board.rowOf(name);
    if (row !== undefined) board.lift(row);
  }
  seatPending(board, situation);
  const seats = openSeats(cluster);
  const seated = new Set<string>();
  for (const it of leaving) for (const name of seatLeaving(board, it, situation, seats)) seated.add(name);
  board.seated = seated;
  board.judgements.endChange();
  return board;
}

/** Room that pending pods will take is not there for others. */
function seatPending(board: FactsBoard, { cluster }: Situation): void {
  for (const pod of inOrderOfPlacing(cluster.pendingPods)) {
    if (isDaemon(pod)) continue;
    const number = board.classOf(pod);
    const nominated = pod.nominatedNode === undefined ? undefined : board.rowOf(pod.nominatedNode);
    const row = pod.nominatedNode ? nominated : board.find(number, 'first', 'all');
    if (row !== undefined) board.take(number, row);
  }
}

/** Nor that which the pods of nodes already leaving will take. Says which nodes a command's pods need. */
function seatLeaving(
  board: FactsBoard,
  [name, { command }]: readonly [string, InFlight],
  { cluster }: Situation,
  seats: Seats,
): readonly string[] {
  const view = cluster.node(name);
  if (!view) return [];
  const targets = command ? targetsOf(command, cluster) : [];
  const rows = targets.flatMap((target) => board.rowOf(target) ?? []);
  // Where replacements come, the pods that were promised no other node go there.
  const isAwaited = command !== undefined && command.replacements.length > 0 && !isReplaced(command);
  const needed: string[] = [];
  for (const pod of inOrderOfPlacing(seats.neededFrom(view, targets))) {
    const number = board.classOf(pod);
    const promised = rows.find((row) => board.isTarget(row, 'all') && board.fits(number, row));
    const row = promised ?? (isAwaited ? undefined : board.find(number, 'first', 'all'));
    if (row === undefined) continue;
    board.take(number, row);
    if (command) needed.push(board.nameOf(row));
  }
  return needed;
}

/** All its replacements have come. */
const isReplaced = ({ step }: Command): boolean => step === 'draining' || step === 'terminating';

/** Would the pods of this node find places if it left now? */
export function judgeRemoval(board: Board, row: Row): Removal {
  if (board instanceof FactsBoard) return board.judgements.removal(row);
  if (board instanceof BoardState) return judgeOn(board, row);
  throw new TypeError('a board of another make cannot be judged');
}
