// Property test: the described limits of a pool equal what the engine decides, at any minute of a year.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Pool } from '../cluster/model.ts';
import { budgetReasons } from '../cluster/reason.ts';
import { defaultSettings } from '../cluster/settings.ts';
import { amountOf, limitAt } from '../engine/rules/budgets.ts';
import { readObject } from '../kinds/readObject.ts';
import { asInstant, formatInstant, type Instant, minute, parseInstant } from '../time/instant.ts';
import { wallTime } from '../time/zone.ts';
import { type Bound, type PoolRules, poolRules, type ReasonRule } from './poolRule.ts';
import { sinceMonday } from './week.ts';

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata'];

/** Weekly schedules only: budgets on dates are described in clauses, not in hours of a week. */
const schedule = fc
  .record({
    minute: fc.constantFrom(0, 30),
    hour: fc.integer({ min: 0, max: 23 }),
    days: fc.constantFrom('*', 'mon-fri', 'sat,sun', 'sun', 'fri-mon'),
    duration: fc.constantFrom('1h', '8h', '16h', '24h', '30h', '48h'),
    timeZone: fc.constantFrom(...zones),
  })
  .map(({ minute: at, hour, days, ...rest }) => ({ schedule: `${at} ${hour} * * ${days}`, ...rest }));

const budget = fc
  .record({
    nodes: fc.constantFrom('0', '1', '3', '10%', '50%', '100%'),
    reasons: fc.option(fc.uniqueArray(fc.constantFrom(...budgetReasons), { minLength: 1, maxLength: 3 }), {
      nil: undefined,
    }),
    when: fc.option(schedule, { nil: {} }),
  })
  .map(({ nodes, reasons, when }) => ({ nodes, ...(reasons && { reasons }), ...when }));

function readPool(budgets: readonly object[]): Pool {
  const read = readObject({ kind: 'NodePool', metadata: { name: 'p' }, spec: { disruption: { budgets } } });
  if (read.kind !== 'NodePool' || read.record.fault) throw new Error(JSON.stringify(budgets));
  return read.record;
}

/** The described limit at an instant: an odd hour, the week of its season, or the usual week. */
function toldAt({ year }: ReasonRule, { zone }: PoolRules, at: Instant): Bound {
  const odd = year.odd.find(({ from, to }) => from <= at && at < to);
  if (odd) return odd.state;
  const week = year.seasons.find(({ from, to }) => from <= at && at < to)?.week ?? year.usual;
  const since = sinceMonday(wallTime(zone, at));
  return week.find(({ from, to }) => from <= since && since < to)?.state as Bound;
}

const limitOf = ({ closed, cap }: Bound, counted: number): number | undefined => {
  if (closed || !cap) return closed ? 0 : undefined;
  const share = cap.percent === undefined ? Infinity : amountOf({ percent: cap.percent }, counted);
  return Math.min(cap.count ?? Infinity, share);
};

const most = (limit: number | undefined, counted: number): number | undefined =>
  limit === undefined ? undefined : Math.min(limit, counted);

describe('The described limits of a pool', () => {
  const now = parseInstant('2026-01-14T10:00:00Z') as Instant;
  /** Minutes of the coming year, with more of them around clock changes. */
  const changes = ['2026-03-08T07:00:00Z', '2026-03-29T01:00:00Z', '2026-10-25T01:00:00Z', '2026-11-01T06:00:00Z'];
  const instant = fc.oneof(
    fc.integer({ min: 0, max: 360 * 1440 }).map((minutes) => asInstant(now + minutes * minute)),
    fc
      .tuple(fc.constantFrom(...changes), fc.integer({ min: -1440, max: 3 * 1440 }))
      .map(([change, minutes]) => asInstant((parseInstant(change) ?? 0) + minutes * minute)),
  );

  it('equal what the engine decides, at any minute of the year and for any number of nodes', () => {
    fc.assert(
      fc.property(
        fc.array(budget, { maxLength: 6 }),
        fc.array(instant, { minLength: 40, maxLength: 40 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom('fallback' as const, 'ceiling' as const),
        (budgets, instants, counted, rule) => {
          const pool = readPool(budgets);
          const rules = poolRules({ pool, reaches: [], settings: { ...defaultSettings, defaultBudgets: rule }, now });
          for (const told of rules.rules)
            for (const at of instants) {
              const real = limitAt({ pool, reason: told.reason, counted, rule }, at).limit;
              const said = limitOf(toldAt(told, rules, at), counted);
              // 100% beside a number is not described: it never decides.
              expect(most(said, counted), `${told.reason} ${formatInstant(at)}`).toBe(most(real, counted));
            }
        },
      ),
      { numRuns: 300, seed: 20_261_117 },
    );
  });
});
