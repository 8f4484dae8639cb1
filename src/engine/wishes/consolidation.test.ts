import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  longAgo,
  machine,
  type Plain,
  pod,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const busy = [machine('n1'), pod('p1', 'n1'), machine('n2'), pod('p2', 'n2')];

describe('A3: consolidationPolicy', () => {
  it.each([
    { policy: 'WhenEmpty', underutilized: false },
    { policy: 'WhenEmptyOrUnderutilized', underutilized: true },
    { policy: 'WhenUnderutilized', underutilized: true },
    { policy: null, underutilized: true },
  ])('$policy takes empty nodes; underutilized ones: $underutilized', ({ policy, underutilized }) => {
    const web = pool('web', { consolidationPolicy: policy, consolidateAfter: '0s' });
    expect(startsOf(decide([web, machine()]))).toEqual(['n1 Empty']);
    expect(startsOf(decide([web, busy]))).toEqual(underutilized ? ['n1 Underutilized'] : []);
  });

  it('Balanced takes empty nodes; underutilized ones where prices say that it is worth it', () => {
    const web = pool('web', { consolidationPolicy: 'Balanced', consolidateAfter: '0s' });
    const priced = { labels: { 'eks-node-viewer/instance-price': '1' } };
    expect(startsOf(decide([web, machine()]))).toEqual(['n1 Empty']);
    expect(codesOf(decide([web, busy]), 'n1', 'Underutilized')).toEqual(['NoPriceKnown']);
    const round = decide([web, machine('n1', priced), pod('p1', 'n1'), machine('n2', priced), pod('p2', 'n2')]);
    expect(startsOf(round)).toEqual(['n1 Underutilized']);
  });

  it.each([
    { it: 'consolidateAfter: Never', parts: { consolidateAfter: 'Never' }, says: 'consolidateAfter: Never' },
    { it: 'a static pool', parts: { consolidateAfter: '0s', spec: { replicas: 1 } }, says: 'replicas: 1' },
  ])('$it turns both off', ({ parts, says }) => {
    const web = pool('web', parts);
    const round = decide([web, machine()]);
    expect(codesOf(round, 'n1', 'Empty')).toEqual(['PolicyOff']);
    expect(refusalOf(round, 'n1', 'Empty', 'PolicyOff').message).toContain(says);
    expect(decide([web, busy]).verdicts).toEqual([]);
  });

  it.each([
    { field: 'consolidateAfter', since: '2026-03-10T11:59:45Z', goes: true },
    { field: 'consolidateAfter', since: '2026-03-10T11:59:46Z', goes: false },
  ])('$field is 15s by default: quiet since $since goes: $goes', ({ since, goes }) => {
    const round = decide([pool('web', { consolidateAfter: null }), machine('n1', { claim: { lastPodEvent: since } })]);
    expect(startsOf(round)).toEqual(goes ? ['n1 Empty'] : []);
  });

  it('expireAfter is 720h by default, where a pool speaks for its nodes', () => {
    const provisioner = (apiVersion: string): Plain => ({
      apiVersion,
      kind: 'Provisioner',
      metadata: { name: 'web' },
      spec: {},
    });
    const made = (created: string) =>
      machine('n1', {
        created,
        labels: { 'karpenter.sh/nodepool': undefined, 'karpenter.sh/provisioner-name': 'web' },
      }).slice(0, 1);
    const reasons = (apiVersion: string, created: string) =>
      decide([provisioner(apiVersion), made(created)], { settings: { role: 'observe' } }).verdicts.map(
        ({ reason }) => reason,
      );
    expect(reasons('karpenter.sh/v1beta1', '2026-02-08T12:00:00Z')).toContain('Expired');
    expect(reasons('karpenter.sh/v1beta1', '2026-02-08T12:00:01Z')).not.toContain('Expired');
    expect(reasons('karpenter.sh/v1alpha5', '2020-01-01T00:00:00Z')).not.toContain('Expired');
  });
});

describe('A6: stable since', () => {
  const web = pool('web', { consolidateAfter: '10m' });
  const claimOf = (initialized: string | Plain, lastPodEvent?: string) => ({
    claim: { conditions: { Initialized: initialized }, ...(lastPodEvent && { lastPodEvent }) },
  });

  it.each([
    { it: 'the last pod event', claim: claimOf(longAgo, '2026-03-10T11:55:00Z'), liftsAt: '2026-03-10T12:05:00Z' },
    {
      it: 'Initialized, where that is later',
      claim: claimOf('2026-03-10T11:58:00Z', '2026-03-10T11:51:00Z'),
      liftsAt: '2026-03-10T12:08:00Z',
    },
    {
      it: 'Initialized, where there was no event',
      claim: claimOf('2026-03-10T11:52:00Z'),
      liftsAt: '2026-03-10T12:02:00Z',
    },
  ])('is $it', ({ claim, liftsAt }) => {
    for (const [pods, reason] of [
      [[], 'Empty'],
      [[pod()], 'Underutilized'],
    ] as const) {
      const round = decide([web, machine('n1', claim), machine('n2'), pod('x', 'n2'), pods]);
      expect(refusalOf(round, 'n1', reason, 'NotStable')).toMatchObject({
        liftsAt: at(liftsAt),
        owner: { kind: 'NodePool', name: 'web' },
      });
    }
  });

  it('an empty node has its verdict before that moment, and goes from it on', () => {
    const objects = [web, machine('n1', claimOf(longAgo, '2026-03-10T11:55:00Z'))];
    expect(codesOf(decide(objects, { at: '2026-03-10T12:04:59Z' }), 'n1', 'Empty')).toEqual(['NotStable']);
    expect(startsOf(decide(objects, { at: '2026-03-10T12:05:00Z' }))).toEqual(['n1 Empty']);
  });

  it('nothing is said while the claim is not Initialized', () => {
    const round = decide([web, machine('n1', claimOf({ status: 'False' }))]);
    expect(refusalOf(round, 'n1', 'Empty', 'NotStable').liftsAt).toBeUndefined();
  });

  it('every node judged has its verdict, whatever became of it', () => {
    const full = pod('p1', 'n1', { cpu: '3' });
    const round = decide([
      pool('web', { consolidateAfter: '0s' }),
      machine('n1'),
      full,
      machine('n2'),
      pod('p2', 'n2', { cpu: '3' }),
    ]);
    expect(round.verdicts.map(({ node, reason, outcome }) => `${node} ${reason} ${outcome}`)).toEqual([
      'n1 Underutilized held',
      'n2 Underutilized held',
    ]);
    expect(codesOf(round, 'n1', 'Underutilized')).toEqual(['NoPriceKnown']);
  });
});
