// Lint rules about budgets that Karpenter reads as well, or instead of Lull's (C17, N4).
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { consolidates } from '../../cluster/pool.ts';
import type { Reason } from '../../cluster/reason.ts';
import { isBesideKarpenter } from '../../cluster/settings.ts';
import { amountOf, limitAt } from '../../engine/rules/budgets.ts';
import { isLimit, lacksSafetyNet, safetyNetOf } from '../../engine/rules/safetyNet.ts';
import { describeSafetyNet } from '../../explain/describeLimit.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { after, asDuration, day, earliest, formatInstant, type Instant } from '../../time/instant.ts';
import { andList, groupsOf, someOf } from '../../time/lists.ts';
import { asUpstream } from '../../time/upstreamCron.ts';
import { nameBudget, nameBudgets, nameReasons, reasonsOf, upstreamReasons } from '../facts/budgetText.ts';
import { phasesOf, sizesFor } from '../facts/phases.ts';
import { writtenAt } from '../facts/writtenObjects.ts';
import { bindsDrift, readPools, type WrittenBudget, type WrittenPool, writtenPools } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule, type Severity } from '../rule.ts';

export const upstreamBudgetsRules: readonly LintRule[] = [
  {
    name: 'karpenter-budget-binds', // C17, N4
    severity: 'info',
    finds: 'A pool with budgets in lull.dev/budgets whose spec.disruption.budgets allow fewer nodes.',
    why: 'Karpenter reads only the spec, and uses 10% if it has no budgets. The smaller of both limits applies, so the annotation has less effect than it seems.',
    check: checkEach(readPools, (facts, policy) => {
      const { pool, object } = facts;
      const binding = pool.budgetsFrom === 'annotation' && !pool.provisioner ? findBinding(facts, policy) : undefined;
      if (!binding) return undefined;
      const written = writtenAt(policy, object, 'spec', 'disruption', 'budgets');
      const source = written === undefined ? "Karpenter's default of 10%" : 'spec.disruption.budgets';
      const { reason, at, ours, theirs, of } = binding;
      const when = at === policy.now ? '' : ` at ${formatInstant(at)}`;
      return {
        path: 'spec.disruption.budgets',
        message: `${steering.budgets} allows ${ours} of ${of} nodes at a time for ${reason}${when}, but ${source} allows Karpenter only ${theirs}: the smaller limit applies.`,
        suggestion: `Keep it if the limit in the spec is intended: it also applies while Lull is not running. If not, raise it to ${ours}, but keep a limit there.`,
      };
    }),
  },
  {
    name: 'safety-net-missing', // C17, N10
    severity: 'warning',
    finds:
      'A pool with a limit in lull.dev/budgets whose spec.disruption.budgets leave a reason without a limit at some hour.',
    why: 'Karpenter enforces spec.disruption.budgets even when Lull is not running. With 100% or an empty list there, Karpenter may disrupt every node of the pool at the same time once Lull is stopped or released.',
    check: checkEach(readPools, ({ pool, nodes }, { settings, now }) => {
      const isLimited = pool.budgetsFrom === 'annotation' && pool.budgets.some((budget) => isLimit(budget.nodes));
      if (!isBesideKarpenter(settings) || !isLimited || !lacksSafetyNet(pool, now)) return undefined;
      return {
        path: 'spec.disruption.budgets',
        message: `Only ${steering.budgets} limits this pool. While Lull is not running, Karpenter uses spec.disruption.budgets: ${describeSafetyNet(safetyNetOf(pool, now), now)}.`,
        suggestion: `Write a limit in the spec that always applies, such as budgets: [{nodes: "${formatNodeCount(netFor(pool, nodes))}"}]. The smaller of both limits applies.`,
      };
    }),
  },
  {
    name: 'upstream-admission', // C2
    severity: 'warning',
    finds:
      "Numbers, seconds, older names and reasons that Karpenter's CRD rejects, in budgets that Karpenter also reads.",
    why: "Lull accepts older spellings and has more reasons. `kubectl apply` rejects the pool as written where Karpenter's CRD is installed.",
    check: checkEach(poolsKarpenterReads, (written, policy) => {
      const rejected = written.budgets.filter(({ sound }) => sound).flatMap(rejectedIn);
      const [first] = rejected;
      if (!first) return undefined;
      return {
        severity: severityOf(written, policy),
        path: first.path,
        message: `Karpenter's CRD rejects this pool as written: ${someOf(rejected.map(({ what }) => what))}.`,
        ...(rejected.some(({ path }) => /\.reasons?$/.test(path)) && beyond(written)),
      };
    }),
  },
  {
    name: 'upstream-ceiling', // C5
    severity: 'warning',
    finds:
      'A budget that names a reason and allows more than a budget without reasons, which Karpenter reads as a ceiling.',
    why: 'In Lull, a budget without reasons applies to the reasons that no other budget names. In Karpenter it applies to all reasons, and the smaller of both wins.',
    check: checkEach(poolsKarpenterReads, (written, policy) =>
      groupsOf(differences(written, policy), ({ ours }) => ours).map((its) => {
        const [{ ours }] = its;
        const reasons = its.map(({ reason }) => reason);
        const theirs = [...new Set(its.map((it) => it.theirs))];
        return {
          severity: policy.settings.role === 'guide' ? 'warning' : 'info',
          path: written.budgets.find(({ budget }) => budget.index === ours.index)?.reasonsPath ?? written.path,
          message: `For ${nameReasons(reasons)}, Lull uses ${nameBudget(ours)}, because it names ${reasons.length === 1 ? 'it' : 'them'}. Karpenter uses the smallest of all active budgets: there ${nameBudgets(theirs)} is a ceiling, and fewer nodes may be disrupted.`,
          suggestion: `To mean the same in both, give ${andList(theirs.map(({ index }) => `budgets[${index}]`))} reasons of its own, or set defaultBudgets: ceiling to read budgets as Karpenter does.`,
        };
      }),
    ),
  },
  {
    name: 'upstream-cron', // B2, N4, R1
    severity: 'warning',
    finds:
      'Weekday 7, a range that wraps around, a day counted within the month (sat#1, sunL, L), or a time zone in the cron schedule of a budget that Karpenter also reads.',
    why: 'Karpenter accepts such a pool and then fails to parse the schedule: it disrupts none of its nodes, for any reason, and reports that only in its log.',
    check: checkEach(budgetsKarpenterReads, ({ schedule, schedulePath: path }, policy) => {
      if (schedule?.cron.superset === undefined) return undefined;
      const { text, superset, prefix } = schedule.cron;
      const rewritten = asUpstream(text);
      return {
        severity: severityBeside(policy, 'warning'),
        path,
        message: `Karpenter cannot parse this schedule (${superset}) and therefore disrupts no node of the pool, for any reason.`,
        ...(prefix === undefined && rewritten !== undefined
          ? { suggestion: `schedule: "${rewritten}"`, fix: [{ path, set: rewritten }] }
          : { suggestion: useAnnotation }),
      };
    }),
  },
  {
    name: 'upstream-fields', // C17, N9
    severity: 'warning',
    finds:
      "Lull's own fields (timeZone, topologyKey, sequential, settle, patience, driftAfter, per, waves, haltAfter) in budgets that Karpenter also reads.",
    why: "Karpenter's CRD rejects or drops these fields. If the CRD is patched to keep them, Karpenter still ignores them: it reads a topology budget as a limit for the whole pool, which may disrupt several zones at the same time, a rate as a limit of nodes at a time, and schedules as UTC.",
    check: checkEach(budgetsKarpenterReads, (written, policy) => {
      const fields = unknown.filter((field) => field in written.entry);
      if (fields.length === 0) return undefined;
      return {
        severity: severityBeside(policy, 'info'),
        path: `${written.path}.${fields[0]}`,
        message: `Karpenter does not support ${andList(fields)}: ${readAs(written)}.`,
        suggestion: useAnnotation,
      };
    }),
  },
];

/** Pools with budgets in the spec, where Karpenter reads them too. Karpenter versions with Provisioners have no budgets. */
function poolsKarpenterReads(policy: LintPolicy): WrittenPool[] {
  return writtenPools(policy).filter(({ pool }) => pool.budgetsFrom === 'spec' && !pool.provisioner);
}

function budgetsKarpenterReads(policy: LintPolicy): WrittenBudget[] {
  return poolsKarpenterReads(policy).flatMap(({ budgets, rates }) => [...budgets, ...rates]);
}

/** In guide mode Karpenter disrupts the nodes, so a budget it cannot read is an error. */
const severityBeside = ({ settings }: LintPolicy, otherRoles: Severity): Severity =>
  settings.role === 'guide' ? 'error' : otherRoles;

/** With Karpenter, budgets with Lull's own fields belong in the annotation (C17). */
const useAnnotation =
  'If you run Karpenter, move these budgets to the annotation lull.dev/budgets and keep a limit in the spec that Karpenter can read, such as budgets: [{nodes: "10%"}].';

interface Binding {
  readonly reason: Reason;
  readonly at: Instant;
  readonly ours: number;
  readonly theirs: number;
  readonly of: number;
}

/** The reasons Karpenter has too; in guide mode it handles all others as drift (N6). */
const reasons = ['Drifted', 'Empty', 'Underutilized'] as const;
/** The size assumed for a pool without nodes. */
const nominal = 100;
const week = asDuration(8 * day);
/** Bounds the search: budgets that open every few minutes are found long before. */
const mostEdges = 500;

/** The first instant within a week at which Karpenter allows fewer nodes. */
function findBinding({ pool, nodes }: WrittenPool, { now, settings }: LintPolicy): Binding | undefined {
  const of = nodes.filter(({ state }) => state.counted).length || nominal;
  const asKarpenter: Pool = { ...pool, budgets: pool.karpenterBudgets };
  const end = after(now, week);
  let at: Instant | undefined = now;
  for (let edges = 0; at !== undefined && at < end && edges < mostEdges; edges++) {
    for (const reason of reasons.filter((each) => each === 'Drifted' || consolidates(pool, each))) {
      const query = { reason, counted: of };
      const flat = Math.min(limitAt({ ...query, pool, rule: settings.defaultBudgets }, at).limit ?? of, of);
      // A topology budget may allow any number from one on.
      const ours = reason === 'Drifted' && pool.budgets.some(bindsDrift) ? Math.min(flat, 1) : flat;
      const theirs = Math.min(limitAt({ ...query, pool: asKarpenter, rule: 'ceiling' }, at).limit ?? of, of);
      // Without a limit in the annotation, the one in the spec is intended.
      if (theirs < ours && ours < of) return { reason, at, ours, theirs, of };
    }
    at = nextEdge([...pool.budgets, ...pool.karpenterBudgets], at);
  }
  return undefined;
}

const nextEdge = (budgets: Pool['budgets'], at: Instant): Instant | undefined =>
  budgets.reduce<Instant | undefined>((next, { window }) => earliest(next, window?.nextChange(at)), undefined);

/** At least the largest limit of the annotation: a smaller one would apply before it. */
function netFor({ budgets }: Pool, nodes: readonly NodeView[]): NodeCount {
  const counted = nodes.filter(({ state }) => state.counted).length || nominal;
  const limits = budgets.filter((budget) => budget.topologyKey === undefined && isLimit(budget.nodes));
  const larger = (most: NodeCount, each: NodeCount): NodeCount =>
    amountOf(each, counted) > amountOf(most, counted) ? each : most;
  return limits.map((budget) => budget.nodes).reduce(larger, { percent: 10 });
}

/** With current Karpenter the API server rejects the pool. In drive mode the CRD is Lull's own, and objects of older versions are converted first. */
const severityOf = ({ object }: WrittenPool, policy: LintPolicy): Severity =>
  policy.settings.role !== 'drive' && writtenAt(policy, object, 'apiVersion') === 'karpenter.sh/v1' ? 'error' : 'info';

const beyond = ({ budgets }: WrittenPool): { suggestion?: string } =>
  budgets.some(({ budget }) => [...(budget.reasons ?? [])].some((reason) => !upstreamReasons.has(reason)))
    ? { suggestion: 'Move budgets with reasons that Karpenter does not have to the annotation lull.dev/budgets.' }
    : {};

interface RejectedField {
  readonly path: string;
  readonly what: string;
}

/** Only hours and minutes; Go writes a duration with a trailing 0s. */
const admittedDuration = /^(\d+[hm]|\d+h\d+m)(0s)?$/;

function rejectedIn({ budget: { index }, entry, path }: WrittenBudget): RejectedField[] {
  const { duration } = entry;
  const old = ['maxUnavailable', 'crontab', 'reason'].filter((key) => key in entry);
  const reject = (key: string, what: string): RejectedField => ({
    path: `${path}.${key}`,
    what: `budgets[${index}].${key} (${what})`,
  });
  return [
    ...old.map((key) => reject(key, 'an old name')),
    ...(typeof entry.nodes === 'number' ? [reject('nodes', 'a number, not a string')] : []),
    ...(typeof duration === 'string' && !admittedDuration.test(duration)
      ? [reject('duration', `${duration}, not hours and minutes`)]
      : []),
    ...('schedule' in entry && !('duration' in entry) ? [reject('schedule', 'without a duration')] : []),
    ...(Array.isArray(entry.reasons) ? entry.reasons : [])
      .filter((reason) => typeof reason === 'string' && !upstreamReasons.has(reason))
      .map((reason) => reject('reasons', `${reason} is not a reason in Karpenter`)),
  ];
}

interface BudgetDifference {
  readonly reason: Reason;
  readonly ours: Budget;
  readonly theirs: Budget;
}

/** Bounds the search: more phases show nothing new. */
const mostPhases = 200;

/** For each reason that both have, the first difference between Lull's and Karpenter's reading. */
function differences({ pool, sound }: WrittenPool, { now, settings }: LintPolicy): BudgetDifference[] {
  if (!sound || settings.defaultBudgets === 'ceiling') return [];
  const phases = phasesOf(pool, now).slice(0, mostPhases);
  const sizes = sizesFor(pool.budgets);
  return reasonsOf(pool, settings)
    .filter((reason) => upstreamReasons.has(reason))
    .flatMap((reason) => {
      for (const { at } of phases) {
        for (const counted of sizes) {
          const ours = limitAt({ pool, reason, counted, rule: 'fallback' }, at);
          const theirs = limitAt({ pool, reason, counted, rule: 'ceiling' }, at);
          if (ours.limit !== theirs.limit && ours.budget && theirs.budget)
            return [{ reason, ours: ours.budget, theirs: theirs.budget }];
        }
      }
      return [];
    });
}

const unknown = [
  'timeZone',
  'topologyKey',
  'sequential',
  'settle',
  'patience',
  'driftAfter',
  'per',
  'waves',
  'haltAfter',
];

function readAs({ budget, entry }: WrittenBudget): string {
  const flat = `it reads this as ${formatNodeCount(budget.nodes)} of the whole pool, across all domains`;
  const atATime = `it reads this as ${formatNodeCount(budget.nodes)} of the pool at a time, as often as it likes`;
  const inUtc = 'it reads the schedule as UTC';
  const misread = [
    ...(budget.topologyKey === undefined ? [] : [flat]),
    ...(budget.per === undefined ? [] : [atATime]),
    ...('timeZone' in entry ? [inUtc] : []),
  ];
  return misread.length > 0 ? andList(misread) : 'it rejects or drops them';
}
