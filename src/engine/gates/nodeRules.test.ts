import { describe, expect, it } from 'vitest';
import { at, codesOf, decide, machine, type Objects, pool, refusalOf, startsOf } from '../../../test/build.ts';
import { type Reason, reasons } from '../../cluster/reason.ts';
import type { RefusalCode } from '../refusal.ts';

const created = '2026-03-10T10:00:00Z';
const others: Objects = ['x1', 'x2', 'x3', 'x4', 'x5'].map((name) => machine(name));
const consolidating = pool('web', { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] });

/** Wishes for every reason, on a node that is Ready or not. */
const wishing = (annotations: Record<string, string>, ready: string) =>
  machine('n1', {
    created,
    ready,
    readySince: created,
    drifted: created,
    annotations: { 'lull.dev/rebalance': '', ...annotations },
    claim: { spec: { expireAfter: '30m' }, conditions: { Initialized: created } },
  });
const interrupted = { claim: { conditions: { Interrupted: created } } };

/** The reasons that a code refuses. */
function refusedBy(code: RefusalCode, annotations: Record<string, string>): Reason[] {
  const ready = decide([consolidating, wishing(annotations, 'True'), others]);
  const unready = decide([consolidating, wishing(annotations, 'False'), others]);
  const verdicts = [
    ...ready.verdicts.filter(({ reason }) => reason !== 'Unhealthy'),
    ...unready.verdicts.filter(({ reason }) => reason === 'Unhealthy'),
  ].filter(({ node }) => node === 'n1');
  const refused = verdicts
    .filter(({ refusals }) => refusals.some((it) => it.code === code))
    .map(({ reason }) => reason);
  return reasons.filter((reason) => refused.includes(reason));
}

const all: readonly Reason[] = ['Empty', 'Drifted', 'Expired', 'Rebalance'];

describe("E2: a node's annotations", () => {
  it.each<{ annotation: string; value: string; code: RefusalCode; refuses: readonly Reason[] }>([
    { annotation: 'karpenter.sh/do-not-disrupt', value: 'true', code: 'NodeOptedOut', refuses: all },
    { annotation: 'karpenter.sh/do-not-disrupt', value: '3h', code: 'NodeOptedOut', refuses: all },
    { annotation: 'karpenter.sh/do-not-disrupt', value: '2h', code: 'NodeOptedOut', refuses: [] },
    { annotation: 'karpenter.sh/do-not-disrupt', value: 'false', code: 'NodeOptedOut', refuses: [] },
    { annotation: 'karpenter.sh/do-not-disrupt', value: 'please', code: 'NodeOptedOut', refuses: [] },
    { annotation: 'karpenter.sh/do-not-repair', value: 'true', code: 'RepairOptedOut', refuses: ['Unhealthy'] },
    { annotation: 'karpenter.sh/do-not-repair', value: 'yes', code: 'RepairOptedOut', refuses: [] },
    { annotation: 'lull.dev/hold', value: 'ask Ada', code: 'Held', refuses: ['Unhealthy', ...all] },
    { annotation: 'karpenter.sh/do-not-consolidate', value: 'true', code: 'ConsolidationOptedOut', refuses: ['Empty'] },
    { annotation: 'karpenter.sh/do-not-consolidate', value: 'no', code: 'ConsolidationOptedOut', refuses: [] },
  ])('$annotation: $value refuses $refuses', ({ annotation, value, code, refuses }) => {
    expect(refusedBy(code, { [annotation]: value })).toEqual(refuses);
  });

  it.each([
    'karpenter.sh/do-not-disrupt',
    'lull.dev/hold',
    'karpenter.sh/do-not-repair',
    'karpenter.sh/do-not-consolidate',
  ])('%s refuses nothing that is forced', (annotation) => {
    const node = machine('n1', { ...interrupted, annotations: { [annotation]: 'true' } });
    expect(startsOf(decide([pool(), node]))).toEqual(['n1 Interrupted']);
  });

  it('a duration counts from the creation of the node', () => {
    const round = decide([consolidating, wishing({ 'karpenter.sh/do-not-disrupt': '2h30m' }, 'True'), others]);
    expect(refusalOf(round, 'n1', 'Drifted', 'NodeOptedOut')).toMatchObject({
      owner: { kind: 'Node', name: 'n1' },
      liftsAt: at('2026-03-10T12:30:00Z'),
    });
  });

  it('a hold shows why', () => {
    const round = decide([
      pool(),
      machine('n1', { drifted: created, annotations: { 'lull.dev/hold': 'INC-42, ask Ada' } }),
    ]);
    expect(refusalOf(round, 'n1', 'Drifted', 'Held')).toMatchObject({ owner: { kind: 'Node', name: 'n1' } });
    expect(refusalOf(round, 'n1', 'Drifted', 'Held').message).toContain('INC-42, ask Ada');
  });

  it("parking is Lull's own and no opt-out", () => {
    const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': created };
    const round = decide([pool(), machine('n1', { drifted: created, annotations: parked })]);
    expect(codesOf(round, 'n1', 'Drifted')).toEqual([]);
  });
});
