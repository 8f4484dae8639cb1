import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  node,
  type Objects,
  type Plain,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';
import type { Reason } from '../../cluster/reason.ts';
import type { Round } from '../verdict.ts';

const idle = (count: number, parts: NonNullable<Parameters<typeof machine>[1]> = {}, prefix = 'x'): Objects =>
  Array.from({ length: count }, (_, index) => machine(`${prefix}${index}`, parts));
const allowance = ({ allowances }: Round, reason: Reason) =>
  allowances.find((it) => it.pool === 'web' && it.reason === reason);
const drifted = (...names: string[]): Objects => names.map((name) => machine(name, { drifted: longAgo }));
const budget = (nodes: string, ...reasons: string[]): Plain => ({ nodes, ...(reasons.length > 0 && { reasons }) });

describe('C3: percentages are of counted nodes', () => {
  it.each([
    { it: 'initialized nodes', more: [], counted: 10 },
    {
      it: 'not those still starting',
      more: idle(5, { labels: { 'karpenter.sh/initialized': undefined } }, 'y'),
      counted: 10,
    },
    {
      it: 'nodes that are rebooting',
      more: idle(
        5,
        { labels: { 'karpenter.sh/initialized': undefined }, claim: { conditions: { Rebooting: longAgo } } },
        'y',
      ),
      counted: 15,
    },
    {
      it: 'nodes whose machine is still ending',
      more: idle(5, { claim: { conditions: { InstanceTerminating: longAgo } } }, 'y'),
      counted: 15,
    },
    { it: 'not those of other pools', more: idle(5, { pool: 'api' }, 'y'), counted: 10 },
    { it: 'not nodes without a pool', more: ['y1', 'y2'].map((name) => node(name)), counted: 10 },
    { it: 'nodes that are being deleted', more: idle(5, { deleted: longAgo }, 'y'), counted: 15 },
  ])('$it', ({ more, counted }) => {
    const round = decide([pool('web', { budgets: [budget('100%')] }), idle(10), more]);
    expect(allowance(round, 'Drifted')?.limit).toBe(counted);
  });
});

describe('C4: consumed', () => {
  const own = ledger({ commands: [command('n1', { reason: 'Empty' })] });
  const disrupted = { DisruptionReason: { status: 'True', reason: 'Empty' } };
  it.each([
    { it: 'not Ready', objects: machine('n1', { ready: 'False' }), consumed: 1, forRepair: 0 },
    { it: 'Ready unknown', objects: machine('n1', { ready: 'Unknown' }), consumed: 1, forRepair: 0 },
    { it: 'its claim deleting', objects: machine('n1', { claim: { deleted: longAgo } }), consumed: 1, forRepair: 1 },
    { it: 'itself deleting', objects: machine('n1', { deleted: longAgo }), consumed: 1, forRepair: 1 },
    {
      it: 'rebooting',
      objects: machine('n1', { claim: { conditions: { Rebooting: longAgo } } }),
      consumed: 1,
      forRepair: 1,
    },
    { it: 'in a command of the ledger', objects: machine('n1'), known: own, consumed: 1, forRepair: 1 },
    {
      it: "in a command of Karpenter's",
      objects: machine('n1', { claim: { conditions: disrupted } }),
      consumed: 1,
      forRepair: 1,
    },
    {
      it: 'several of these: once',
      objects: machine('n1', { ready: 'False', deleted: longAgo, claim: { conditions: disrupted } }),
      known: own,
      consumed: 1,
      forRepair: 1,
    },
    { it: 'cordoned alone', objects: machine('n1', { spec: { unschedulable: true } }), consumed: 0, forRepair: 0 },
    {
      it: 'not counted',
      objects: machine('n1', { ready: 'False', labels: { 'karpenter.sh/initialized': undefined } }),
      consumed: 0,
      forRepair: 0,
    },
  ])('$it: $consumed, for Unhealthy $forRepair', ({ objects, known, consumed, forRepair }) => {
    const round = decide([pool('web', { budgets: [budget('5')] }), objects, idle(9)], known ? { ledger: known } : {});
    expect(
      ['Drifted', 'Empty', 'Underutilized', 'Expired', 'Rebalance'].map(
        (it) => allowance(round, it as Reason)?.consumed,
      ),
    ).toEqual(Array(5).fill(consumed));
    expect(allowance(round, 'Unhealthy')?.consumed).toBe(forRepair);
  });

  it('repair does not block itself', () => {
    const down = idle(2, { ready: 'False' }, 'd');
    const round = decide([pool('web', { budgets: [budget('1')] }), down, idle(8)]);
    expect(startsOf(round)).toEqual(['d0 Unhealthy']);
    expect(codesOf(round, 'd1', 'Unhealthy')).toEqual(['BudgetSpent']);
  });
});

describe('C6: left', () => {
  const budgets = [budget('10', 'Drifted'), budget('15', 'Underutilized'), budget('5')];

  it.each([
    { reason: 'Drifted', limit: 10, left: 0, index: 0 },
    { reason: 'Underutilized', limit: 15, left: 1, index: 1 },
    { reason: 'Empty', limit: 5, left: 0, index: 2 },
    { reason: 'Expired', limit: 5, left: 0, index: 2 },
    { reason: 'Rebalance', limit: 5, left: 0, index: 2 },
    { reason: 'Unhealthy', limit: 5, left: 0, index: 2 },
  ] as const)("in the document's example with 14 consumed: $reason $left", ({ reason, limit, left, index }) => {
    const round = decide([pool('web', { budgets }), idle(14, { deleted: longAgo }, 'd'), idle(40)]);
    expect(allowance(round, reason)).toMatchObject({ limit, consumed: 14, left, budget: index });
  });

  it.each([
    { nodes: '2', busy: 0, goes: 2 },
    { nodes: '2', busy: 1, goes: 1 },
    { nodes: '2', busy: 2, goes: 0 },
    { nodes: '2', busy: 3, goes: 0 },
    { nodes: '0', busy: 0, goes: 0 },
    { nodes: '100%', busy: 0, goes: 4 },
  ])('limit $nodes with $busy in use: $goes go', ({ nodes, busy, goes }) => {
    const round = decide([
      pool('web', { budgets: [budget(nodes)] }),
      drifted('a', 'b', 'c', 'd'),
      idle(busy, { deleted: longAgo }),
    ]);
    expect(startsOf(round)).toHaveLength(goes);
  });

  it('reasons share what is consumed', () => {
    const rebalance = machine('r', { annotations: { 'lull.dev/rebalance': '' } });
    const round = decide([
      pool('web', { budgets: [budget('1', 'Drifted'), budget('1', 'Rebalance')] }),
      drifted('a'),
      rebalance,
    ]);
    expect(startsOf(round)).toEqual(['a Drifted']);
    expect(codesOf(round, 'r', 'Rebalance')).toEqual(['BudgetSpent']);
  });

  it('a larger limit for another reason leaves room beyond what is consumed', () => {
    const rebalance = machine('r', { annotations: { 'lull.dev/rebalance': '' } });
    const round = decide([
      pool('web', { budgets: [budget('1', 'Drifted'), budget('2', 'Rebalance')] }),
      drifted('a'),
      rebalance,
    ]);
    expect(startsOf(round)).toEqual(['a Drifted', 'r Rebalance']);
  });
});

describe('C7: a node that is already consumed', () => {
  const unready = machine('n1', { ready: 'False', readySince: '2026-03-10T11:59:00Z', drifted: longAgo });
  it.each([
    { it: 'uses its own unit', nodes: '1', more: [], spent: false },
    { it: 'needs more than its own unit where the limit is zero', nodes: '0', more: [], spent: true },
    {
      it: 'needs more than its own unit where it and others exceed the limit',
      nodes: '1',
      more: idle(1, { deleted: longAgo }),
      spent: true,
    },
    {
      it: 'uses its own unit where all of them are within the limit',
      nodes: '2',
      more: idle(1, { deleted: longAgo }),
      spent: false,
    },
  ])('$it', ({ nodes, more, spent }) => {
    const round = decide([pool('web', { budgets: [budget(nodes)] }), unready, more]);
    expect(codesOf(round, 'n1', 'Drifted').includes('BudgetSpent')).toBe(spent);
  });

  it('uses no second unit when it starts', () => {
    const down = machine('n1', { ready: 'False' });
    const round = decide([pool('web', { budgets: [budget('2')] }), down, drifted('n2', 'n3'), idle(3)]);
    expect(startsOf(round)).toEqual(['n1 Unhealthy', 'n2 Drifted']);
  });

  it('lifts at the time when its own unit is enough', () => {
    const budgets = [budget('1'), { nodes: '0', schedule: '0 9 * * *', duration: '8h' }];
    const round = decide([pool('web', { budgets }), unready]);
    expect(refusalOf(round, 'n1', 'Drifted', 'BudgetSpent').liftsAt).toBe(at('2026-03-10T17:00:00Z'));
  });
});

describe('C5: a node that is not counted', () => {
  const starting = machine('n1', { ready: 'False', labels: { 'karpenter.sh/initialized': undefined } });

  it('uses no unit', () => {
    expect(
      startsOf(decide([pool('web', { budgets: [budget('1')] }), starting, idle(1, { deleted: longAgo })])),
    ).toEqual(['n1 Unhealthy']);
  });

  it('does not start in a frozen pool: a freeze is a freeze', () => {
    const frozen = { nodes: '0', schedule: '0 9 * * *', duration: '8h' };
    const round = decide([pool('web', { budgets: [budget('10%'), frozen] }), starting]);
    expect(startsOf(round)).toEqual([]);
    expect(refusalOf(round, 'n1', 'Unhealthy', 'BudgetSpent')).toMatchObject({
      owner: { kind: 'NodePool', name: 'web', index: 1 },
      message: 'budgets[1] of pool web allows no node for Unhealthy now',
      liftsAt: at('2026-03-10T17:00:00Z'),
    });
  });

  it('starts in a pool whose percentage comes to no node only because it counts none', () => {
    expect(startsOf(decide([pool('web', { budgets: [budget('10%')] }), starting]))).toEqual(['n1 Unhealthy']);
  });
});

describe('J1: a budget that is spent', () => {
  const freeze = { nodes: '0', schedule: '0 9 * * *', duration: '8h' };

  it('is reported with its index', () => {
    const round = decide([
      pool('web', { budgets: [budget('5'), budget('1', 'Drifted')] }),
      drifted('a'),
      idle(2, { deleted: longAgo }),
    ]);
    expect(refusalOf(round, 'a', 'Drifted', 'BudgetSpent')).toMatchObject({
      owner: { kind: 'NodePool', name: 'web', index: 1 },
      message: 'budgets[1] of pool web allows 1 node at a time for Drifted; 2 in use',
    });
  });

  it.each([
    { it: 'a freeze lifts when it ends', budgets: [budget('1'), freeze], more: [], liftsAt: '2026-03-10T17:00:00Z' },
    {
      it: 'a freeze does not lift when the limit after it is in use',
      budgets: [budget('1'), freeze],
      more: idle(1, { deleted: longAgo }),
      liftsAt: undefined,
    },
    {
      it: 'a limit lifts when a larger one follows',
      budgets: [budget('3'), { ...freeze, nodes: '1' }],
      more: idle(2, { deleted: longAgo }),
      liftsAt: '2026-03-10T17:00:00Z',
    },
    { it: 'a limit without a schedule does not lift', budgets: [budget('0')], more: [], liftsAt: undefined },
  ])('$it', ({ budgets, more, liftsAt }) => {
    const round = decide([pool('web', { budgets }), drifted('a'), more]);
    expect(refusalOf(round, 'a', 'Drifted', 'BudgetSpent').liftsAt).toBe(liftsAt && at(liftsAt));
  });

  it('has no liftsAt for a node that lost the last unit to another in this round', () => {
    const budgets = [budget('5'), { nodes: '1', schedule: '0 9 * * *', duration: '8h' }];
    const round = decide([pool('web', { budgets }), drifted('a', 'b')]);
    const refusal = refusalOf(round, 'b', 'Drifted', 'BudgetSpent');
    expect(refusal.message).toContain('0 in use, 1 chosen in this round');
    expect(refusal).not.toHaveProperty('liftsAt');
  });
});
