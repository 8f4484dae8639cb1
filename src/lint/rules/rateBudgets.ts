// Lint rules about budgets with `per`, which limit how many nodes begin in a period (P1).
import type { Budget } from '../../cluster/model.ts';
import { isCounted } from '../../cluster/nodeView.ts';
import { amountOf } from '../../engine/rules/budgets.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { formatDuration } from '../../time/duration.ts';
import { minute } from '../../time/instant.ts';
import { count } from '../../time/lists.ts';
import { readPools, type WrittenBudget } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule } from '../rule.ts';

export const rateBudgetsRules: readonly LintRule[] = [
  {
    name: 'rate-no-effect',
    severity: 'info',
    finds: 'A rate limit (per) that allows as many nodes as the pool has, or as its other budgets could ever start.',
    why: 'A rate limits how many nodes begin in its period. If a limit of nodes at a time, or the size of the pool, never lets that many begin, the rate does nothing.',
    check: checkEach(writtenRates, (written, policy) => {
      const message = describeSize(written, policy) ?? describeLimited(written);
      return message === undefined
        ? undefined
        : { path: written.nodesPath, message, suggestion: 'Lower nodes, or remove this budget.' };
    }),
  },
];

function writtenRates(policy: LintPolicy): WrittenBudget[] {
  return readPools(policy).flatMap(({ rates }) => rates);
}

function describeSize({ pool, budget }: WrittenBudget, { cluster, settings }: LintPolicy): string | undefined {
  const { nodes, per } = budget;
  const counted = cluster.nodesOf(pool.name).nodes.filter((view) => isCounted(view, settings)).length;
  const isAll = 'percent' in nodes && nodes.percent === 100;
  if (per === undefined || (!isAll && (counted === 0 || amountOf(nodes, counted) < counted))) return undefined;
  const size = isAll
    ? `${formatNodeCount(nodes)} is every node of ${pool.name}`
    : `${pool.name} has ${count(counted, 'node')}`;
  return `${size}: this rate matters only if nodes are replaced more than once within ${formatDuration(per)}.`;
}

/** No replacement takes less than this, so a limit of nodes at a time starts no more than this often. */
const shortest = minute;

function describeLimited({ pool, budget }: WrittenBudget): string | undefined {
  const { nodes, per } = budget;
  if (per === undefined || !('count' in nodes)) return undefined;
  const enough = pool.budgets.find((it) => {
    const most = 'count' in it.nodes ? it.nodes.count * (per / shortest + 1) : Infinity;
    return most <= nodes.count && coversAll(it, budget);
  });
  if (!enough) return undefined;
  return `budgets[${enough.index}] allows ${formatNodeCount(enough.nodes)} at a time, which cannot begin more than ${nodes.count} nodes within ${formatDuration(per)}.`;
}

/** Whether it limits every reason that the rate limits, at all times. */
const coversAll = ({ reasons, window, topologyKey }: Budget, rate: Budget): boolean =>
  window === undefined &&
  topologyKey === undefined &&
  (reasons === undefined || (rate.reasons !== undefined && [...rate.reasons].every((reason) => reasons.has(reason))));
