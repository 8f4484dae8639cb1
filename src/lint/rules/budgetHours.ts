// Lint rules about the hours of budgets: schedules that limit instead of permit, and hours without a limit (C5).
import { defined } from '../../cluster/defined.ts';
import type { Budget, Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { isZero, limitAt } from '../../engine/rules/budgets.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { asInstant, type Instant } from '../../time/instant.ts';
import { andList } from '../../time/lists.ts';
import {
  budgetsOutside,
  budgetYaml,
  nameBudget,
  nameReasons,
  reasonsOf,
  severityOfFree,
  weeklyBudgets,
} from '../facts/budgetText.ts';
import {
  hoursWhere,
  isAlwaysZero,
  isFor,
  isFrozen,
  phasesOf,
  type SharedHours,
  shutWindows,
  type UnlimitedHours,
  unlimitedHours,
  zoneOf,
} from '../facts/phases.ts';
import {
  formatPattern,
  formatWeeklyHours,
  isOffHours,
  minutesADay,
  openPattern,
  otherHours,
  type WeeklyHours,
  type WeeklyPattern,
  weeklyPattern,
  yearAround,
} from '../facts/weeklyPattern.ts';
import { soundBudgets, soundPools, type WrittenBudget, type WrittenPool, writtenPools } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule, type PartialFinding } from '../rule.ts';

export const budgetHoursRules: readonly LintRule[] = [
  {
    name: 'budget-freeze-gap',
    severity: 'warning',
    finds: 'A freeze outside office hours that leaves out some nights, such as those of the weekend.',
    why: 'The freeze is meant to restrict disruption to office hours. Where its cron does not fire, nodes may be disrupted for days on end, exactly when no one is watching.',
    check: checkEach(soundPools, (written, policy) => {
      const { pool } = written;
      const { now, settings } = policy;
      const frozen = hoursWhere(phasesOf(pool, now), reasonsOf(pool, settings), isFrozen(pool, settings));
      return frozen.flatMap((hours) => gapsIn(hours, written, policy));
    }),
  },
  {
    name: 'budget-inverted',
    severity: 'warning',
    finds: 'A scheduled budget above 0 whose reasons have no limit outside its schedule.',
    why: 'A schedule says when a limit applies, not when disruption is allowed. A budget meant to allow disruption in a window limits it there and leaves the rest of the week unlimited.',
    check: checkEach(writtenPools, (written, policy) =>
      written.sound ? inSoundPool(written, policy) : inBrokenPool(written, policy),
    ),
  },
  {
    name: 'budget-shut',
    severity: 'warning',
    finds: 'A budget of 0 at all times, beside one meant to allow disruption in a window.',
    why: 'The smallest active budget wins, so a 0 without a schedule always wins: nothing is disrupted, not even in the window.',
    check: checkEach(soundPools, (written, policy) => {
      const windows = shutWindows(written, policy);
      const zero = written.budgets.find(isAlwaysZero);
      if (windows.length === 0 || !zero) return undefined;
      return {
        path: zero.nodesPath,
        message: `This 0 applies at all times and the smallest budget wins, so nothing is ever disrupted, not even in the hours of ${andList(windows.map((it) => nameScheduled(it, policy)))}.`,
        ...defined({ suggestion: freezeBeside(windows, zero, policy) }),
      };
    }),
  },
  {
    name: 'budget-tighter-off-hours',
    severity: 'info',
    finds:
      'A limit above 0 that applies only at night or on weekends and is tighter than the limit at all other hours.',
    why: 'A schedule says when a limit applies, not when disruption is allowed. To move disruption to the night, freeze the day; as written, more nodes may be disrupted by day.',
    check: checkEach(soundBudgets, ({ pool, budget, schedule, schedulePath: path }, policy) => {
      const { window, topologyKey, nodes, reasons } = budget;
      if (!window || !schedule || topologyKey !== undefined || isZero(nodes)) return undefined;
      const { zone } = schedule.cron;
      const pattern = openPattern(window, zone, policy.now);
      const isAtRest = pattern.weekly.length > 0 && isOffHours(window, zone, policy.now);
      const looser = isAtRest ? looserOutside(budget, pool, policy) : undefined;
      if (!looser) return undefined;
      return {
        path,
        message: `Fewer nodes may be disrupted ${formatPattern(pattern, zone)} (${formatNodeCount(nodes)}) than at all other hours (${nameBudget(looser)}). To allow disruption only in these hours, freeze the others.`,
        suggestion: budgetsOutside(window, policy.now, { nodes: '0', reasons, zone }) ?? '',
      };
    }),
  },
  {
    name: 'budget-unlimited-hours',
    severity: 'warning',
    finds:
      'Hours at which the scheduled budgets of a pool leave a reason without a limit, in an ordinary week or when clocks change.',
    why: 'Outside its hours a budget sets no limit. If no other budget applies then, any number of nodes may be disrupted at the same time: the default of 10% applies only to pools without budgets.',
    check: checkEach(soundPools, (written, policy) =>
      unlimitedHours(written, policy)
        // budget-inverted reports scheduled limits above 0.
        .filter(({ always, scheduled, freezes }) => !always && (scheduled.length === 0 || freezes))
        .map((hours) => {
          const pattern = weeklyPattern(hours.spans, hours.zone, yearAround(policy.now));
          return {
            severity: severityOfFree(hours.reasons, policy.settings),
            path: hours.scheduled[0]?.schedulePath ?? written.path,
            message: `No budget applies to ${nameReasons(hours.reasons)} at these hours, so any number of nodes may be disrupted at the same time: ${formatPattern(pattern, hours.zone)}.`,
            suggestion: missingBudgets(hours, pattern, reasonsOf(written.pool, policy.settings)),
          };
        }),
    ),
  },
];

function gapsIn({ reasons, spans }: SharedHours, { pool, budgets }: WrittenPool, policy: LintPolicy): PartialFinding[] {
  const freezes = budgets.filter((it) => it.schedule && isZero(it.budget.nodes) && isFor(it, reasons));
  const zone = zoneOf(freezes);
  const year = yearAround(policy.now);
  const { weekly } = weeklyPattern(otherHours(spans, year), zone, year);
  const usual = weekly.find(isDaytime);
  const gaps = usual ? weekly.filter(({ length }) => length >= usual.length + minutesADay) : [];
  return gaps.flatMap((gap) => {
    const { from } = gap.sample;
    const freeze = freezes.find(({ budget }) => budget.window?.isOpen(asInstant(from - 1)));
    if (!freeze || !usual) return [];
    const purpose = { nodes: '0', reasons: freeze.budget.reasons, zone };
    return {
      path: freeze.schedulePath,
      message: `Nodes may be disrupted for ${nameReasons(reasons)} ${formatWeeklyHours(usual)}, but also all the time from ${formatWeeklyHours(gap)} ${zone.name}, because no freeze begins in between. ${describeLimit(pool, reasons, from, policy)}`,
      suggestion: weeklyBudgets([withoutUsual(gap, usual)], purpose),
    };
  });
}

/** A longer daily opening leaves nights open too: then the freeze is the exception, and the weekend need not be part of it. */
const longestDay = 12 * 60;
/** A pattern on fewer days than this is not the usual week. */
const fewestDays = 3;

const isDaytime = ({ days, start, length }: WeeklyHours): boolean =>
  days.length >= fewestDays && length <= longestDay && start + length <= minutesADay;

/** The gap without its last hours, if these are the usual ones: they stay open. */
function withoutUsual(gap: WeeklyHours, usual: WeeklyHours): WeeklyHours {
  const endsAlike = (gap.start + gap.length - usual.start - usual.length) % minutesADay === 0;
  return endsAlike ? { ...gap, length: gap.length - usual.length } : gap;
}

function describeLimit(pool: Pool, reasons: readonly Reason[], at: Instant, { settings }: LintPolicy): string {
  const [reason = 'Drifted'] = reasons;
  const { budget } = limitAt({ pool, reason, counted: 1, rule: settings.defaultBudgets }, at);
  return budget ? `The limit then is ${nameBudget(budget)}.` : 'There is no limit then.';
}

function inSoundPool(written: WrittenPool, policy: LintPolicy): PartialFinding[] {
  return unlimitedHours(written, policy).flatMap(({ reasons, spans, always, scheduled, freezes, zone }) => {
    const [first] = scheduled;
    if (always || freezes || !first) return [];
    const pattern = weeklyPattern(spans, zone, yearAround(policy.now));
    // The suggestion names reasons only if the budgets do.
    const named = scheduled.some(({ budget }) => budget.reasons === undefined) ? undefined : reasons;
    return {
      path: first.schedulePath,
      message: `${describePurpose(first)} ${nameReasons(reasons)} ${reasons.length === 1 ? 'has' : 'have'} no limit outside it: ${formatPattern(pattern, zone)}.`,
      ...(pattern.weekly.length > 0 && {
        suggestion: `${intro}\n${weeklyBudgets(pattern.weekly, { nodes: '0', reasons: named, zone })}`,
      }),
    };
  });
}

const intro = '# to allow disruption only in the scheduled hours, freeze all other hours';

const describePurpose = ({ budget }: WrittenBudget): string =>
  `This schedule says when at most ${formatNodeCount(budget.nodes)} may be disrupted, not when nodes may be disrupted.`;

/** The hours of an invalid budget are unknown, but it is known whether another budget limits its reasons. */
function inBrokenPool({ pool, budgets }: WrittenPool, { settings }: LintPolicy): PartialFinding[] {
  const binds = ({ budget: { reasons, topologyKey } }: WrittenBudget, reason: Reason): boolean =>
    (reasons === undefined || reasons.has(reason)) && (topologyKey === undefined || reason === 'Drifted');
  const isLimit = ({ scheduleKey, budget }: WrittenBudget): boolean =>
    scheduleKey !== undefined && !isZero(budget.nodes);
  const beside = budgets.filter((it) => !isLimit(it));
  return budgets.filter(isLimit).flatMap((mine) => {
    const free = reasonsOf(pool, settings).filter(
      (reason) => binds(mine, reason) && !beside.some((it) => binds(it, reason)),
    );
    const message = `${describePurpose(mine)} Outside its hours ${nameReasons(free)} would have no limit.`;
    return free.length === 0 ? [] : { path: mine.schedulePath, message };
  });
}

function nameScheduled(written: WrittenBudget, { now }: LintPolicy): string {
  const { index, nodes, window } = written.budget;
  const zone = zoneOf([written]);
  const hours = window ? formatPattern(openPattern(window, zone, now), zone) : 'always';
  return `budgets[${index}] (${formatNodeCount(nodes)}, ${hours})`;
}

/** The same freeze at all hours outside the window. */
function freezeBeside(windows: readonly WrittenBudget[], zero: WrittenBudget, { now }: LintPolicy): string | undefined {
  const [only, ...others] = windows;
  if (!only?.budget.window || others.length > 0) return undefined;
  const { reasons } = zero.budget;
  const freeze = budgetsOutside(only.budget.window, now, { nodes: '0', reasons, zone: zoneOf([only]) });
  const intro = `# replaces the budget of 0; keep the budget of ${formatNodeCount(only.budget.nodes)}`;
  return freeze === undefined ? undefined : `${intro}\n${freeze}`;
}

/** Nodes in a pool that is not tiny. */
const typicalSize = 100;

/** The budget that decides outside these hours and allows more, for a reason that this budget decides within them. */
function looserOutside(mine: Budget, pool: Pool, { now, settings }: LintPolicy): Budget | undefined {
  const phases = phasesOf(pool, now);
  for (const reason of reasonsOf(pool, settings)) {
    const limit = (at: Instant) => limitAt({ pool, reason, counted: typicalSize, rule: settings.defaultBudgets }, at);
    const inside = phases.filter(({ at }) => mine.window?.isOpen(at)).map(({ at }) => limit(at));
    const outside = phases.filter(({ at }) => !mine.window?.isOpen(at)).map(({ at }) => limit(at));
    const own = inside.find(({ budget }) => budget === mine)?.limit;
    const [first] = outside;
    if (own !== undefined && outside.every((it) => it.limit !== undefined && it.limit > own)) return first?.budget;
  }
  return undefined;
}

/** If the scheduled budgets are only freezes, the limit for all other times is missing; if not, the hours are. */
function missingBudgets(
  { reasons, scheduled, zone }: UnlimitedHours,
  pattern: WeeklyPattern,
  all: readonly Reason[],
): string {
  const forAll = reasons.length === all.length;
  const limits = scheduled.map(({ budget }) => formatNodeCount(budget.nodes)).filter((nodes) => !/^0%?$/.test(nodes));
  const [nodes] = limits;
  if (nodes === undefined) return budgetYaml({ nodes: '10%', ...(!forAll && { reasons }) });
  if (pattern.weekly.length === 0)
    return 'Let the windows overlap by an hour, so that there is no gap when clocks are set back.';
  return weeklyBudgets(pattern.weekly, { nodes, reasons: forAll ? undefined : reasons, zone });
}
