// What is known of a node before anything has moved? In most rounds most nodes are as they were in the round before.
import type { PodClass, Row } from '../placement/board.ts';
import type { Removal } from '../placement/judgements.ts';
import type { Refusal } from '../refusal.ts';
import { type Group, moversOf } from './group.ts';
import { type Leaver, priceOfAll } from './leaver.ts';
import type { Market } from './market.ts';
import type { Refusals } from './refusals.ts';
import { sizeOf } from './seating.ts';
import {
  type Ground,
  type Launched,
  type Objection,
  objectionOfPools,
  objectionToRemoval,
  objectionToSize,
  replacementFor,
} from './thrift.ts';
import type { Workplace } from './workplace.ts';

interface Parts {
  readonly market: Market;
  readonly ground: Ground;
  readonly refusals: Refusals;
}

interface Known {
  readonly market: Market;
  readonly settings: unknown;
  readonly found: Launched | Objection;
}

/** What was found, for as long as the removal stands as it was judged. */
const remembered = new WeakMap<Removal, Known>();

export class Early {
  readonly #work: Workplace;
  readonly #parts: Parts;

  constructor(work: Workplace, parts: Parts) {
    this.#work = work;
    this.#parts = parts;
  }

  /** Undefined = nothing is known that speaks against it, and a closer look is needed. */
  refuse(group: Group): Refusal | undefined {
    const { leavers, rows } = group;
    const { ground, refusals } = this.#parts;
    const removal = rows.length === 1 ? this.#work.removalOf(rows[0] as Row) : undefined;
    if (!removal) return undefined;
    const { homeless } = removal;
    if (homeless.length === 0) {
      const objection = objectionToRemoval(leavers, ground);
      return objection && refusals.of(group, objection);
    }
    const objection = this.#objection(group, removal);
    if (!objection) return undefined;
    const first = moversOf(group, this.#work.board).find(({ number }) => homeless.includes(number));
    return first ? refusals.of(group, objection, first.pod) : refusals.ofGuest(homeless[0] as PodClass);
  }

  #objection(group: Group, removal: Removal): Objection | undefined {
    const size = sizeOf(removal.homeless, this.#work.board.tables);
    return (
      this.#objectionToKind(group, removal.homeless, size) ??
      objectionToSize(group.leavers, size, this.#parts.ground) ??
      this.#objectionToLaunch(group, removal)
    );
  }

  /** Where nothing else is large enough, a node like their own would be all there is, if it took them at all. */
  #objectionToKind({ rows, leavers }: Group, homeless: readonly PodClass[], size: Float64Array): Objection | undefined {
    const { board } = this.#work;
    const { shelf, hasAllTypes } = this.#parts.ground;
    if (shelf.cheapest(size)) return undefined;
    const typesSeenOnly = !hasAllTypes;
    const place = board.placeOf(rows[0] as Row);
    const takes = homeless.every((number) => board.admissions.admits(board.classRule(number).rule, place));
    if (!takes) return { code: 'NoPlacement', why: 'no replacement would hold them', typesSeenOnly };
    return priceOfAll(leavers) === undefined
      ? undefined
      : { code: 'NotCheaper', why: 'no cheaper replacement is known', typesSeenOnly };
  }

  #objectionToLaunch({ leavers, rows }: Group, removal: Removal): Objection | undefined {
    const found = this.#launch(leavers, rows[0] as Row, removal);
    if (!found || 'why' in found) return found;
    return objectionOfPools(leavers, (priceOfAll(leavers) ?? 0) - found.plan.price, this.#parts.ground);
  }

  /** Undefined = it was not asked when all was as it had been. */
  #launch(leavers: readonly Leaver[], row: Row, removal: Removal): Launched | Objection | undefined {
    const { board, situation } = this.#work;
    const { settings } = situation;
    const { market, ground } = this.#parts;
    const last = remembered.get(removal);
    if (last?.market === market && last.settings === settings) return last.found;
    if (!board.judgements.isAtBase) return undefined;
    const mark = board.mark();
    const pods = Array.from(board.podsOn(row));
    board.lift(row);
    // As the removal was judged, so that the answer hangs on nothing else.
    for (const number of pods) {
      const target = board.findBehind(number, row, 'settled');
      if (target !== undefined) board.take(number, target);
    }
    const found = replacementFor(leavers, removal.homeless, { ...ground, totals: new Map() });
    board.undo(mark);
    remembered.set(removal, { market, settings, found });
    return found;
  }
}
