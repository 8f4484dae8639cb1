import { expect, it } from 'vitest';
import { at, machine, pod, pool, storeOf } from '../../test/build.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import { podsAgreeAt } from './rules/podRules.ts';

const view = (): NodeView => {
  const annotations = { 'karpenter.sh/disruption-schedule': '0 2 * * *' };
  const store = storeOf(pool(), machine('n1'), pod('p', 'n1', { annotations }));
  return store.node('n1') as NodeView;
};

it.each(['Drifted', 'Unhealthy'] as const)('E12: what was asked before does not change the answer: %s', (reason) => {
  const warm = view();
  // First of another reason, then later than what is asked at last: a clock may be set back.
  for (const [asked, when] of [
    ['Empty', '12:00'],
    [reason, '13:00'],
    [reason, '12:30'],
    [reason, '13:30'],
  ] as const) {
    const now = at(`2026-03-10T${when}:00Z`);
    expect(podsAgreeAt(warm, now, asked)).toBe(podsAgreeAt(view(), now, asked));
  }
});
