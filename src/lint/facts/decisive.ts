// Which budgets of a pool ever decide, for any reason, hour and size of the pool? The engine is asked, so its rules hold here too.
import type { Budget, Pool } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import type { Settings } from '../../cluster/settings.ts';
import { isZero, limitAt } from '../../engine/limits/budgets.ts';
import type { Instant } from '../../time/instant.ts';
import type { Policy } from '../rule.ts';
import { phasesOf } from './phases.ts';

/** One reason at hours with the same active budgets. */
export interface Case {
  readonly reason: Reason;
  readonly at: Instant;
  /** Those that set the limit in a pool of some size. */
  readonly deciders: ReadonlySet<Budget>;
}

/** With more phases than this, nobody could say at a glance what holds, and neither can lint. */
const mostPhases = 200;

/** Undefined where there is too much to go through. Worked out once for all rules that ask. */
export function casesOf(pool: Pool, { now, settings }: Policy): readonly Case[] | undefined {
  const known = cases.get(pool);
  if (known?.now === now && known.settings === settings) return known.cases;
  const phases = phasesOf(pool, now);
  const found = phases.length > mostPhases ? undefined : phases.flatMap(({ at }) => casesAt(pool, at, settings));
  cases.set(pool, { now, settings, cases: found });
  return found;
}

const cases = new WeakMap<Pool, { now: Instant; settings: Settings; cases: readonly Case[] | undefined }>();

function casesAt(pool: Pool, at: Instant, { defaultBudgets: rule }: Settings): Case[] {
  const sizes = sizesFor(pool.budgets);
  return budgetReasons.map((reason) => {
    const decided = sizes.map((counted) => limitAt({ pool, reason, counted, rule }, at).budget);
    return { reason, at, deciders: new Set(decided.filter((budget) => budget !== undefined)) };
  });
}

const many = 1_000_000;

/** Every size at which the order of two budgets can differ from that at another. */
export function sizesFor(budgets: readonly Budget[]): number[] {
  const counts = budgets.flatMap(({ nodes }) => ('count' in nodes ? [nodes.count] : []));
  const percents = budgets.flatMap(({ nodes }) => ('percent' in nodes && nodes.percent > 0 ? [nodes.percent] : []));
  const upTo100 = Array.from({ length: 100 }, (_, index) => index + 1);
  const edges = new Set(counts.flatMap((count) => percents.map((percent) => Math.floor((100 * count) / percent))));
  return [...new Set([...upTo100, ...[...edges].flatMap((edge) => [edge, edge + 1]), many])].filter((size) => size > 0);
}

/** Whether a budget has a say for a reason then: were it smaller than any other, it would decide. */
export function isAsked(pool: Pool, { index, nodes }: Budget, { reason, at }: Case, { settings }: Policy): boolean {
  // A freeze is asked for every reason (C5), so it has to stay one; any other must not become one.
  const budgets = pool.budgets.map((budget) => {
    if (budget.index === index) return isZero(nodes) ? budget : { ...budget, nodes: { count: -1 } };
    return isZero(nodes) ? { ...budget, nodes: { count: 1 } } : budget;
  });
  const query = { pool: { ...pool, budgets }, reason, counted: many, rule: settings.defaultBudgets };
  return limitAt(query, at).budget?.index === index;
}
