// Pool budgets as shared limits, by Lull's reading (C5–C7) and by Karpenter's own (N4).
import { defined } from '../../cluster/defined.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import {
  asKarpenter,
  describeNodes,
  isReadByKarpenter,
  karpenterLimit,
  type Limit,
  type LimitQuery,
  limitAt,
  limitReaches,
  nameBudget,
} from '../rules/budgets.ts';
import { asKarpenterCounts, isConsumed, type PoolTally, type Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { describeEnding, helpForEnding } from './endingMachines.ts';
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

/** Units in use for a reason at the start of the round (C4). */
export const consumedFor = (reason: Reason, { consumed, consumedForRepair }: PoolTally): number =>
  reason === 'Unhealthy' ? consumedForRepair : consumed;

export const limitQuery = (tally: PoolTally, reason: Reason, { settings }: Situation): LimitQuery => ({
  pool: tally.pool,
  reason,
  counted: tally.counted,
  rule: settings.defaultBudgets,
});

/** The same for a pool of some size: only a budget of zero then allows nothing. */
export const freezeQuery = (tally: PoolTally, reason: Reason, situation: Situation): LimitQuery => ({
  ...limitQuery(tally, reason, situation),
  counted: 100,
});

class PoolUnits {
  readonly #tally: PoolTally;
  readonly #situation: Situation;
  readonly #limits = new Map<Reason, Limit>();
  /** The refusal is the same for all nodes with the same figures, which is most of a frozen pool. */
  readonly #said = new Map<Reason, { consumed: number; needs: number; refusals: readonly Refusal[] }>();
  #started = 0;
  /** Started nodes that were not Ready, which already used a unit of every reason but Unhealthy. */
  #startedUnready = 0;

  constructor(tally: PoolTally, situation: Situation) {
    this.#tally = tally;
    this.#situation = situation;
  }

  refuse({ view, reason }: Wish): readonly Refusal[] {
    const { limit, budget } = this.#limit(reason);
    if (!view.state.counted) return this.#frozen(reason);
    if (limit === undefined || !budget) return none;
    const consumed = consumedFor(reason, this.#tally) + this.#startedFor(reason);
    const needs = needed(consumed, isConsumed(view, reason, this.#situation));
    return needs <= limit ? none : this.#refusal(reason, consumed, needs);
  }

  spend(view: NodeView, change: 1 | -1): void {
    if (!view.state.counted) return;
    this.#started += change;
    if (isConsumed(view, 'Drifted', this.#situation)) this.#startedUnready += change;
  }

  /** A node that is not counted uses no unit, but a budget of zero holds it too: a freeze is a freeze (C5). */
  #frozen(reason: Reason): readonly Refusal[] {
    const query = freezeQuery(this.#tally, reason, this.#situation);
    const { limit, budget } = limitAt(query, this.#situation.now);
    if (limit !== 0 || !budget) return none;
    const { pool } = this.#tally;
    const owner = { kind: 'NodePool', name: pool.name, index: budget.index };
    const liftsAt = limitReaches(1, query, this.#situation.now);
    return [refuse('BudgetSpent', `${nameBudget(budget, pool)} allows no node for ${reason} now`, { owner, liftsAt })];
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
    const { pool, ending } = this.#tally;
    const owner = { kind: 'NodePool', name: pool.name, ...(budget && { index: budget.index }) };
    const which = nameBudget(budget, pool);
    const sinceStart = consumed - consumedFor(reason, this.#tally);
    const message =
      limit === 0
        ? `${which} allows no node for ${reason} now`
        : `${which} allows ${describeNodes(limit)} at a time for ${reason}; ${describeUse(consumed, sinceStart)}${describeEnding(ending)}`;
    const help = needs - ending.length <= limit ? helpForEnding(ending) : undefined;
    // A wish that only lost the last unit to another one waits for that node, not for an instant.
    if (needs - sinceStart <= limit) return refuse('BudgetSpent', message, { owner, ...defined({ help }) });
    const liftsAt = limitReaches(
      needs - sinceStart,
      limitQuery(this.#tally, reason, this.#situation),
      this.#situation.now,
    );
    return refuse('BudgetSpent', message, { owner, liftsAt, ...defined({ help }) });
  }
}

/** `1 in use, 2 chosen in this round`: nodes chosen now are not in flight yet, and in observe mode never will be. */
export const describeUse = (consumed: number, chosen: number, used = 'in use'): string =>
  `${consumed - chosen} ${used}${chosen > 0 ? `, ${chosen} chosen in this round` : ''}`;

/** A node that already uses a unit needs no other, but a limit of zero still applies to it (C7). */
export const needed = (consumed: number, isOwn: boolean): number => (isOwn ? Math.max(consumed, 1) : consumed + 1);

/** Karpenter's own reading of spec.disruption.budgets applies beside Lull's: the smaller limit counts (C5, N4). */
export function openKarpenterBudgets(situation: Situation): SharedLimit {
  const started = new Map<string, number>();
  const count = ({ view, pool }: Wish, change: 1 | -1): void => {
    // Nodes that are not Ready were counted at the start of the round.
    if (pool && view.state.counted && !isConsumed(view, 'Drifted', situation))
      started.set(pool.name, (started.get(pool.name) ?? 0) + change);
  };
  return {
    refuse: ({ pool, reason }) => {
      const tally = pool && isReadByKarpenter(pool, situation) ? situation.tallies.get(pool.name) : undefined;
      if (!tally) return none;
      const query = asKarpenter(tally, reason);
      const { limit, budget } = karpenterLimit(tally, reason, situation);
      const { consumed: before } = asKarpenterCounts(tally);
      const consumed = before + (started.get(tally.pool.name) ?? 0);
      if (limit === undefined || consumed < limit) return none;
      const liftsAt = before >= limit ? limitReaches(before + 1, query, situation.now) : undefined;
      const owner = { kind: 'NodePool', name: tally.pool.name, ...(budget && { index: budget.index }) };
      return [
        refuse('KarpenterBudget', sentence(tally, limit, describeUse(consumed, consumed - before)), {
          owner,
          liftsAt,
        }),
      ];
    },
    spend: (wish) => count(wish, 1),
    takeBack: (wish) => count(wish, -1),
  };
}

const sentence = ({ pool }: PoolTally, limit: number, use: string): string =>
  `Karpenter reads spec.disruption.budgets of pool ${pool.name} as ${describeNodes(limit)}${limit === 0 ? '' : ' at a time'}; ${use}. The smaller of this and the budgets that Lull reads applies`;
