// Tests of how held nodes are grouped, and how the end of a hold is written.
import { describe, expect, it } from 'vitest';
import type { Refusal } from '../../engine/refusal.ts';
import type { Verdict } from '../../engine/verdict.ts';
import { untilWhen } from '../../engine/why/wishWhy.ts';
import { asInstant } from '../../time/instant.ts';
import { describeUntil, untilAsJson, utc } from '../formatTime.ts';
import { eachHeld, groupHeld } from './heldGroups.ts';

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

describe('the end of a hold (J1)', () => {
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
      it: 'at least until it, where something else holds it too',
      possible: { possibleAt: later, waitsFor: 'someone' },
      says: 'at least until 1970-01-01 01:00Z (in 1h)',
      json: { until: 'someone acts', notBefore: '1970-01-01T01:00:00Z' },
    },
    {
      it: 'no instant, where time does not hold it',
      possible: { possibleAt: 'now', waitsFor: 'the cluster' },
      says: 'until the cluster changes',
      json: { until: 'the cluster changes' },
    },
    {
      it: 'no instant, where it could not be worked out',
      possible: { waitsFor: 'the clock' },
      says: 'by its schedules',
      json: { until: 'time passes' },
    },
    {
      it: 'never',
      possible: { possibleAt: 'never', neverMeet: [refusal('WindowNotOpen')], waitsFor: 'someone' },
      says: 'never possible under its current rules',
      json: { until: 'never' },
    },
  ] as const)('$it', ({ possible, says, json }) => {
    expect(describeUntil(untilWhen(possible), { now, zone: utc })).toBe(says);
    expect(untilAsJson(untilWhen(possible))).toEqual(json);
  });
});

describe('groups of held nodes', () => {
  const verdicts = [
    held('a', refusal('PdbSpent', 'x'), refusal('PdbSpent', 'y')),
    held('b', refusal('PdbSpent', 'z')),
    held('c', refusal('Held')),
  ];

  it('have one message per code', () => {
    expect(groupHeld(verdicts)).toMatchObject([
      { nodes: ['a', 'b'], refusals: [{ code: 'PdbSpent', message: 'x', others: 2 }] },
      { nodes: ['c'], until: 'someone acts', refusals: [{ code: 'Held', others: 0 }] },
    ]);
  });

  it('with conflicting rules name those of their first node', () => {
    const never = (node: string): Verdict => ({
      ...held(node, refusal('PodScheduleClosed', node)),
      possibleAt: 'never',
      neverMeet: [refusal('PodScheduleClosed', `pod on ${node}`)],
    });
    expect(groupHeld([never('a'), never('b')])).toMatchObject([
      { nodes: ['a', 'b'], until: { never: [{ message: 'pod on a' }] } },
    ]);
  });

  it('are split into nodes with every refusal by --all', () => {
    expect(eachHeld(verdicts).map(({ nodes, refusals }) => [nodes, refusals.map(({ message }) => message)])).toEqual([
      [['a'], ['x', 'y']],
      [['b'], ['z']],
      [['c'], ['because']],
    ]);
  });
});
