import { describe, expect, it } from 'vitest';
import { at, decide, longAgo, machine, type Objects, pool } from '../../../test/build.ts';

const idle = (count: number): Objects => Array.from({ length: count }, (_, index) => machine(`x${index}`));

describe('J2: allowances', () => {
  it('are listed for every pool and every reason but Interrupted, with or without nodes', () => {
    const { allowances } = decide([pool('b'), pool('a')]);
    expect(allowances.map(({ pool: owner, reason }) => `${owner} ${reason}`)).toEqual(
      ['a', 'b'].flatMap((owner) =>
        ['Unhealthy', 'Empty', 'Drifted', 'Expired', 'Rebalance', 'Underutilized'].map(
          (reason) => `${owner} ${reason}`,
        ),
      ),
    );
  });

  it('have limit, consumed, left, the decisive budget and the next change', () => {
    const budgets = [{ nodes: '40%' }, { nodes: '2', schedule: '0 9 * * *', duration: '8h' }];
    const { allowances } = decide([pool('web', { budgets }), idle(9), machine('d', { deleted: longAgo })]);
    expect(allowances.find(({ reason }) => reason === 'Drifted')).toEqual({
      pool: 'web',
      reason: 'Drifted',
      limit: 2,
      consumed: 1,
      left: 1,
      budget: 1,
      nextChange: at('2026-03-10T17:00:00Z'),
    });
  });

  it('without a limit have no limit, nothing left and no budget', () => {
    const { allowances } = decide([pool('web', { budgets: [] }), idle(1)]);
    expect(allowances[0]).toEqual({ pool: 'web', reason: 'Unhealthy', consumed: 0 });
  });

  it('left is never below zero', () => {
    const gone = ['d1', 'd2', 'd3'].map((name) => machine(name, { deleted: longAgo }));
    expect(decide([pool('web', { budgets: [{ nodes: '1' }] }), gone]).allowances[0]).toMatchObject({
      consumed: 3,
      left: 0,
    });
  });

  it('are those at the start of the round', () => {
    const round = decide([pool('web', { budgets: [{ nodes: '1' }] }), machine('n1', { drifted: longAgo })]);
    expect(round.commands).toHaveLength(1);
    expect(round.allowances.find(({ reason }) => reason === 'Drifted')).toMatchObject({ consumed: 0, left: 1 });
  });

  it('are listed only for governed pools', () => {
    const settings = { pools: 'team=a' };
    const { allowances } = decide([pool('web', { labels: { team: 'a' } }), pool('api', { labels: { team: 'b' } })], {
      settings,
    });
    expect(new Set(allowances.map((it) => it.pool))).toEqual(new Set(['web']));
  });
});
