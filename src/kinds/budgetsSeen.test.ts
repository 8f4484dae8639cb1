import { describe, expect, it } from 'vitest';
import { type Plain, pool } from '../../test/build.ts';
import type { Pool } from '../cluster/model.ts';
import { budgetFields, disruptionFields } from './addedFields.ts';
import { addedBudgetFields } from './crds/budget.ts';
import { addedDisruptionFields } from './crds/nodePool.ts';
import { readObject } from './readObject.ts';

const zone = 'topology.kubernetes.io/zone';
const rolling = [{ nodes: '1', topologyKey: zone, sequential: true }, { nodes: '10%' }];
const pruned = [{ nodes: '1' }, { nodes: '10%' }];
const copy = JSON.stringify({ budgets: rolling, repairAfter: '5m', expireAfter: '24h' });

function read(parts: Plain): { readonly record: Pool; readonly warnings: readonly string[] } {
  const result = readObject(pool('web', parts));
  if (result.kind !== 'NodePool') throw new Error(result.kind);
  return { record: result.record, warnings: result.faults.map(({ path }) => path) };
}

it('N9: the fields that are looked after are those that the patch adds', () => {
  expect(budgetFields.toSorted()).toEqual(Object.keys(addedBudgetFields).toSorted());
  expect(disruptionFields.toSorted()).toEqual(Object.keys(addedDisruptionFields).toSorted());
});

describe('N9: what only the patched CRD keeps is to be copied', () => {
  it.each([
    { it: 'a topology budget', parts: { budgets: rolling }, keeps: JSON.stringify({ budgets: rolling }) },
    {
      it: 'a lifetime',
      parts: { budgets: pruned, expireAfter: '24h' },
      keeps: JSON.stringify({ budgets: pruned, expireAfter: '24h' }),
    },
    { it: "nothing of Karpenter's own", parts: { budgets: pruned }, keeps: undefined },
    { it: 'nothing where nothing is said', parts: { budgets: null }, keeps: undefined },
  ])('$it', ({ parts, keeps }) => {
    expect(read(parts).record.mirror?.keeps).toBe(keeps);
  });

  it('and stands before the copy', () => {
    const { record, warnings } = read({ budgets: rolling, annotations: { 'lull.dev/budgets-seen': '{"budgets":[]}' } });
    expect(record.mirror).toEqual({ keeps: JSON.stringify({ budgets: rolling }) });
    expect(record.budgets).toHaveLength(2);
    expect(warnings).toEqual([]);
  });
});

describe('N9: fields that have vanished', () => {
  const annotations = { 'lull.dev/budgets-seen': copy };

  it('are read from the copy, with a warning', () => {
    const { record, warnings } = read({ budgets: pruned, annotations });
    expect(record.budgets).toMatchObject([{ topologyKey: zone, sequential: true }, { sequential: false }]);
    expect([record.repairAfter, record.expireEarlyAfter]).toEqual([5 * 60_000, 24 * 3_600_000]);
    expect(record.mirror).toEqual({ stands: true });
    expect(warnings).toEqual(['metadata.annotations[lull.dev/budgets-seen]']);
    expect(record.fault).toBeUndefined();
  });

  it('N4: Karpenter reads what is left, and what it could not read is still a fault in guide', () => {
    const { record } = read({ budgets: pruned, annotations });
    expect(record.karpenterBudgets.map(({ topologyKey }) => topologyKey)).toEqual([undefined, undefined]);
    expect(record.karpenterFault?.path).toBe('spec.disruption.budgets[0].topologyKey');
  });

  it.each([
    { it: 'where somebody has written other budgets since', parts: { budgets: [{ nodes: '5' }] } },
    { it: 'where the copy cannot be read', parts: { budgets: pruned, annotations: { 'lull.dev/budgets-seen': '[' } } },
    { it: 'where it is no copy', parts: { budgets: pruned, annotations: { 'lull.dev/budgets-seen': '"x"' } } },
  ])('are not, $it', ({ parts }) => {
    const { record } = read({ annotations, ...parts });
    expect(record.mirror).toBeUndefined();
    expect(record.budgets.every(({ topologyKey }) => topologyKey === undefined)).toBe(true);
  });

  it('C17: budgets in the annotation stand above both', () => {
    const own = { ...annotations, 'lull.dev/budgets': '[{nodes: 3}]' };
    const { record } = read({ budgets: pruned, annotations: own });
    expect(record.budgets).toMatchObject([{ nodes: { count: 3 } }]);
    expect(record.repairAfter).toBe(5 * 60_000);
  });

  it('in v1beta1 expireAfter is Karpenter’s own, and nothing is copied', () => {
    const beta = { ...pool('web', { expireAfter: '24h' }), apiVersion: 'karpenter.sh/v1beta1' };
    const result = readObject(beta);
    expect(result.kind === 'NodePool' && result.record.mirror).toBeUndefined();
  });
});
