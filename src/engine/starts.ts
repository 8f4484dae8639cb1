// Who goes in this round? One wish after another spends what all of them share: limits, and the room that is left.
import type { Instant } from '../time/instant.ts';
import { type Started, startCommands } from './commands/start.ts';
import { isMoreThan } from './consolidation/money.ts';
import { declinedIn, openSearch } from './consolidation/openSearch.ts';
import type { Search } from './consolidation/searchTask.ts';
import { Trials } from './consolidation/trials.ts';
import { type Asked, go, held, isCandidate, type Judged, underway } from './judged.ts';
import { admitsAll, type Limits, openLimits } from './limits/limits.ts';
import { type Candidate, leastPainfulFirst } from './order.ts';
import { openPlacer } from './placement/place.ts';
import { nothingToMove, type Placement, type Placer } from './placement/placement.ts';
import { none } from './refusal.ts';
import type { Situation } from './situation.ts';
import type { Wish } from './wish.ts';

export class Starts {
  readonly limits: Limits;
  readonly started: Started[] = [];
  readonly judged: Judged[];
  /** Those that no gate refuses, the least painful first: what has to go, and what only saves. */
  readonly order: readonly [readonly Candidate[], readonly Candidate[]];
  readonly #situation: Situation;
  readonly #placer: Placer;

  constructor(situation: Situation, asked: readonly Asked[]) {
    const { settings, ledger } = situation;
    this.#situation = situation;
    this.limits = openLimits(situation, asked);
    const all = leastPainfulFirst(asked, settings, ledger.declined);
    this.order = [all.filter(({ wish }) => !isThrifty(wish)), all.filter(({ wish }) => isThrifty(wish))];
    this.#placer = openPlacer(situation, { candidates: () => all.map(({ wish }) => wish) });
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
   * Who could leave if all were packed as tight as it gets? Those are kept free before the first of them goes, since the scheduler likes
   * nodes with much room best, and those are the ones that are to leave.
   */
  settlePlanned(proposed: readonly Group[], singles: readonly Group[]): void {
    const alone = this.#planAll(singles);
    // What was proposed is old: it is followed where it is better than what each would do by itself.
    const together = proposed.length > 0 ? this.#planAll([...proposed, ...singles]) : alone;
    const { planned } = isMoreThan(together.savings, alone.savings) ? together : alone;
    this.#placer.begin(planned.flatMap(wishesOf));
    for (const group of planned) if (!this.#settleTogether(group)) this.#placer.stay(wishesOf(group));
  }

  #planAll(groups: readonly Group[]): { readonly planned: readonly Group[]; readonly savings: number } {
    const { limits } = this;
    const isDeclined = declinedIn(this.#situation);
    const planned: Group[] = [];
    let savings = 0;
    for (const group of groups) {
      const wishes = wishesOf(group);
      if (group.length > 1 && wishes.some(isDeclined)) continue;
      const saved = admitsAll(wishes, limits) ? this.#placer.plan(wishes) : undefined;
      if (saved === undefined) continue;
      savings += saved;
      for (const wish of wishes) limits.spend(wish, nothingToMove);
      planned.push(group);
    }
    for (const wish of planned.flatMap(wishesOf)) limits.takeBack(wish);
    this.#placer.begin([]);
    return { planned, savings };
  }

  /** All of them or none. What speaks against it each is told when it is judged by itself. */
  #settleTogether(group: Group): boolean {
    const wishes = wishesOf(group);
    if (!admitsAll(wishes, this.limits)) return false;
    const placed = this.#placer.placeTogether(wishes);
    if ('placement' in placed) this.#start(group, placed.placement);
    return 'placement' in placed;
  }

  /**
   * F5: what only the types seen speak against is offered to Karpenter, a few nodes at a time, so that it judges them. Returns when the
   * next of them may be offered again.
   */
  settleTrials(): Instant | undefined {
    const trials = new Trials(this.#situation, this.started);
    for (const { wish, index } of this.order[1]) {
      const known = this.judged[index];
      if (known?.outcome !== 'held' || !trials.isOpenTo(known)) continue;
      const says = trials.refuse(wish);
      if (says === undefined && this.limits.refuse(wish).length === 0) {
        const placement = this.#placer.letGo(wish);
        this.limits.spend(wish, placement);
        const started = startCommands([wish], placement, this.#situation).map(trials.mark);
        this.started.push(...started);
        this.judged[index] = go(wish);
      } else if (says !== undefined) {
        this.judged[index] = held(wish, trials.tell(known.refusals, says));
      }
    }
    return trials.nextAt;
  }

  #start(group: Group, placement: Placement): void {
    const wishes = group.map(({ wish }) => wish);
    wishes.forEach((wish, place) => {
      this.limits.spend(wish, place === 0 ? placement : nothingToMove);
    });
    this.started.push(...startCommands(wishes, placement, this.#situation));
    for (const { wish, index } of group) this.judged[index] = go(wish);
  }

  search(): Search | undefined {
    const staying = this.order[1].filter(({ index }) => this.judged[index]?.outcome !== 'go');
    return openSearch({
      situation: this.#situation,
      limits: this.limits,
      started: this.started,
      wishes: staying.map(({ wish }) => wish),
      board: () => this.#placer.board(),
    });
  }
}

/** Candidates that leave together, or one alone. */
type Group = readonly Pick<Candidate, 'wish' | 'index'>[];

const wishesOf = (group: Group): readonly Wish[] => group.map(({ wish }) => wish);

const isThrifty = ({ reason }: Wish): boolean => reason === 'Underutilized';

/** Who was refused by a gate is told of the limits too, as the round begins. */
const judgeOthers = ({ wish, refusals }: Asked, limits: Limits): Judged =>
  refusals ? held(wish, limits.refuse(wish), refusals) : underway(wish);
