// May these nodes leave together for Underutilized, and with what in their place? All or nothing, for one node as for many.
import type { Pod } from '../../cluster/model.ts';
import type { PodClass, Row } from '../placement/board.ts';
import type { Move, Placed } from '../placement/placement.ts';
import type { Refusal } from '../refusal.ts';
import type { Wish } from '../wish.ts';
import { Early } from './early.ts';
import { groundOf } from './ground.ts';
import { type Group, groupOf, type Mover, moversOf, strandedGuest } from './group.ts';
import { priceOfAll } from './leaver.ts';
import { marketOf } from './market.ts';
import { replacementOf } from './planned.ts';
import { Refusals } from './refusals.ts';
import { findSnug } from './snug.ts';
import { type Ground, type Launched, objectionToRemoval, replacementFor } from './thrift.ts';
import type { Workplace } from './workplace.ts';

/** With what in their place, if anything, and who goes there. */
interface Plan {
  readonly launched?: Launched;
  readonly homeless: readonly Mover[];
  /** Where the others go. */
  readonly targets: readonly Row[];
}

/** What a plan comes to: what it saves, where prices are known, and who is promised pods. */
export interface Outlook {
  readonly savings: number;
  readonly targets: readonly Row[];
}

/** Each time with a larger new node: after a few it is hardly cheaper any more. */
const mostRehearsals = 4;

export class Consolidation {
  readonly #work: Workplace;
  readonly #ground: Ground;
  readonly #early: Early;
  readonly #refusals: Refusals;

  constructor(work: Workplace) {
    const { situation, board } = work;
    const market = marketOf(situation);
    this.#work = work;
    this.#ground = groundOf(situation, board, market);
    this.#refusals = new Refusals(board, situation);
    this.#early = new Early(work, { market, ground: this.#ground, refusals: this.#refusals });
  }

  place(wishes: readonly Wish[]): Placed {
    const { board, situation } = this.#work;
    const views = wishes.map(({ view }) => view);
    const group = groupOf(views, board, situation);
    const early = this.#early.refuse(group);
    if (early) return { refusals: [early] };
    const mark = board.mark();
    const plan = this.#plan(group);
    board.undo(mark);
    if ('code' in plan) return { refusals: [plan] };
    this.#work.leaveBase();
    const rehearsed = this.#rehearse(group, plan);
    return 'code' in rehearsed ? { refusals: [rehearsed] } : this.#keep(group, rehearsed);
  }

  /** Only in order, as tight as it gets; what it takes stays taken. Undefined = they cannot leave. */
  plan(wishes: readonly Wish[]): Outlook | undefined {
    const { board, situation } = this.#work;
    const views = wishes.map(({ view }) => view);
    const group = groupOf(views, board, situation);
    if (this.#early.refuse(group)) return undefined;
    const mark = board.mark();
    const plan = this.#plan(group);
    if ('code' in plan) {
      board.undo(mark);
      return undefined;
    }
    const { launched, homeless, targets } = plan;
    const fresh = launched && board.add(launched.plan.shape);
    if (fresh !== undefined) for (const { number } of homeless) board.take(number, fresh);
    return { savings: (priceOfAll(group.leavers) ?? 0) - (launched?.plan.price ?? 0), targets };
  }

  /** On the board as it is now; what it tries is the caller's to undo. */
  #plan(group: Group): Plan | Refusal {
    const { board } = this.#work;
    for (const row of group.rows) board.lift(row);
    const targets: Row[] = [];
    // As tight as it gets.
    const homeless = moversOf(group, board).filter(({ number }) => {
      const target = findSnug(board, number);
      if (target === undefined) return true;
      board.take(number, target);
      targets.push(target);
      return false;
    });
    const guest = strandedGuest(group, board);
    if (guest !== undefined) return this.#refusals.ofGuest(guest);
    if (homeless.length === 0) {
      const objection = objectionToRemoval(group.leavers, this.#ground);
      return objection ? this.#refusals.of(group, objection) : { homeless, targets };
    }
    const launched = this.#launch(group, homeless);
    return 'code' in launched ? launched : { launched, homeless, targets };
  }

  /** What is launched for those who fit nowhere; the others are seated. */
  #launch(group: Group, homeless: readonly Mover[]): Launched | Refusal {
    const { capacity, situation } = this.#work;
    const [first] = homeless as [Mover];
    const waiting = this.#work.startingFor(homeless.map(({ pod }) => pod)) ?? this.#settlesSoon(homeless);
    if (waiting !== undefined) return typeof waiting === 'string' ? this.#refusals.because(waiting) : waiting;
    const numbers = homeless.map(({ number }) => number);
    const launched = replacementFor(group.leavers, numbers, this.#ground);
    if ('why' in launched) return this.#refusals.of(group, launched, first.pod);
    const pool = situation.cluster.pools.get(launched.pool);
    const beyond = pool && capacity.refuse(pool, group.views, [launched.plan.shape]);
    return beyond ? this.#refusals.beyond(first.pod, beyond) : launched;
  }

  /** T187: where they would all fit on nodes that have only to come to rest, nothing is launched for them. */
  #settlesSoon(homeless: readonly Mover[]): Refusal | undefined {
    const { board } = this.#work;
    const mark = board.mark();
    const rows: Row[] = [];
    const fits = homeless.every(({ number }) => {
      const target = board.find(number, 'first', 'all');
      if (target === undefined) return false;
      board.take(number, target);
      rows.push(target);
      return true;
    });
    board.undo(mark);
    return fits ? this.#refusals.untilSettled(homeless[0]?.pod as Pod, rows) : undefined;
  }

  /**
   * The scheduler seats them its own way, and likes a new node that stands empty: they must find places then, too. Whoever is stranded so
   * may go to a new node, or to a larger one, where that is worth it.
   */
  #rehearse(group: Group, plan: Plan): Rehearsed | Refusal {
    const { board } = this.#work;
    const mark = board.mark();
    let { launched, homeless } = plan;
    let refusal: Refusal | undefined;
    for (let tries = 0; tries < mostRehearsals; tries++) {
      const seating = this.#seatLikely(group, launched);
      const [first] = seating.stranded;
      if (!first) return { ...(launched && { launched }), homeless, moves: seating.moves };
      refusal ??= this.#refusals.stranded(first);
      board.undo(mark);
      homeless = [...seating.fresh, ...seating.stranded];
      const larger = this.#launchBeside(group, homeless, seating.seats);
      board.undo(mark);
      if ('code' in larger) return refusal;
      launched = larger;
    }
    return refusal as Refusal;
  }

  /** What is launched for these, with the others seated as they were. */
  #launchBeside(group: Group, homeless: readonly Mover[], seats: readonly Seat[]): Launched | Refusal {
    const { board } = this.#work;
    for (const row of group.rows) board.lift(row);
    for (const { number, row } of seats) board.take(number, row);
    return this.#launch(group, homeless);
  }

  #seatLikely(group: Group, launched: Launched | undefined): LikelySeating {
    const { board } = this.#work;
    for (const row of group.rows) board.lift(row);
    const added = launched && board.add(launched.plan.shape);
    const seating: LikelySeating = { moves: [], seats: [], fresh: [], stranded: [] };
    for (const mover of moversOf(group, board)) {
      const { pod, number } = mover;
      const isFresh = added !== undefined && board.fits(number, added);
      const target = isFresh ? added : board.find(number, 'likely');
      if (target !== undefined) board.take(number, target);
      if (isFresh) seating.fresh.push(mover);
      else if (target === undefined) seating.stranded.push(mover);
      else {
        seating.seats.push({ number, row: target });
        seating.moves.push({ pod: `${pod.namespace}/${pod.name}`, target: board.nameOf(target) });
      }
    }
    strandedGuest(group, board);
    return seating;
  }

  #keep(group: Group, { launched, homeless, moves }: Rehearsed): Placed {
    const { capacity, situation } = this.#work;
    const pool = launched && situation.cluster.pools.get(launched.pool);
    if (pool && launched) capacity.keep(pool, group.views, [launched.plan.shape]);
    const pods = homeless.map(({ pod }) => pod);
    return { placement: { moves, replacements: launched ? [replacementOf(launched, pods)] : [] } };
  }
}

interface Seat {
  readonly number: PodClass;
  readonly row: Row;
}

/** Who went where: to nodes that are there, to the new one, or nowhere. */
interface LikelySeating {
  readonly moves: Move[];
  readonly seats: Seat[];
  readonly fresh: Mover[];
  readonly stranded: Mover[];
}

type Rehearsed = Pick<Plan, 'launched' | 'homeless'> & { readonly moves: readonly Move[] };
