// Schedules of a hostile tenant (issue 15).
import { describe, expect, it } from 'vitest';
import { decide, longAgo, machine, type Plain, pod, pool, refusalOf, verdictOf } from '../build.ts';

const allow = 'karpenter.sh/disruption-schedule';
const block = 'karpenter.sh/disruption-block-schedule';
const allowFor = 'karpenter.sh/disruption-schedule-duration';
const blockFor = 'karpenter.sh/disruption-block-duration';
const zone = { 'karpenter.sh/disruption-schedule-timezone': 'Europe/Berlin' };

const nodes = Array.from({ length: 6 }, (_, i) => machine(`n${i}`, { drifted: longAgo }));
const plain = [pool(), ...nodes.flat(), pod('web', 'n5', { annotations: { [allow]: '0 22 * * *' } })];
const hostile = (name: string, node: string, annotations: Record<string, string>): Plain =>
  pod(name, node, { namespace: 'tenant', annotations: { ...zone, ...annotations } });

const crons = (of: number): string =>
  Array.from({ length: 48 }, (_, i) => `${(i % 2) * 30} ${i >> 1} * * ${of % 7}`).join(';');
const many = Array.from({ length: 40 }, (_, i) =>
  hostile(`many-${i}`, `n${i % 3}`, {
    [allow]: crons(i),
    [allowFor]: `${30 + i}m`,
    [block]: crons(i + 1),
    [blockFor]: `${31 + i}m`,
  }),
);

describe('Issue 15: schedules of a hostile tenant', () => {
  const round = decide([...plain, ...many]);

  it('E13: hold the nodes of its own pods, with the reason and without an instant', () => {
    const refusal = refusalOf(round, 'n0', 'Drifted', 'PodScheduleClosed');
    expect(refusal?.message).toBe(
      'pod tenant/many-0 is not moved: its 96 schedules are not evaluated, because pods in namespace tenant have more than 1000 different schedules',
    );
    expect(refusal).not.toHaveProperty('liftsAt');
    expect(refusal?.help).toBe("Ask the pod's owner to use at most 5 schedules per pod, or the same text on all pods.");
    const verdict = verdictOf(round, 'n0', 'Drifted');
    expect(verdict.outcome).toBe('held');
    expect(verdict).not.toHaveProperty('possibleAt');
    expect(verdict).not.toHaveProperty('podsAgreeAt');
    expect(round.pods.find(({ name }) => name === 'many-0')).not.toHaveProperty('movableAt');
    expect(round.faults.filter(({ object }) => object.startsWith('Pod/tenant/'))).toHaveLength(many.length);
  });

  it('E13: do not affect any other node', () => {
    const without = decide(plain);
    for (const name of ['n3', 'n4', 'n5'])
      expect(verdictOf(round, name, 'Drifted')).toEqual(verdictOf(without, name, 'Drifted'));
    expect(verdictOf(round, 'n3', 'Drifted')).toMatchObject({ outcome: 'go', refusals: [] });
  });

  it('E12: that never overlap never permit, and that is computed', () => {
    const missed = hostile('missed', 'n4', {
      [allow]: '0 * * * *',
      [allowFor]: '1m',
      [block]: '0-48 * * * *',
      [blockFor]: '1m',
    });
    expect(verdictOf(decide([...plain, missed]), 'n4', 'Drifted')).toMatchObject({
      outcome: 'held',
      possibleAt: 'never',
    });
  });
});
