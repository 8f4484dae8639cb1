// PDBs and PodDisruptionSchedules and the pods they select.
import { describe, expect, it } from 'vitest';
import { changesOf, machine, type Objects, type Plain, pdb, pod, podSchedule } from '../../test/build.ts';
import type { NodeView } from './nodeView.ts';
import { ClusterStore } from './store.ts';

/** Reads views between changes, as rounds do: a cached view must not become stale. */
function inOrder(...objects: Objects): ClusterStore {
  const store = new ClusterStore();
  for (const change of changesOf(objects)) {
    store.apply(change);
    expect(store.nodes).toBeDefined();
  }
  return store;
}

function viewIn(store: ClusterStore, name = 'n1'): NodeView {
  const view = store.nodes.find((it) => it.node.name === name);
  if (!view) throw new Error(`node ${name} not found`);
  return view;
}

const put = (store: ClusterStore, ...objects: Objects): void => {
  for (const change of changesOf(objects)) store.apply(change);
};

describe('E10: a PDB and its pods', () => {
  const api = { selector: { matchLabels: { app: 'api' } } };
  const guards = (store: ClusterStore): string[] => viewIn(store).guarded.map(({ box }) => box.pdb.name);

  it('are matched in either order', () => {
    for (const objects of [
      [...machine(), pod(), pdb('web', 1)],
      [pdb('web', 1), ...machine(), pod()],
    ])
      expect(guards(inOrder(...objects))).toEqual(['web']);
  });

  it.each([
    { it: 'its selector selects other pods now', change: [pdb('web', 1, api)], guarded: [] },
    { it: 'its selector selects them again', change: [pdb('web', 1, api), pdb('web', 1)], guarded: ['web'] },
    { it: "the pod's labels change", change: [pod('p1', 'n1', { labels: { app: 'api' } })], guarded: [] },
    {
      it: 'a PDB of another namespace has the same selector',
      change: [{ ...pdb('web', 1), metadata: { name: 'x', namespace: 'other' } }],
      guarded: ['web'],
    },
  ])('$it: $guarded', ({ change, guarded }) => {
    expect(guards(inOrder(...machine(), pod(), pdb('web', 1), ...(change as Plain[])))).toEqual(guarded);
  });

  it('are no longer matched when the PDB is deleted', () => {
    const store = inOrder(...machine(), pod(), pdb('web', 1));
    store.apply({ kind: 'PodDisruptionBudget', gone: 'shop/web' });
    expect(guards(store)).toEqual([]);
  });

  it('a change of its status alone changes no view, and is visible through it', () => {
    const store = inOrder(...machine(), pod(), pdb('web', 1));
    const [view, revision] = [viewIn(store), store.pdbRevision];
    put(store, pdb('web', 0));
    expect(viewIn(store)).toBe(view);
    expect(view.guarded[0]?.box.pdb.disruptionsAllowed).toBe(0);
    expect(store.pdbRevision).toBeGreaterThan(revision);
  });

  it('AlwaysAllow changes which pods it guards', () => {
    const unready = pod('p1', 'n1', { ready: 'False' });
    const always = pdb('web', 0, { selector: {}, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect(guards(inOrder(...machine(), unready, pdb('web', 0), always))).toEqual([]);
  });

  it('two PDBs of one pod are listed as overlapping, and neither as guarding', () => {
    const { overlapping, guarded } = viewIn(
      inOrder(...machine(), pod(), pdb('web', 1), pdb('all', 1, { selector: {} })),
    );
    expect(overlapping.map(({ pdbs }) => pdbs.map(({ pdb: it }) => it.name))).toEqual([['all', 'web']]);
    expect(guarded).toEqual([]);
  });
});

describe('E7: a PodDisruptionSchedule and its pods', () => {
  const nightly = (spec: Plain) => podSchedule('nightly', { selector: {}, schedule: '0 2 * * *', ...spec });
  const team = nightly({ namespaceSelector: { matchLabels: { team: 'a' } } });
  const namespace = (labels: Plain): Plain => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', labels },
  });
  const schedules = (store: ClusterStore): number => viewIn(store).timed.flatMap((it) => it.schedules).length;

  it.each([
    { it: 'everywhere without a namespaceSelector', rules: [nightly({})], means: 1 },
    { it: 'not where the namespace has other labels', rules: [team, namespace({ team: 'b' })], means: 0 },
    { it: 'where the namespace has the labels', rules: [team, namespace({ team: 'a' })], means: 1 },
    {
      it: 'not once its labels no longer match',
      rules: [team, namespace({ team: 'a' }), namespace({ team: 'b' })],
      means: 0,
    },
    { it: 'as soon as its labels match', rules: [team, namespace({ team: 'b' }), namespace({ team: 'a' })], means: 1 },
    { it: 'not if the namespace is unknown', rules: [team], means: 0 },
    {
      it: 'by the name label that every namespace has',
      rules: [nightly({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } } })],
      means: 1,
    },
    {
      it: 'not once its selector selects other pods',
      rules: [nightly({}), nightly({ selector: { matchLabels: { app: 'x' } } })],
      means: 0,
    },
  ])('are matched $it', ({ rules, means }) => {
    const store = inOrder(...machine(), pod(), ...rules);
    expect(schedules(store)).toBe(means);
    expect(store.podSchedules.map((it) => store.podsUnder(it))).toEqual([means]);
  });

  it('are no longer matched when the namespace is deleted', () => {
    const store = inOrder(...machine(), pod(), team, namespace({ team: 'a' }));
    store.apply({ kind: 'Namespace', gone: 'shop' });
    expect(schedules(store)).toBe(0);
  });

  it('are no longer matched when the schedule is deleted', () => {
    const store = inOrder(...machine(), pod(), nightly({}));
    store.apply({ kind: 'PodDisruptionSchedule', gone: 'nightly' });
    expect(schedules(store)).toBe(0);
  });

  it('are counted as pods are added, changed and deleted', () => {
    const store = inOrder(...machine(), pod('p1'), nightly({ selector: { matchLabels: { app: 'web' } } }));
    const count = (): number[] => store.podSchedules.map((it) => store.podsUnder(it));
    const counts = [count()];
    for (const change of [
      pod('p2'),
      pod('p1', 'n1', { labels: { app: 'api' } }),
      pod('p1'),
      pod('p2', 'n1', { phase: 'Succeeded' }),
      nightly({ selector: { matchLabels: { app: 'api' } } }),
      nightly({ selector: {} }),
    ]) {
      put(store, change);
      counts.push(count());
    }
    store.apply({ kind: 'Pod', gone: 'shop/p1' });
    expect([...counts, count()].flat()).toEqual([1, 2, 1, 2, 1, 0, 1, 0]);
  });

  it('are not counted again where nothing has changed', () => {
    const [record] = changesOf([pod()]);
    if (record?.kind !== 'Pod' || !('put' in record)) throw new Error('no pod was read');
    let asked = 0;
    const put = new Proxy(record.put, {
      get: (it, field) => {
        asked++;
        return Reflect.get(it, field);
      },
    });
    const store = inOrder(nightly({}));
    store.apply({ kind: 'Pod', put });
    const [schedule] = store.podSchedules;
    if (!schedule) throw new Error('no schedule was read');
    expect(store.podsUnder(schedule)).toBe(1);
    const before = asked;
    expect(store.podsUnder(schedule)).toBe(1);
    expect(asked).toBe(before);
  });

  it('a change of its status alone changes no view', () => {
    const store = inOrder(...machine(), pod(), nightly({}));
    const view = viewIn(store);
    put(store, { ...nightly({}), status: { open: true } });
    expect(viewIn(store)).toBe(view);
    put(store, nightly({ mode: 'Block' }));
    expect(viewIn(store)).not.toBe(view);
  });
});
