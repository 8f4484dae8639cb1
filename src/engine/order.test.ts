import { describe, expect, it } from 'vitest';
import { decide, longAgo, machine, type Objects, type Plain, pod, pool, startsOf } from '../../test/build.ts';

const rebalance = { annotations: { 'lull.dev/rebalance': '' } };
const interrupted = { spec: { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] } };
const old = { spec: { expireAfter: '1h' } };
const idle = (count: number): Objects => Array.from({ length: count }, (_, index) => machine(`z${index}`));
const order = (objects: Objects, settings: Plain = {}): string => startsOf(decide(objects, { settings })).join(', ');

describe('F1: reasons are tried', () => {
  it('in this order, and a round may act for several', () => {
    const consolidating = pool('web', { consolidateAfter: '0s', consolidationPolicy: 'WhenEmptyOrUnderutilized' });
    const kept = ['p', 'q', 'r', 's'].map((name) =>
      pod(name, `0${name}`, { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    );
    const objects = [
      consolidating,
      machine('a-underutilized'),
      pod('u', 'a-underutilized', { cpu: '1' }),
      machine('b-rebalance', { ...rebalance }),
      pod('b', 'b-rebalance'),
      machine('c-expired', { claim: old }),
      pod('c', 'c-expired'),
      machine('d-drifted', { drifted: longAgo }),
      pod('d', 'd-drifted'),
      machine('e-empty'),
      machine('f-unhealthy', { ready: 'False' }),
      pod('f', 'f-unhealthy'),
      machine('g-interrupted', interrupted),
      pod('g', 'g-interrupted'),
      ['0p', '0q', '0r', '0s'].map((name) => machine(name)),
      kept,
    ];
    expect(order(objects)).toBe(
      'g-interrupted Interrupted, f-unhealthy Unhealthy, e-empty Empty, d-drifted Drifted, c-expired Expired, b-rebalance Rebalance, a-underutilized Underutilized',
    );
  });

  it('the last unit goes to the first of them', () => {
    const web = pool('web', { budgets: [{ nodes: '1' }] });
    expect(
      order([web, machine('a', rebalance), pod('a', 'a'), machine('b', { drifted: longAgo }), pod('b', 'b')]),
    ).toBe('b Drifted');
  });
});

describe('F2: Drifted', () => {
  it.each([
    {
      it: 'without reschedulable pods first',
      objects: [machine('a', { drifted: longAgo }), pod('p', 'a'), machine('b', { drifted: '2026-03-09T00:00:00Z' })],
      says: 'b Drifted, a Drifted',
    },
    {
      it: 'DaemonSet pods do not count',
      objects: [
        machine('a', { drifted: '2026-03-09T00:00:00Z' }),
        machine('b', { drifted: longAgo }),
        pod('p', 'b', { owner: 'DaemonSet/log' }),
      ],
      says: 'b Drifted, a Drifted',
    },
    {
      it: 'then the oldest transition',
      objects: [machine('a', { drifted: '2026-03-09T00:00:00Z' }), machine('b', { drifted: longAgo })],
      says: 'b Drifted, a Drifted',
    },
    {
      it: 'then the name',
      objects: [machine('b', { drifted: longAgo }), machine('a', { drifted: longAgo })],
      says: 'a Drifted, b Drifted',
    },
  ])('$it', ({ objects, says }) => {
    expect(order([pool(), objects])).toBe(says);
  });

  it('over all pools alike', () => {
    const objects = [
      pool('api'),
      pool('web'),
      machine('a', { pool: 'api', drifted: '2026-03-09T00:00:00Z' }),
      machine('b', { drifted: longAgo }),
    ];
    expect(order(objects)).toBe('b Drifted, a Drifted');
  });
});

describe('F2: Expired, Rebalance, Interrupted', () => {
  const [young, elder] = ['2026-03-09T00:00:00Z', longAgo];
  it.each([
    { reason: 'Expired', parts: { claim: old } },
    { reason: 'Rebalance', parts: rebalance },
    { reason: 'Interrupted', parts: interrupted },
  ])('$reason: the oldest first, then the name', ({ reason, parts }) => {
    const made = (name: string, created: string) => machine(name, { ...parts, created });
    expect(order([pool(), made('a', young), made('c', elder), made('b', elder)])).toBe(
      `b ${reason}, c ${reason}, a ${reason}`,
    );
  });
});

describe('F2: Unhealthy', () => {
  const down = (name: string, readySince: string) => machine(name, { ready: 'False', readySince });
  it.each([
    {
      it: 'longest not Ready first',
      objects: [down('a', '2026-03-09T00:00:00Z'), down('b', longAgo)],
      says: 'b Unhealthy, a Unhealthy',
    },
    {
      it: 'then the cheaper to disrupt',
      objects: [down('a', longAgo), pod('p', 'a'), down('b', longAgo)],
      says: 'b Unhealthy, a Unhealthy',
    },
    { it: 'then the name', objects: [down('b', longAgo), down('a', longAgo)], says: 'a Unhealthy, b Unhealthy' },
  ])('$it', ({ objects, says }) => {
    expect(order([pool(), objects, idle(8)])).toBe(says);
  });
});

describe('F2: Empty and Underutilized', () => {
  const web = pool('web', { consolidateAfter: '0s' });
  const priced = (name: string, price: string) =>
    machine(name, { labels: { 'eks-node-viewer/instance-price': price } });
  /** Room for all, first by name, on a node that stays. */
  const target = [
    machine('0', { allocatable: { cpu: '64' } }),
    pod('stay', '0', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
  ];

  it.each([
    { it: 'Empty: the highest price first', objects: [priced('a', '1'), priced('b', '2')], says: 'b Empty, a Empty' },
    { it: 'Empty: no price counts as 1', objects: [priced('a', '0.5'), machine('b')], says: 'b Empty, a Empty' },
    { it: 'Empty: then the name', objects: [machine('b'), machine('a')], says: 'a Empty, b Empty' },
    {
      it: 'Underutilized: price by disruption cost',
      objects: [
        priced('a', '3'),
        pod('p', 'a'),
        pod('q', 'a'),
        priced('b', '4'),
        pod('r', 'b', { spec: { priority: 2 ** 26 } }),
        priced('c', '1.1'),
        pod('s', 'c'),
        target,
      ],
      // 3 ÷ 3, 4 ÷ 4 and 1.1 ÷ 2.
      says: 'a Underutilized, b Underutilized, c Underutilized',
    },
    {
      it: 'Underutilized: then the name',
      objects: [machine('b'), pod('p', 'b'), machine('a'), pod('q', 'a'), target],
      says: 'a Underutilized, b Underutilized',
    },
  ])('$it', ({ objects, says }) => {
    expect(order([web, objects])).toBe(says);
  });

  it('prices come from the catalogue first', () => {
    const typed = (name: string, type: string) =>
      machine(name, {
        zone: 'a',
        labels: {
          'node.kubernetes.io/instance-type': type,
          'karpenter.sh/capacity-type': 'spot',
          'eks-node-viewer/instance-price': '9',
        },
      });
    const catalogue = ['small', 'large'].map((name, index) => ({
      name,
      cpu: '4',
      offerings: [{ zone: 'a', capacityType: 'spot', price: index + 1 }],
    }));
    expect(order([web, typed('a', 'small'), typed('b', 'large')], { catalogue })).toBe('b Empty, a Empty');
  });
});

describe('F2: the same facts give the same round', () => {
  it('whatever the order in which they are listed', () => {
    const objects = [
      pool(),
      ...machine('a', { drifted: longAgo }),
      ...machine('b', { drifted: longAgo }),
      pod('p', 'a'),
      pod('q', 'b'),
      ...machine('c'),
    ].flat();
    const text = (list: Objects): string => JSON.stringify(decide(list));
    expect(text([...objects].reverse())).toBe(text(objects));
  });
});
