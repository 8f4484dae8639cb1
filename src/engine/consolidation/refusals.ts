// How is it said that a node is not consolidated (J1)? Which pod finds no place and why, or what it would save and what was asked for.
import type { Pod } from '../../cluster/model.ts';
import { after, type Instant } from '../../time/instant.ts';
import { stableSince } from '../gates/notStable.ts';
import type { PodClass, Row } from '../placement/board.ts';
import type { FactsBoard } from '../placement/factsBoard.ts';
import { nameOfPod, tellMisfit } from '../placement/misfit.ts';
import { type Refusal, type RuleOwner, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import { type Group, guestPod, type Mover } from './group.ts';
import type { Objection } from './thrift.ts';

export class Refusals {
  readonly #board: FactsBoard;
  readonly #situation: Situation;

  constructor(board: FactsBoard, situation: Situation) {
    this.#board = board;
    this.#situation = situation;
  }

  /** `pod`: the first that fits on no other node; absent = all do. */
  of(group: Group, { code, why, typesSeenOnly }: Objection, pod?: Pod): Refusal {
    if (code === 'NoPlacement' && pod) {
      const misfit = this.#tellMisfit(group, pod);
      return refuse(code, typesSeenOnly ? `${misfit}; no type seen would hold it` : misfit, { typesSeenOnly });
    }
    const sentence = pod ? `${nameOfPod(pod)} fits on no other node; ${why}` : `its pods fit elsewhere, but ${why}`;
    return refuse(code, sentence, { typesSeenOnly });
  }

  because(sentence: string): Refusal {
    return refuse('NoPlacement', sentence);
  }

  beyond(pod: Pod, limit: string): Refusal {
    return refuse('NoPlacement', `${nameOfPod(pod)} fits on no other node, and ${limit}`);
  }

  ofGuest(number: PodClass): Refusal {
    const pod = guestPod(number, this.#board, this.#situation);
    const who = pod ? nameOfPod(pod) : 'a pod';
    const whence = pod?.nodeName === undefined ? 'that waits for a place' : 'of a node that leaves';
    return refuse('NoPlacement', `${who} ${whence} is to go there, and would fit nowhere else`);
  }

  /** All others stand where the scheduler is likely to seat them. */
  stranded({ pod, number }: Mover): Refusal {
    const why = tellMisfit(pod, this.#board.misfit(number));
    return refuse('NoPlacement', `${why}; it would fit, but the scheduler is likely to seat the others there`);
  }

  /** Its owner is the node that comes to rest last. Where others take the room by then, it is refused anew: by another, or by none. */
  untilSettled(pod: Pod, rows: readonly Row[]): Refusal {
    const names = [...new Set(rows.map((row) => this.#board.nameOf(row)))].sort();
    let owner: RuleOwner | undefined;
    let liftsAt: Instant | undefined;
    for (const name of names) {
      const at = this.#settledAt(name);
      if (at === undefined || (liftsAt !== undefined && at <= liftsAt)) continue;
      owner = { kind: 'Node', name };
      liftsAt = at;
    }
    const where = names.length > 1 ? `${names[0]} and ${names.length - 1} more` : names[0];
    const message = `${nameOfPod(pod)} will fit on ${where}, where pods came or went less than consolidateAfter ago`;
    return refuse('NoPlacement', message, { ...(owner && { owner }), liftsAt });
  }

  #settledAt(name: string): Instant | undefined {
    const { cluster, now } = this.#situation;
    const view = cluster.node(name);
    const pool = view?.poolName === undefined ? undefined : cluster.pools.get(view.poolName);
    const since = view && stableSince(view);
    if (!pool || since === undefined || pool.consolidateAfter === 'Never') return undefined;
    const at = after(since, pool.consolidateAfter);
    return at > now ? at : undefined;
  }

  /** As if the nodes were gone. */
  #tellMisfit({ rows }: Group, pod: Pod): string {
    const board = this.#board;
    const mark = board.mark();
    for (const row of rows) board.lift(row);
    const text = tellMisfit(pod, board.misfit(board.classOf(pod)));
    board.undo(mark);
    return text;
  }
}
