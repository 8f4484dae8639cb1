// Equality of pools without status.
import { describe, expect, it } from 'vitest';
import { changesOf, type Plain, pool, storeOf } from '../../test/build.ts';

const withStatus = (status: Plain): Plain => ({ ...pool('web', { budgets }), status });

const budgets = [{ nodes: '1', schedule: '0 9 * * *', duration: '8h', reasons: ['Drifted'] }];
const ready = { conditions: [{ type: 'Ready', status: 'True' }] };

describe('A pool that is reported again', () => {
  it.each([
    { it: 'counts other nodes', next: withStatus({ ...ready, resources: { nodes: '7' } }), isSame: true },
    { it: 'is no longer Ready', next: withStatus({ conditions: [{ type: 'Ready', status: 'False' }] }), isSame: false },
    {
      it: 'has a budget for another reason',
      next: { ...pool('web', { budgets: [{ ...budgets[0], reasons: ['Empty'] }] }), status: ready },
      isSame: false,
    },
    {
      it: 'has a budget at other hours',
      next: { ...pool('web', { budgets: [{ ...budgets[0], schedule: '0 10 * * *' }] }), status: ready },
      isSame: false,
    },
    {
      it: 'has another template',
      next: { ...pool('web', { budgets, templateLabels: { image: 'v2' } }), status: ready },
      isSame: false,
    },
  ])('and $it counts as unchanged: $isSame', ({ next, isSame }) => {
    const store = storeOf(withStatus(ready));
    const before = store.pools.get('web');
    for (const change of changesOf([next])) store.apply(change);
    expect(before).toBeDefined();
    expect(store.pools.get('web') === before).toBe(isSame);
  });
});
