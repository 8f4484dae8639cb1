import { describe, expect, it } from 'vitest';
import {
  decide,
  longAgo,
  machine,
  node,
  type Objects,
  type Plain,
  pod,
  pool,
  startsOf,
  verdictOf,
} from '../../../test/build.ts';
import type { Reason } from '../../cluster/reason.ts';

/** The reasons for which the node has a wish, without Empty and Underutilized, one of which every node has. */
function reasonsOf(objects: Objects, settings: Plain = {}): Reason[] {
  const { verdicts } = decide(objects, { settings });
  return verdicts.map(({ reason }) => reason).filter((reason) => reason !== 'Empty' && reason !== 'Underutilized');
}

const withTaint = (key: string) => machine('n1', { spec: { taints: [{ key, effect: 'NoSchedule' }] } });
const withCondition = (type: string, status = 'True') =>
  machine('n1', { claim: { conditions: { [type]: { status, lastTransitionTime: longAgo } } } });

describe('A: a node has a wish', () => {
  it.each([
    { reason: 'Drifted', when: 'its claim has the condition Drifted', objects: withCondition('Drifted') },
    {
      reason: 'Expired',
      when: 'it is as old as its claim allows',
      objects: machine('n1', { claim: { spec: { expireAfter: '228h' } } }),
    },
    {
      reason: 'Unhealthy',
      when: 'it has not been Ready for 30m',
      objects: machine('n1', { ready: 'False', readySince: '2026-03-10T11:30:00Z' }),
    },
    {
      reason: 'Unhealthy',
      when: 'its Ready condition has long been Unknown',
      objects: machine('n1', { ready: 'Unknown' }),
    },
    {
      reason: 'Rebalance',
      when: 'it is annotated',
      objects: machine('n1', { annotations: { 'lull.dev/rebalance': '' } }),
    },
    {
      reason: 'Rebalance',
      when: 'it has the taint',
      objects: withTaint('aws-node-termination-handler/rebalance-recommendation'),
    },
    { reason: 'Rebalance', when: 'its claim has the condition', objects: withCondition('RebalanceRecommended') },
    {
      reason: 'Interrupted',
      when: 'its spot instance is reclaimed',
      objects: withTaint('aws-node-termination-handler/spot-itn'),
    },
    {
      reason: 'Interrupted',
      when: 'maintenance is scheduled',
      objects: withTaint('aws-node-termination-handler/scheduled-maintenance'),
    },
    {
      reason: 'Interrupted',
      when: 'its Auto Scaling group terminates it',
      objects: withTaint('aws-node-termination-handler/asg-lifecycle-termination'),
    },
    {
      reason: 'Interrupted',
      when: 'its cloud announces the termination',
      objects: withTaint('cloud.google.com/impending-node-termination'),
    },
    { reason: 'Interrupted', when: 'its claim has the condition', objects: withCondition('Interrupted') },
  ])('$reason when $when', ({ reason, objects }) => {
    expect(reasonsOf([pool(), objects])).toEqual([reason]);
  });

  it.each([
    { it: 'a claim that is not Drifted', objects: withCondition('Drifted', 'False') },
    { it: 'a claim whose Drifted condition is Unknown', objects: withCondition('Drifted', 'Unknown') },
    { it: 'a claim one second too young', objects: machine('n1', { claim: { spec: { expireAfter: '228h0m1s' } } }) },
    { it: 'a claim that never expires', objects: machine('n1', { claim: { spec: { expireAfter: 'Never' } } }) },
    {
      it: 'a node not Ready one second too short',
      objects: machine('n1', { ready: 'False', readySince: '2026-03-10T11:30:01Z' }),
    },
    { it: 'another taint', objects: withTaint('node.kubernetes.io/unreachable') },
    { it: 'a claim that is not Interrupted', objects: withCondition('Interrupted', 'False') },
    { it: 'a node without a pool', objects: [node('n1', { annotations: { 'lull.dev/rebalance': '' } })] },
  ])('no wish: $it', ({ objects }) => {
    expect(reasonsOf([pool(), objects], { role: 'observe' })).toEqual([]);
  });
});

describe('A: Empty and Underutilized', () => {
  const consolidating = pool('web', { consolidateAfter: '30s' });
  const settled = (lastPodEvent: string) => machine('n1', { claim: { lastPodEvent } });
  it.each([
    { it: 'no pod', pods: [], reason: 'Empty' },
    { it: 'DaemonSet pods alone', pods: [pod('d', 'n1', { owner: 'DaemonSet/log' })], reason: 'Empty' },
    { it: 'mirror pods alone', pods: [pod('m', 'n1', { owner: 'Node/n1' })], reason: 'Empty' },
    { it: 'finished pods alone', pods: [pod('j', 'n1', { phase: 'Succeeded', owner: 'Job' })], reason: 'Empty' },
    { it: 'a pod that is terminating', pods: [pod('t', 'n1', { deleted: longAgo })], reason: 'Empty' },
    { it: 'a pod', pods: [pod()], reason: 'Underutilized' },
    {
      it: 'F3: a pod with the lowest disruption cost',
      pods: [pod('f', 'n1', { annotations: { 'karpenter.sh/disruption-cost': '-2147483648' } })],
      reason: 'Underutilized',
    },
    {
      it: "a StatefulSet's pod that is terminating",
      pods: [pod('s', 'n1', { owner: 'StatefulSet/db', deleted: longAgo })],
      reason: 'Underutilized',
    },
  ])('$it: $reason', ({ pods, reason }) => {
    const round = decide([consolidating, settled('2026-03-10T11:59:30Z'), machine('n2'), pod('x', 'n2'), pods]);
    expect(round.verdicts.find((it) => it.node === 'n1')?.reason).toBe(reason);
    expect(startsOf(round)).toContain(`n1 ${reason}`);
  });
});

describe('A: replacement first', () => {
  const rebalance = { annotations: { 'lull.dev/rebalance': '' } };
  const interrupted = { spec: { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] } };
  const unready = { ready: 'False' };
  const old = { claim: { spec: { expireAfter: '1h' } } };
  const replacements = (objects: Objects): number | undefined =>
    decide(objects).commands.find(({ nodes }) => nodes[0]?.name === 'n1')?.replacements.length;

  it.each([
    { reason: 'Drifted', parts: { drifted: longAgo } },
    { reason: 'Expired', parts: old },
    { reason: 'Unhealthy', parts: unready },
    { reason: 'Rebalance', parts: rebalance },
    { reason: 'Interrupted', parts: interrupted },
  ])('$reason has a replacement where its pods fit nowhere else', ({ parts }) => {
    expect(replacements([pool(), machine('n1', parts), pod('p1', 'n1')])).toBe(1);
  });

  it.each([
    { reason: 'Drifted', parts: { drifted: longAgo } },
    { reason: 'Expired', parts: old },
    { reason: 'Unhealthy', parts: unready },
  ])('$reason has none where they fit elsewhere', ({ parts }) => {
    const others = Array.from({ length: 5 }, (_, index) => machine(`x${index}`));
    expect(replacements([pool(), machine('n1', parts), pod('p1', 'n1'), others])).toBe(0);
  });

  it('Empty never has one', () => {
    expect(replacements([pool('web', { consolidateAfter: '0s' }), machine()])).toBe(0);
  });

  it('Rebalance has one even where they fit elsewhere', () => {
    expect(replacements([pool(), machine('n1', rebalance), pod('p1', 'n1'), machine('n2')])).toBe(1);
  });
});

describe('A1: a node with several wishes', () => {
  const wishing = machine('n1', {
    drifted: longAgo,
    annotations: { 'lull.dev/rebalance': '' },
    claim: { spec: { expireAfter: '1h' } },
  });

  it('has a verdict for each, in the order of F1', () => {
    expect(reasonsOf([pool(), wishing, pod()])).toEqual(['Drifted', 'Expired', 'Rebalance']);
  });

  it.each([
    { it: 'the first', budgets: [{ nodes: '100%' }], goes: 'n1 Drifted' },
    { it: 'the next where the first is refused', budgets: [{ nodes: '0', reasons: ['Drifted'] }], goes: 'n1 Expired' },
    { it: 'the last that is left', budgets: [{ nodes: '0', reasons: ['Drifted', 'Expired'] }], goes: 'n1 Rebalance' },
  ])('starts for one reason: $it', ({ budgets, goes }) => {
    const round = decide([pool('web', { budgets }), wishing, pod()]);
    expect(startsOf(round)).toEqual([goes]);
    const [, reason = ''] = goes.split(' ');
    expect(round.verdicts.filter(({ outcome }) => outcome === 'go').map((it) => it.reason)).toEqual([reason]);
  });

  it('is refused for each reason on its own', () => {
    const budgets = [{ nodes: '0', reasons: ['Drifted'] }];
    const round = decide([
      pool('web', { budgets }),
      wishing,
      pod('p1', 'n1', {
        annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'karpenter.sh/do-not-disrupt-reasons': 'Expired' },
      }),
    ]);
    expect(verdictOf(round, 'n1', 'Drifted').refusals.map(({ code }) => code)).toEqual([
      'AlreadyUnderway',
      'BudgetSpent',
    ]);
    expect(verdictOf(round, 'n1', 'Expired').refusals.map(({ code }) => code)).toEqual([
      'AlreadyUnderway',
      'PodOptedOut',
    ]);
    expect(verdictOf(round, 'n1', 'Rebalance').outcome).toBe('go');
  });
});
