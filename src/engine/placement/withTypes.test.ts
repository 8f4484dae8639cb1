// Instance types from Karpenter's metrics.
import { describe, expect, it } from 'vitest';
import { at, machine, noon, type Objects, type Plain, pod, pool, settings, storeOf } from '../../../test/build.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import type { InstanceType } from '../../cluster/settings.ts';
import { decideRound } from '../round.ts';
import { withTypes } from './price.ts';

const mebi = 2 ** 20;
const type = (name: string, cores: number, price: number, labels: Record<string, string> = {}): InstanceType => ({
  name,
  allocatable: { cpu: cores * 1000, memory: cores * 4096 * mebi, pods: 10 * cores },
  offerings: [{ zone: 'a', capacityType: 'on-demand', price, available: true }],
  labels,
  estimated: true,
});
const read = [type('small', 2, 0.1), type('large', 8, 0.4)];

/** Nothing on it says what it costs. */
const large = (labels: Plain = {}) =>
  machine('n1', {
    zone: 'a',
    labels: { 'node.kubernetes.io/instance-type': 'large', 'karpenter.sh/capacity-type': 'on-demand', ...labels },
    allocatable: { cpu: '7900m', memory: '30Gi' },
  });
const web = (requirements: readonly Plain[] = []) =>
  pool('web', { consolidateAfter: '0s', template: { requirements } });
const decide = (objects: Objects, instanceTypes: readonly InstanceType[] | undefined, values: Plain = {}) =>
  decideRound(
    { cluster: storeOf(...objects), ledger: emptyLedger, ...(instanceTypes && { instanceTypes }) },
    at(noon),
    settings({ role: 'drive', ...values }),
  );
const codes = (round: ReturnType<typeof decide>) =>
  round.verdicts.flatMap(({ refusals }) => refusals.map(({ code, typesSeenOnly }) => [code, typesSeenOnly ?? false]));

const mounting = { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'v' } }] };
const disk = (key: string, zone: string): Plain[] => [
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'shop', name: 'v', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
    spec: { accessModes: ['ReadWriteOnce'], volumeName: 'v' },
  },
  {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'v' },
    spec: {
      csi: { driver: 'disk.csi.example.com', volumeHandle: 'v' },
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: [zone] }] }] },
      },
    },
  },
];

describe("F5: instance types from Karpenter's metrics", () => {
  const little = pod('p', 'n1', { cpu: '1500m' });

  it('give a node its price and a cheaper replacement', () => {
    expect(codes(decide([web(), large(), little], undefined))).toEqual([['NoPriceKnown', true]]);
    const [command] = decide([web(), large(), little], read).commands;
    expect(command).toMatchObject({ savings: 0.3, replacements: [{ instanceType: 'small' }] });
  });

  it('a type that is not on offer cannot be a replacement (offering_available 0)', () => {
    const unavailable = read.map((it) =>
      it.name === 'small' ? { ...it, offerings: it.offerings.map((each) => ({ ...each, available: false })) } : it,
    );
    const round = decide([web(), large(), little], unavailable);
    expect(round.commands).toEqual([]);
    expect(codes(round).map(([code]) => code)).toEqual(['NotCheaper']);
  });

  it.each([
    { key: 'topology.ebs.csi.aws.com/zone', zone: 'a', goes: 1 },
    { key: 'topology.disk.csi.azure.com/zone', zone: 'a', goes: 1 },
    { key: 'topology.gke.io/zone', zone: 'a', goes: 1 },
    { key: 'topology.gke.io/zone', zone: 'b', goes: 0 },
    { key: 'topology.example.com/zone', zone: 'a', goes: 0 },
  ])('F6: a replacement takes a volume that is bound by $key to $zone: $goes', ({ key, zone, goes }) => {
    const objects = [
      web(),
      large({ [key]: 'a' }),
      pod('p', 'n1', { cpu: '1500m', spec: mounting }),
      ...disk(key, zone),
    ];
    expect(decide(objects, read).commands).toHaveLength(goes);
  });

  it('the size of an existing node takes precedence over the estimate', () => {
    const full = pod('p', 'n1', { cpu: '7' });
    const wide = [type('large', 4, 0.4), type('larger', 6, 0.3)];
    expect(decide([web(), large(), full], wide).commands).toEqual([]);
    // A pod of seven cores does fit on the type that a node shows.
    expect(codes(decide([web(), large(), full], wide))).toEqual([['NotCheaper', false]]);
  });

  it('the catalogue takes precedence over the metrics', () => {
    const own = { ...type('large', 8, 9), estimated: true } as const;
    const given = settings({
      catalogue: [
        {
          name: 'large',
          cpu: '8',
          memory: '32Gi',
          pods: '110',
          offerings: [{ zone: 'a', capacityType: 'on-demand', price: 1 }],
        },
      ],
    });
    const merged = withTypes(given, [own, type('small', 2, 0.1)]);
    expect(merged.catalogue.map(({ name, offerings }) => [name, offerings[0]?.price])).toEqual([
      ['large', 1],
      ['small', 0.1],
    ]);
  });

  it('the same settings and types are the same object, so that answers are remembered', () => {
    const given = settings({});
    expect(withTypes(given, read)).toBe(withTypes(given, read));
    expect(withTypes(given, undefined)).toBe(given);
    expect(withTypes(given, [])).toBe(given);
  });

  it('a type without a label that a pool requires is left out, and then not all types are known', () => {
    const needs = web([{ key: 'example.com/disk', operator: 'In', values: ['fast', 'slow'] }]);
    expect(codes(decide([needs, large({ 'example.com/disk': 'fast' }), little], read))).toEqual([['NotCheaper', true]]);
    const known = [type('small', 2, 0.1, { 'example.com/disk': 'slow' }), ...read.slice(1)];
    const [command] = decide([needs, large({ 'example.com/disk': 'fast' }), little], known).commands;
    expect(command).toMatchObject({ replacements: [{ instanceType: 'small' }] });
  });

  it('another architecture than the pool makes is not a replacement', () => {
    const arm = [type('small', 2, 0.1, { 'kubernetes.io/arch': 'arm64' }), ...read.slice(1)];
    const needs = web([{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]);
    expect(decide([needs, large({ 'kubernetes.io/arch': 'amd64' }), little], arm).commands).toEqual([]);
  });

  it('I5: a type that is missing there is no drift', () => {
    const round = decide([web(), large(), little], [type('small', 2, 0.1)], { drift: 'computed' });
    expect(round.verdicts.map(({ reason }) => reason)).not.toContain('Drifted');
  });

  it('in guide nothing is offered for Karpenter to judge before the first answer is here', () => {
    const cluster = storeOf(web(), large(), pod('p', 'n1', { cpu: '7' }));
    const facts = { cluster, ledger: emptyLedger };
    const guide = settings({ role: 'guide' });
    expect(decideRound({ ...facts, typesAwaited: true }, at(noon), guide).commands).toEqual([]);
    expect(decideRound(facts, at(noon), guide).commands).toMatchObject([{ trial: true }]);
  });

  it('in guide nothing is offered for Karpenter to judge where all types are known', () => {
    const round = decide([web(), large(), pod('p', 'n1', { cpu: '7' })], read, { role: 'guide' });
    expect(round.commands).toEqual([]);
    expect(codes(round)).toEqual([['NotCheaper', false]]);
  });
});
