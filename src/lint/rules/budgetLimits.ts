// Lint rules about budgets in combination: freezes, budgets that never decide, reasons without a limit (C5).
import type { Budget } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { amountOf } from '../../engine/rules/budgets.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { andList } from '../../time/lists.ts';
import {
  budgetsOutside,
  budgetYaml,
  nameBudgets,
  nameReasons,
  severityOfFree,
  upstreamReasons,
} from '../facts/budgetText.ts';
import { applies, type BudgetCase, casesOf, frozenBy, shutWindows, sizesFor, unlimitedHours } from '../facts/phases.ts';
import { soundPools, type WrittenBudget, type WrittenPool } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule, type RuleFinding } from '../rule.ts';

export const budgetLimitsRules: readonly LintRule[] = [
  {
    name: 'budget-frozen', // C5
    severity: 'warning',
    finds: 'A budget of 0 at all times and for every reason, alone or beside budgets for specific reasons.',
    why: 'A budget of 0 without reasons freezes every reason, including those that another budget names: nothing is ever disrupted voluntarily. Nodes then leave only when they expire forcefully or are interrupted.',
    check: checkEach(soundPools, (written) => {
      const frozen = frozenBy(written);
      if (!frozen || !(frozen.alone || frozen.scoped.length > 0)) return undefined;
      const { zero, scoped } = frozen;
      return {
        path: `${zero.path}.${'nodes' in zero.entry ? 'nodes' : 'maxUnavailable'}`,
        message:
          scoped.length > 0
            ? `A budget of 0 without reasons freezes every reason at all times, so ${andList(scoped.map(nameScoped))} never ${scoped.length === 1 ? 'applies' : 'apply'}.`
            : 'This is the only limit, at all times and for every reason: no node of this pool is ever disrupted voluntarily.',
        suggestion: scoped.length > 0 ? unfrozen(scoped, written) : lifted,
      };
    }),
  },
  {
    name: 'budget-never-least',
    severity: 'warning',
    finds: 'A budget that never decides, because whenever it applies another one is at least as small.',
    why: 'The smallest active budget wins. A larger number in a window does not lift a smaller one that applies at the same time, so this budget has no effect.',
    *check(policy) {
      for (const written of soundPools(policy)) {
        const reported = [...shutWindows(written, policy), ...(frozenBy(written)?.scoped ?? [])];
        for (const budget of written.budgets) {
          const { topologyKey, driftAfter, waves, haltAfter } = budget.budget;
          // Its driftAfter and waves count, whichever budget decides the limit (P3, P7).
          const isOnlyLimit =
            topologyKey === undefined && [driftAfter, waves, haltAfter].every((it) => it === undefined);
          if (isOnlyLimit && !reported.includes(budget)) yield* judge(budget, written, policy);
        }
      }
    },
  },
  {
    name: 'budget-reason-missing',
    severity: 'warning',
    finds: 'Reasons that no budget of a pool applies to.',
    why: 'If every budget names reasons, a reason that none names has no limit: any number of nodes may be disrupted for it at the same time. Karpenter has fewer reasons than Lull, so a list that is complete there may be incomplete here.',
    *check(policy) {
      for (const written of soundPools(policy)) {
        // budget-topology-only reports pools without a flat budget.
        if (written.budgets.every(({ budget }) => budget.topologyKey !== undefined)) continue;
        for (const hours of unlimitedHours(written, policy)) {
          // A rate limits how many nodes begin, whatever the reason (P1).
          const isRated = written.pool.rates.some(
            ({ reasons, window }) => reasons === undefined && window === undefined,
          );
          if (!hours.always || isRated) continue;
          yield {
            severity: severityOfFree(hours.reasons, policy.settings),
            object: written.object,
            path: written.path,
            message: `No budget applies to ${nameReasons(hours.reasons)}, so any number of nodes may be disrupted for ${hours.reasons.length === 1 ? 'it' : 'them'} at the same time. The default of 10% applies only to pools without budgets.`,
            suggestion: oneMore(written, hours.reasons, policy),
          };
        }
      }
    },
  },
];

const nameScoped = ({ budget: { index, nodes, reasons } }: WrittenBudget): string =>
  `budgets[${index}] (${formatNodeCount(nodes)} for ${nameReasons(reasons ?? [])})`;

const lifted = `# for a freeze that ends, use a MaintenanceWindow with notAfter and a note, and keep
${budgetYaml({ nodes: '10%' })}`;

/** A freeze of the other reasons only. Karpenter's CRD does not accept all of them, so in the spec one budget stays without reasons. */
function unfrozen(scoped: readonly WrittenBudget[], { pool }: WrittenPool): string {
  const named = new Set(scoped.flatMap(({ budget }) => [...(budget.reasons ?? [])]));
  const others = budgetReasons.filter((reason) => !named.has(reason));
  const all = pool.budgetsFrom === 'annotation' ? others : others.filter((reason) => upstreamReasons.has(reason));
  const [only, ...more] = scoped;
  const keep = pool.budgetsFrom === 'annotation' || more.length > 0;
  const rest = keep ? scoped.map(asWritten) : only ? [budgetYaml({ nodes: formatNodeCount(only.budget.nodes) })] : [];
  return ['# replaces these budgets', frozenFor(all), ...rest].join('\n');
}

const frozenFor = (reasons: readonly Reason[]): string => budgetYaml({ nodes: '0', reasons });

const asWritten = ({ budget: { nodes, reasons } }: WrittenBudget): string =>
  budgetYaml({ nodes: formatNodeCount(nodes), reasons: [...(reasons ?? [])] });

function* judge(mine: WrittenBudget, written: WrittenPool, policy: LintPolicy): Generator<RuleFinding> {
  const { pool, object } = written;
  const cases = casesOf(pool, policy.now, policy.settings);
  if (cases.length === 0) return;
  const applicable = cases.filter((it) => applies(pool, mine.budget, it, policy));
  if (applicable.some(({ deciders }) => deciders.has(mine.budget))) return;
  const winners = winnersOver(mine.budget, applicable, written, policy);
  const nodes = formatNodeCount(mine.budget.nodes);
  const place = {
    object,
    path: `${mine.path}.${'maxUnavailable' in mine.entry ? 'maxUnavailable' : 'nodes'}`,
  };
  if (applicable.length === 0) {
    const message = `Other budgets name every reason, and this one is for reasons that none names: its ${nodes} never applies. Karpenter would read it as a ceiling for all reasons.`;
    yield { ...place, message, suggestion: 'Remove it, or set defaultBudgets: ceiling.' };
    return;
  }
  const alike = winners.find((winner) => formatNodeCount(winner.nodes) === nodes);
  if (alike && winners.length === 1) {
    const message = `This budget repeats budgets[${alike.index}]: both are ${nodes}, and that one applies whenever this one does.`;
    yield { ...place, severity: 'info', message };
    return;
  }
  yield {
    ...place,
    message: `${nodes} never decides: whenever this budget applies, ${nameBudgets(winners)} ${winners.length === 1 ? 'applies' : 'apply'} to the same reasons, and the smallest budget wins.`,
    ...winnerOutside(mine, winners, policy),
  };
}

/** One budget that is always at least as small, if there is one; if not, all budgets that decide. */
function winnersOver(
  { index, nodes }: Budget,
  applicable: readonly BudgetCase[],
  { pool }: WrittenPool,
  policy: LintPolicy,
): Budget[] {
  const sizes = sizesFor(pool.budgets);
  const enough = pool.budgets.find(
    (other) =>
      other.index !== index &&
      sizes.every((size) => amountOf(other.nodes, size) <= amountOf(nodes, size)) &&
      applicable.every((it) => applies(pool, other, it, policy)),
  );
  if (enough) return [enough];
  return [...new Set(applicable.flatMap(({ deciders }) => [...deciders]))].sort((a, b) => a.index - b.index);
}

/** To allow more in a window, the smaller budget must apply only at all other hours. */
function winnerOutside(
  { budget, schedule }: WrittenBudget,
  winners: readonly Budget[],
  { now }: LintPolicy,
): { suggestion?: string } {
  const [winner, ...others] = winners;
  if (!winner || others.length > 0 || winner.window || !budget.window || !schedule) return {};
  const nodes = formatNodeCount(winner.nodes);
  const rest = budgetsOutside(budget.window, now, { nodes, reasons: winner.reasons, zone: schedule.cron.zone });
  const intro = `# replaces budgets[${winner.index}]: ${nodes} at all other hours`;
  return rest === undefined ? {} : { suggestion: `${intro}\n${rest}` };
}

const tenth = { percent: 10 } as const;

/** One more budget. Karpenter also reads budgets in the spec: it accepts fewer reasons, and one without reasons is a ceiling for all. */
function oneMore({ pool, budgets }: WrittenPool, reasons: readonly Reason[], { settings }: LintPolicy): string {
  const ceiling = settings.defaultBudgets === 'ceiling';
  const yaml = budgetYaml({ nodes: formatNodeCount(tenth), ...(ceiling && { reasons }) });
  if (settings.role === 'drive' || pool.budgetsFrom !== 'spec') return yaml;
  const binds = sizesFor(pool.budgets).some((size) =>
    budgets.some(({ budget }) => amountOf(budget.nodes, size) > amountOf(tenth, size)),
  );
  const isRejected = ceiling && reasons.some((reason) => !upstreamReasons.has(reason));
  if (!isRejected && (ceiling || !binds)) return yaml;
  const why = isRejected
    ? "Karpenter's CRD does not accept all of these reasons."
    : 'In the spec, Karpenter would read one more budget as a ceiling for the others.';
  const fields = yaml.slice('- '.length).replaceAll('\n  ', ', ');
  return `${why} Move the budgets to the annotation lull.dev/budgets and add there: ${fields}`;
}
