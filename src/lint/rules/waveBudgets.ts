// Lint rules about waves, in which a roll replaces a few nodes first (P3).
import { waveBudgetOf } from '../../cluster/pool.ts';
import { amountOf, formatNodeCount } from '../../engine/rules/budgets.ts';
import { andList, count } from '../../time/lists.ts';
import { nameBudget } from '../facts/budgetText.ts';
import { soundPools } from '../facts/writtenPools.ts';
import { checkEach, type LintRule } from '../rule.ts';

export const waveBudgetsRules: readonly LintRule[] = [
  {
    name: 'waves-collapse', // P3
    severity: 'info',
    finds: 'Waves that replace no node of the pool as it is now, because an earlier wave has replaced as many.',
    why: 'Percentages round up: of a small pool, 10% may be the one node that the first wave has replaced. The roll then has fewer pauses than the list suggests.',
    check: checkEach(soundPools, ({ pool, nodes, path }) => {
      const budget = waveBudgetOf(pool);
      const counted = nodes.filter(({ state }) => state.counted).length;
      if (!budget || counted === 0) return undefined;
      let reached = 0;
      const empty = budget.waves.filter((wave) => {
        const end = Math.min(amountOf(wave, counted), counted);
        const isEmpty = end <= reached;
        reached = Math.max(reached, end);
        return isEmpty;
      });
      if (empty.length === 0) return undefined;
      const [are, them] = empty.length === 1 ? ['is', 'it'] : ['are', 'them'];
      return {
        path: `${path}[${budget.index}].waves`,
        message: `${pool.name} has ${count(counted, 'node')} now: ${andList(empty.map(formatNodeCount))} ${are} left out, because the waves before replace as many.`,
        suggestion: `Use numbers that differ for ${count(counted, 'node')}, or remove ${them}.`,
      };
    }),
  },
  {
    name: 'waves-unused', // P3
    severity: 'warning',
    finds: 'Waves on a budget after another budget with waves.',
    why: 'Only the first budget with waves of a pool is used. The waves of the others have no effect.',
    *check(policy) {
      for (const { pool, object, budgets } of soundPools(policy)) {
        const first = waveBudgetOf(pool);
        for (const { budget, path } of budgets) {
          if (!first || budget.waves === undefined || budget.index === first.index) continue;
          yield {
            object,
            path: `${path}.waves`,
            message: `Only the first budget with waves of a pool is used, and ${nameBudget(first)} comes first: these waves have no effect.`,
            suggestion: 'Keep one list of waves.',
          };
        }
      }
    },
  },
  {
    name: 'waves-without-settle', // P3
    severity: 'info',
    finds: 'Waves on a budget without settle.',
    why: 'The next wave begins as soon as the replaced nodes are Ready and their pods run: an error that shows only after some minutes reaches the next wave.',
    check: checkEach(soundPools, ({ pool, path }) => {
      const budget = waveBudgetOf(pool);
      if (!budget || budget.settle > 0) return undefined;
      return {
        path: `${path}[${budget.index}].waves`,
        message: `Without settle, the next wave of ${pool.name} begins as soon as the pods of this one run: an error that shows later reaches it too.`,
        suggestion: 'settle: 10m',
      };
    }),
  },
];
