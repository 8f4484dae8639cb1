// Deletion and eviction in the simulated API server.
import { describe, expect, it } from 'vitest';
import { allowing, rawPdb, rawPod, running } from '../../test/rawObjects.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import type { Json, KubeObject } from './kubeObject.ts';
import { Objects } from './objects.ts';
import { VirtualClock } from './virtualClock.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const app = { app: 'web' };

const pdb = (status: Json, spec?: Json): KubeObject => ({ ...rawPdb('guard', app, spec), status });
const pod = (status: Json = running()): KubeObject => ({ ...rawPod('p', { node: 'n1', labels: app }), status });

function open(...given: readonly KubeObject[]) {
  const objects = new Objects(new VirtualClock(noon));
  for (const object of given) objects.create(object, 'stage');
  const left = () => objects.get('PodDisruptionBudget', 'default/guard')?.status?.disruptionsAllowed;
  const isGoing = () => objects.get('Pod', 'default/p')?.metadata.deletionTimestamp !== undefined;
  const evict = (preconditions = {}) => {
    const result = objects.evict('default/p', 'lull', preconditions);
    return result.ok ? 'done' : result.code;
  };
  return { objects, left, isGoing, evict };
}

const unready = running(false);
const stale = allowing(1, { observedGeneration: 0 });
const always = { minAvailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' };

describe('the Eviction subresource', () => {
  it.each<[string, KubeObject[], number | 'done', number | undefined]>([
    ['a pod under no PDB', [pod()], 'done', undefined],
    ['a pod whose PDB allows one', [pod(), pdb(allowing(1))], 'done', 0],
    ['a pod whose PDB allows none', [pod(), pdb(allowing(0))], 429, 0],
    ['a PDB that its controller has not looked at since it was changed', [pod(), pdb(stale)], 429, 1],
    ['a PDB without any status', [pod(), rawPdb('guard', app)], 429, undefined],
    ['a negative allowance', [pod(), pdb(allowing(-1))], 403, -1],
    ['two PDBs', [pod(), pdb(allowing(5)), rawPdb('second', app)], 500, 5],
    ['a PDB of others', [pod(), { ...rawPdb('guard', { app: 'api' }), status: allowing(0) }], 'done', 0],
    ['a pod that has not begun', [pod({ phase: 'Pending' }), pdb(allowing(0))], 'done', 0],
    ['a pod that has ended', [pod({ phase: 'Succeeded' }), pdb(allowing(0))], 'done', 0],
    [
      'an unready pod while enough others are healthy',
      [pod(unready), pdb(allowing(0, { currentHealthy: 2, desiredHealthy: 2 }))],
      'done',
      0,
    ],
    [
      'an unready pod while too few are',
      [pod(unready), pdb(allowing(0, { currentHealthy: 1, desiredHealthy: 2 }))],
      429,
      0,
    ],
    [
      'an unready pod where none need be healthy',
      [pod(unready), pdb(allowing(0, { currentHealthy: 0, desiredHealthy: 0 }))],
      429,
      0,
    ],
    [
      'an unready pod that may always go',
      [pod(unready), pdb(allowing(0, { currentHealthy: 0, desiredHealthy: 2 }), always)],
      'done',
      0,
    ],
    ['a ready pod of which only unready ones may always go', [pod(), pdb(allowing(0), always)], 429, 0],
  ])('E10: %s', (_name, given, wanted, left) => {
    const opened = open(...given);
    expect(opened.evict()).toBe(wanted);
    expect(opened.left()).toBe(left);
    const isGone = opened.objects.get('Pod', 'default/p') === undefined;
    expect(opened.isGoing() || isGone).toBe(wanted === 'done');
  });

  it('E10: spends the PDB once for a pod that goes already, and tells its controller which pod it was', () => {
    const { objects, evict, left, isGoing } = open(pod(), pdb(allowing(1)));
    expect([evict(), evict(), left(), isGoing()]).toEqual(['done', 'done', 0, true]);
    expect(objects.get('PodDisruptionBudget', 'default/guard')?.status?.disruptedPods).toEqual({
      p: '2026-03-10T12:00:00Z',
    });
    expect(objects.get('Pod', 'default/p')).toMatchObject({
      metadata: { deletionTimestamp: '2026-03-10T12:00:30Z', deletionGracePeriodSeconds: 30 },
      status: { conditions: [{ type: 'Ready' }, { type: 'DisruptionTarget', reason: 'EvictionByEvictionAPI' }] },
    });
  });

  it('G2: refuses a pod that is not the one that was seen', () => {
    const { objects, evict, isGoing } = open(pod());
    const { uid = '', resourceVersion = '' } = objects.get('Pod', 'default/p')?.metadata ?? {};
    expect([evict({ uid: 'other' }), evict({ uid, resourceVersion: '0' }), isGoing()]).toEqual([409, 409, false]);
    expect(evict({ uid, resourceVersion })).toBe('done');
    expect(evict({ uid, resourceVersion })).toBe(409);
    objects.delete('Pod', 'default/p', 'kubelet', { graceSeconds: 0 });
    expect(evict({ uid })).toBe(404);
  });

  it('costs a disruption even where the pod is not the one that was seen, as the real one does', () => {
    const { evict, left, isGoing } = open(pod(), pdb(allowing(2)));
    expect([evict({ resourceVersion: '0' }), left(), isGoing()]).toEqual([409, 1, false]);
  });

  it('refuses where the controller of the PDB does not keep up', () => {
    const disruptedPods = Object.fromEntries(Array.from({ length: 2001 }, (_, index) => [`p${index}`, '']));
    expect(open(pod(), pdb(allowing(5, { disruptedPods }))).evict()).toBe(403);
  });

  it('is at once where the pod has no grace', () => {
    const { objects } = open({ ...rawPod('p', { node: 'n1', spec: { terminationGracePeriodSeconds: 0 } }) });
    objects.evict('default/p', 'lull');
    expect(objects.get('Pod', 'default/p')).toBeUndefined();
  });
});
