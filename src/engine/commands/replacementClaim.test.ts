import { describe, expect, it } from 'vitest';
import {
  decide,
  ledger,
  longAgo,
  machine,
  marked,
  type Plain,
  pod,
  pool,
  underway,
  zone,
} from '../../../test/build.ts';

const type = 'node.kubernetes.io/instance-type';
const capacity = 'karpenter.sh/capacity-type';
const old = { [type]: 'm5', [capacity]: 'spot', 'kubernetes.io/arch': 'amd64', 'kubernetes.io/os': 'linux' };

interface Asked {
  readonly web?: Plain;
  readonly labels?: Record<string, string>;
  readonly replacement?: Plain;
  readonly catalogue?: readonly Plain[];
}

/** The claim that is made for a node of type m5 in zone a with two pods and a DaemonSet. */
function claimFor({ web = pool(), labels = old, replacement = { instanceType: 'm5' }, catalogue = [] }: Asked) {
  const known = ledger({
    commands: [underway('n1', { step: 'replacing', replacements: [{ name: 'r-0', pool: 'web', ...replacement }] })],
  });
  const objects = [
    web,
    machine('n1', { zone: 'a', labels, drifted: longAgo, spec: marked() }),
    pod('p1', 'n1', { cpu: '1' }),
    pod('p2', 'n1', { cpu: '500m' }),
    pod('log', 'n1', { cpu: '250m', owner: 'DaemonSet/log' }),
  ];
  const [action] = decide(objects, { ledger: known, settings: { catalogue } }).actions;
  if (action?.verb !== 'create') throw new Error('no claim is made');
  return action.object as { metadata: Plain; spec: Plain & { requirements: readonly Plain[] } };
}

const valuesOf = (asked: Asked, key: string): unknown =>
  claimFor(asked)
    .spec.requirements.filter((it) => it.key === key)
    .map(({ operator, values }) => ({ operator, values }));

describe('N6: a replacement claim', () => {
  it("carries what Karpenter's own do", () => {
    const hashes = { 'karpenter.sh/nodepool-hash': '123', 'karpenter.sh/nodepool-hash-version': 'v3' };
    const web = pool('web', {
      annotations: { ...hashes, 'lull.dev/budgets': '[]' },
      templateLabels: { tier: 'web' },
      template: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [
          { key: type, operator: 'In', values: ['m5', 'm6'] },
          { key: 'team', operator: 'In', values: ['a'] },
          { key: 'size', operator: 'Exists' },
        ],
        taints: [{ key: 'web', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'cni', value: 'x', effect: 'NoExecute' }],
        expireAfter: '240h',
        terminationGracePeriod: '1h30m',
      },
    });
    const pinned = [
      { key: type, operator: 'In', values: ['m5'] },
      { key: zone, operator: 'In', values: ['a'] },
      { key: capacity, operator: 'In', values: ['spot'] },
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      { key: 'kubernetes.io/os', operator: 'In', values: ['linux'] },
    ];
    expect(claimFor({ web })).toEqual({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: 'r-0',
        labels: { ...old, tier: 'web', team: 'a', [zone]: 'a', 'karpenter.sh/nodepool': 'web' },
        annotations: { ...hashes, 'lull.dev/command': 'drifted-n1' },
        ownerReferences: [
          { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'web', uid: 'uid-web', blockOwnerDeletion: true },
        ],
      },
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [{ key: 'team', operator: 'In', values: ['a'] }, { key: 'size', operator: 'Exists' }, ...pinned],
        taints: [{ key: 'web', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'cni', value: 'x', effect: 'NoExecute' }],
        expireAfter: '240h',
        terminationGracePeriod: '1h30m',
        resources: { requests: { cpu: '1750m', pods: '3' } },
      },
    });
  });

  it('has what a pool says by default, and no owner where its uid is not known', () => {
    const { uid: _, ...metadata } = pool().metadata as Plain;
    const { metadata: made, spec } = claimFor({ web: { ...pool(), metadata } });
    expect(made).not.toHaveProperty('ownerReferences');
    expect(spec).toMatchObject({ expireAfter: '720h' });
    expect(spec).not.toHaveProperty('taints');
    expect(claimFor({ web: pool('web', { template: { expireAfter: 'Never' } }) }).spec.expireAfter).toBe('Never');
  });

  const requires = (key: string, ...values: readonly string[]) =>
    pool('web', { template: { requirements: [{ key, operator: 'In', values }] } });
  it.each([
    { it: 'the zone of the old node', asked: {}, key: zone, values: ['a'] },
    { it: 'what the template still allows', asked: { web: requires(zone, 'a', 'b') }, key: zone, values: ['a'] },
    { it: 'but not what it forbids today', asked: { web: requires(zone, 'b', 'c') }, key: zone, values: ['b', 'c'] },
    { it: 'the planned type', asked: { replacement: { instanceType: 'm6' } }, key: type, values: ['m6'] },
    {
      it: 'no type where one is only assumed',
      asked: { web: requires(type, 'm6', 'm7'), replacement: { assumed: true } },
      key: type,
      values: ['m6', 'm7'],
    },
  ])('is made definite by $it', ({ asked, key, values }) => {
    expect(valuesOf(asked, key)).toEqual([{ operator: 'In', values }]);
  });

  const offering = (where: string, price: number, more: Plain = {}) => ({
    zone: where,
    capacityType: 'spot',
    price,
    ...more,
  });
  const small = (...offerings: readonly Plain[]) => [{ name: 'm6', cpu: '1', memory: '8Gi', pods: '110', offerings }];
  it.each([
    { it: 'in the same zone', offerings: [offering('b', 1), offering('a', 2)], where: 'a', how: 'spot' },
    { it: 'else where it is cheapest', offerings: [offering('b', 2), offering('c', 1)], where: 'c', how: 'spot' },
    {
      it: 'not where it is not to be had',
      offerings: [offering('a', 1, { available: false }), offering('b', 2)],
      where: 'b',
      how: 'spot',
    },
    {
      it: 'as it is to be had',
      offerings: [offering('a', 1, { capacityType: 'on-demand' })],
      where: 'a',
      how: 'on-demand',
    },
  ])('of another type is asked for $it', ({ offerings, where, how }) => {
    const asked = { replacement: { instanceType: 'm6' }, catalogue: small(...offerings) };
    expect([valuesOf(asked, zone), valuesOf(asked, capacity)]).toEqual([
      [{ operator: 'In', values: [where] }],
      [{ operator: 'In', values: [how] }],
    ]);
  });

  it('asks for no more than the planned type has, or it could not be launched', () => {
    const asked = { replacement: { instanceType: 'm6' }, catalogue: small(offering('a', 1)) };
    expect(claimFor(asked).spec.resources).toEqual({ requests: { cpu: '1000m', pods: '3' } });
  });

  it('is the same whenever it is asked for again', () => {
    expect(claimFor({})).toEqual(claimFor({}));
  });
});
