// Random volumes: bound to a zone or node, late binding, shared, single-pod, broken.
import type { RawNodeTerm } from '../../src/sim/actors/rawObjects.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import type { Random } from '../../src/sim/random.ts';
import { hostLabel, zoneLabel } from './names.ts';
import { driver, type Mood, otherDriver } from './randomNodes.ts';

export const storageClasses: readonly KubeObject[] = [
  classNamed('late', 'WaitForFirstConsumer', driver),
  {
    ...classNamed('late-z1', 'WaitForFirstConsumer', otherDriver),
    allowedTopologies: [{ matchLabelExpressions: [{ key: zoneLabel, values: ['z1', 'z2'] }] }],
  },
  classNamed('at-once', 'Immediate', driver),
];

function classNamed(name: string, volumeBindingMode: string, provisioner: string): KubeObject {
  return { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name }, provisioner, volumeBindingMode };
}

export type VolumeKind = 'bound' | 'late' | 'late-z1' | 'onePod' | 'unbound' | 'missing';

export const randomKind = (random: Random): VolumeKind =>
  random.pick([
    'bound',
    'bound',
    'bound',
    'late',
    'late',
    'late-z1',
    'late-z1',
    'onePod',
    'unbound',
    'missing',
  ] as const);

interface Asked {
  readonly namespace: string;
  readonly name: string;
  readonly kind: VolumeKind;
}

/** The claim, and its volume if it has one. */
export function claimFor({ namespace, name, kind }: Asked, mood: Mood): KubeObject[] {
  if (kind === 'missing') return [];
  const claim = claimObject(namespace, name, kind);
  if (kind !== 'bound' && kind !== 'onePod') return [claim];
  return bound(claim, randomVolume(claim, mood));
}

const modes: Partial<Record<VolumeKind, string>> = { onePod: 'ReadWriteOncePod', bound: 'ReadWriteMany' };

function claimObject(namespace: string, name: string, kind: VolumeKind): KubeObject {
  const storageClassName = kind === 'late' || kind === 'late-z1' ? kind : 'at-once';
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, namespace },
    spec: {
      accessModes: [modes[kind] ?? 'ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      storageClassName,
    },
    status: { phase: 'Pending' },
  };
}

function bound(claim: KubeObject, volume: KubeObject): KubeObject[] {
  return [
    volume,
    {
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { ...claim.spec, volumeName: volume.metadata.name },
      status: { phase: 'Bound' },
    },
  ];
}

interface Place {
  readonly labels?: Readonly<Record<string, string>>;
  readonly terms?: readonly RawNodeTerm[];
}

function volumeObject(claim: KubeObject, of: string, { labels, terms }: Place): KubeObject {
  const { name, namespace } = claim.metadata;
  const { accessModes, storageClassName } = claim.spec ?? {};
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: `pv-${namespace}-${name}`, ...(labels && { labels }) },
    spec: {
      accessModes,
      storageClassName,
      capacity: { storage: '1Gi' },
      csi: { driver: of, volumeHandle: `h-${namespace}-${name}` },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name },
      persistentVolumeReclaimPolicy: 'Retain',
      ...(terms && { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
    },
    status: { phase: 'Bound' },
  };
}

function randomVolume(claim: KubeObject, { random, zones }: Mood): KubeObject {
  const zone = random.pick(zones);
  const of = random.pick([driver, driver, otherDriver]);
  const places: readonly Place[] = [
    { terms: [termOf(zoneLabel, zone)] },
    { terms: [termOf(zoneLabel, zone)] },
    { terms: [termOf(zoneLabel, zone), termOf('example.com/disk', 'ssd')] },
    { terms: [termOf(zoneLabel, zone)], labels: { [zoneLabel]: zone } },
    { labels: { [zoneLabel]: random.chance(0.4) ? 'z1__z2' : zone, 'topology.kubernetes.io/region': 'r1' } },
    { labels: { 'failure-domain.beta.kubernetes.io/zone': zone } },
    {},
  ];
  return volumeObject(claim, of, random.pick(places));
}

const termOf = (key: string, value: string): RawNodeTerm => ({
  matchExpressions: [{ key, operator: 'In', values: [value] }],
});

/** A late-binding claim whose pod was placed on a node: its volume is created there, for the zone or only for that node. */
export function madeOn(node: KubeObject, claim: KubeObject, random: Random): KubeObject[] {
  const labels = node.metadata.labels ?? {};
  const [zone, host] = [labels[zoneLabel], labels[hostLabel]];
  const of = claim.spec?.storageClassName === 'late' ? driver : otherDriver;
  const isLocal = host !== undefined && random.chance(0.15);
  const terms = isLocal ? [termOf(hostLabel, host)] : zone === undefined ? undefined : [termOf(zoneLabel, zone)];
  return bound(claim, volumeObject(claim, of, terms ? { terms } : {}));
}
