import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  type Plain,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const drifted = machine('n1', { drifted: longAgo });
const interrupted = machine('i1', { claim: { conditions: { Interrupted: longAgo } } });

describe('C8: a pool with a bad value', () => {
  const sequential = { sequential: true, nodes: '1' };
  it.each<{ it: string; parts: Plain; path: string }>([
    { it: 'nodes', parts: { budgets: [{ nodes: 'many' }] }, path: 'spec.disruption.budgets[0].nodes' },
    {
      it: 'nodes beyond 100 %',
      parts: { budgets: [{ nodes: '5' }, { nodes: '101%' }] },
      path: 'spec.disruption.budgets[1].nodes',
    },
    {
      it: 'a schedule',
      parts: { budgets: [{ nodes: '1', schedule: 'nightly', duration: '1h' }] },
      path: 'spec.disruption.budgets[0].schedule',
    },
    {
      it: 'a schedule that never fires',
      parts: { budgets: [{ nodes: '1', schedule: '0 0 30 2 *', duration: '1h' }] },
      path: 'spec.disruption.budgets[0].schedule',
    },
    {
      it: 'a schedule without a duration',
      parts: { budgets: [{ nodes: '1', schedule: '0 9 * * *' }] },
      path: 'spec.disruption.budgets[0].schedule',
    },
    {
      it: 'a reason',
      parts: { budgets: [{ nodes: '1', reasons: ['Whim'] }] },
      path: 'spec.disruption.budgets[0].reasons[0]',
    },
    {
      it: 'Interrupted, which no budget holds',
      parts: { budgets: [{ nodes: '1', reasons: ['Interrupted'] }] },
      path: 'spec.disruption.budgets[0].reasons[0]',
    },
    {
      it: 'C10: sequential without topologyKey',
      parts: { budgets: [sequential] },
      path: 'spec.disruption.budgets[0].sequential',
    },
    {
      it: 'C10: a topologyKey that is not a label name',
      parts: { budgets: [{ ...sequential, topologyKey: 'no label' }] },
      path: 'spec.disruption.budgets[0].topologyKey',
    },
    { it: 'C1: any other field', parts: { consolidateAfter: 'soon' }, path: 'spec.disruption.consolidateAfter' },
    {
      it: 'C17: the annotation',
      parts: { annotations: { 'lull.dev/budgets': '[{nodes: many}]' } },
      path: 'metadata.annotations[lull.dev/budgets][0].nodes',
    },
  ])('moves nothing: $it', ({ parts, path }) => {
    const round = decide([pool('web', parts), drifted]);
    expect(codesOf(round, 'n1', 'Drifted')).toContain('PoolFault');
    const refusal = refusalOf(round, 'n1', 'Drifted', 'PoolFault');
    expect(refusal.owner).toEqual({ kind: 'NodePool', name: 'web' });
    expect(round.faults.some((fault) => fault.object === 'NodePool/web' && fault.path === path)).toBe(true);
    expect(refusal.message.startsWith(`${path}: `)).toBe(true);
  });

  const bad = pool('web', { budgets: [{ nodes: 'many' }] });

  it('for no reason but Interrupted', () => {
    const all = machine('n1', {
      drifted: longAgo,
      annotations: { 'lull.dev/rebalance': '' },
      claim: { spec: { expireAfter: '1h' } },
    });
    const round = decide([bad, all, interrupted]);
    expect(startsOf(round)).toEqual(['i1 Interrupted']);
    for (const reason of ['Empty', 'Drifted', 'Expired', 'Rebalance'] as const)
      expect(codesOf(round, 'n1', reason)).toContain('PoolFault');
  });

  it('nothing else in the cluster is affected', () => {
    const round = decide([bad, pool('api'), drifted, machine('m1', { pool: 'api', drifted: longAgo })]);
    expect(startsOf(round)).toEqual(['m1 Drifted']);
  });

  it('its allowances are none', () => {
    const { allowances } = decide([bad, drifted]);
    expect(allowances.map(({ limit, left }) => [limit, left])).toEqual(allowances.map(() => [0, 0]));
  });

  it('a note is not a fault', () => {
    expect(startsOf(decide([pool('web', { budgets: [{ maxUnavailable: '1' }] }), drifted]))).toEqual(['n1 Drifted']);
  });
});

describe('A node without its pool', () => {
  it.each([
    { it: 'that is not there', objects: [drifted], says: 'NodePool web does not exist' },
    {
      it: 'that no label names',
      objects: [machine('n1', { drifted: longAgo, labels: { 'karpenter.sh/nodepool': undefined } })],
      says: 'the node has no label karpenter.sh/nodepool',
    },
  ])('$it is held', ({ objects, says }) => {
    expect(refusalOf(decide(objects), 'n1', 'Drifted', 'PoolMissing').message).toBe(says);
  });

  it('goes when it is interrupted', () => {
    expect(startsOf(decide([interrupted]))).toEqual(['i1 Interrupted']);
  });
});

describe('F4: a pool that backs off', () => {
  const waiting = ledger({ backoffs: [{ pool: 'web', until: '2026-03-10T12:04:00Z', delay: '4m' }] });

  it('starts nothing that may need a replacement until then', () => {
    const round = decide([pool(), drifted], { ledger: waiting });
    expect(refusalOf(round, 'n1', 'Drifted', 'PoolBackingOff')).toMatchObject({
      owner: { kind: 'NodePool', name: 'web' },
      liftsAt: at('2026-03-10T12:04:00Z'),
    });
    expect(startsOf(decide([pool(), drifted], { ledger: waiting, at: '2026-03-10T12:04:00Z' }))).toEqual([
      'n1 Drifted',
    ]);
  });

  it('cannot starve the others', () => {
    const round = decide([pool(), pool('api'), drifted, machine('m1', { pool: 'api', drifted: longAgo })], {
      ledger: waiting,
    });
    expect(startsOf(round)).toEqual(['m1 Drifted']);
  });

  it('still empties: an empty node needs no replacement', () => {
    expect(startsOf(decide([pool('web', { consolidateAfter: '0s' }), machine()], { ledger: waiting }))).toEqual([
      'n1 Empty',
    ]);
  });

  it('is woken for, and forgotten when no further try failed for ten minutes', () => {
    const backoffsAt = (when: string) => decide([pool()], { ledger: waiting, at: when });
    expect(decide([pool(), drifted], { ledger: waiting }).wakeAt).toBe(at('2026-03-10T12:04:00Z'));
    expect(backoffsAt('2026-03-10T12:23:59Z').ledger).toBe(waiting);
    expect(backoffsAt('2026-03-10T12:04:00Z').wakeAt).toBe(at('2026-03-10T12:24:00Z'));
    expect(backoffsAt('2026-03-10T12:24:00Z').ledger.backoffs).toEqual([]);
  });
});

describe('A node that has not come to rest', () => {
  const unlabelled = { labels: { 'karpenter.sh/initialized': undefined } };
  it.each([
    {
      it: 'is not initialized',
      node: machine('n1', { ...unlabelled, drifted: longAgo }),
      reason: 'Drifted',
      code: 'NotInitialized',
    },
    {
      it: 'reboots',
      node: machine('n1', { drifted: longAgo, claim: { conditions: { Drifted: longAgo, Rebooting: longAgo } } }),
      reason: 'Drifted',
      code: 'Rebooting',
    },
    {
      it: 'has not even registered, for repair',
      node: machine('n1', {
        ready: 'False',
        labels: { 'karpenter.sh/initialized': undefined, 'karpenter.sh/registered': undefined },
      }),
      reason: 'Unhealthy',
      code: 'NotInitialized',
    },
  ] as const)('is held: it $it', ({ node, reason, code }) => {
    const others = ['x1', 'x2', 'x3', 'x4', 'x5'].map((name) => machine(name));
    expect(codesOf(decide([pool(), node, others]), 'n1', reason)).toEqual([code]);
  });

  it('is repaired once it has registered', () => {
    const node = machine('n1', { ready: 'False', ...unlabelled });
    expect(startsOf(decide([pool(), node, machine('x1')]))).toEqual(['n1 Unhealthy']);
  });
});
