import { describe, expect, it } from 'vitest';
import type { Refusal } from '../engine/refusal.ts';
import type { Allowance, Verdict } from '../engine/verdict.ts';
import { untilWhen } from '../engine/why/untilWhen.ts';
import { asInstant } from '../time/instant.ts';
import { eachHeld, groupHeld } from './heldGroups.ts';

const refusal = (code: Refusal['code'], liftsAt?: number, message = 'because'): Refusal => ({
  code,
  message,
  ...(liftsAt !== undefined && { liftsAt: asInstant(liftsAt) }),
});
const held = (node: string, ...refusals: Refusal[]): Verdict => ({
  node,
  pool: 'blue',
  reason: 'Drifted',
  outcome: 'held',
  refusals,
});
const frozen: Allowance = { pool: 'blue', reason: 'Drifted', limit: 0, consumed: 0, left: 0 };

describe('until when a node is held', () => {
  it.each([
    {
      name: 'the latest, where time lifts all',
      refusals: [refusal('WindowBlocks', 5), refusal('NotStable', 9)],
      want: { at: 9 },
    },
    {
      name: 'a person, where one rule is theirs',
      refusals: [refusal('Held'), refusal('NotStable', 9)],
      want: 'someone acts',
    },
    {
      name: 'the cluster, where work goes on',
      refusals: [refusal('NotItsTurn'), refusal('NotStable', 9)],
      want: 'the cluster changes',
    },
    { name: 'the cluster, for a budget in use', refusals: [refusal('BudgetSpent')], want: 'the cluster changes' },
    {
      name: 'a person, for a budget of zero without end',
      refusals: [refusal('BudgetSpent')],
      allowances: [frozen],
      want: 'someone acts',
    },
  ])('$name', ({ refusals, allowances = [], want }) => {
    expect(untilWhen(held('a', ...refusals), allowances)).toEqual(want);
  });
});

describe('what is held alike', () => {
  const verdicts = [
    held('a', refusal('PdbSpent', undefined, 'x'), refusal('PdbSpent', undefined, 'y')),
    held('b', refusal('PdbSpent', undefined, 'z')),
    held('c', refusal('Held')),
  ];

  it('is told together, with one sentence for a rule', () => {
    expect(groupHeld(verdicts, [])).toMatchObject([
      { nodes: ['a', 'b'], refusals: [{ code: 'PdbSpent', message: 'x', others: 2 }] },
      { nodes: ['c'], until: 'someone acts', refusals: [{ code: 'Held', others: 0 }] },
    ]);
  });

  it('and each by itself with every sentence where all was asked for', () => {
    expect(
      eachHeld(verdicts, []).map(({ nodes, refusals }) => [nodes, refusals.map(({ message }) => message)]),
    ).toEqual([
      [['a'], ['x', 'y']],
      [['b'], ['z']],
      [['c'], ['because']],
    ]);
  });
});
