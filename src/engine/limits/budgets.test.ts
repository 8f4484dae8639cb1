import { describe, expect, it } from 'vitest';
import { at, noon, type Plain, pool as plainPool, storeOf } from '../../../test/build.ts';
import type { Pool } from '../../cluster/model.ts';
import type { Reason } from '../../cluster/reason.ts';
import { limitAt, nextLimitChange } from '../rules/budgets.ts';

const pool = (parts: Plain): Pool => storeOf(plainPool('web', parts)).pools.get('web') as Pool;
const budget = (nodes: string, ...reasons: string[]): Plain => ({ nodes, ...(reasons.length > 0 && { reasons }) });
const day = { schedule: '0 9 * * *', duration: '8h' };

const query = (parts: Plain, reason: Reason, counted: number, rule: 'fallback' | 'ceiling' = 'fallback') => ({
  pool: pool(parts),
  reason,
  counted,
  rule,
});

function limitFor(budgets: readonly Plain[], reason: Reason, rule: 'fallback' | 'ceiling' = 'fallback') {
  const { limit, budget: decisive } = limitAt(query({ budgets }, reason, 100, rule), at(noon));
  return { limit, budget: decisive?.index };
}

describe('C1: the limit of a budget', () => {
  it.each([
    { it: 'no list: one budget of 10 %', parts: { budgets: null }, limit: 3 },
    { it: 'an empty list: no limit', parts: { budgets: [] }, limit: undefined },
    { it: 'nodes absent: 10 %', parts: { budgets: [{ reasons: ['Drifted'] }] }, limit: 3 },
    { it: 'reasons: [] is read as absent', parts: { budgets: [{ nodes: '5', reasons: [] }] }, limit: 5 },
    { it: 'a count', parts: { budgets: [budget('7')] }, limit: 7 },
    { it: 'a count beyond the pool', parts: { budgets: [budget('700')] }, limit: 700 },
    { it: 'C3: a percentage rounds up', parts: { budgets: [budget('5%')] }, limit: 2 },
    { it: 'C3: 100 %', parts: { budgets: [budget('100%')] }, limit: 25 },
    { it: 'C3: 0 %', parts: { budgets: [budget('0%')] }, limit: 0 },
    { it: 'C2: a number', parts: { budgets: [{ nodes: 4 }] }, limit: 4 },
    { it: 'C2: maxUnavailable', parts: { budgets: [{ maxUnavailable: '4' }] }, limit: 4 },
    {
      it: 'C9: a topology budget does not count',
      parts: { budgets: [{ nodes: '1', topologyKey: 'zone' }] },
      limit: undefined,
    },
  ])('$it', ({ parts, limit }) => {
    expect(limitAt(query(parts, 'Drifted', 25), at(noon)).limit).toBe(limit);
  });
});

describe('C17: the annotation lull.dev/budgets', () => {
  const annotated = (text: string) => ({ annotations: { 'lull.dev/budgets': text } });
  it.each([
    { it: 'YAML', parts: annotated('- nodes: "2"'), limit: 2 },
    { it: 'JSON', parts: annotated('[{"nodes": "2", "reasons": ["Drifted"]}]'), limit: 2 },
    { it: 'overrides the spec', parts: { ...annotated('[{nodes: "2"}]'), budgets: [budget('0')] }, limit: 2 },
    { it: 'an empty list means no limit', parts: { ...annotated('[]'), budgets: [budget('0')] }, limit: undefined },
  ])('$it', ({ parts, limit }) => {
    expect(limitAt(query(parts, 'Drifted', 25), at(noon)).limit).toBe(limit);
  });
});

describe('C5: a reason that active budgets name', () => {
  it.each([
    {
      it: 'has the smallest of their limits',
      budgets: [budget('10', 'Drifted'), budget('7', 'Drifted', 'Empty')],
      limit: 7,
      index: 1,
    },
    {
      it: 'may exceed the limit of budgets without reasons',
      budgets: [budget('5'), budget('10', 'Drifted')],
      limit: 10,
      index: 1,
    },
    {
      it: 'has the first of equal limits',
      budgets: [budget('5', 'Drifted'), budget('5', 'Drifted')],
      limit: 5,
      index: 0,
    },
    {
      it: 'has percentages compared by the number of nodes they allow',
      budgets: [budget('8%', 'Drifted'), budget('7', 'Drifted')],
      limit: 7,
      index: 1,
    },
    {
      it: 'is not bound by budgets that are not active',
      budgets: [budget('9', 'Drifted'), { ...budget('1', 'Drifted'), schedule: '0 1 * * *', duration: '1h' }],
      limit: 9,
      index: 0,
    },
    {
      it: 'is bound by budgets that are active',
      budgets: [budget('9', 'Drifted'), { ...budget('1', 'Drifted'), ...day }],
      limit: 1,
      index: 1,
    },
    { it: 'is frozen by zero without reasons', budgets: [budget('10', 'Drifted'), budget('0')], limit: 0, index: 1 },
    { it: 'is frozen by 0 % without reasons', budgets: [budget('10', 'Drifted'), budget('0%')], limit: 0, index: 1 },
    {
      it: 'is not frozen by a zero that is not active',
      budgets: [budget('10', 'Drifted'), { ...budget('0'), schedule: '0 1 * * *', duration: '1h' }],
      limit: 10,
      index: 0,
    },
    {
      it: 'is not frozen by a zero of other reasons',
      budgets: [budget('10', 'Drifted'), budget('0', 'Empty')],
      limit: 10,
      index: 0,
    },
  ])('$it', ({ budgets, limit, index }) => {
    expect(limitFor(budgets, 'Drifted')).toEqual({ limit, budget: index });
  });
});

describe('C5: a reason that no active budget names', () => {
  it.each([
    {
      it: 'falls back to the budgets without reasons',
      budgets: [budget('10', 'Drifted'), budget('5'), budget('6')],
      limit: 5,
      index: 1,
    },
    { it: 'has no limit where there are none', budgets: [budget('10', 'Drifted')], limit: undefined, index: undefined },
    {
      it: 'falls back while the one that names it is not active',
      budgets: [budget('5'), { ...budget('1', 'Empty'), schedule: '0 1 * * *', duration: '1h' }],
      limit: 5,
      index: 0,
    },
  ])('$it', ({ budgets, limit, index }) => {
    expect(limitFor(budgets, 'Empty')).toEqual({ limit, budget: index });
  });
});

describe('C5: defaultBudgets: ceiling', () => {
  it.each([
    { it: 'the smallest limit of both kinds', budgets: [budget('10', 'Drifted'), budget('5')], limit: 5, index: 1 },
    {
      it: 'also when the named budget is the smaller',
      budgets: [budget('3', 'Drifted'), budget('5')],
      limit: 3,
      index: 0,
    },
    { it: 'the named budgets alone where there are no others', budgets: [budget('3', 'Drifted')], limit: 3, index: 0 },
  ])('$it', ({ budgets, limit, index }) => {
    expect(limitFor(budgets, 'Drifted', 'ceiling')).toEqual({ limit, budget: index });
  });
});

describe('J2: the next change of a limit', () => {
  const change = (budgets: readonly Plain[], counted = 100, reason: Reason = 'Drifted') =>
    nextLimitChange(query({ budgets }, reason, counted), at(noon));
  it.each([
    { it: 'when a budget closes', budgets: [budget('5'), { ...budget('1'), ...day }], next: '2026-03-10T17:00:00Z' },
    {
      it: 'when one opens',
      budgets: [budget('5'), { ...budget('1'), schedule: '0 20 * * *', duration: '1h' }],
      next: '2026-03-10T20:00:00Z',
    },
    { it: 'not at an edge that changes nothing', budgets: [budget('1'), { ...budget('5'), ...day }], next: undefined },
    {
      it: 'at the first edge that changes the limit',
      budgets: [budget('3'), { ...budget('5'), ...day }, { ...budget('0'), schedule: '0 0 1 4 *', duration: '24h' }],
      next: '2026-04-01T00:00:00Z',
    },
    { it: 'never without schedules', budgets: [budget('5')], next: undefined },
    {
      it: 'not at an edge of a budget for other reasons',
      budgets: [budget('5'), { ...budget('1', 'Empty'), ...day }],
      next: undefined,
    },
  ])('$it', ({ budgets, next }) => {
    expect(change(budgets)).toBe(next && at(next));
  });

  it('depends on the number of nodes', () => {
    const budgets = [budget('10%'), { ...budget('10'), ...day }];
    expect([change(budgets, 100), change(budgets, 200)]).toEqual([undefined, at('2026-03-10T17:00:00Z')]);
  });
});
