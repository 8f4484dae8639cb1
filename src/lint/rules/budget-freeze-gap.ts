// Is there a freeze of all but some hours that forgets the weekend?
import type { Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { isZero, limitAt } from '../../engine/limits/budgets.ts';
import { asInstant, type Instant } from '../../time/instant.ts';
import { nameBudget, weeklyBudgets } from '../facts/budgetText.ts';
import { habitOf, minutesADay, type WeekStretch } from '../facts/habit.ts';
import { hoursWhere, isFrozen, phasesOf, type SharedHours } from '../facts/phases.ts';
import { nameReasons, reasonsOf } from '../facts/reasons.ts';
import { sayStretch } from '../facts/spanWords.ts';
import { soundPools, zoneOf } from '../facts/unlimited.ts';
import type { WrittenBudget, WrittenPool } from '../facts/writtenPools.ts';
import { otherHours, yearAround } from '../facts/year.ts';
import type { Finding, Policy, Rule } from '../rule.ts';

const name = 'budget-freeze-gap';

export const budgetFreezeGap: Rule = {
  name,
  finds: 'A freeze of the nights that leaves out some of them: outside office hours, but not at the weekend.',
  why: 'Written to let nodes go by day only, it lets them go for days on end where its cron does not fire, at the very hours at which nobody watches.',
  example: `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  disruption:
    budgets:
      # Only allow drift during business hours
      - nodes: "0"
        schedule: "0 17 * * mon-fri"
        duration: 16h
        reasons: [Drifted]
      - nodes: "10%"
`,
  *check(policy) {
    for (const written of soundPools(policy)) {
      const { pool } = written;
      const frozen = hoursWhere(
        phasesOf(pool, policy.now),
        reasonsOf(pool, policy.settings),
        isFrozen(pool, policy.settings),
      );
      for (const hours of frozen) yield* gapsIn(hours, written, policy);
    }
  },
};

function* gapsIn({ reasons, spans }: SharedHours, written: WrittenPool, policy: Policy): Generator<Finding> {
  const freezes = written.budgets.filter((it) => it.schedule && isZero(it.budget.nodes) && isFor(it, reasons));
  const zone = zoneOf(freezes);
  const year = yearAround(policy.now);
  const { weekly } = habitOf(otherHours(spans, year), zone, year);
  const usual = weekly.find(isDaytime);
  if (!usual) return;
  for (const gap of weekly.filter(({ length }) => length >= usual.length + minutesADay)) {
    const { from } = gap.sample;
    const freeze = freezes.find(({ budget }) => budget.window?.isOpen(asInstant(from - 1)));
    if (!freeze) continue;
    const named = freeze.budget.reasons && [...freeze.budget.reasons];
    yield {
      rule: name,
      severity: 'warning',
      object: written.object,
      path: `${freeze.path}.${freeze.scheduleKey}`,
      message: `Nodes may go for ${nameReasons(reasons)} ${sayStretch(usual)}, but also all the time from ${sayStretch(gap)} ${zone.name}, because no freeze begins in between. The limit is ${sayLimit(written.pool, reasons, from, policy)} then.`,
      suggestion: weeklyBudgets([withoutUsual(gap, usual)], { nodes: '0', reasons: named, zone }),
    };
  }
}

const isFor = ({ budget: { topologyKey, reasons } }: WrittenBudget, some: readonly Reason[]): boolean =>
  topologyKey === undefined && (reasons === undefined || some.some((reason) => reasons.has(reason)));

/** Longer hours leave the nights free too: then a freeze is an exception, and the weekend need not be one. */
const longestDay = 12 * 60;
/** What is so on fewer days is no rule to which there could be an exception. */
const fewestDays = 3;

const isDaytime = ({ days, start, length }: WeekStretch): boolean =>
  days.length >= fewestDays && length <= longestDay && start + length <= minutesADay;

/** The last hours of a gap may be those of an ordinary day: they stay open. */
function withoutUsual(gap: WeekStretch, usual: WeekStretch): WeekStretch {
  const endsAlike = (gap.start + gap.length - usual.start - usual.length) % minutesADay === 0;
  return endsAlike ? { ...gap, length: gap.length - usual.length } : gap;
}

function sayLimit(pool: Pool, reasons: readonly Reason[], at: Instant, { settings }: Policy): string {
  const [reason = 'Drifted'] = reasons;
  const { budget } = limitAt({ pool, reason, counted: 1, rule: settings.defaultBudgets }, at);
  return budget ? `that of ${nameBudget(budget)}` : 'none at all';
}
