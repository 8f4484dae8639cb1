import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  longAgo,
  machine,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const ready = (count: number): Objects => Array.from({ length: count }, (_, index) => machine(`ok${index}`));
const unready = (name: string, since = longAgo) => machine(name, { ready: 'False', readySince: since });
const unhealthyOf = (objects: Objects, asking: { at?: string; settings?: Plain } = {}) =>
  decide(objects, asking).verdicts.filter(({ reason }) => reason === 'Unhealthy');

describe('A5: not Ready since', () => {
  it.each([
    {
      it: 'its condition changed',
      node: { created: longAgo, readySince: '2026-03-10T11:45:00Z' },
      arises: '2026-03-10T12:15:00Z',
    },
    {
      it: 'it was created, where that is later',
      node: { created: '2026-03-10T11:50:00Z', readySince: longAgo },
      arises: '2026-03-10T12:20:00Z',
    },
  ])('$it: the wish arises at $arises', ({ node, arises }) => {
    const objects = [pool(), machine('n1', { ready: 'False', ...node }), pod()];
    expect(decide(objects).wakeAt).toBe(at(arises));
    expect(unhealthyOf(objects)).toEqual([]);
    expect(unhealthyOf(objects, { at: arises })).toHaveLength(1);
  });
});

describe('A7: repairAfter', () => {
  const half = '2026-03-10T11:30:00Z';
  it.each([
    { it: 'of the setting', web: pool(), settings: { repairAfter: '31m' }, wishes: 0 },
    { it: 'is 30m by default', web: pool(), settings: {}, wishes: 1 },
    {
      it: 'of the pool overrides it',
      web: pool('web', { repairAfter: '31m' }),
      settings: { repairAfter: '1m' },
      wishes: 0,
    },
    {
      it: 'of the pool may be shorter',
      web: pool('web', { repairAfter: '1m' }),
      settings: { repairAfter: '2h' },
      wishes: 1,
    },
    { it: 'Never repairs nothing', web: pool('web', { repairAfter: 'Never' }), settings: {}, wishes: 0 },
  ])('$it', ({ web, settings, wishes }) => {
    expect(unhealthyOf([web, unready('n1', half), ready(5)], { settings })).toHaveLength(wishes);
  });
});

describe('A5: repair stops for a pool', () => {
  it.each([
    { of: 10, down: 2, stops: false },
    { of: 10, down: 3, stops: true },
    { of: 11, down: 3, stops: false },
    { of: 1, down: 1, stops: false },
    { of: 4, down: 2, stops: true },
  ])('with $down of $of not Ready: $stops', ({ of, down, stops }) => {
    const objects = [pool(), ...Array.from({ length: down }, (_, index) => unready(`n${index}`)), ready(of - down)];
    const round = decide(objects);
    expect(codesOf(round, 'n0', 'Unhealthy')).toEqual(stops ? ['RepairBreaker'] : []);
    expect(startsOf(round)).toHaveLength(stops ? 0 : down);
  });

  it('however long they have not been Ready', () => {
    const moment = '2026-03-10T11:59:59Z';
    const round = decide([pool(), unready('n1'), unready('n2', moment), unready('n3', moment), ready(5)]);
    expect(refusalOf(round, 'n1', 'Unhealthy', 'RepairBreaker').message).toBe(
      '3 of 8 nodes of the pool are not Ready; repair stops when more than 2 are',
    );
  });

  it('of its counted nodes: those still starting make no difference', () => {
    const starting = Array.from({ length: 20 }, (_, index) =>
      machine(`s${index}`, { labels: { 'karpenter.sh/initialized': undefined } }),
    );
    expect(codesOf(decide([pool(), unready('n1'), unready('n2'), ready(3), starting]), 'n1', 'Unhealthy')).toEqual([
      'RepairBreaker',
    ]);
  });

  it('by the setting repairBreaker', () => {
    const objects = [pool(), unready('n1'), unready('n2'), ready(8)];
    expect(startsOf(decide(objects, { settings: { repairBreaker: '1' } }))).toEqual([]);
    expect(
      startsOf(decide([pool(), unready('n1'), unready('n2')], { settings: { repairBreaker: '100%' } })),
    ).toHaveLength(2);
  });

  it('and for no other pool', () => {
    const round = decide([
      pool(),
      pool('api'),
      unready('n1'),
      unready('n2'),
      machine('m1', { pool: 'api', ready: 'False' }),
      machine('m2', { pool: 'api' }),
    ]);
    expect(startsOf(round)).toEqual(['m1 Unhealthy']);
  });
});

describe('A5: a node that is not Ready', () => {
  const wishing = {
    ready: 'False',
    drifted: longAgo,
    annotations: { 'lull.dev/rebalance': '' },
    claim: { spec: { expireAfter: '1h' } },
  };

  it('goes for Unhealthy; its other wishes are held with NotReady', () => {
    const round = decide([
      pool('web', { consolidateAfter: '0s', repairAfter: 'Never' }),
      machine('n1', wishing),
      ready(5),
    ]);
    const mine = round.verdicts.filter(({ node }) => node === 'n1');
    expect(mine.map(({ reason }) => reason)).toEqual(['Empty', 'Drifted', 'Expired', 'Rebalance']);
    expect(mine.map(({ refusals }) => refusals.map(({ code }) => code).join())).toEqual(mine.map(() => 'NotReady'));
    expect(startsOf(decide([pool(), machine('n1', wishing), ready(5)]))).toEqual(['n1 Unhealthy']);
  });

  it('goes for Interrupted', () => {
    const taints = [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }];
    expect(startsOf(decide([pool(), machine('n1', { ...wishing, spec: { taints } }), ready(5)]))).toEqual([
      'n1 Interrupted',
    ]);
  });
});

describe('A7: an older Provisioner', () => {
  const provisioner = (spec: Plain, apiVersion = 'karpenter.sh/v1alpha5'): Plain => ({
    apiVersion,
    kind: 'Provisioner',
    metadata: { name: 'old' },
    spec,
  });
  /** Its nodes have no claims. */
  const made = (parts: NonNullable<Parameters<typeof machine>[1]> = {}) =>
    machine('n1', {
      ...parts,
      labels: { 'karpenter.sh/nodepool': undefined, 'karpenter.sh/provisioner-name': 'old' },
    }).slice(0, 1);
  const free = { disruption: { budgets: [{ nodes: '100%' }] } };

  it.each([
    { it: 'ttlSecondsUntilExpired', spec: { ttlSecondsUntilExpired: 3600 }, node: made(), goes: 'n1 Expired' },
    { it: 'ttlAfterCreated in days', spec: { ttlAfterCreated: '9d' }, node: made(), goes: 'n1 Expired' },
    { it: 'ttlAfterCreated not reached', spec: { ttlAfterCreated: '30d' }, node: made(), goes: undefined },
    { it: 'ttlAfterNotReady', spec: { ttlAfterNotReady: '10m' }, node: made({ ready: 'False' }), goes: 'n1 Unhealthy' },
    { it: 'no ttlAfterNotReady', spec: {}, node: made({ ready: 'False' }), goes: undefined },
    { it: 'ttlSecondsAfterEmpty', spec: { ttlSecondsAfterEmpty: 30 }, node: made(), goes: 'n1 Empty' },
    { it: 'consolidation.enabled', spec: { consolidation: { enabled: true } }, node: made(), goes: 'n1 Empty' },
    { it: 'nothing of it', spec: {}, node: made(), goes: undefined },
  ])('$it: $goes', ({ spec, node, goes }) => {
    const round = decide([provisioner({ ...spec, ...free }), node], { settings: { role: 'observe' } });
    expect(startsOf(round)).toEqual(goes ? [goes] : []);
  });

  it('in v1beta1 has the defaults of today', () => {
    const spec = provisioner(free, 'karpenter.sh/v1beta1');
    expect(startsOf(decide([spec, made()], { settings: { role: 'observe' } }))).toEqual(['n1 Empty']);
  });

  it('has its verdicts without a claim', () => {
    const [verdict] = decide([provisioner({ ...free, ttlSecondsAfterEmpty: 30 }), made()]).verdicts;
    expect(verdict).toMatchObject({ node: 'n1', pool: 'old', reason: 'Empty' });
    expect(verdict).not.toHaveProperty('claim');
  });
});
