// Which budgets could be left out and nobody would notice? Looked at wherever other budgets are active with them.
import type { Budget } from '../../cluster/model.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import { isActive } from '../../engine/limits/budgets.ts';
import { after, asInstant, before, day, earliest, type Instant } from '../../time/instant.ts';
import { boundsOf, keyOf } from './bound.ts';
import { type PoolParts, withoutWindow } from './poolRule.ts';
import { stretches, week } from './week.ts';
import { isUsual, utc, zonesOf } from './windowWords.ts';
import { spellsOf } from './year.ts';

/** Those that may be left out together; of two alike the later one. */
export function idleBudgets(parts: PoolParts): readonly Budget[] {
  const { budgets } = parts.pool;
  if (budgets.length < 2) return [];
  let sets = activeSets(parts);
  const idle: Budget[] = [];
  for (const budget of budgets.toReversed()) {
    const without = sets.map((set) => set.filter((it) => it !== budget));
    const isIdle = sets.every((set, index) => !set.includes(budget) || isSame(set, without[index] ?? [], parts));
    if (!isIdle) continue;
    idle.unshift(budget);
    sets = without;
  }
  return idle;
}

/** Whether it is one for every reason which of two sets is active. */
function isSame(a: readonly Budget[], b: readonly Budget[], { pool, settings, now }: PoolParts): boolean {
  return budgetReasons.every((reason) => {
    const [one, other] = [a, b].map((set) => {
      const query = { pool: { ...pool, budgets: set.map(withoutWindow) }, reason, rule: settings.defaultBudgets };
      return keyOf(boundsOf(query)(now));
    });
    return one === other;
  });
}

/** The sets of budgets that are active together at some time; one that comes on dates may meet any of them. */
function activeSets({ pool, now }: PoolParts): (readonly Budget[])[] {
  const apart = pool.budgets.filter(({ window }) => window && !isUsual(window, now));
  const usual = pool.budgets.filter((budget) => !apart.includes(budget));
  const sets = new Map<string, readonly Budget[]>();
  for (const [start, end] of spans(usual, now)) {
    for (const { from } of stretches(changes(usual), start, end)) {
      const active = usual.filter((budget) => isActive(budget, from));
      for (const more of [[], ...apart.map((budget) => [budget])]) {
        const set = pool.budgets.filter((budget) => active.includes(budget) || more.includes(budget));
        sets.set(set.map(({ index }) => index).join(), set);
      }
    }
  }
  return [...sets.values()];
}

/** A stretch for each set of them. */
const changes = (budgets: readonly Budget[]) => ({
  zone: utc,
  stateAt: (at: Instant) =>
    budgets
      .filter((budget) => isActive(budget, at))
      .map(({ index }) => index)
      .join(),
  nextEdge: (at: Instant) => budgets.map(({ window }) => window?.nextChange(at)).reduce(earliest, undefined),
});

/** A week under each setting of the clocks in the coming year, from the day before they are set. */
const spans = (budgets: readonly Budget[], now: Instant): [Instant, Instant][] =>
  spellsOf(
    budgets.flatMap(({ window }) => (window ? zonesOf(window) : [])),
    now,
    asInstant(now + 53 * week),
  ).map(({ from }) => [before(from, day), after(from, week)]);
