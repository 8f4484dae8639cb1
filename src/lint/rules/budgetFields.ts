// Lint rules about single budgets: empty lists, percentages, and reasons without effect (C1–C4).
import { emptyLedger } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { Budget } from '../../cluster/model.ts';
import { isCounted, type NodeView } from '../../cluster/nodeView.ts';
import type { Reason } from '../../cluster/reason.ts';
import { amountOf, isZero } from '../../engine/rules/budgets.ts';
import { observe } from '../../engine/situation.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { count, someOf } from '../../time/lists.ts';
import { nameBudget, nameReasons, offBy } from '../facts/budgetText.ts';
import { bindsDrift, type WrittenBudget, writtenBudgets, writtenPools } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule } from '../rule.ts';

export const budgetFieldsRules: readonly LintRule[] = [
  {
    name: 'budget-empty-list', // C1
    severity: 'warning',
    finds: 'An empty list of budgets.',
    why: 'The default of 10% applies only when the list is absent. An empty list sets no limit: all nodes of the pool may be disrupted at the same time.',
    check: checkEach(writtenPools, ({ pool, path }) =>
      pool.budgetsFrom === 'default' || pool.budgets.length + pool.rates.length > 0 || pool.fault?.path === path
        ? undefined
        : {
            message: `An empty list sets no limit: every node of ${pool.name} may be disrupted at the same time, for any reason. The default of 10% applies only when the list is absent.`,
            suggestion: '- nodes: "10%"',
          },
    ),
  },
  {
    name: 'budget-empty-reasons', // C1
    severity: 'warning',
    finds: 'A budget with an empty list of reasons.',
    why: 'Lull applies such a budget to every reason. Karpenter accepts it and then silently applies it to none.',
    check: checkEach(writtenBudgets, ({ pool, entry, reasonsPath: path }) => {
      const reasons = entry.reasons ?? entry.reason;
      if (!Array.isArray(reasons) || reasons.length > 0) return undefined;
      return {
        path,
        message:
          'Lull reads an empty list as every reason. Karpenter reads it as none, so there this budget silently never applies.',
        suggestion: 'Remove the field to mean every reason, or list the reasons: reasons: [Drifted].',
        ...(pool.budgetsFrom === 'spec' && { fix: [{ path, remove: true as const }] }),
      };
    }),
  },
  {
    name: 'budget-percent', // C3
    severity: 'info',
    finds: 'A percentage that allows far more than it says, because it rounds up in a small pool or domain.',
    why: 'A percentage above 0 rounds up to whole nodes, so it allows at least one: 10% of 3 nodes is a third of them, and 25% of the only node in a zone is the whole zone.',
    check: checkEach(writtenBudgets, (written, policy) => {
      const nodes =
        talliesOf(policy)
          .get(written.pool.name)
          ?.nodes.filter((view) => isCounted(view, policy.settings)) ?? [];
      const message = nodes.length > 0 ? describeToday(written, nodes) : describeAnySize(written);
      return message === undefined ? undefined : { path: written.nodesPath, message };
    }),
  },
  {
    name: 'budget-policy-off', // A3
    severity: 'info',
    finds: 'A budget for a reason to which budgets do not apply, because of another field of the pool or a setting.',
    why: 'consolidationPolicy, consolidateAfter, replicas, expireAfter and repairAfter decide whether a reason arises at all. A budget for a reason that never arises has no effect and misleads readers.',
    *check(policy) {
      for (const { object, pool, budget, reasonsPath: path } of writtenBudgets(policy)) {
        const named = [...(budget.reasons ?? [])];
        for (const [cause, reasons] of Map.groupBy(named, (reason) => offBy(pool, reason, policy.settings)))
          if (cause !== undefined) yield { object, path, message: describeOff(cause, reasons, named) };
      }
    },
  },
  {
    name: 'budget-shared-counter', // C4
    severity: 'info',
    finds: 'Two budgets for different reasons, one many times larger than the other.',
    why: 'All nodes being disrupted count against every budget of the pool, whatever their reason. While nodes are disrupted under the larger budget, the smaller one is used up and its reason has to wait.',
    check: checkEach(writtenPools, ({ budgets }) => {
      const scoped = budgets.filter(({ budget, sound }) => sound && isScoped(budget));
      const [small] = scoped.toSorted((a, b) => typical(a.budget) - typical(b.budget));
      const large =
        small && scoped.find(({ budget }) => isOther(budget, small.budget) && isFarAbove(budget, small.budget));
      if (!large) return undefined;
      return {
        path: `${small.path}.nodes`,
        message: `All reasons share one counter: nodes disrupted for ${nameReasons(large.budget.reasons ?? [])} under ${nameBudget(large.budget)} also use up this ${formatNodeCount(small.budget.nodes)}, so ${nameReasons(small.budget.reasons ?? [])} must wait while they are in flight.`,
      };
    }),
  },
];

const talliesOf = memo(
  ({ cluster, now, settings }: LintPolicy) => observe({ cluster, ledger: emptyLedger }, now, settings).tallies,
);

/** From twice the share that is written, report it. */
const farMore = 2;

function describeToday({ budget }: WrittenBudget, nodes: readonly NodeView[]): string | undefined {
  const { nodes: limit, topologyKey } = budget;
  if (!('percent' in limit)) return undefined;
  const { percent } = limit;
  if (topologyKey !== undefined) return bindsDrift(budget) ? describeDomains(budget, percent, nodes) : undefined;
  if (!isFarMore(percent, nodes.length)) return undefined;
  const amount = amountOf(limit, nodes.length);
  return `${percent}% rounds up: of today's ${count(nodes.length, 'node')} it allows ${amount}, ${formatShare(amount, nodes.length)}.`;
}

function describeDomains(
  { nodes: limit, topologyKey = '' }: Budget,
  percent: number,
  nodes: readonly NodeView[],
): string | undefined {
  const domains = Map.groupBy(nodes, ({ node }) => node.labels[topologyKey]);
  const small = [...domains].filter(([, its]) => isFarMore(percent, its.length));
  if (small.length === 0) return undefined;
  const texts = small.map(([domain = 'nodes without the label', its]) => {
    const amount = amountOf(limit, its.length);
    return `${domain} has ${count(its.length, 'node')}, so it allows ${amount}, ${formatShare(amount, its.length)}`;
  });
  return `${percent}% rounds up in each domain: ${someOf(texts.sort())}.`;
}

const isFarMore = (percent: number, of: number): boolean =>
  percent > 0 && (amountOf({ percent }, of) * 100) / of >= farMore * percent;

function formatShare(amount: number, of: number): string {
  return amount === of ? 'all of them' : `${Math.round((amount * 100) / of)}% of them`;
}

/** Percentages below this are written for large pools; the default of 10% needs no remark. */
const little = 10;

function describeAnySize({ budget: { nodes } }: WrittenBudget): string | undefined {
  if (!('percent' in nodes) || nodes.percent === 0 || nodes.percent >= little) return undefined;
  const most = Math.floor(100 / nodes.percent);
  return `${nodes.percent}% rounds up to at least one node: a pool of up to ${most} nodes may have one disrupted at a time, and a pool of one node may lose it.`;
}

function describeOff(cause: string, reasons: readonly Reason[], named: readonly Reason[]): string {
  const all = reasons.length === named.length;
  const pointless = all ? 'this budget' : `naming ${reasons.length === 1 ? 'it' : 'them'} here`;
  return `With ${cause}, budgets do not apply to ${nameReasons(reasons)}, so ${pointless} has no effect.`;
}

const isScoped = ({ nodes, reasons, topologyKey }: Budget): boolean =>
  reasons !== undefined && topologyKey === undefined && !isZero(nodes);

/** The limit in a pool of 100 nodes. */
const typical = ({ nodes }: Budget): number => amountOf(nodes, 100);
const manyTimes = 10;

const isFarAbove = (large: Budget, small: Budget): boolean => typical(large) >= manyTimes * typical(small);

const isOther = ({ reasons }: Budget, small: Budget): boolean =>
  [...(reasons ?? [])].every((reason) => !small.reasons?.has(reason));
