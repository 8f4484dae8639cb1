// The object store of the simulated API server.
import { describe, expect, it } from 'vitest';
import { rawClaim, rawNode, rawPdb, rawPod, running } from '../../test/rawObjects.ts';
import { asDuration, type Instant, parseInstant } from '../time/instant.ts';
import { type KubeObject, keyOf } from './kubeObject.ts';
import { type ObjectChange, Objects } from './objects.ts';
import { VirtualClock } from './virtualClock.ts';

const noon = '2026-03-10T12:00:00Z';

function open(...given: readonly KubeObject[]) {
  const clock = new VirtualClock(parseInstant(noon) as Instant);
  const objects = new Objects(clock);
  for (const object of given) objects.create(object, 'stage');
  const told: ObjectChange[] = [];
  objects.onChange((change) => told.push(change));
  const pass = (milliseconds: number): void => {
    clock.in(asDuration(milliseconds), () => {});
    clock.step();
  };
  return { clock, objects, told, pass };
}

const codeOf = (result: ReturnType<Objects['create']>): number | 'done' => (result.ok ? 'done' : result.code);
const taint = { key: 'a', effect: 'NoSchedule' };

describe('creating', () => {
  it('gives a uid, an age, a version and a generation', () => {
    const { objects } = open();
    const first = objects.create(rawClaim('c1'), 'x');
    const second = objects.create(rawClaim('c2'), 'x');
    const metas = [first, second].map((result) => result.ok && result.object.metadata);
    expect(metas).toMatchObject([
      { uid: '00000000-0000-4000-8000-000000000001', creationTimestamp: noon, resourceVersion: '1', generation: 1 },
      { uid: '00000000-0000-4000-8000-000000000002', resourceVersion: '2' },
    ]);
  });

  it('keeps an age that is given, so that a cluster can be put back as it was', () => {
    const { objects } = open();
    const old = rawNode('n1');
    const created = '2026-03-01T00:00:00Z';
    objects.create({ ...old, metadata: { ...old.metadata, creationTimestamp: created, uid: 'u1' } }, 'x');
    expect(objects.get('Node', 'n1')?.metadata).toMatchObject({ creationTimestamp: created, uid: 'u1' });
  });

  it('puts what names no namespace into default', () => {
    const { objects } = open({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' } });
    expect(objects.get('Pod', 'default/p')?.metadata.namespace).toBe('default');
    expect([...objects.podsIn('default')].map(keyOf)).toEqual(['default/p']);
  });

  it('refuses what is there already, and changes nothing', () => {
    const { objects, told } = open(rawClaim('c1'));
    expect(codeOf(objects.create({ ...rawClaim('c1'), spec: {} }, 'x'))).toBe(409);
    expect(told).toEqual([]);
    expect(objects.version).toBe(1);
  });
});

describe('writing', () => {
  it('makes a new version, leaves the old object unchanged, and notifies who wrote it', () => {
    const { objects, told } = open(rawNode('n1'));
    const was = objects.get('Node', 'n1');
    objects.write('Node', 'n1', 'kubelet', (node) => ({ ...node, status: { phase: 'x' } }));
    const object = objects.get('Node', 'n1');
    expect(was).toMatchObject({ metadata: { resourceVersion: '1' } });
    expect(was).not.toHaveProperty('status');
    expect(object).toMatchObject({ metadata: { resourceVersion: '2' }, status: { phase: 'x' } });
    expect(told).toEqual([{ type: 'MODIFIED', object, was, version: 2, by: 'kubelet' }]);
  });

  it.each<[string, (object: KubeObject) => KubeObject | undefined]>([
    ['nothing', () => undefined],
    ['the same object', (object) => object],
    ['one that says the same', (object) => structuredClone(object) as KubeObject],
  ])('of %s writes nothing', (_name, next) => {
    const { objects, told } = open(rawClaim('c1'));
    expect(objects.write('NodeClaim', 'c1', 'x', next)).toBe(objects.get('NodeClaim', 'c1'));
    expect([told, objects.version]).toEqual([[], 1]);
  });

  it.each([
    ['spec', { spec: { taints: [taint] } }, 2],
    ['status', { status: { nodeName: 'n1' } }, 1],
  ])('to the %s leaves the right generation', (_name, part, generation) => {
    const { objects } = open(rawClaim('c1'));
    const written = objects.write('NodeClaim', 'c1', 'x', (claim) => ({ ...claim, ...part }));
    expect(written?.metadata.generation).toBe(generation);
  });

  it('by a listener is notified after the change it reacts to, in the same order to all', () => {
    const { objects } = open();
    const heard: string[] = [];
    objects.onChange(({ type, version }) => {
      heard.push(`a${version}`);
      if (type === 'ADDED') objects.write('Node', 'n1', 'actor', (node) => ({ ...node, spec: { taints: [taint] } }));
    });
    const stop = objects.onChange(({ version }) => heard.push(`b${version}`));
    objects.create(rawNode('n1'), 'x');
    stop();
    objects.write('Node', 'n1', 'x', (node) => ({ ...node, spec: {} }));
    expect(heard).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });
});

describe('patching', () => {
  const add = { op: 'add', path: '/spec/taints', value: [taint] } as const;

  it.each([
    ['what is not there', 'n2', [add], 404],
    ['what is as it was seen', 'n1', [{ op: 'test', path: '/spec/taints', value: null } as const, add], 'done'],
    ['with a test that fails', 'n1', [{ op: 'test', path: '/spec/taints', value: [] } as const, add], 422],
    ['a path that is not there', 'n1', [{ op: 'remove', path: '/spec/taints' } as const], 422],
    ['its name', 'n1', [{ op: 'replace', path: '/metadata/name', value: 'n3' } as const], 422],
    ['its uid', 'n1', [{ op: 'remove', path: '/metadata/uid' } as const], 422],
    ['its deletion', 'n1', [{ op: 'add', path: '/metadata/deletionTimestamp', value: noon } as const], 422],
    ['all of its metadata away', 'n1', [{ op: 'remove', path: '/metadata' } as const], 422],
    ['an older version', 'n1', [{ op: 'replace', path: '/metadata/resourceVersion', value: '0' } as const, add], 409],
  ])('%s', (_name, key, patch, wanted) => {
    const { objects, told } = open(rawNode('n1'));
    const was = objects.get('Node', 'n1');
    expect(codeOf(objects.patch('Node', key, patch, 'x'))).toBe(wanted);
    expect(told.length).toBe(wanted === 'done' ? 1 : 0);
    if (wanted !== 'done') expect(objects.get('Node', 'n1')).toBe(was);
  });

  it('that changes nothing succeeds, and writes nothing', () => {
    const { objects, told } = open(rawNode('n1', { taints: [taint] }));
    expect(codeOf(objects.patch('Node', 'n1', [add], 'x'))).toBe('done');
    expect(told).toEqual([]);
  });
});

describe('deleting', () => {
  const one = (object: KubeObject) => {
    const opened = open(object);
    const get = () => opened.objects.get(object.kind, keyOf(object));
    const remove = (options = {}) => codeOf(opened.objects.delete(object.kind, keyOf(object), 'x', options));
    return { ...opened, get, remove };
  };
  const bound = (finalizers?: readonly string[]) => rawPod('p', { node: 'n1', ...(finalizers && { finalizers }) });

  it('removes an object without finalizers, and notifies its last state with a new version', () => {
    const { remove, get, told, objects } = one(rawNode('n1'));
    expect(remove()).toBe('done');
    expect(get()).toBeUndefined();
    expect(told).toMatchObject([{ type: 'DELETED', object: { metadata: { resourceVersion: '2' } }, version: 2 }]);
    expect([remove(), objects.version]).toEqual([404, 2]);
  });

  it.each([
    ['uid', { uid: 'other' }],
    ['resourceVersion', { resourceVersion: '7' }],
  ])('is refused if the %s differs', (_name, options) => {
    const { remove, get, told } = one(rawClaim('c1'));
    expect(remove(options)).toBe(409);
    expect([get() !== undefined, told.length]).toEqual([true, 0]);
  });

  it('marks what has finalizers once, and takes it away with the last of them', () => {
    const { objects, remove, get, told } = one(rawClaim('c1', ['a', 'b']));
    expect([remove(), remove()]).toEqual(['done', 'done']);
    expect(get()?.metadata).toMatchObject({ deletionTimestamp: noon, deletionGracePeriodSeconds: 0, generation: 2 });
    expect(told.length).toBe(1);
    objects.patch('NodeClaim', 'c1', [{ op: 'remove', path: '/metadata/finalizers/0' }], 'x');
    expect(get()?.metadata.finalizers).toEqual(['b']);
    objects.write('NodeClaim', 'c1', 'x', ({ metadata: { finalizers: _, ...metadata }, ...claim }) => ({
      ...claim,
      metadata,
    }));
    expect(get()).toBeUndefined();
    expect(told.map(({ type }) => type)).toEqual(['MODIFIED', 'MODIFIED', 'DELETED']);
  });

  it('leaves an object that is not deleted without its finalizers', () => {
    const { objects, get } = one(rawClaim('c1', ['a']));
    objects.patch('NodeClaim', 'c1', [{ op: 'remove', path: '/metadata/finalizers' }], 'x');
    expect(get()?.metadata.finalizers).toBeUndefined();
  });

  it('does not remove an object created with a deletionTimestamp when it is written', () => {
    const node = rawNode('n1');
    const { objects, get } = one({ ...node, metadata: { ...node.metadata, deletionTimestamp: noon } });
    objects.write('Node', 'n1', 'kubelet', (each) => ({ ...each, status: { phase: 'x' } }));
    expect(get()).toBeDefined();
  });

  it.each<[string, KubeObject, object, string | undefined]>([
    ['a bound pod goes after its own grace', bound(), {}, '2026-03-10T12:00:30Z'],
    ['or after the grace that is given', bound(), { graceSeconds: 5 }, '2026-03-10T12:00:05Z'],
    ['or a longer one', bound(), { graceSeconds: 90 }, '2026-03-10T12:01:30Z'],
    ['with a grace of 0 at once', bound(), { graceSeconds: 0 }, undefined],
    ['and a negative one counts as 1', bound(), { graceSeconds: -5 }, '2026-03-10T12:00:01Z'],
    ['a pod on no node goes at once', rawPod('p'), {}, undefined],
    ['and so does one that has ended', { ...bound(), status: { phase: 'Failed' } }, {}, undefined],
    ['its finalizers hold it all the same', { ...bound(['f']), status: { phase: 'Failed' } }, {}, noon],
  ])('%s', (_name, pod, options, goesAt) => {
    const { remove, get } = one(pod);
    expect(remove(options)).toBe('done');
    expect(get()?.metadata.deletionTimestamp).toBe(goesAt);
  });

  it('shortens the grace of a pod, and never lengthens it', () => {
    const { remove, get, told, pass } = one(bound());
    const goesAt = () => get()?.metadata.deletionTimestamp;
    remove();
    pass(10_000);
    remove({ graceSeconds: 60 });
    remove();
    expect([goesAt(), told.length]).toEqual(['2026-03-10T12:00:30Z', 1]);
    // Counted from when it was first asked for.
    remove({ graceSeconds: 20 });
    expect(get()?.metadata).toMatchObject({
      deletionTimestamp: '2026-03-10T12:00:20Z',
      deletionGracePeriodSeconds: 20,
      generation: 2,
    });
    remove({ graceSeconds: 0 });
    expect(get()).toBeUndefined();
  });

  it('keeps a pod with finalizers until both its grace and they are over', () => {
    const { objects, remove, get } = one(bound(['f']));
    remove();
    objects.patch('Pod', 'default/p', [{ op: 'remove', path: '/metadata/finalizers' }], 'x');
    expect(get()).toBeDefined();
    remove({ graceSeconds: 0 });
    expect(get()).toBeUndefined();

    const other = one(bound(['f']));
    other.remove();
    other.remove({ graceSeconds: 0 });
    expect(other.get()?.metadata.deletionGracePeriodSeconds).toBe(0);
    other.objects.patch('Pod', 'default/p', [{ op: 'remove', path: '/metadata/finalizers' }], 'x');
    expect(other.get()).toBeUndefined();
  });
});

describe('looking up', () => {
  it('lists by creation, and finds pods by node and namespace after every move', () => {
    const { objects } = open(rawPod('b', { node: 'n1' }), rawPod('a'), rawPod('c', { node: 'n1' }));
    const names = (pods: Iterable<KubeObject>) => [...pods].map(({ metadata }) => metadata.name);
    expect([names(objects.list('Pod')), names(objects.list('Job'))]).toEqual([['b', 'a', 'c'], []]);
    expect(names(objects.podsOn('n1'))).toEqual(['b', 'c']);
    objects.write('Pod', 'default/a', 'x', (pod) => ({ ...pod, spec: { ...pod.spec, nodeName: 'n2' } }));
    objects.write('Pod', 'default/b', 'x', (pod) => ({ ...pod, status: running() }));
    objects.delete('Pod', 'default/c', 'x', { graceSeconds: 0 });
    expect([names(objects.podsOn('n1')), names(objects.podsOn('n2'))]).toEqual([['b'], ['a']]);
    expect([...objects.podsOn('n1')][0]).toBe(objects.get('Pod', 'default/b'));
    expect(names(objects.podsIn('default')).sort()).toEqual(['a', 'b']);
    expect(names(objects.podsIn('other'))).toEqual([]);
    for (const pod of objects.podsIn('default')) objects.delete('Pod', keyOf(pod), 'x', { graceSeconds: 0 });
    expect([names(objects.podsIn('default')), names(objects.podsOn('n1'))]).toEqual([[], []]);
  });

  it('finds the PDBs that select a pod, in its namespace only', () => {
    const elsewhere = rawPdb('elsewhere', { app: 'web' });
    const { objects } = open(
      rawPod('p', { labels: { app: 'web' } }),
      rawPdb('mine', { app: 'web' }),
      rawPdb('other', { app: 'api' }),
      { ...elsewhere, metadata: { ...elsewhere.metadata, namespace: 'shop' } },
    );
    const pod = objects.get('Pod', 'default/p') as KubeObject;
    expect(objects.pdbsOver(pod).map(keyOf)).toEqual(['default/mine']);
    objects.delete('PodDisruptionBudget', 'default/mine', 'x');
    expect(objects.pdbsOver(pod)).toEqual([]);
  });
});
