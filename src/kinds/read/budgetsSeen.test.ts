import { describe, expect, it } from 'vitest';
import { type Plain, pool } from '../../../test/build.ts';
import type { Pool } from '../../cluster/model.ts';
import { readObject } from '../readObject.ts';

const zone = 'topology.kubernetes.io/zone';
const rolling = [{ nodes: '1', topologyKey: zone, sequential: true }, { nodes: '10%' }];
const pruned = [{ nodes: '1' }, { nodes: '10%' }];
const copy = JSON.stringify({ budgets: rolling, repairAfter: '5m', expireAfter: '24h' });

function read(parts: Plain): { readonly record: Pool; readonly warnings: readonly string[] } {
  const result = readObject(pool('web', parts));
  if (result.kind !== 'NodePool') throw new Error(result.kind);
  return { record: result.record, warnings: result.faults.map(({ path }) => path) };
}

describe('N9: fields that only the patched CRD keeps are copied', () => {
  it.each([
    { it: 'a topology budget', parts: { budgets: rolling }, keeps: JSON.stringify({ budgets: rolling }) },
    {
      it: 'a lifetime',
      parts: { budgets: pruned, expireAfter: '24h' },
      keeps: JSON.stringify({ budgets: pruned, expireAfter: '24h' }),
    },
    { it: "nothing, if all fields are Karpenter's own", parts: { budgets: pruned }, keeps: undefined },
    { it: 'nothing, if there are no budgets', parts: { budgets: null }, keeps: undefined },
  ])('$it', ({ parts, keeps }) => {
    expect(read(parts).record.mirror?.keeps).toBe(keeps);
  });

  it('take precedence over the copy', () => {
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
    expect(record.mirror).toEqual({ usesCopy: true });
    expect(warnings).toEqual(['metadata.annotations[lull.dev/budgets-seen]']);
    expect(record.fault).toBeUndefined();
  });

  it('N4: Karpenter reads what is left, and what it could not read is still a fault in guide', () => {
    const { record } = read({ budgets: pruned, annotations });
    expect(record.karpenterBudgets.map(({ topologyKey }) => topologyKey)).toEqual([undefined, undefined]);
    expect(record.karpenterFault?.path).toBe('spec.disruption.budgets[0].topologyKey');
  });

  it.each([
    { it: 'if the budgets were changed since', parts: { budgets: [{ nodes: '5' }] } },
    { it: 'if the copy cannot be read', parts: { budgets: pruned, annotations: { 'lull.dev/budgets-seen': '[' } } },
    {
      it: 'if the annotation does not have the form of a copy',
      parts: { budgets: pruned, annotations: { 'lull.dev/budgets-seen': '"x"' } },
    },
  ])('are not read from the copy $it', ({ parts }) => {
    const { record } = read({ annotations, ...parts });
    expect(record.mirror).toBeUndefined();
    expect(record.budgets.every(({ topologyKey }) => topologyKey === undefined)).toBe(true);
  });

  it('C17: budgets in the annotation take precedence over both', () => {
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
