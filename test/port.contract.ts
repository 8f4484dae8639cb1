// The contract of every port: the same tests run on the simulator here, and on a real cluster.
// Past 300 lines: one contract, in one order.
import { beforeEach, describe, expect, it } from 'vitest';
import { emptyLedger, type Ledger } from '../src/cluster/ledger.ts';
import type { Pod } from '../src/cluster/model.ts';
import type { ApiResponse, ClusterView, Port } from '../src/runtime/port.ts';
import type { Json, KubeObject } from '../src/sim/kubeObject.ts';
import { asDuration, asInstant } from '../src/time/instant.ts';
import { allowing, namespace, rawClaim, rawNode, rawPdb, rawPod, running } from './rawObjects.ts';

/** Another client of the same cluster: it prepares the objects, and sees the real state. */
export interface Stage {
  apply(object: KubeObject): Promise<void>;
  /** Of an applied object: kind, and `name` or `namespace/name`. */
  setStatus(kind: string, key: string, status: Json): Promise<void>;
  delete(kind: string, key: string): Promise<void>;
  read(kind: string, key: string): Promise<KubeObject | undefined>;
}

export interface Opened {
  readonly port: Port;
  /** A second controller on the same cluster. */
  another(): Promise<Port>;
  readonly stage: Stage;
  /** Returns when every change until now has reached every port. */
  settle(): Promise<void>;
  /** K2: whether the port reaches the server. */
  cutOff(isAway: boolean): Promise<void>;
}

const done = { status: 'done' };
const refused = (code: number) => expect.objectContaining({ status: 'refused', code });

const taint = (value: string) => ({ key: 'lull.dev/disrupted', value, effect: 'NoSchedule' });
const annotation = 'lull.dev/command';
const path = '/metadata/annotations/lull.dev~1command';

const ledger = (pool: string): Ledger => ({
  ...emptyLedger,
  backoffs: [{ pool, until: asInstant(1_773_144_000_123), delay: asDuration(60_000) }],
});

const nodeIn = ({ cluster }: ClusterView, name: string) => cluster.nodes.find(({ node }) => node.name === name);
const podIn = (view: ClusterView, node: string, name: string): Pod | undefined =>
  nodeIn(view, node)?.pods.find((pod) => pod.name === name);

let count = 0;

export function describePort(name: string, open: () => Promise<Opened>): void {
  describe(`the port to ${name}`, () => {
    let opened: Opened;
    /** Unique names for every test: a real cluster is not new each time. */
    let [n1, c1, p1, app] = ['', '', '', ''];

    beforeEach(async () => {
      opened = await open();
      count++;
      [n1, c1, p1, app] = [`port-n${count}`, `port-c${count}`, `port-p${count}`, `port-app${count}`];
    });

    const view = (): ClusterView => opened.port.view();
    const send = async (request: Parameters<Port['send']>[0]): Promise<ApiResponse> => opened.port.send(request);
    const read = (kind: string, key: string) => opened.stage.read(kind, key);
    const podKey = () => `${namespace}/${p1}`;
    const asPod = () => ({ kind: 'Pod', namespace, name: p1 }) as const;
    const addTaint = (before: unknown, value = 'a') => ({
      verb: 'patch' as const,
      kind: 'Node',
      name: n1,
      patch: [
        { op: 'test' as const, path: '/spec/taints', value: before },
        { op: 'add' as const, path: '/spec/taints', value: [taint(value)] },
      ],
    });

    async function given(...objects: readonly KubeObject[]): Promise<void> {
      for (const object of objects) await opened.stage.apply(object);
      await opened.settle();
    }

    /** A node with a running pod on it, as the port sees it. */
    async function givenPod(): Promise<Pod> {
      await given(rawNode(n1), rawPod(p1, { node: n1, labels: { app } }));
      await opened.stage.setStatus('Pod', podKey(), running());
      await opened.settle();
      return podIn(view(), n1, p1) as Pod;
    }

    async function givenPdb(spec: Json, status: Json): Promise<void> {
      await given(rawPdb(app, { app }, spec));
      await opened.stage.setStatus('PodDisruptionBudget', `${namespace}/${app}`, status);
      await opened.settle();
    }

    describe('K3: the view', () => {
      it('becomes complete, and says how far it has seen', async () => {
        await given(rawClaim(c1));
        const pod = await givenPod();
        expect(view().unsynced).toEqual([]);
        expect(pod).toMatchObject({ ready: 'True', phase: 'Running' });
        expect(view().cluster.claim(c1)?.labels).toMatchObject({ 'karpenter.sh/nodepool': 'web' });
        for (const kind of ['Node', 'Pod', 'NodeClaim']) expect(view().seen[kind]).toMatch(/^[1-9]\d*$/);
        expect(Number(view().seen.Pod)).toBeGreaterThanOrEqual(
          Number((await read('Pod', podKey()))?.metadata.resourceVersion),
        );
      });

      it('of a controller that starts later is the same', async () => {
        await givenPod();
        const later = await opened.another();
        await opened.settle();
        expect(nodeIn(later.view(), n1)?.node).toEqual(nodeIn(view(), n1)?.node);
        expect(podIn(later.view(), n1, p1)).toEqual(podIn(view(), n1, p1));
      });

      it('loses objects that others delete', async () => {
        await given(rawNode(n1), rawClaim(c1));
        await opened.stage.delete('Node', n1);
        await opened.stage.delete('NodeClaim', c1);
        await opened.settle();
        expect([nodeIn(view(), n1), view().cluster.claim(c1)]).toEqual([undefined, undefined]);
      });

      it('shows objects that others write', async () => {
        await given(rawNode(n1));
        await opened.stage.setStatus('Node', n1, { allocatable: { cpu: '4' } });
        await opened.settle();
        expect(nodeIn(view(), n1)?.node.allocatable).toMatchObject({ cpu: 4000 });
      });
    });

    describe('G2: a change is in the view with its response', () => {
      it('a patch', async () => {
        await given(rawNode(n1));
        expect(await send(addTaint(null))).toEqual(done);
        expect(nodeIn(view(), n1)?.node.taints).toMatchObject([taint('a')]);
        await opened.settle();
        expect(nodeIn(view(), n1)?.node.taints).toMatchObject([taint('a')]);
      });

      it('a creation', async () => {
        expect(await send({ verb: 'create', kind: 'NodeClaim', name: c1, object: rawClaim(c1) })).toEqual(done);
        expect(view().cluster.claim(c1)?.uid).toBe((await read('NodeClaim', c1))?.metadata.uid);
      });

      it('a deletion', async () => {
        await given(rawClaim(c1));
        const uid = view().cluster.claim(c1)?.uid ?? '';
        expect(await send({ verb: 'delete', kind: 'NodeClaim', name: c1, preconditions: { uid } })).toEqual(done);
        expect(view().cluster.claim(c1)).toBeUndefined();
        await opened.settle();
        expect(view().cluster.claim(c1)).toBeUndefined();
      });

      it('an eviction', async () => {
        const { uid } = await givenPod();
        expect(await send({ verb: 'evict', ...asPod(), preconditions: { uid } })).toEqual(done);
        expect(podIn(view(), n1, p1)?.deletingAt).toBeDefined();
      });

      it('H2: the deletion of a pod, with the given grace period', async () => {
        const { uid } = await givenPod();
        expect(await send({ verb: 'delete', ...asPod(), preconditions: { uid }, graceSeconds: 7 })).toEqual(done);
        expect(podIn(view(), n1, p1)?.deletingAt).toBeDefined();
        expect((await read('Pod', podKey()))?.metadata.deletionGracePeriodSeconds).toBe(7);
      });
    });

    describe('G8: a late or repeated request is refused and changes nothing', () => {
      it('a patch whose test fails: 422', async () => {
        await given(rawNode(n1, { taints: [taint('other')] }));
        const before = await read('Node', n1);
        expect(await send(addTaint(null))).toEqual(refused(422));
        expect(await read('Node', n1)).toEqual(before);
      });

      it('the same patch twice: 422, and its taint exists once', async () => {
        await given(rawNode(n1));
        expect(await send(addTaint(null))).toEqual(done);
        expect(await send(addTaint(null))).toEqual(refused(422));
        expect((await read('Node', n1))?.spec?.taints).toHaveLength(1);
      });

      it('a patch with several operations is applied completely or not at all', async () => {
        await given(rawNode(n1));
        const patch = [
          { op: 'add' as const, path: '/metadata/annotations', value: { [annotation]: 'x' } },
          { op: 'test' as const, path: '/metadata/name', value: 'another' },
        ];
        expect(await send({ verb: 'patch', kind: 'Node', name: n1, patch })).toEqual(refused(422));
        expect((await read('Node', n1))?.metadata.annotations?.[annotation]).toBeUndefined();
      });

      it('a patch of a missing object: 404', async () => {
        expect(await send(addTaint(null))).toEqual(refused(404));
      });

      it('a creation of an existing object: 409, and the object stays', async () => {
        const request = { verb: 'create' as const, kind: 'NodeClaim', name: c1 };
        expect(await send({ ...request, object: rawClaim(c1) })).toEqual(done);
        const before = await read('NodeClaim', c1);
        expect(await send({ ...request, object: rawClaim(c1, ['lull.dev/other']) })).toEqual(refused(409));
        expect(await read('NodeClaim', c1)).toEqual(before);
      });

      it('a deletion of another object with the same name: 409', async () => {
        await given(rawClaim(c1));
        const preconditions = { uid: '00000000-0000-4000-8000-00000000dead' };
        expect(await send({ verb: 'delete', kind: 'NodeClaim', name: c1, preconditions })).toEqual(refused(409));
        expect((await read('NodeClaim', c1))?.metadata.deletionTimestamp).toBeUndefined();
      });

      it('a deletion of a missing object: 404', async () => {
        expect(await send({ verb: 'delete', kind: 'NodeClaim', name: c1 })).toEqual(refused(404));
      });

      it('an eviction of a pod that has changed since it was read: 409', async () => {
        const { uid } = await givenPod();
        const resourceVersion = (await read('Pod', podKey()))?.metadata.resourceVersion ?? '';
        await opened.stage.setStatus('Pod', podKey(), running(false));
        const answer = await send({ verb: 'evict', ...asPod(), preconditions: { uid, resourceVersion } });
        expect(answer).toEqual(refused(409));
        expect((await read('Pod', podKey()))?.metadata.deletionTimestamp).toBeUndefined();
      });

      it('an eviction of another pod with the same name: 409, and of one that is gone: 404', async () => {
        await givenPod();
        const preconditions = { uid: '00000000-0000-4000-8000-00000000dead' };
        expect(await send({ verb: 'evict', ...asPod(), preconditions })).toEqual(refused(409));
        expect(await send({ verb: 'evict', ...asPod(), name: `${p1}-gone` })).toEqual(refused(404));
      });
    });

    describe('E10: an eviction respects the PDB', () => {
      it('and is refused with 429 if it allows none', async () => {
        await givenPod();
        await givenPdb({ minAvailable: 1 }, allowing(0));
        expect(await send({ verb: 'evict', ...asPod() })).toEqual(refused(429));
        expect((await read('Pod', podKey()))?.metadata.deletionTimestamp).toBeUndefined();
      });

      it('and succeeds if it allows one', async () => {
        await givenPod();
        await givenPdb({ minAvailable: 0 }, allowing(1, { currentHealthy: 1, desiredHealthy: 0, expectedPods: 1 }));
        expect(await send({ verb: 'evict', ...asPod() })).toEqual(done);
      });

      it('but not for a pod that is terminating already', async () => {
        const { uid } = await givenPod();
        await givenPdb({ minAvailable: 1 }, allowing(0));
        expect(await send({ verb: 'delete', ...asPod(), preconditions: { uid } })).toEqual(done);
        expect(await send({ verb: 'evict', ...asPod(), preconditions: { uid } })).toEqual(done);
        expect((await read('Pod', podKey()))?.metadata.deletionGracePeriodSeconds).toBe(30);
      });
    });

    describe('G2: the ledger', () => {
      beforeEach(async () => {
        await opened.stage.delete('DisruptionLedger', 'lull');
        await opened.settle();
      });

      it('does not exist before it is written', () => {
        expect(view().ledger).toBeUndefined();
      });

      it('is created once, and read again as it was written', async () => {
        expect(await send({ verb: 'commit', ledger: ledger('web') })).toEqual(done);
        expect(view().ledger?.record).toEqual(ledger('web'));
        expect(await send({ verb: 'commit', ledger: ledger('api') })).toEqual(refused(409));
        await opened.settle();
        expect(view().ledger?.record).toEqual(ledger('web'));
        const other = await opened.another();
        await opened.settle();
        expect(other.view().ledger).toEqual(view().ledger);
      });

      it('is written if it is unchanged since it was read; otherwise 409, and then the view has the other', async () => {
        await send({ verb: 'commit', ledger: ledger('a') });
        const first = view().ledger?.version ?? '';
        expect(await send({ verb: 'commit', ledger: ledger('b'), version: first })).toEqual(done);
        expect(view().ledger?.version).not.toBe(first);
        const other = await opened.another();
        await opened.settle();
        const seen = other.view().ledger?.version ?? '';
        expect(await other.send({ verb: 'commit', ledger: ledger('c'), version: seen })).toEqual(done);
        expect(await send({ verb: 'commit', ledger: ledger('d'), version: seen })).toEqual(refused(409));
        expect(view().ledger).toEqual(other.view().ledger);
        expect(view().ledger?.record).toEqual(ledger('c'));
      });

      it('G3: is written by only one of two concurrent writers', async () => {
        const other = await opened.another();
        const both = [opened.port, other];
        for (const time of ['new', 'known']) {
          const seen = both.map((port) => port.view().ledger?.version);
          const wanted = both.map((_, index) => ledger(`${time}-${index}`));
          const answers = await Promise.all(
            both.map((port, index) => {
              const version = seen[index];
              return port.send({ verb: 'commit', ledger: wanted[index] as Ledger, ...(version && { version }) });
            }),
          );
          expect(answers.map(({ status }) => status).sort()).toEqual(['done', 'refused']);
          expect(answers).toContainEqual(refused(409));
          const winner = answers.findIndex(({ status }) => status === 'done');
          for (const port of both) expect(port.view().ledger?.record).toEqual(wanted[winner]);
        }
      });

      it('written without a change keeps its version, and shows whether another has written it', async () => {
        await send({ verb: 'commit', ledger: ledger('a') });
        const seen = view().ledger as { record: Ledger; version: string };
        expect(await send({ verb: 'commit', ledger: seen.record, version: seen.version })).toEqual(done);
        expect(view().ledger?.version).toBe(seen.version);
      });

      it('is missing if it was deleted meanwhile: 404', async () => {
        await send({ verb: 'commit', ledger: ledger('a') });
        const { version = '' } = view().ledger ?? {};
        await opened.stage.delete('DisruptionLedger', 'lull');
        expect(await send({ verb: 'commit', ledger: ledger('b'), version })).toEqual(refused(404));
        expect(view().ledger).toBeUndefined();
      });

      it('K4: keeps unknown fields that others wrote', async () => {
        await send({ verb: 'commit', ledger: ledger('a') });
        const patch = [{ op: 'add' as const, path: '/metadata/annotations', value: { 'example.com/note': 'mine' } }];
        expect(await send({ verb: 'patch', kind: 'DisruptionLedger', name: 'lull', patch })).toEqual(done);
        const { version = '' } = view().ledger ?? {};
        expect(await send({ verb: 'commit', ledger: ledger('b'), version })).toEqual(done);
        expect((await read('DisruptionLedger', 'lull'))?.metadata.annotations).toMatchObject({
          'example.com/note': 'mine',
        });
      });
    });

    it('K4: a patch keeps unknown fields', async () => {
      const claim = rawClaim(c1);
      const annotations = { 'example.com/unknown': 'kept' };
      const kubernetes = { ...claim.spec, startupTaints: [{ key: 'example.com/a', effect: 'NoSchedule' }] };
      await given({ ...claim, metadata: { ...claim.metadata, annotations }, spec: kubernetes });
      const before = await read('NodeClaim', c1);
      const patch = [{ op: 'add' as const, path, value: 'mine' }];
      expect(await send({ verb: 'patch', kind: 'NodeClaim', name: c1, patch })).toEqual(done);
      const after = await read('NodeClaim', c1);
      expect(after?.metadata.annotations).toEqual({ ...annotations, [annotation]: 'mine' });
      expect(after?.spec).toEqual(before?.spec);
      expect(view().cluster.claim(c1)?.annotations).toEqual({ ...annotations, [annotation]: 'mine' });
    });

    it('an object with a finalizer is deleting until it is removed', async () => {
      await given(rawClaim(c1, ['example.com/hold']));
      const uid = view().cluster.claim(c1)?.uid ?? '';
      const request = { verb: 'delete' as const, kind: 'NodeClaim', name: c1, preconditions: { uid } };
      expect(await send(request)).toEqual(done);
      const since = view().cluster.claim(c1)?.deletingSince;
      expect(since).toBeDefined();
      expect(await send(request)).toEqual(done);
      expect(view().cluster.claim(c1)?.deletingSince).toBe(since);
      const patch = [{ op: 'remove' as const, path: '/metadata/finalizers' }];
      expect(await send({ verb: 'patch', kind: 'NodeClaim', name: c1, patch })).toEqual(done);
      expect([view().cluster.claim(c1), await read('NodeClaim', c1)]).toEqual([undefined, undefined]);
      await opened.settle();
      expect(view().cluster.claim(c1)).toBeUndefined();
    });

    it('K2: away means that the server did not answer, and the view is kept until it is back', async () => {
      await given(rawNode(n1));
      await opened.cutOff(true);
      expect(await send(addTaint(null))).toMatchObject({ status: 'away' });
      expect(nodeIn(view(), n1)?.node.taints).toEqual([]);
      expect((await read('Node', n1))?.spec?.taints ?? []).toEqual([]);
      await opened.stage.setStatus('Node', n1, { allocatable: { cpu: '8' } });
      await opened.cutOff(false);
      await opened.settle();
      expect(nodeIn(view(), n1)?.node.allocatable).toMatchObject({ cpu: 8000 });
      expect(await send(addTaint(null))).toEqual(done);
    });
  });
}
