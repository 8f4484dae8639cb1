import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  command,
  decide,
  ledger,
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
const old = { claim: { spec: { expireAfter: '1h' } } };

describe("N4: Karpenter's own reading of spec.disruption.budgets", () => {
  const annotated = (spec: readonly Plain[], real = '[{nodes: "100%"}]') =>
    pool('web', { budgets: spec, annotations: { 'lull.dev/budgets': real } });
  const drifted = ['n1', 'n2', 'n3'].map((name) => [machine(name, { drifted: longAgo }), pod(`p-${name}`, name)]);
  it.each([
    { it: 'the smaller of both', web: annotated([{ nodes: '1' }]), goes: 1 },
    {
      it: 'the smaller of both, when it is the annotation',
      web: annotated([{ nodes: '2' }], '[{nodes: "1"}]'),
      goes: 1,
    },
    { it: 'no limit in the spec', web: annotated([{ nodes: '100%' }]), goes: 3 },
    {
      it: 'to Karpenter a budget without reasons always binds',
      web: annotated([{ nodes: '1' }, { nodes: '9', reasons: ['Drifted'] }]),
      goes: 1,
    },
    {
      it: 'the default of 10 % where there is none',
      web: pool('web', { budgets: null, annotations: { 'lull.dev/budgets': '[{nodes: "100%"}]' } }),
      goes: 1,
    },
    { it: 'a budget for another reason does not bind', web: annotated([{ nodes: '1', reasons: ['Empty'] }]), goes: 3 },
  ])('$it: $goes', ({ web, goes }) => {
    expect(startsOf(guide(web, drifted))).toHaveLength(goes);
  });

  it('a reason that Karpenter does not know counts as drift', () => {
    const expiring = ['n1', 'n2'].map((name) => [machine(name, old), pod(`p-${name}`, name)]);
    const round = guide(annotated([{ nodes: '1', reasons: ['Drifted'] }]), expiring);
    expect(startsOf(round)).toEqual(['n1 Expired']);
    expect(codesOf(round, 'n2', 'Expired')).toEqual(['KarpenterBudget']);
  });

  it('offered nodes count as consumed', () => {
    const offered = ledger({ commands: [command('n1', { hands: 'karpenter', step: 'offered' })] });
    const round = decide([annotated([{ nodes: '1' }]), drifted], { settings, ledger: offered });
    expect(codesOf(round, 'n2', 'Drifted')).toEqual(['KarpenterBudget']);
  });

  it('a node that is not Ready counts once, also when it starts', () => {
    const others = ['x1', 'x2', 'x3'].map((name) => [machine(name), pod(`p-${name}`, name)]);
    const unready = [machine('n1', { ready: 'False' }), pod('p-n1', 'n1')];
    const round = guide(annotated([{ nodes: '2' }]), unready, drifted.slice(1, 2), others);
    expect(startsOf(round)).toEqual(['n1 Unhealthy', 'n2 Drifted']);
  });

  it('is reported with the pool and how Karpenter reads its budgets', () => {
    const round = guide(annotated([{ nodes: '100%' }, { nodes: '0' }]), drifted);
    const refusal = refusalOf(round, 'n1', 'Drifted', 'KarpenterBudget');
    expect(refusal.owner).toMatchObject({ kind: 'NodePool', name: 'web' });
    expect(refusal.message).toContain('reads spec.disruption.budgets of pool web as no node');
  });

  it('is reported with the index of the budget', () => {
    const round = guide(annotated([{ nodes: '100%' }, { nodes: '0' }]), drifted);
    expect(refusalOf(round, 'n1', 'Drifted', 'KarpenterBudget').owner).toEqual({
      kind: 'NodePool',
      name: 'web',
      index: 1,
    });
  });

  it('lifts when the schedule ends, and wakeAt is set to that time', () => {
    const round = guide(annotated([{ nodes: '100%' }, { nodes: '0', schedule: '0 9 * * *', duration: '8h' }]), drifted);
    expect(refusalOf(round, 'n1', 'Drifted', 'KarpenterBudget').liftsAt).toBe(at('2026-03-10T17:00:00Z'));
    expect(round.wakeAt).toBe(at('2026-03-10T17:00:00Z'));
  });

  it('has no liftsAt for a node that lost the last unit to another in this round', () => {
    const round = guide(annotated([{ nodes: '5' }, { nodes: '1', schedule: '0 9 * * *', duration: '8h' }]), drifted);
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(refusalOf(round, 'n2', 'Drifted', 'KarpenterBudget')).not.toHaveProperty('liftsAt');
  });

  it.each([
    { it: 'a topology', budget: { nodes: '1', topologyKey: 'zone' } },
    { it: 'a zone', budget: { nodes: '1', schedule: '0 9 * * *', duration: '1h', timeZone: 'Europe/Berlin' } },
    { it: 'weekday 7', budget: { nodes: '1', schedule: '0 9 * * 7', duration: '1h' } },
    { it: 'a wrapping range', budget: { nodes: '1', schedule: '0 22-6 * * *', duration: '1h' } },
  ])('a budget that Karpenter cannot read is a fault of the pool in guide: $it', ({ budget }) => {
    const web = pool('web', { budgets: [budget] });
    expect(codesOf(guide(web, drifted), 'n1', 'Drifted')).toContain('PoolFault');
    expect(codesOf(decide([web, drifted]), 'n1', 'Drifted')).not.toContain('PoolFault');
  });

  it('does not bind in drive', () => {
    expect(startsOf(decide([annotated([{ nodes: '0' }]), machine('n1', { drifted: longAgo })]))).toEqual([
      'n1 Drifted',
    ]);
  });
});

describe('C5, N4: observe decides as guide would', () => {
  const forty = Array.from({ length: 40 }, (_, index) => machine(`n${index + 10}`, { drifted: longAgo }));
  const starts = (role: string, budgets: readonly Plain[], ...objects: Objects) =>
    startsOf(decide([pool('web', { budgets, consolidateAfter: 'Never' }), ...objects], { settings: { role } }));

  it.each([
    {
      it: 'a budget without reasons is a ceiling',
      budgets: [{ nodes: '10%' }, { nodes: '100%', reasons: ['Drifted'] }],
      goes: 4,
    },
    { it: 'the default', budgets: [{ nodes: '10%' }], goes: 4 },
    { it: 'a named budget alone', budgets: [{ nodes: '7', reasons: ['Drifted'] }], goes: 7 },
    { it: 'no limit', budgets: [], goes: 40 },
  ])('$it: $goes', ({ budgets, goes }) => {
    expect(starts('observe', budgets, forty)).toHaveLength(goes);
    expect(starts('observe', budgets, forty)).toEqual(starts('guide', budgets, forty));
  });

  it("allowances show Lull's own reading", () => {
    const web = pool('web', { budgets: [{ nodes: '10%' }, { nodes: '100%', reasons: ['Drifted'] }] });
    const { allowances } = decide([web, forty], { settings: { role: 'observe' } });
    expect(allowances.find(({ reason }) => reason === 'Drifted')).toMatchObject({ limit: 40, budget: 1 });
  });

  it('a budget that both read the same way causes one refusal', () => {
    const round = decide([pool('web', { budgets: [{ nodes: '1' }] }), forty], { settings: { role: 'observe' } });
    expect(codesOf(round, 'n11', 'Drifted')).toEqual(['BudgetSpent']);
  });

  it('a pool written for drive keeps its zones', () => {
    const zones = ['a', 'b'].map((zone) => machine(`n-${zone}`, { zone, drifted: longAgo }));
    const budgets = [{ nodes: '1', topologyKey: 'topology.kubernetes.io/zone' }];
    expect(starts('observe', budgets, zones)).toEqual(['n-a Drifted', 'n-b Drifted']);
  });
});
