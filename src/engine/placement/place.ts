// Would the pods of this node find a place: on other nodes, or else on replacements (F5, F6)?
import type { Pod, Pool } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { Consolidation } from '../consolidation/consolidation.ts';
import { type Refusal, refuse } from '../refusal.ts';
import type { Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import type { Mark, Row } from './board.ts';
import type { FactsBoard } from './factsBoard.ts';
import type { Removal } from './judgements.ts';
import { nameOfPod, tellMisfit } from './misfit.ts';
import { judgeRemoval, openBoard } from './openBoard.ts';
import { type Move, nothingToMove, type Placed, type Placement, type Placer } from './placement.ts';
import { PoolCapacity } from './poolCapacity.ts';
import { packIntoNew, planOf } from './replace.ts';
import { type Seating, seatPodsOf } from './seating.ts';
import { type Shape, shapesFor } from './shapes.ts';

export interface PlacerParts {
  /** Nodes on their way out whose pods are about to be placed anew, so that their old promise is not held against them. */
  readonly judgedAgain?: ReadonlySet<string>;
  /** Whoever may be asked for: what is known of all of them before anything moves is kept for the rounds to come. */
  readonly candidates?: () => readonly Wish[];
}

export function openPlacer(situation: Situation, parts: PlacerParts = {}): Placer {
  let desk: Desk | undefined;
  return {
    place: (wish) => {
      desk ??= new Desk(situation, parts);
      // In guide Karpenter finds the place; only which nodes are worth offering for consolidation is Lull's to say (F5).
      if (situation.settings.role === 'guide' && wish.reason !== 'Underutilized') return desk.letGo(wish);
      const placed = desk.place(wish);
      // Nothing holds an interruption up, not even that its pods have nowhere to go.
      return 'refusals' in placed && wish.kind === 'forced' ? desk.letGo(wish) : placed;
    },
    placeTogether: (wishes) => {
      desk ??= new Desk(situation, parts);
      return desk.placeTogether(wishes);
    },
    plan: (wishes) => {
      desk ??= new Desk(situation, parts);
      return desk.plan(wishes);
    },
    letGo: (wish) => {
      desk ??= new Desk(situation, parts);
      desk.letGo(wish);
      return nothingToMove;
    },
    begin: (wishes) => desk?.begin(wishes),
    stay: (wishes) => desk?.stay(wishes),
    board: () => {
      desk ??= new Desk(situation, parts);
      return desk.board;
    },
  };
}

class Desk {
  readonly board: FactsBoard;
  readonly capacity: PoolCapacity;
  readonly #situation: Situation;
  readonly #candidates: () => readonly Wish[];
  readonly #removals = new Map<Row, Removal>();
  readonly #promised = new Set<string>();
  #consolidating: Consolidation | undefined;
  /** What is planned and not begun: where the board stood before, and who has been promised pods so far. */
  #planned: { readonly from: Mark; readonly targets: Set<Row> } | undefined;
  /** Nodes that are still starting: pods that would fit there had better wait than have another node started. */
  #starting: readonly Row[] | undefined;

  constructor(situation: Situation, { judgedAgain, candidates = () => [] }: PlacerParts = {}) {
    this.#situation = situation;
    this.board = openBoard(situation, judgedAgain);
    this.capacity = new PoolCapacity(situation);
    this.#candidates = candidates;
  }

  /** It goes without our finding a place for its pods, and is no target for others. */
  letGo({ view }: Wish): Placed {
    this.#leaveBase();
    this.board.lift(this.rowOf(view));
    return { placement: nothingToMove };
  }

  place(wish: Wish): Placed {
    return this.#keep(this.#place(wish));
  }

  #place(wish: Wish): Placed {
    const { view, reason } = wish;
    if ((reason === 'Empty' || reason === 'Underutilized') && this.#isNeeded(view)) {
      return { refusals: [refuse('Nominated', 'pods of nodes that leave are to be placed on it')] };
    }
    if (reason === 'Underutilized') return this.#consolidation.place([wish]);
    this.#leaveBase();
    const mark = this.board.mark();
    const seating = seatPodsOf(this.board, this.rowOf(view));
    if (seating.homeless.length === 0 && !isReplacedAlways(wish)) return this.#placed(seating, []);
    return this.#placeOnNew(wish, mark, seating);
  }

  /** All or nothing, with one replacement at most. */
  placeTogether(wishes: readonly Wish[]): Placed {
    const needed = wishes.find(({ view }) => this.#isNeeded(view));
    return needed ? this.place(needed) : this.#keep(this.#consolidation.place(wishes));
  }

  plan(wishes: readonly Wish[]): number | undefined {
    const isPromised = ({ view }: Wish): boolean => this.#planned?.targets.has(this.rowOf(view)) ?? false;
    if (wishes.some((wish) => this.#isNeeded(wish.view) || isPromised(wish))) return undefined;
    this.#leaveBase();
    this.#planned ??= { from: this.board.mark(), targets: new Set() };
    const outlook = this.#consolidation.plan(wishes);
    for (const target of outlook?.targets ?? []) this.#planned.targets.add(target);
    return outlook?.savings;
  }

  begin(leaving: readonly Wish[]): void {
    if (this.#planned) this.board.undo(this.#planned.from);
    this.#planned = undefined;
    for (const { view } of leaving) this.board.close(this.rowOf(view), true);
  }

  stay(wishes: readonly Wish[]): void {
    for (const { view } of wishes) this.board.close(this.rowOf(view), false);
  }

  get #consolidation(): Consolidation {
    this.#consolidating ??= new Consolidation({
      situation: this.#situation,
      board: this.board,
      capacity: this.capacity,
      removalOf: (row) => this.#removalOf(row),
      leaveBase: () => this.#leaveBase(),
      startingFor: (pods) => this.#findStarting(pods),
    });
    return this.#consolidating;
  }

  rowOf({ node }: NodeView): Row {
    return this.board.rowOf(node.name) as Row;
  }

  /** Pods of nodes that leave are to come there: in this round, or by a command under way. */
  #isNeeded({ node }: NodeView): boolean {
    return this.board.seated.has(node.name) || this.#promised.has(node.name);
  }

  /** Whoever has been promised pods stays. */
  #keep(placed: Placed): Placed {
    if ('placement' in placed) for (const { target } of placed.placement.moves) this.#promised.add(target);
    return placed;
  }

  /** Before the first change: what is remembered of removals was asked of the board as it was opened. */
  #leaveBase(): void {
    if (!this.board.judgements.isAtBase) return;
    for (const { reason, view } of this.#candidates()) {
      if (reason === 'Underutilized') this.#removals.set(this.rowOf(view), judgeRemoval(this.board, this.rowOf(view)));
    }
  }

  /** As the board was opened. Undefined = it was not asked then, and all that counts is what is left. */
  #removalOf(row: Row): Removal | undefined {
    return this.board.judgements.isAtBase ? judgeRemoval(this.board, row) : this.#removals.get(row);
  }

  #placed({ seated }: Seating, replacements: Placement['replacements']): Placed {
    const moves = seated.map(({ pod, row }): Move => {
      return { pod: `${pod.namespace}/${pod.name}`, target: this.board.nameOf(row) };
    });
    return { placement: { moves, replacements } };
  }

  #placeOnNew(wish: Wish, mark: Mark, seating: Seating): Placed {
    const { view, pool } = wish;
    const [first] = seating.homeless;
    const refused = (message: string): Placed => {
      this.board.undo(mark);
      return { refusals: [noPlacement(message)] };
    };
    if (!pool) return refused(`${nameOf(first)} fits on no other node, and there is no pool to replace this one`);
    const starting = this.#findStarting(seating.homeless);
    if (starting) return refused(starting);
    const objections: string[] = [];
    for (const maker of [pool, ...this.#otherPools(wish)]) {
      const made = this.#makeFrom(maker, view, seating.homeless);
      if ('shapes' in made)
        return this.#placed(
          seating,
          made.shapes.map((shape) => planOf(maker, shape)),
        );
      objections.push(made.objection);
    }
    return refused(objections[0] as string);
  }

  /** Where its own pool cannot: those that make nodes, the heaviest first. A static pool keeps its own number. */
  #otherPools({ pool, reason }: Wish): readonly Pool[] {
    if (!pool || pool.replicas !== undefined || reason === 'Rebalance') return [];
    const { tallies, ledger, now, slow } = this.#situation;
    const backedOff = ledger.backoffs.filter(({ until }) => now < until).map((it) => it.pool);
    const waiting = new Set([...backedOff, ...slow.refusals.keys()]);
    return [...tallies.values()]
      .map((tally) => tally.pool)
      .filter((it) => it !== pool && it.replicas === undefined && !it.fault && !it.provisioner && !waiting.has(it.name))
      .sort((a, b) => b.weight - a.weight || compareText(a.name, b.name));
  }

  #makeFrom(
    pool: Pool,
    view: NodeView,
    homeless: readonly Pod[],
  ): { readonly shapes: readonly Shape[] } | { readonly objection: string } {
    const obstacle = cannotReplace(pool, this.#situation);
    if (obstacle) return { objection: obstacle };
    const mark = this.board.mark();
    const packed = packIntoNew(this.board, homeless, shapesFor(view, pool, this.#situation));
    if ('misfit' in packed) {
      const misfit = this.board.misfit(this.board.classOf(packed.misfit), 'all');
      return { objection: `${tellMisfit(packed.misfit, misfit)}; nor would it fit on a replacement` };
    }
    const beyond = this.capacity.refuse(pool, [view], packed.shapes);
    if (beyond) {
      this.board.undo(mark);
      const [first] = homeless;
      return { objection: `${first ? `${nameOfPod(first)} fits on no other node, and ` : ''}${beyond}` };
    }
    this.capacity.keep(pool, [view], packed.shapes);
    return packed;
  }

  #findStarting(homeless: readonly Pod[]): string | undefined {
    for (const pod of homeless) {
      const number = this.board.classOf(pod);
      const row = this.#startingRows().find((it) => !this.board.isLifted(it) && this.board.fits(number, it));
      if (row !== undefined) return `${nameOfPod(pod)} will fit on ${this.board.nameOf(row)}, which is still starting`;
    }
    return undefined;
  }

  /** By name. A replacement that starts is meant for the pods of the node it replaces. */
  #startingRows(): readonly Row[] {
    const { cluster, inFlight, replacements } = this.#situation;
    this.#starting ??= cluster.nodes
      .filter(({ managed, state, node }) => managed && !state.initialized && !inFlight.has(node.name))
      .filter(({ node }) => !replacements.has(node.name))
      .map((view) => this.rowOf(view));
    return this.#starting;
  }
}

/** A: what is rebalanced is replaced first; a static pool keeps its number. */
const isReplacedAlways = ({ reason, pool }: Wish): boolean => reason === 'Rebalance' || pool?.replicas !== undefined;

/** Why this pool makes no new node now. */
function cannotReplace(pool: Pool, { tallies }: Situation): string | undefined {
  if (pool.deleting) return 'its pool is being deleted and makes no replacement';
  if (pool.conditions.Ready?.status === 'False') return 'its pool is not Ready and makes no replacement';
  const nodes = tallies.get(pool.name)?.nodes.length ?? 0;
  if (pool.replicas !== undefined && nodes > pool.replicas) {
    return `its static pool has ${nodes} nodes for ${pool.replicas} replicas and scales down first`;
  }
  return undefined;
}

const noPlacement = (message: string): Refusal => refuse('NoPlacement', message);

const nameOf = (pod: Pod | undefined): string => (pod ? nameOfPod(pod) : 'the node');
