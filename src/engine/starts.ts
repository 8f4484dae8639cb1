// Chooses the wishes that go in this round: one after another spends the shared limits and the free capacity.
import type { Instant } from '../time/instant.ts';
import { startCommands } from './commands/start.ts';
import { Placer } from './consolidation/placer.ts';
import { type Allowances, admittedOf } from './consolidation/planStack.ts';
import { declinedIn, type SearchBasis } from './consolidation/searchTask.ts';
import { TrialOffers } from './consolidation/trialOffers.ts';
import { type Limits, openLimits } from './limits/limits.ts';
import { type Candidate, leastPainfulFirst } from './order.ts';
import type { BoardLease } from './placement/boardLease.ts';
import { nothingToMove, type Placement } from './placement/placement.ts';
import { isMoreThan } from './placement/price.ts';
import { none } from './refusal.ts';
import type { Situation } from './situation.ts';
import type { Wish } from './wish.ts';
import {
  type GatedWish,
  go,
  held,
  isCandidate,
  type StartedCommand,
  underway,
  type WishOutcome,
} from './wishOutcome.ts';

export class Starts {
  readonly limits: Limits;
  readonly started: StartedCommand[] = [];
  readonly judged: WishOutcome[];
  /** Wishes that no gate refuses, the least disruptive first: necessary ones, then those that only save money. */
  readonly order: readonly [readonly Candidate[], readonly Candidate[]];
  readonly #situation: Situation;
  readonly #placer: Placer;
  readonly #allowances: Allowances<{ readonly wish: Wish }> = {
    admits: ({ wish }) => this.limits.refuse(wish).length === 0,
    spend: ({ wish }, change) => (change > 0 ? this.limits.spend(wish, nothingToMove) : this.limits.takeBack(wish)),
  };

  constructor(situation: Situation, asked: readonly GatedWish[], boards: BoardLease) {
    const { settings, ledger } = situation;
    this.#situation = situation;
    this.limits = openLimits(situation, asked);
    const all = leastPainfulFirst(asked, settings, ledger.declined);
    this.order = [all.filter(({ wish }) => !isSaving(wish)), all.filter(({ wish }) => isSaving(wish))];
    this.#placer = new Placer(situation, { boards, candidates: wishesOf(all) });
    this.judged = asked.map((it) => (isCandidate(it) ? held(it.wish, none) : judgeOthers(it, this.limits)));
  }

  settle({ wish, index }: Candidate): void {
    if (this.judged[index]?.outcome === 'go') return;
    const refusals = this.limits.refuse(wish);
    const placed = refusals.length === 0 ? this.#placer.place(wish) : { refusals };
    if ('placement' in placed) {
      this.#start([{ wish, index }], placed.placement);
    } else {
      this.limits.hold(wish, placed.refusals);
      this.judged[index] = held(wish, placed.refusals);
    }
  }

  /**
   * Nodes that could leave in a tight packing are kept free of pods before the first of them goes: the scheduler prefers nodes with much
   * free capacity, which are those that are to leave.
   */
  settlePlanned(proposed: readonly CandidateGroup[], singles: readonly CandidateGroup[]): void {
    const isDeclined = declinedIn(this.#situation);
    const open = proposed.filter((group) => group.length === 1 || !wishesOf(group).some(isDeclined));
    const alone = this.#placer.planAll(singles, this.#allowances);
    // Proposals may be outdated: use them only if they save more than single nodes.
    const together = open.length > 0 ? this.#placer.planAll([...open, ...singles], this.#allowances) : alone;
    const { planned } = isMoreThan(together.savings, alone.savings) ? together : alone;
    this.#placer.keepFree(planned.flatMap(wishesOf), true);
    for (const group of planned) if (!this.#settleTogether(group)) this.#placer.keepFree(wishesOf(group), false);
  }

  /** All of them or none. Refusals are reported when each node is evaluated by itself. */
  #settleTogether(group: CandidateGroup): boolean {
    if (admittedOf(group, this.#allowances).length < group.length) return false;
    const placed = this.#placer.placeTogether(wishesOf(group));
    if ('placement' in placed) this.#start(group, placed.placement);
    return 'placement' in placed;
  }

  /**
   * Offers Karpenter a few nodes at a time that are refused only because of the known instance types, so that it evaluates them (F5).
   * Returns when the next of them may be offered again.
   */
  settleTrials(): Instant | undefined {
    const trials = new TrialOffers(this.#situation, this.started);
    for (const { wish, index } of this.order[1]) {
      const known = this.judged[index];
      if (known?.outcome !== 'held' || !trials.isOpenTo(known)) continue;
      const note = trials.refuse(wish);
      if (note === undefined && this.limits.refuse(wish).length === 0) {
        const placement = this.#placer.removeWithoutPlacing(wish);
        this.limits.spend(wish, placement);
        const started = startCommands([wish], placement, this.#situation).map(trials.mark);
        this.started.push(...started);
        this.judged[index] = go(wish);
      } else if (note !== undefined) {
        this.judged[index] = held(wish, trials.addNote(known.refusals, note));
      }
    }
    return trials.nextAt;
  }

  #start(group: CandidateGroup, placement: Placement): void {
    const wishes = group.map(({ wish }) => wish);
    wishes.forEach((wish, place) => {
      this.limits.spend(wish, place === 0 ? placement : nothingToMove);
    });
    this.started.push(...startCommands(wishes, placement, this.#situation));
    for (const { wish, index } of group) this.judged[index] = go(wish);
  }

  /** The basis of a search; absent if no candidate is left, or if no board was opened and none is to be. */
  searchBasis(isOpened = false): { readonly search?: SearchBasis } {
    const staying = this.order[1].filter(({ index }) => this.judged[index]?.outcome !== 'go');
    const copied = staying.length > 0 ? this.#placer.copy(isOpened) : undefined;
    return copied ? { search: { staying: wishesOf(staying), ...copied } } : {};
  }
}

/** Candidates that are disrupted together, or a single one. */
type CandidateGroup = readonly Pick<Candidate, 'wish' | 'index'>[];

const wishesOf = (group: readonly { readonly wish: Wish }[]): readonly Wish[] => group.map(({ wish }) => wish);

const isSaving = ({ reason }: Wish): boolean => reason === 'Underutilized';

/** A wish that a gate refuses also gets the refusals of the limits, at the start of the round. */
const judgeOthers = ({ wish, refusals }: GatedWish, limits: Limits): WishOutcome =>
  refusals ? held(wish, limits.refuse(wish), refusals) : underway(wish);
