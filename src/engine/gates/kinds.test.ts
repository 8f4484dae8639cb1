import { describe, expect, it } from 'vitest';
import { codesOf, decide, longAgo, machine, type Objects, pdb, pod, pool, startsOf } from '../../../test/build.ts';
import type { Reason } from '../../cluster/reason.ts';

const rebalance = { annotations: { 'lull.dev/rebalance': '' } };
const expireNow = { expireAfter: '1h' };
const interrupted = { spec: { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] } };

const wishing: Readonly<Record<string, NonNullable<Parameters<typeof machine>[1]>>> = {
  Rebalance: rebalance,
  Drifted: { drifted: longAgo },
  Expired: { claim: { spec: expireNow } },
  Unhealthy: { ready: 'False' },
  Interrupted: interrupted,
};

const blocked: Readonly<Record<string, Objects>> = {
  'an opt-out': [pod('p1', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })],
  'a closed schedule': [pod('p1', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': '0 2 * * *' } })],
  'a spent PDB': [pod('p1'), pdb('web', 0)],
  'two PDBs': [pod('p1'), pdb('web', 9), pdb('all', 9, { selector: {} })],
};

/** What the node says with a machine beside it, so that there are five times as many and the repair breaker rests. */
function codes(reason: Reason, pods: Objects, grace?: string): string {
  const { claim, ...parts } = wishing[reason] ?? {};
  const own = { ...claim, spec: { ...claim?.spec, ...(grace && { terminationGracePeriod: grace }) } };
  const others = ['x1', 'x2', 'x3', 'x4'].map((name) => machine(name));
  const round = decide([pool(), machine('n1', { ...parts, claim: own }), others, pods]);
  return startsOf(round).includes(`n1 ${reason}`) ? 'goes' : codesOf(round, 'n1', reason).join(' ');
}

describe('A2: a blocked pod', () => {
  it.each([
    { reason: 'Rebalance', by: 'an opt-out', says: 'PodOptedOut' },
    { reason: 'Rebalance', by: 'a closed schedule', says: 'PodScheduleClosed' },
    { reason: 'Rebalance', by: 'a spent PDB', says: 'PdbSpent' },
    { reason: 'Rebalance', by: 'two PDBs', says: 'PdbOverlap' },
    { reason: 'Drifted', by: 'an opt-out', says: 'PodOptedOut' },
    { reason: 'Drifted', by: 'a closed schedule', says: 'PodScheduleClosed' },
    { reason: 'Drifted', by: 'a spent PDB', says: 'PdbSpent' },
    { reason: 'Drifted', by: 'two PDBs', says: 'PdbOverlap' },
    { reason: 'Expired', by: 'an opt-out', says: 'PodOptedOut' },
    { reason: 'Expired', by: 'a closed schedule', says: 'PodScheduleClosed' },
    { reason: 'Expired', by: 'a spent PDB', says: 'PdbSpent' },
    { reason: 'Unhealthy', by: 'an opt-out', says: 'PodOptedOut' },
    { reason: 'Unhealthy', by: 'a closed schedule', says: 'goes' },
    { reason: 'Unhealthy', by: 'a spent PDB', says: 'goes' },
    { reason: 'Unhealthy', by: 'two PDBs', says: 'goes' },
    { reason: 'Interrupted', by: 'an opt-out', says: 'goes' },
    { reason: 'Interrupted', by: 'a closed schedule', says: 'goes' },
    { reason: 'Interrupted', by: 'a spent PDB', says: 'goes' },
    { reason: 'Interrupted', by: 'two PDBs', says: 'goes' },
  ] as const)('$reason against $by: $says', ({ reason, by, says }) => {
    expect(codes(reason, blocked[by] ?? [])).toBe(says);
  });
});

describe('A2: with a terminationGracePeriod', () => {
  it.each([
    { reason: 'Drifted', by: 'an opt-out', says: 'goes' },
    { reason: 'Drifted', by: 'a closed schedule', says: 'goes' },
    { reason: 'Drifted', by: 'a spent PDB', says: 'goes' },
    { reason: 'Drifted', by: 'two PDBs', says: 'goes' },
    { reason: 'Expired', by: 'an opt-out', says: 'goes' },
    { reason: 'Unhealthy', by: 'an opt-out', says: 'goes' },
    { reason: 'Rebalance', by: 'an opt-out', says: 'PodOptedOut' },
    { reason: 'Rebalance', by: 'a spent PDB', says: 'PdbSpent' },
  ] as const)('$reason against $by: $says', ({ reason, by, says }) => {
    expect(codes(reason, blocked[by] ?? [], '1h')).toBe(says);
  });

  it('graceful consolidation still waits', () => {
    const consolidating = pool('web', { consolidateAfter: '0s' });
    const graced = machine('n1', { claim: { spec: { terminationGracePeriod: '1h' } } });
    const round = decide([consolidating, graced, machine('n2'), pod('x', 'n2'), blocked['an opt-out'] ?? []]);
    expect(codesOf(round, 'n1', 'Underutilized')).toEqual(['PodOptedOut']);
  });
});

describe('A2: what is forced', () => {
  const everything = [
    pool('web', { budgets: [{ nodes: '0' }] }),
    machine('n1', { ...interrupted, annotations: { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/hold': 'mine' } }),
  ];

  it('is refused by nothing', () => {
    expect(startsOf(decide(everything))).toEqual(['n1 Interrupted']);
  });

  it('is still counted: others find their unit taken', () => {
    const both = decide([
      pool('web', { budgets: [{ nodes: '1' }] }),
      machine('n1', interrupted),
      machine('n2', { drifted: longAgo }),
    ]);
    expect(startsOf(both)).toEqual(['n1 Interrupted']);
    expect(codesOf(both, 'n2', 'Drifted')).toEqual(['BudgetSpent']);
  });
});
