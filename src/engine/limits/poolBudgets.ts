// C5–C7: the units of a pool's budgets, shared by all its nodes and all reasons.

import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import { isConsumed, type Situation, type Tally } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { type Limit, type LimitQuery, limitAt, limitReaches } from './budgets.ts';
import type { SharedLimit } from './sharedLimit.ts';

export function openPoolBudgets(situation: Situation): SharedLimit {
  const pools = new Map<string, PoolUnits>();
  const unitsOf = ({ pool }: Wish): PoolUnits | undefined => {
    const tally = pool && situation.tallies.get(pool.name);
    if (!tally) return undefined;
    const units = pools.get(tally.pool.name) ?? new PoolUnits(tally, situation);
    pools.set(tally.pool.name, units);
    return units;
  };
  return {
    refuse: (wish) => unitsOf(wish)?.refuse(wish) ?? none,
    spend: (wish) => unitsOf(wish)?.spend(wish.view, 1),
    takeBack: (wish) => unitsOf(wish)?.spend(wish.view, -1),
  };
}

/** C4: how many units are used up for a reason as the round begins. */
export const consumedFor = (reason: Reason, { consumed, consumedForRepair }: Tally): number =>
  reason === 'Unhealthy' ? consumedForRepair : consumed;

export const limitQuery = (tally: Tally, reason: Reason, { settings }: Situation): LimitQuery => ({
  pool: tally.pool,
  reason,
  counted: tally.counted,
  rule: settings.defaultBudgets,
});

class PoolUnits {
  readonly #tally: Tally;
  readonly #situation: Situation;
  readonly #limits = new Map<Reason, Limit>();
  /** The refusal is the same for every node that meets the same figures; most of a frozen pool does. */
  readonly #said = new Map<Reason, { consumed: number; needs: number; refusals: readonly Refusal[] }>();
  #started = 0;
  /** Started nodes that were not Ready had used a unit of every reason but Unhealthy already. */
  #startedUnready = 0;

  constructor(tally: Tally, situation: Situation) {
    this.#tally = tally;
    this.#situation = situation;
  }

  refuse({ view, reason }: Wish): readonly Refusal[] {
    const { limit, budget } = this.#limit(reason);
    if (limit === undefined || !budget || !view.state.counted) return none;
    const consumed = consumedFor(reason, this.#tally) + this.#startedFor(reason);
    const needs = needed(consumed, isConsumed(view, reason, this.#situation));
    return needs <= limit ? none : this.#refusal(reason, consumed, needs);
  }

  spend(view: NodeView, change: 1 | -1): void {
    if (!view.state.counted) return;
    this.#started += change;
    if (isConsumed(view, 'Drifted', this.#situation)) this.#startedUnready += change;
  }

  #startedFor(reason: Reason): number {
    return reason === 'Unhealthy' ? this.#started : this.#started - this.#startedUnready;
  }

  #limit(reason: Reason): Limit {
    const known =
      this.#limits.get(reason) ?? limitAt(limitQuery(this.#tally, reason, this.#situation), this.#situation.now);
    this.#limits.set(reason, known);
    return known;
  }

  #refusal(reason: Reason, consumed: number, needs: number): readonly Refusal[] {
    const last = this.#said.get(reason);
    if (last?.consumed === consumed && last.needs === needs) return last.refusals;
    const refusals = [this.#say(reason, consumed, needs)];
    this.#said.set(reason, { consumed, needs, refusals });
    return refusals;
  }

  #say(reason: Reason, consumed: number, needs: number): Refusal {
    const { limit = 0, budget } = this.#limit(reason);
    const { pool } = this.#tally;
    const owner = { kind: 'NodePool', name: pool.name, ...(budget && { index: budget.index }) };
    const which = `budget ${budget?.index} of ${pool.name}`;
    const sinceStart = consumed - consumedFor(reason, this.#tally);
    const message =
      limit === 0
        ? `${which} lets no node go for ${reason} now`
        : `${which} lets ${limit} go at once for ${reason}; ${sayUse(consumed, sinceStart)}`;
    // Who only lost the last unit to another waits for that one, not for a clock.
    if (needs - sinceStart <= limit) return refuse('BudgetSpent', message, { owner });
    const liftsAt = limitReaches(
      needs - sinceStart,
      limitQuery(this.#tally, reason, this.#situation),
      this.#situation.now,
    );
    return refuse('BudgetSpent', message, { owner, liftsAt });
  }
}

/** `in use: 1, chosen in this round: 2`: what is chosen now is not in flight yet, and in observe it never is. */
export const sayUse = (consumed: number, chosen: number, used = 'in use'): string =>
  `${used}: ${consumed - chosen}${chosen > 0 ? `, chosen in this round: ${chosen}` : ''}`;

/** C7: a node that is consumed already needs no further unit, but a limit of zero binds it too. */
export const needed = (consumed: number, isOwn: boolean): number => (isOwn ? Math.max(consumed, 1) : consumed + 1);
