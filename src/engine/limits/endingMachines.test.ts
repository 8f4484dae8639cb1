// Nodes whose machine is still ending.
import { describe, expect, it } from 'vitest';
import {
  codesOf,
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pool,
  refusalOf,
  startsOf,
  zone,
} from '../../../test/build.ts';
import type { Round } from '../verdict.ts';

const drifted = machine('n1', { drifted: longAgo });
const idle = ['x0', 'x1', 'x2', 'x3'].map((name) => machine(name));
const allowance = ({ allowances }: Round) => allowances.find((it) => it.pool === 'web' && it.reason === 'Drifted');

describe('C3: a node whose machine is still ending', () => {
  const ending = (name: string, since = longAgo) =>
    machine(name, { ready: 'False', deleted: since, claim: { conditions: { InstanceTerminating: since } } });
  const one = pool('web', { budgets: [{ nodes: '1' }] });
  const ask = (objects: Objects, settings: Plain = {}) => decide([one, drifted, objects], { settings });

  it('uses the unit: a limit of one means one', () => {
    const round = ask([ending('e1', '2026-03-10T11:58:00Z')]);
    expect(startsOf(round)).toEqual([]);
    const refusal = refusalOf(round, 'n1', 'Drifted', 'BudgetSpent');
    expect(refusal.message).toBe(
      'budgets[0] of pool web allows 1 node at a time for Drifted; 1 in use; the machine of e1 has been ending since 2026-03-10T11:58:00Z',
    );
    expect(refusal.help).toContain('kubectl describe nodeclaim e1');
    expect(allowance(round)).toMatchObject({ limit: 1, consumed: 1, left: 0 });
  });

  it('is named with the one that has been ending longest', () => {
    const objects = [ending('e1', '2026-03-10T11:58:00Z'), ending('e2', '2026-03-10T11:50:00Z')];
    expect(refusalOf(ask(objects), 'n1', 'Drifted', 'BudgetSpent').message).toContain(
      '2 in use; the machines of e2 and 1 more node are still ending, the first since 2026-03-10T11:50:00Z',
    );
  });

  it('does not count with endingMachines: ignore', () => {
    const round = ask([ending('e1')], { endingMachines: 'ignore' });
    expect(startsOf(round)).toEqual(['n1 Drifted']);
    expect(allowance(round)).toMatchObject({ limit: 1, consumed: 0 });
  });

  it("does not count in Karpenter's own reading (N4)", () => {
    expect(codesOf(ask([ending('e1')], { role: 'guide' }), 'n1', 'Drifted')).toEqual(['BudgetSpent']);
  });

  it('uses the unit of its domain (C9)', () => {
    const budgets = [{ nodes: '1', topologyKey: zone }];
    const of = (name: string) => machine(name, { zone: name.slice(0, 1), drifted: longAgo });
    const gone = machine('a9', {
      zone: 'a',
      deleted: longAgo,
      claim: { conditions: { InstanceTerminating: '2026-03-10T11:58:00Z' } },
    });
    const round = decide([pool('web', { budgets }), of('a1'), of('b1'), gone]);
    expect(startsOf(round)).toEqual(['b1 Drifted']);
    expect(refusalOf(round, 'a1', 'Drifted', 'DomainBudgetSpent').message).toContain(
      '1 in use; the machine of a9 has been ending since 2026-03-10T11:58:00Z',
    );
  });

  it('does not count for the repair breaker: it does not indicate an outage (A5)', () => {
    const round = decide([
      pool('web', { budgets: [{ nodes: '5' }] }),
      machine('d', { ready: 'False' }),
      idle,
      ending('e1'),
    ]);
    expect(startsOf(round)).toEqual(['d Unhealthy']);
  });

  it('keeps the turn until it is gone (C11)', () => {
    const budgets = [{ nodes: '1', topologyKey: zone, sequential: true }];
    const round = decide(
      [
        pool('web', { budgets }),
        machine('a1', {
          zone: 'a',
          drifted: longAgo,
          deleted: longAgo,
          claim: { conditions: { InstanceTerminating: longAgo } },
        }),
        machine('b1', { zone: 'b', drifted: longAgo }),
      ],
      { settings: { endingMachines: 'ignore' } },
    );
    expect(codesOf(round, 'b1', 'Drifted')).toEqual(['NotItsTurn']);
  });
});
