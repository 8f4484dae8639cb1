import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  longAgo,
  machine,
  maintenanceWindow,
  type Plain,
  pod,
  pool,
  startsOf,
} from '../../../test/build.ts';

const born = '2026-02-08T12:00:00Z';
const old = machine('n1', { created: born, claim: { spec: { expireAfter: '720h' } } });
const noon = '2026-03-10T12:00:00Z';

/** When the wish will arise, from `wakeAt`; undefined = the node has the wish already. */
function arisesAt(web: Plain, settings: Plain, when: string, claim = old): number | undefined {
  const round = decide([web, claim, pod()], { at: when, settings });
  return round.verdicts.some(({ reason }) => reason === 'Expired') ? undefined : round.wakeAt;
}

describe('A4: expiry is graceful by default', () => {
  const protectedPod = pod('p1', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } });
  it.each([
    { it: 'budgets', objects: [pool('web', { budgets: [{ nodes: '0' }] })], code: 'BudgetSpent' },
    {
      it: 'windows',
      objects: [pool(), maintenanceWindow('freeze', { actions: ['Expiration'] })],
      code: 'WindowBlocks',
    },
    { it: 'pod rules', objects: [pool(), protectedPod], code: 'PodOptedOut' },
  ])('$it apply to it, unless it is forceful', ({ objects, code }) => {
    expect(codesOf(decide([objects, old]), 'n1', 'Expired')).toEqual([code]);
    expect(startsOf(decide([objects, old], { settings: { expiration: 'forceful' } }))).toEqual(['n1 Expired']);
  });

  it('it does not wait for a turn', () => {
    const budgets = [{ topologyKey: 'topology.kubernetes.io/zone', sequential: true, nodes: '1' }];
    const drifted = machine('a1', { zone: 'a', drifted: longAgo });
    const expiring = machine('b1', {
      zone: 'b',
      drifted: noon,
      created: born,
      claim: { spec: { expireAfter: '720h' } },
    });
    const round = decide([pool('web', { budgets }), drifted, expiring]);
    expect(startsOf(round)).toEqual(['a1 Drifted', 'b1 Expired']);
    expect(codesOf(round, 'b1', 'Drifted')).toContain('NotItsTurn');
  });
});

describe("N7: the claim's own value counts", () => {
  it('not that of its pool', () => {
    const web = pool('web', { template: { expireAfter: '1h' } });
    const claim = machine('n1', { created: born, claim: { spec: { expireAfter: 'Never' } } });
    expect(decide([web, claim, pod()]).verdicts).toEqual([]);
  });
});

describe('N7: expireLead', () => {
  it.each([
    { expireLead: '24h', from: '2026-03-09T12:00:00Z' },
    { expireLead: '0s', from: noon },
    { expireLead: '360h', from: '2026-02-23T12:00:00Z' },
  ])('$expireLead: the wish arises at $from', ({ expireLead, from }) => {
    expect(arisesAt(pool(), { expireLead }, '2026-02-20T00:00:00Z')).toBe(at(from));
    expect(arisesAt(pool(), { expireLead }, from)).toBeUndefined();
  });

  it.each([
    { it: 'has no effect in observe', settings: { role: 'observe', expireLead: '24h' } },
    { it: 'has no effect when expiration is forceful', settings: { expiration: 'forceful', expireLead: '24h' } },
  ])('$it', ({ settings }) => {
    expect(arisesAt(pool(), settings, '2026-03-10T11:59:59Z')).toBe(at(noon));
  });

  it.each(['guide', 'drive'])('applies in %s', (role) => {
    expect(arisesAt(pool(), { role, expireLead: '24h' }, '2026-03-09T11:59:59Z')).toBe(at('2026-03-09T12:00:00Z'));
  });
});

describe('N7: expireAfter of the pool', () => {
  it.each([
    { it: 'the field', web: pool('web', { expireAfter: '480h' }), from: '2026-02-28T12:00:00Z' },
    {
      it: 'the annotation',
      web: pool('web', { annotations: { 'lull.dev/expire-after': '480h' } }),
      from: '2026-02-28T12:00:00Z',
    },
    {
      it: 'the annotation overrides the field',
      web: pool('web', { expireAfter: '600h', annotations: { 'lull.dev/expire-after': '480h' } }),
      from: '2026-02-28T12:00:00Z',
    },
    // Karpenter would expire the claim first, so expireLead applies instead.
    {
      it: 'a value equal to that of the claim has no effect',
      web: pool('web', { expireAfter: '720h' }),
      from: '2026-03-09T12:00:00Z',
    },
    { it: 'nor has a larger one', web: pool('web', { expireAfter: '900h' }), from: '2026-03-09T12:00:00Z' },
  ])('$it: the wish arises at $from', ({ web, from }) => {
    const settings = { expireLead: '24h' };
    expect(arisesAt(web, settings, '2026-02-20T00:00:00Z')).toBe(at(from));
    expect(arisesAt(web, settings, from)).toBeUndefined();
  });

  it('makes a claim expire gracefully that would never expire', () => {
    const claim = machine('n1', { created: born, claim: { spec: { expireAfter: 'Never' } } });
    expect(arisesAt(pool('web', { expireAfter: '480h' }), {}, '2026-02-20T00:00:00Z', claim)).toBe(
      at('2026-02-28T12:00:00Z'),
    );
  });
});
