// Which budgets are never the least, whatever the hour, the reason and the size of the pool?
import type { Budget } from '../../cluster/model.ts';
import { amountOf } from '../../engine/limits/budgets.ts';
import { formatNodeCount } from '../../kinds/nodeCount.ts';
import { nameBudgets, weeklyBudgets } from '../facts/budgetText.ts';
import { type Case, casesOf, isAsked, sizesFor } from '../facts/decisive.ts';
import { frozenBy } from '../facts/frozen.ts';
import { habitOf } from '../facts/habit.ts';
import { shutWindows } from '../facts/shutWindows.ts';
import { soundPools } from '../facts/unlimited.ts';
import type { WrittenBudget, WrittenPool } from '../facts/writtenPools.ts';
import { openSpans, otherHours, yearAround } from '../facts/year.ts';
import type { Finding, Policy, Rule } from '../rule.ts';

const name = 'budget-never-least';

export const budgetNeverLeast: Rule = {
  name,
  finds: 'A budget beside which, whenever it holds, another is at least as small.',
  why: 'The least of the active budgets wins. A larger number in a window does not lift a smaller one that holds at the same time, so this budget changes nothing.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      - nodes: "10%"
      # Meant: faster at weekends.
      - nodes: "30%"
        schedule: "0 0 * * sat"
        duration: 48h
`,
  *check(policy) {
    for (const written of soundPools(policy)) {
      const told = [...shutWindows(written, policy), ...(frozenBy(written)?.scoped ?? [])];
      for (const budget of written.budgets) {
        if (budget.budget.topologyKey === undefined && !told.includes(budget)) yield* judge(budget, written, policy);
      }
    }
  },
};

function* judge(mine: WrittenBudget, written: WrittenPool, policy: Policy): Generator<Finding> {
  const { pool, object } = written;
  const cases = casesOf(pool, policy);
  if (!cases) return;
  const asked = cases.filter((it) => isAsked(pool, mine.budget, it, policy));
  if (asked.some(({ deciders }) => deciders.has(mine.budget))) return;
  const winners = winnersOver(mine.budget, asked, written, policy);
  const nodes = formatNodeCount(mine.budget.nodes);
  const place = {
    rule: name,
    object,
    path: `${mine.path}.${'maxUnavailable' in mine.entry ? 'maxUnavailable' : 'nodes'}`,
  };
  if (asked.length === 0) {
    const message = `Every reason is named by another budget, and this one is for those that none names: its ${nodes} never holds. Karpenter would read it as a ceiling for all.`;
    yield { ...place, severity: 'warning', message, suggestion: 'Leave it out, or set defaultBudgets: ceiling.' };
    return;
  }
  const alike = winners.find((winner) => formatNodeCount(winner.nodes) === nodes);
  if (alike && winners.length === 1) {
    const message = `This says nothing that budgets[${alike.index}] does not say: both are ${nodes}, and that one holds whenever this one does.`;
    yield { ...place, severity: 'info', message };
    return;
  }
  yield {
    ...place,
    severity: 'warning',
    message: `${nodes} is never the least: whenever this budget holds, ${nameBudgets(winners)} ${winners.length === 1 ? 'holds' : 'hold'} for the same reasons, and the least wins.`,
    ...suggest(mine, winners, policy),
  };
}

/** The one that would be enough, if there is; else all that decide. */
function winnersOver(
  { index, nodes }: Budget,
  asked: readonly Case[],
  { pool }: WrittenPool,
  policy: Policy,
): Budget[] {
  const sizes = sizesFor(pool.budgets);
  const enough = pool.budgets.find(
    (other) =>
      other.index !== index &&
      sizes.every((size) => amountOf(other.nodes, size) <= amountOf(nodes, size)) &&
      asked.every((it) => isAsked(pool, other, it, policy)),
  );
  if (enough) return [enough];
  return [...new Set(asked.flatMap(({ deciders }) => [...deciders]))].sort((a, b) => a.index - b.index);
}

/** To allow more in a window, the smaller budget has to hold at all other hours only. */
function suggest(
  { budget, schedule }: WrittenBudget,
  winners: readonly Budget[],
  { now }: Policy,
): { suggestion?: string } {
  const [winner, ...others] = winners;
  if (!winner || others.length > 0 || winner.window || !budget.window || !schedule) return {};
  const year = yearAround(now);
  const zone = schedule.cron.zone;
  const { weekly } = habitOf(otherHours(openSpans(budget.window, year), year), zone, year);
  if (weekly.length === 0) return {};
  const reasons = winner.reasons && [...winner.reasons];
  const nodes = formatNodeCount(winner.nodes);
  const rest = weeklyBudgets(weekly, { nodes, reasons, zone });
  return { suggestion: `# in place of budgets[${winner.index}]: ${nodes} at all other hours\n${rest}` };
}
