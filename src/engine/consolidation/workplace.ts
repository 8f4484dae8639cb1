// What does consolidation work on? The round's board, and what the round has given away already.
import type { Pod } from '../../cluster/model.ts';
import type { Row } from '../placement/board.ts';
import type { FactsBoard } from '../placement/factsBoard.ts';
import type { Removal } from '../placement/judgements.ts';
import type { PoolCapacity } from '../placement/poolCapacity.ts';
import type { Situation } from '../situation.ts';

export interface Workplace {
  readonly situation: Situation;
  readonly board: FactsBoard;
  readonly capacity: PoolCapacity;
  /** As the board was opened; undefined = it was not asked then. */
  removalOf(row: Row): Removal | undefined;
  /** Before the first change: what is remembered was asked of the board as it was opened. */
  leaveBase(): void;
  /** A sentence where one of them will fit on a node that is still starting. */
  startingFor(pods: readonly Pod[]): string | undefined;
}
