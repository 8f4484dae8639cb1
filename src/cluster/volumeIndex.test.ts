// Volumes, DaemonSets and namespaces of a store under single changes, and the volumes assumed when none is known.
import { describe, expect, it } from 'vitest';
import { changesOf, node, type Plain, pod, storeOf, zone } from '../../test/build.ts';
import { ClusterStore, keyOf } from './store.ts';

const key = 'default/data';
const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
const mounting = (name: string, nodeName: string): Plain =>
  pod(name, nodeName, { namespace: 'default', spec: { volumes } });
const pending: Plain = { kind: 'Pod', metadata: { name: 'late', namespace: 'default' }, spec: { volumes } };
const nodes = [node('n1', { labels: { [zone]: 'a' } }), node('n2', { labels: { [zone]: 'b' } })];
const claim: Plain = { kind: 'PersistentVolumeClaim', metadata: { name: 'data' }, spec: { volumeName: 'pv' } };
const otherClaim: Plain = { kind: 'PersistentVolumeClaim', metadata: { name: 'other' }, spec: { volumeName: 'pv2' } };
const volume: Plain = { kind: 'PersistentVolume', metadata: { name: 'pv' }, spec: {} };
const inZones = (...values: string[]): unknown => [{ labels: [{ key: zone, operator: 'In', values }], names: [] }];

/** Where the volume of the claim is available; `unknown` if there is none. */
function describeConnection(store: ClusterStore): unknown {
  const name = store.volumes.claim(key)?.volume;
  const found = name === undefined ? undefined : store.volumes.volume(name);
  return found ? (found.nodeTerms ?? 'anywhere') : 'unknown';
}

describe('F6: the volume index', () => {
  const limits: Plain = {
    kind: 'CSINode',
    metadata: { name: 'n1' },
    spec: { drivers: [{ name: 'd', allocatable: { count: 3 } }] },
  };
  const storageClass: Plain = { kind: 'StorageClass', metadata: { name: 'fast' }, provisioner: 'd' };

  it('is found by name, and gone when it is gone', () => {
    const store = storeOf(claim, volume, limits, storageClass);
    expect(store.volumes.claim(key)).toMatchObject({ name: 'data', volume: 'pv' });
    expect(store.volumes.volume('pv')).toMatchObject({ name: 'pv' });
    expect(store.volumes.attachLimits('n1')?.drivers).toEqual({ d: 3 });
    expect(store.volumes.storageClass('fast')?.provisioner).toBe('d');
    store.apply({ kind: 'PersistentVolumeClaim', gone: key });
    store.apply({ kind: 'CSINode', gone: 'n1' });
    expect([store.volumes.claim(key), store.volumes.attachLimits('n1')]).toEqual([undefined, undefined]);
  });

  it.each([
    { name: 'the same again', objects: [claim], changes: false },
    { name: 'a label that no rule reads', objects: [{ ...claim, metadata: { name: 'data', labels: { a: 'b' } } }] },
    { name: 'another volume', objects: [{ ...claim, spec: { volumeName: 'pv2' } }], changes: true },
    { name: 'a claim more', objects: [otherClaim], changes: true },
    { name: 'a pod that mounts it', objects: [mounting('p1', 'n1')], changes: false },
  ])('the revision after $name: another = $changes', ({ objects, changes = false }) => {
    const store = storeOf(nodes, claim, volume);
    const before = store.volumes.revision;
    for (const change of changesOf(objects)) store.apply(change);
    expect(store.volumes.revision !== before).toBe(changes);
  });
});

describe('F6: without known volumes, the volume of a pod is assumed to be in its zone', () => {
  it.each<{ name: string; objects: readonly Plain[]; where: unknown }>([
    { name: 'nothing shown', objects: [mounting('p1', 'n1')], where: inZones('a') },
    { name: 'pods in two zones', objects: [mounting('p1', 'n2'), mounting('p2', 'n1')], where: inZones('a', 'b') },
    { name: 'the claim alone', objects: [claim, mounting('p1', 'n1')], where: inZones('a') },
    { name: 'another claim alone', objects: [otherClaim, mounting('p1', 'n1')], where: 'unknown' },
    { name: 'both shown', objects: [claim, volume, mounting('p1', 'n1')], where: 'anywhere' },
    { name: 'the volume alone', objects: [volume, mounting('p1', 'n1')], where: inZones('a') },
    { name: 'a node that was not shown', objects: [mounting('p1', 'n9')], where: 'anywhere' },
    { name: 'a pod that runs nowhere yet', objects: [pending], where: 'unknown' },
  ])('$name', ({ objects, where }) => {
    expect(describeConnection(storeOf(nodes, objects))).toEqual(where);
    expect(describeConnection(storeOf(objects, nodes))).toEqual(where);
  });

  it('is another when the pod moves, is gone, or its node is in another zone', () => {
    const store = storeOf(nodes, mounting('p1', 'n1'));
    const seen: unknown[] = [];
    const look = (): void => void seen.push([store.volumes.revision, describeConnection(store)]);
    look();
    for (const change of changesOf([mounting('p1', 'n2')])) store.apply(change);
    look();
    for (const change of changesOf([node('n2', { labels: { [zone]: 'c' } })])) store.apply(change);
    look();
    store.apply({ kind: 'Pod', gone: 'default/p1' });
    look();
    expect(seen.map((each) => (each as unknown[])[1])).toEqual([inZones('a'), inZones('b'), inZones('c'), 'unknown']);
    expect(new Set(seen.map((each) => (each as unknown[])[0])).size).toBe(4);
  });
});

describe('DaemonSets and namespaces', () => {
  const daemonSet = (name: string, cpu = '1'): Plain => ({
    kind: 'DaemonSet',
    metadata: { name },
    spec: { template: { spec: { containers: [{ resources: { requests: { cpu } } }] } } },
  });

  it('DaemonSets come by name, as the same list until one says something else', () => {
    const store = storeOf(daemonSet('b'), daemonSet('a'));
    const before = store.daemonSets;
    expect(before.map(keyOf)).toEqual(['default/a', 'default/b']);
    for (const change of changesOf([daemonSet('a')])) store.apply(change);
    expect(store.daemonSets).toBe(before);
    for (const change of changesOf([daemonSet('a', '2')])) store.apply(change);
    expect(store.daemonSets[0]?.requests.cpu).toBe(2000);
    store.apply({ kind: 'DaemonSet', gone: 'default/a' });
    expect(store.daemonSets.map(keyOf)).toEqual(['default/b']);
  });

  it('a namespace carries its name, and whatever labels it has', () => {
    const store = new ClusterStore();
    const name = { 'kubernetes.io/metadata.name': 'shop' };
    expect([store.namespaceLabels('shop'), store.namespaceRevision]).toEqual([name, 0]);
    store.apply({ kind: 'Namespace', put: { name: 'shop', labels: { team: 'a' } } });
    store.apply({ kind: 'Namespace', put: { name: 'shop', labels: { team: 'a' } } });
    expect([store.namespaceLabels('shop'), store.namespaceRevision]).toEqual([{ ...name, team: 'a' }, 1]);
    store.apply({ kind: 'Namespace', gone: 'shop' });
    expect([store.namespaceLabels('shop'), store.namespaceRevision]).toEqual([name, 2]);
  });
});
