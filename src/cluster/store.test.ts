// The cluster store under single changes in any order.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  changesOf,
  machine,
  maintenanceWindow,
  node,
  type Objects,
  type Plain,
  pdb,
  pod,
  podSchedule,
  pool,
  storeOf,
} from '../../test/build.ts';
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

describe('A node and a claim by name', () => {
  it('are current after each change', () => {
    const store = inOrder(pool(), machine('n1'), machine('n2'), pod('p1', 'n1'));
    expect(store.node('n1')).toBe(viewIn(store));
    put(store, pod('p2', 'n1'));
    expect(store.node('n1')?.pods).toHaveLength(2);
    expect([...store.claims].map(({ name }) => name)).toEqual(['n1-claim', 'n2-claim']);
    store.apply({ kind: 'Node', gone: 'n1' });
    store.apply({ kind: 'NodeClaim', gone: 'n1-claim' });
    expect(store.node('n1')).toBeUndefined();
    expect(store.node('n3')).toBeUndefined();
    expect([...store.claims].map(({ name }) => name)).toEqual(['n2-claim']);
  });
});

describe('A pod and its node', () => {
  it('may arrive in either order', () => {
    for (const objects of [
      [pod(), ...machine()],
      [...machine(), pod()],
    ])
      expect(viewIn(inOrder(...objects)).reschedulable).toHaveLength(1);
  });

  it('are updated when the pod is bound to another node', () => {
    const store = inOrder(...machine('n1'), ...machine('n2'), pod('p1', 'n1'));
    put(store, pod('p1', 'n2'));
    expect([viewIn(store, 'n1').pods, viewIn(store, 'n2').pods].map(({ length }) => length)).toEqual([0, 1]);
  });

  it('are separated when the pod is deleted, and its resources are free again', () => {
    const store = inOrder(...machine(), pod('p1', 'n1', { cpu: '1' }));
    expect(viewIn(store).free.cpu).toBe(3000);
    store.apply({ kind: 'Pod', gone: 'shop/p1' });
    expect(viewIn(store)).toMatchObject({ pods: [], free: { cpu: 4000 } });
  });

  it('are matched again when the node is recreated', () => {
    const store = inOrder(...machine(), pod());
    store.apply({ kind: 'Node', gone: 'n1' });
    put(store, node());
    expect(viewIn(store).pods).toHaveLength(1);
  });

  it('with the same name in two namespaces are two pods', () => {
    expect(viewIn(inOrder(...machine(), pod(), pod('p1', 'n1', { namespace: 'other' }))).pods).toHaveLength(2);
  });

  it.each([
    { it: 'an unbound pod is pending', parts: { phase: 'Pending' }, nodeName: '', pending: 1 },
    { it: 'a bound pod is not', parts: {}, nodeName: 'n1', pending: 0 },
    { it: 'a failed pod is not', parts: { phase: 'Failed' }, nodeName: '', pending: 0 },
  ])('$it', ({ parts, nodeName, pending }) => {
    expect(inOrder(pod('p1', nodeName, parts)).pendingPods).toHaveLength(pending);
  });

  it('a pod that is bound later is no longer pending', () => {
    expect(inOrder(pod('p1', '', { phase: 'Pending' }), pod('p1', 'n1')).pendingPods).toEqual([]);
  });
});

describe('D2: a MaintenanceWindow and its nodes', () => {
  const zoneA = {
    selector: { matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['a'] }] },
  };
  const windows = (store: ClusterStore, name = 'n1'): string[] => viewIn(store, name).windows.map((it) => it.name);

  it('are matched by its selector', () => {
    const store = inOrder(
      ...machine('n1', { zone: 'a' }),
      ...machine('n2', { zone: 'b' }),
      maintenanceWindow('w', zoneA),
    );
    expect([windows(store, 'n1'), windows(store, 'n2')]).toEqual([['w'], []]);
    put(store, maintenanceWindow('w'));
    expect([windows(store, 'n1'), windows(store, 'n2')]).toEqual([['w'], ['w']]);
  });

  it('a changed window replaces the old one', () => {
    const store = inOrder(...machine('n1'), maintenanceWindow('w', { note: 'before' }));
    put(store, maintenanceWindow('w', { note: 'after' }));
    expect(viewIn(store).windows.map(({ note }) => note)).toEqual(['after']);
  });

  it('are no longer matched when labels change, and when the window is deleted', () => {
    const store = inOrder(...machine('n1', { zone: 'a' }), maintenanceWindow('w', zoneA));
    put(store, ...machine('n1', { zone: 'b' }));
    expect(windows(store)).toEqual([]);
    put(store, ...machine('n1', { zone: 'a' }));
    store.apply({ kind: 'MaintenanceWindow', gone: 'w' });
    expect(windows(store)).toEqual([]);
  });

  it.each([
    { it: 'its status alone', spec: { note: 'a', notBefore: '2026-01-01T00:00:00.5Z' }, same: true },
    { it: 'its note', spec: { note: 'b', notBefore: '2026-01-01T00:00:00.5Z' }, same: false },
    { it: 'its life, by less than a second', spec: { note: 'a', notBefore: '2026-01-01T00:00:00.7Z' }, same: false },
    { it: 'its actions', spec: { note: 'a', notBefore: '2026-01-01T00:00:00.5Z', actions: ['Drift'] }, same: false },
  ])('$it changes: the view of a node stays: $same', ({ spec, same }) => {
    const store = inOrder(...machine(), maintenanceWindow('w', { note: 'a', notBefore: '2026-01-01T00:00:00.5Z' }));
    const [view, [window]] = [viewIn(store), store.windows];
    put(store, { ...maintenanceWindow('w', spec), status: { active: true } });
    expect([viewIn(store) === view, store.windows[0] === window]).toEqual([same, same]);
    expect(viewIn(store).windows).toEqual(store.windows);
  });

  it('nodes under the same windows share one list', () => {
    const store = inOrder(...machine('n1'), ...machine('n2'), maintenanceWindow('w'));
    expect(viewIn(store, 'n1').windows).toBe(viewIn(store, 'n2').windows);
  });
});

describe('A7: a pool that becomes a Provisioner', () => {
  const provisioner = { apiVersion: 'karpenter.sh/v1alpha5', kind: 'Provisioner', metadata: { name: 'web' }, spec: {} };
  const made = node('n1', { labels: { 'karpenter.sh/nodepool': undefined, 'karpenter.sh/provisioner-name': 'web' } });

  it('manages its nodes from then on', () => {
    expect(viewIn(inOrder(made, pool('web'))).managed).toBe(false);
    expect(viewIn(inOrder(made, pool('web'), provisioner)).managed).toBe(true);
  });

  it('no longer manages them once it is a NodePool again, or deleted', () => {
    expect(viewIn(inOrder(made, provisioner, pool('web'))).managed).toBe(false);
    const store = inOrder(made, provisioner);
    store.apply({ kind: 'NodePool', gone: 'web' });
    expect(viewIn(store).managed).toBe(false);
  });
});

describe('The store', () => {
  it('lists nodes, windows and schedules by name, regardless of the order of arrival', () => {
    const rule = { selector: {}, schedule: '0 2 * * *' };
    const store = inOrder(
      node('b'),
      node('a'),
      maintenanceWindow('z'),
      maintenanceWindow('y'),
      podSchedule('q', rule),
      podSchedule('p', rule),
    );
    expect(store.nodes.map((view) => view.node.name)).toEqual(['a', 'b']);
    expect(store.windows.map(({ name }) => name)).toEqual(['y', 'z']);
    expect(store.podSchedules.map(({ name }) => name)).toEqual(['p', 'q']);
  });

  it('lists nodes by name after any additions and deletions, few or many at a time', () => {
    const name = fc.nat({ max: 300 }).map((number) => `n${number}`);
    const steps = fc.array(fc.record({ names: fc.array(name, { maxLength: 130 }), come: fc.boolean() }), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(steps, (changes) => {
        const store = new ClusterStore();
        const there = new Set<string>();
        for (const { names, come } of changes) {
          for (const each of names) {
            if (come) put(store, node(each));
            else store.apply({ kind: 'Node', gone: each });
            if (come) there.add(each);
            else there.delete(each);
          }
          expect(store.nodes.map((view) => view.node.name)).toEqual([...there].sort());
        }
      }),
      { seed: 11, numRuns: 60 },
    );
  });

  it('keeps the view of a node that has not changed', () => {
    const store = inOrder(...machine('n1'), ...machine('n2'));
    const before = viewIn(store, 'n2');
    put(store, pod('p1', 'n1'));
    expect(viewIn(store, 'n2')).toBe(before);
  });

  it('reports the faults of each object until it is corrected or deleted', () => {
    const bad = pool('web', { budgets: [{ nodes: 'many' }] });
    const store = storeOf(bad, pool('api', { budgets: [{ nodes: '-1' }] }));
    expect(store.faults.map(({ object }) => object)).toEqual(['NodePool/api', 'NodePool/web']);
    put(store, pool('web'));
    store.apply({ kind: 'NodePool', gone: 'api' });
    expect(store.faults).toEqual([]);
  });
});

describe('A load in any order', () => {
  const many = Array.from({ length: 200 }, (_, index) => `x${index}`);
  const web = { matchLabels: { app: 'web' } };
  const kinds: { kind: string; of: (name: string) => Plain }[] = [
    { kind: 'PDBs', of: (name) => pdb(name, 1, { selector: { matchLabels: { app: name } } }) },
    { kind: 'windows', of: (name) => maintenanceWindow(name) },
    { kind: 'pod schedules', of: (name) => podSchedule(name, { selector: web, schedule: '0 2 * * *' }) },
    {
      kind: 'namespaces',
      of: (name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { name } } }),
    },
  ];

  it.each(kinds)('reads no pod again for each of many $kind', ({ of }) => {
    let asked = 0;
    const counted = <Record extends object>(record: Record): Record =>
      new Proxy(record, {
        get: (it, field) => {
          asked++;
          return Reflect.get(it, field);
        },
      });
    const store = new ClusterStore();
    for (const change of changesOf([...machine(), ...many.map((name) => pod(name))])) {
      store.apply(change.kind === 'Pod' && 'put' in change ? { kind: 'Pod', put: counted(change.put) } : change);
    }
    const before = asked;
    put(store, ...many.map(of));
    expect(asked).toBe(before);
    expect(viewIn(store).pods).toHaveLength(many.length);
  });
});

describe('N3: events of Karpenter about nodes', () => {
  const said = (name: string, lastTimestamp: string, node = 'n1'): Plain => ({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace: 'default', name },
    involvedObject: { kind: 'Node', name: node },
    reason: 'DisruptionBlocked',
    message: name,
    lastTimestamp,
  });
  const [early, late] = ['2026-03-10T11:00:00Z', '2026-03-10T11:30:00Z'];

  it('the newest of each node is kept, regardless of the order of arrival', () => {
    for (const events of [
      [said('a', early), said('b', late)],
      [said('b', late), said('a', early)],
    ])
      expect(storeOf(machine('n1'), ...events).eventOn('n1', 'everything')?.message).toBe('b');
    expect(storeOf(said('a', early)).eventOn('n2', 'everything')).toBeUndefined();
  });

  it('an event about consolidation does not hide others', () => {
    const store = storeOf(machine('n1'), said('a', early), { ...said('b', late), reason: 'Unconsolidatable' });
    expect(store.eventOn('n1', 'everything')?.message).toBe('a');
    expect(store.eventOn('n1', 'consolidation')?.message).toBe('b');
  });

  it('are dropped with the event or the node', () => {
    const store = storeOf(machine('n1'), machine('n2'), said('a', early), said('b', late, 'n2'));
    store.apply({ kind: 'Event', gone: 'default/a' });
    expect(store.eventOn('n1', 'everything')).toBeUndefined();
    store.apply({ kind: 'Node', gone: 'n2' });
    expect(store.eventOn('n2', 'everything')).toBeUndefined();
  });

  it('change no view', () => {
    const store = storeOf(machine('n1'));
    const before = store.node('n1');
    put(store, said('a', early));
    expect(store.node('n1')).toBe(before);
  });
});
