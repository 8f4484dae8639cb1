// Tests of reading claims, volumes, storage classes and CSINodes, valid and invalid, for placement.
import { describe, expect, it } from 'vitest';
import { readObject } from '../readObject.ts';
import type { Json } from './reader.ts';

interface Row {
  readonly name: string;
  readonly object: Json;
  readonly record: unknown;
}

const zone = 'topology.kubernetes.io/zone';

function recordOf(object: Json): unknown {
  const result = readObject(object);
  return result.kind === 'ignored' ? undefined : result.record;
}

const claim = (spec: Json, metadata: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: { namespace: 'shop', name: 'data-0', ...metadata },
  spec,
});

describe('PersistentVolumeClaim', () => {
  const plain = { namespace: 'shop', name: 'data-0', isForOnePod: false, isDeleting: false };
  it.each<Row>([
    { name: 'not bound', object: claim({ volumeName: '' }), record: plain },
    {
      name: 'bound',
      object: claim({ volumeName: 'pv-0', storageClassName: 'fast', accessModes: ['ReadWriteOnce'] }),
      record: { ...plain, volume: 'pv-0', storageClass: 'fast' },
    },
    {
      name: 'for one pod at a time',
      object: claim({ accessModes: ['ReadWriteOncePod'] }),
      record: { ...plain, isForOnePod: true },
    },
    {
      name: 'a class by the older annotation',
      object: claim({}, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } }),
      record: { ...plain, storageClass: 'old' },
    },
    {
      name: 'of an ephemeral volume',
      object: claim({}, { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', controller: true }] }),
      record: { ...plain, isEphemeral: true },
    },
    {
      name: 'on its way out',
      object: claim({}, { deletionTimestamp: '2026-11-15T10:00:00Z' }),
      record: { ...plain, isDeleting: true },
    },
  ])('F6: $name', ({ object, record }) => {
    expect(recordOf(object)).toEqual(record);
  });

  it('reports an invalid deletion timestamp, and counts as being deleted', () => {
    expect(readObject(claim({}, { deletionTimestamp: 'soon' }))).toMatchObject({
      record: { ...plain, isDeleting: true },
      faults: [{ path: 'metadata.deletionTimestamp' }],
    });
  });

  it('reports an invalid class, even if the annotation takes precedence', () => {
    const annotations = { 'volume.beta.kubernetes.io/storage-class': 'old' };
    expect(readObject(claim({ storageClassName: 7 }, { annotations }))).toMatchObject({
      record: { ...plain, storageClass: 'old' },
      faults: [{ path: 'spec.storageClassName' }],
    });
  });
});

const volume = (spec: Json, labels: Json = {}): Json => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pv-0', labels },
  spec,
});

describe('PersistentVolume', () => {
  const inA = { key: zone, operator: 'In', values: ['a'] };
  it.each<Row>([
    {
      name: 'of a driver, in a zone',
      object: volume({
        csi: { driver: 'ebs.csi.aws.com', volumeHandle: 'vol-1' },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [inA] }] } },
      }),
      record: {
        name: 'pv-0',
        labels: {},
        driver: 'ebs.csi.aws.com',
        handle: 'vol-1',
        nodeTerms: [{ labels: [inA], names: [] }],
      },
    },
    {
      name: 'of an older kind, which a driver has taken over',
      object: volume({ awsElasticBlockStore: { volumeID: 'vol-1' } }, { [zone]: 'a__b', app: 'web' }),
      record: { name: 'pv-0', labels: { [zone]: 'a__b' }, driver: 'ebs.csi.aws.com', handle: 'vol-1' },
    },
    { name: 'of no driver', object: volume({ hostPath: { path: '/x' } }), record: { name: 'pv-0', labels: {} } },
    {
      name: 'with a node affinity that cannot be read',
      object: volume({ nodeAffinity: 'here' }),
      record: { name: 'pv-0', labels: {}, nodeTerms: [] },
    },
  ])('F6: $name', ({ object, record }) => {
    expect(recordOf(object)).toEqual(record);
  });
});

const storageClass = (fields: Json): Json => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'fast' },
  provisioner: 'csi.example.com',
  ...fields,
});

describe('StorageClass', () => {
  const plain = { name: 'fast', provisioner: 'csi.example.com', isLate: false };
  it.each<Row>([
    { name: 'binds at once by default', object: storageClass({}), record: plain },
    {
      name: 'waits for a pod',
      object: storageClass({ volumeBindingMode: 'WaitForFirstConsumer' }),
      record: { ...plain, isLate: true },
    },
    {
      name: 'of an older provisioner',
      object: storageClass({ provisioner: 'kubernetes.io/aws-ebs' }),
      record: { ...plain, provisioner: 'ebs.csi.aws.com' },
    },
    {
      name: 'in some places',
      object: storageClass({ allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['a', 'b'] }] }] }),
      record: { ...plain, topologies: [[{ key: zone, operator: 'In', values: ['a', 'b'] }]] },
    },
    { name: 'an empty list restricts nothing', object: storageClass({ allowedTopologies: [] }), record: plain },
    {
      name: 'one that cannot be read allows no place',
      object: storageClass({ allowedTopologies: 'here' }),
      record: { ...plain, topologies: [] },
    },
  ])('F6: $name', ({ object, record }) => {
    expect(recordOf(object)).toEqual(record);
  });
});

it('F6: a CSINode limits the drivers that it gives a number for, and one that cannot be read attaches nothing', () => {
  const drivers = [
    { name: 'a', allocatable: { count: 25 } },
    { name: 'b' },
    { name: 'c', allocatable: { count: 'many' } },
  ];
  const object = { apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', metadata: { name: 'n1' }, spec: { drivers } };
  expect(recordOf(object)).toEqual({ name: 'n1', drivers: { a: 25, c: 0 } });
});

it('kinds of the same name in other API groups are ignored', () => {
  expect(readObject({ apiVersion: 'apps.kruise.io/v1', kind: 'DaemonSet', metadata: { name: 'x' } }).kind).toBe(
    'ignored',
  );
});
