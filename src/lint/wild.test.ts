// Tests of lint findings in budgets as people really write them.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyOf } from '../../test/fixtures/lintPolicy.ts';
import { isMap, type Json } from '../kinds/read/reader.ts';
import { parseText } from '../kinds/text/documents.ts';
import { lint, type PlacedFinding } from './runRules.ts';

/** Budgets as people really write them, with what they intended and what applies. */
const text = readFileSync(resolve(import.meta.dirname, '../../test/vectors/wild-budgets.yaml'), 'utf8');
const rows = parseText(text).values.flatMap(({ value }) => (Array.isArray(value) ? value.filter(isMap) : []));

function lintRow({ budgets, meant: _, holds: __, ...more }: Json): PlacedFinding[] {
  const pool = {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: { disruption: { ...more, budgets } },
  };
  return lint(policyOf(JSON.stringify(pool)));
}

/** By row, from 1 on: each difference between the two, as `rule path within the list of budgets`. */
const differences: Readonly<Record<number, readonly string[]>> = {
  1: [
    'schedule-overlap [1].schedule',
    'budget-never-least [2].nodes',
    'upstream-cron [2].schedule',
    'schedule-overlap [2].schedule',
  ],
  3: ['upstream-ceiling [2].reasons'],
  4: ['fault [0].duration'],
  5: ['fault [0].schedule', 'budget-inverted [0].schedule', 'old-spelling [1].nodes'],
  7: ['schedule-zone-missing [1].schedule'],
  9: ['budget-reason-missing '],
  10: ['budget-policy-off [1].reasons', 'budget-percent [1].nodes'],
  11: ['budget-shared-counter [0].nodes'],
  12: ['old-spelling [0].nodes', 'old-spelling [1].nodes', 'schedule-zone-missing [0].schedule'],
  2: ['schedule-zone-missing [2].schedule'],
};

describe.each(rows.map((row, index) => ({ number: index + 1, row, meant: row.meant, holds: String(row.holds) })))(
  'Budgets $number, meant as "$meant"',
  ({ number, row, holds }) => {
    const found = lintRow(row);
    const told = found.map(({ rule, path }) => `${rule} ${path.replace('spec.disruption.budgets', '')}`);

    it.each(differences[number] ?? [])('reports %s', (difference) => {
      expect(told).toContain(difference);
    });

    it('have no other findings', () => {
      // Findings about the form that Karpenter's CRD accepts do not count.
      const wrong = found.filter(({ severity, rule }) => severity !== 'info' && rule !== 'upstream-admission');
      if (/^as meant/.test(holds)) expect(wrong).toEqual([]);
      else expect(differences[number]).not.toEqual([]);
    });
  },
);

describe('Their findings', () => {
  it.each([
    [1, 'open Monday to Friday 09:00 to 03:00 the next day UTC'],
    [1, 'open Saturday 00:00 to Tuesday 00:00 UTC'],
    [1, '30% never decides: whenever this budget applies, budgets[0] (10%) applies'],
    [1, 'sat-sun wraps around'],
    [3, 'budgets[0] (10%) is a ceiling'],
    [5, 'This schedule says when at most 10% may be disrupted, not when nodes may be disrupted.'],
    [7, '09:00 to 18:00 in Asia/Seoul'],
    [9, 'No budget applies to Unhealthy, Expired and Rebalance'],
    [10, 'With consolidationPolicy: WhenEmpty, budgets do not apply to Underutilized'],
    [10, '5% rounds up to at least one node'],
    [11, 'All reasons share one counter'],
    [12, 'Write "10" in quotes.'],
  ])('row %i: %s', (number, words) => {
    const messages = lintRow(rows[number - 1] ?? {}).map(({ message }) => message);
    expect(messages.filter((message) => message.includes(words))).toHaveLength(1);
  });
});
