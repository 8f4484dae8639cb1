import { describe, expect, it } from 'vitest';
import { at, noon, type Plain, pool as plainPool, storeOf } from '../../../test/build.ts';
import type { Pool } from '../../cluster/model.ts';
import { formatInstant } from '../../time/instant.ts';
import { lacksSafetyNet, safetyNetOf } from '../rules/safetyNet.ts';

const pool = (parts: Plain): Pool =>
  storeOf(plainPool('web', { consolidateAfter: '15s', ...parts })).pools.get('web') as Pool;
const gaps = (parts: Plain): string =>
  safetyNetOf(pool(parts), at(noon))
    .gaps.map(({ reason, from }) => `${reason} ${formatInstant(from).slice(5, 16)}`)
    .join(', ');
const day = { schedule: '0 9 * * *', duration: '8h' };
const night = { schedule: '0 17 * * *', duration: '16h' };
const now = '03-10T12:00';
const everything = `Drifted ${now}, Empty ${now}, Underutilized ${now}`;

describe("C17, N10: where Karpenter's own budgets leave a pool without a limit", () => {
  it.each([
    { it: 'the default of 10 %', parts: { budgets: null }, gaps: '' },
    { it: 'a share', parts: { budgets: [{ nodes: '10%' }] }, gaps: '' },
    { it: 'a number', parts: { budgets: [{ nodes: '3' }] }, gaps: '' },
    { it: 'a freeze', parts: { budgets: [{ nodes: '0' }] }, gaps: '' },
    { it: '100 %', parts: { budgets: [{ nodes: '100%' }] }, gaps: everything },
    { it: 'an empty list', parts: { budgets: [] }, gaps: everything },
    {
      it: 'one reason left out',
      parts: { budgets: [{ nodes: '10%', reasons: ['Drifted', 'Empty'] }, { nodes: '100%' }] },
      gaps: `Underutilized ${now}`,
    },
    {
      it: 'a reason that the pool turns off',
      parts: { budgets: [{ nodes: '10%', reasons: ['Drifted', 'Empty'] }], consolidationPolicy: 'WhenEmpty' },
      gaps: '',
    },
    {
      it: 'hours left out, later today',
      parts: { budgets: [{ nodes: '0', ...day }], consolidateAfter: 'Never' },
      gaps: 'Drifted 03-10T17:00',
    },
    {
      it: 'hours that meet',
      parts: {
        budgets: [
          { nodes: '0', ...day },
          { nodes: '10%', ...night },
        ],
      },
      gaps: '',
    },
    {
      it: 'limits in the annotation alone',
      parts: { budgets: [{ nodes: '100%' }], annotations: { 'lull.dev/budgets': '[{nodes: "1"}]' } },
      gaps: everything,
    },
  ])('$it', ({ parts, gaps: expected }) => {
    expect(gaps(parts)).toBe(expected);
    expect(lacksSafetyNet(pool(parts), at(noon))).toBe(expected !== '');
  });

  it('says what holds now, by reason', () => {
    const budgets = [{ nodes: '10%' }, { nodes: '2', reasons: ['Drifted'] }, { nodes: '0', ...night }];
    expect(safetyNetOf(pool({ budgets, consolidateAfter: 'Never' }), at(noon)).limits).toEqual([
      { reason: 'Drifted', atMost: [{ percent: 10 }, { count: 2 }] },
    ]);
  });
});
