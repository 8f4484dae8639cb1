import { describe, expect, it } from 'vitest';
import type { Refusal } from '../engine/refusal.ts';
import type { Verdict } from '../engine/verdict.ts';
import { untilWhen } from '../engine/why/untilWhen.ts';
import { asInstant } from '../time/instant.ts';
import { eachHeld, groupHeld } from './heldGroups.ts';
import { sayUntil, untilAsJson } from './until.ts';

const refusal = (code: Refusal['code'], message = 'because'): Refusal => ({ code, message });
const held = (node: string, ...refusals: Refusal[]): Verdict => ({
  node,
  pool: 'blue',
  reason: 'Drifted',
  outcome: 'held',
  possibleAt: 'now',
  waitsFor: refusals.some(({ code }) => code === 'Held') ? 'someone' : 'the cluster',
  refusals,
});

describe('J1: until when a node is held', () => {
  const now = asInstant(0);
  const later = asInstant(3_600_000);
  it.each([
    {
      it: 'the instant, where only time holds it',
      possible: { possibleAt: later, waitsFor: 'the clock' },
      says: 'until 1970-01-01 01:00Z (in 1h)',
      json: { until: '1970-01-01T01:00:00Z' },
    },
    {
      it: 'not before it, where something else holds it too',
      possible: { possibleAt: later, waitsFor: 'someone' },
      says: 'not before 1970-01-01 01:00Z (in 1h)',
      json: { until: 'someone acts', notBefore: '1970-01-01T01:00:00Z' },
    },
    {
      it: 'no instant, where time does not hold it',
      possible: { possibleAt: 'now', waitsFor: 'the cluster' },
      says: 'waits for the cluster',
      json: { until: 'the cluster changes' },
    },
    {
      it: 'no instant, where it could not be worked out',
      possible: { waitsFor: 'the clock' },
      says: 'waits for its hours',
      json: { until: 'time passes' },
    },
    {
      it: 'never',
      possible: { possibleAt: 'never', neverMeet: [refusal('WindowNotOpen')], waitsFor: 'someone' },
      says: 'never, as its rules are',
      json: { until: 'never' },
    },
  ] as const)('$it', ({ possible, says, json }) => {
    expect(sayUntil(untilWhen(possible), now)).toBe(says);
    expect(untilAsJson(untilWhen(possible))).toEqual(json);
  });
});

describe('what is held alike', () => {
  const verdicts = [
    held('a', refusal('PdbSpent', 'x'), refusal('PdbSpent', 'y')),
    held('b', refusal('PdbSpent', 'z')),
    held('c', refusal('Held')),
  ];

  it('is told together, with one sentence for a rule', () => {
    expect(groupHeld(verdicts)).toMatchObject([
      { nodes: ['a', 'b'], refusals: [{ code: 'PdbSpent', message: 'x', others: 2 }] },
      { nodes: ['c'], until: 'someone acts', refusals: [{ code: 'Held', others: 0 }] },
    ]);
  });

  it('also where their rules never meet, of which the first are named', () => {
    const never = (node: string): Verdict => ({
      ...held(node, refusal('PodScheduleClosed', node)),
      possibleAt: 'never',
      neverMeet: [refusal('PodScheduleClosed', `pod on ${node}`)],
    });
    expect(groupHeld([never('a'), never('b')])).toMatchObject([
      { nodes: ['a', 'b'], until: { never: [{ message: 'pod on a' }] } },
    ]);
  });

  it('and each by itself with every sentence where all was asked for', () => {
    expect(eachHeld(verdicts).map(({ nodes, refusals }) => [nodes, refusals.map(({ message }) => message)])).toEqual([
      [['a'], ['x', 'y']],
      [['b'], ['z']],
      [['c'], ['because']],
    ]);
  });
});
