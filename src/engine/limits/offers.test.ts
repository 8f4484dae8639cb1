import { describe, expect, it } from 'vitest';
import {
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const settings = { role: 'guide', expireLead: '0s' };
const guide = (...objects: Objects) => decide(objects, { settings });
const rebalance = { annotations: { 'lull.dev/rebalance': '' } };
const old = { claim: { spec: { expireAfter: '1h' } } };
const freeze = (...reasons: string[]): Plain => ({ nodes: '0', reasons });

describe('N4: an offer is for all reasons', () => {
  const consolidating = (...budgets: Plain[]) =>
    pool('web', {
      consolidateAfter: '0s',
      annotations: { 'lull.dev/budgets': JSON.stringify([...budgets, { nodes: '100%' }]) },
    });
  const kept = { annotations: { 'karpenter.sh/do-not-consolidate': 'true' } };
  const target = [
    machine('0', { allocatable: { cpu: '64' } }),
    pod('stay', '0', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
  ];
  it.each([
    {
      it: 'Underutilized during a drift freeze',
      web: consolidating(freeze('Drifted')),
      node: machine('n1', { drifted: longAgo }),
      pods: [pod()],
      reason: 'Underutilized',
      goes: false,
    },
    {
      it: 'Underutilized that is not drifted',
      web: consolidating(freeze('Drifted')),
      node: machine('n1'),
      pods: [pod()],
      reason: 'Underutilized',
      goes: true,
    },
    {
      it: 'Drifted while empty nodes are frozen, and it is empty',
      web: consolidating(freeze('Empty')),
      node: machine('n1', { drifted: longAgo }),
      pods: [],
      reason: 'Drifted',
      goes: false,
    },
    {
      it: 'Empty during a drift freeze: Karpenter tries Empty first',
      web: consolidating(freeze('Drifted')),
      node: machine('n1', { drifted: longAgo }),
      pods: [],
      reason: 'Empty',
      goes: true,
    },
    {
      it: 'Drifted while consolidation is frozen: Karpenter tries Drifted first',
      web: consolidating(freeze('Underutilized')),
      node: machine('n1', { drifted: longAgo }),
      pods: [pod()],
      reason: 'Drifted',
      goes: true,
    },
    {
      it: 'Expired during a drift freeze, and it is drifted',
      web: consolidating(freeze('Drifted')),
      node: machine('n1', { ...old, drifted: longAgo }),
      pods: [pod()],
      reason: 'Expired',
      goes: false,
    },
    {
      it: 'Expired during a drift freeze, and it is not',
      web: consolidating(freeze('Drifted')),
      node: machine('n1', old),
      pods: [pod()],
      reason: 'Expired',
      goes: true,
    },
    // N6: Karpenter will see it as Drifted, which it tries before Underutilized.
    {
      it: 'Expired while consolidation is frozen',
      web: consolidating(freeze('Underutilized')),
      node: machine('n1', old),
      pods: [pod()],
      reason: 'Expired',
      goes: true,
    },
    {
      it: 'Rebalance while consolidation is frozen',
      web: consolidating(freeze('Underutilized')),
      node: machine('n1', rebalance),
      pods: [pod()],
      reason: 'Rebalance',
      goes: true,
    },
    {
      it: 'Drifted where another reason but these is frozen',
      web: consolidating(freeze('Expired')),
      node: machine('n1', { ...old, drifted: longAgo }),
      pods: [pod()],
      reason: 'Drifted',
      goes: true,
    },
    {
      it: 'Expired that must not be consolidated',
      web: consolidating(),
      node: machine('n1', { ...old, ...kept }),
      pods: [pod()],
      reason: 'Expired',
      goes: true,
    },
    // Karpenter does not know the annotation, and would take an empty node as such.
    {
      it: 'Drifted that must not be consolidated, and is empty',
      web: consolidating(),
      node: machine('n1', { drifted: longAgo, ...kept }),
      pods: [],
      reason: 'Drifted',
      goes: false,
    },
  ] as const)('$it: $goes', ({ web, node, pods, reason, goes }) => {
    const round = guide(web, node, pods, target);
    expect(startsOf(round).includes(`n1 ${reason}`)).toBe(goes);
  });

  it('says for which reason Karpenter would take it, with that refusal', () => {
    const round = guide(consolidating(freeze('Drifted')), machine('n1', { ...old, drifted: longAgo }), pod());
    const { message, owner } = refusalOf(round, 'n1', 'Expired', 'BudgetSpent');
    expect(message).toMatch(/^Karpenter would disrupt it for Drifted first: budgets\[0\] of pool web/);
    expect(owner).toEqual({ kind: 'NodePool', name: 'web', index: 0 });
  });

  it('what Karpenter would not try holds nothing: a policy that is off', () => {
    expect(startsOf(guide(pool(), machine('n1', { drifted: longAgo })))).toEqual(['n1 Drifted']);
  });

  it('a node that is not Ready is repaired, though its other wishes are held with NotReady', () => {
    const others = ['x1', 'x2', 'x3', 'x4', 'x5'].map((name) =>
      machine(name, { annotations: { 'lull.dev/hold': '' } }),
    );
    for (const pods of [[], [pod()]]) {
      const round = guide(
        pool('web', { consolidateAfter: '0s' }),
        machine('n1', { ready: 'False', drifted: longAgo }),
        pods,
        others,
      );
      expect(startsOf(round)).toEqual(['n1 Unhealthy']);
    }
  });

  it('an interrupted node is offered whatever else is held', () => {
    const node = machine('n1', { drifted: longAgo, claim: { conditions: { Drifted: longAgo, Interrupted: longAgo } } });
    expect(startsOf(guide(consolidating(freeze('Drifted')), node))).toEqual(['n1 Interrupted']);
  });

  it('only in guide', () => {
    const objects = [pool('web', { budgets: [freeze('Drifted')] }), machine('n1', { ...old, drifted: longAgo }), pod()];
    expect(startsOf(decide(objects))).toEqual(['n1 Expired']);
  });
});
