// The disruption controller: status of PodDisruptionBudgets.
import { describe, expect, it } from 'vitest';
import { node, pdb, pod, type Stage, stage, workload } from '../../../../test/sim/actorStage.ts';
import { runController } from '../actor.ts';
import { pdbController } from '../pdbController.ts';

function opened(replicas = 4, spec: object = { maxUnavailable: 1 }): Stage {
  const scene = stage();
  scene.add(node('n', { cpu: '64' }), workload('Deployment', 'app', { replicas }), pdb('app', { ...spec }));
  scene.rest();
  return scene;
}

const statusOf = (scene: Stage) => scene.world.objects.get('PodDisruptionBudget', 'shop/app')?.status;
const evict = (scene: Stage, index: number) =>
  scene.world.objects.evict(`shop/${scene.pods()[index]?.metadata.name}`, 'lull-1');

describe('The status of a PodDisruptionBudget', () => {
  it('is what Kubernetes writes', () => {
    expect(statusOf(opened())).toEqual({
      expectedPods: 4,
      desiredHealthy: 3,
      currentHealthy: 4,
      disruptionsAllowed: 1,
      observedGeneration: 1,
      conditions: [
        {
          type: 'DisruptionAllowed',
          status: 'True',
          reason: 'SufficientPods',
          message: '',
          observedGeneration: 1,
          lastTransitionTime: expect.any(String),
        },
      ],
    });
  });

  it('follows an eviction within half a second, and its end when the pod is made again', () => {
    const scene = opened();
    expect(evict(scene, 0).ok).toBe(true);
    expect(evict(scene, 1)).toMatchObject({ ok: false, code: 429 });
    scene.pass(0.5);
    expect(statusOf(scene)).toMatchObject({
      currentHealthy: 3,
      disruptionsAllowed: 0,
      conditions: [{ status: 'False', reason: 'InsufficientPods' }],
    });
    expect(statusOf(scene)).not.toHaveProperty('disruptedPods');
    expect(evict(scene, 1)).toMatchObject({ ok: false, code: 429 });
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ currentHealthy: 4, disruptionsAllowed: 1 });
    expect(evict(scene, 1).ok).toBe(true);
  });

  it('follows a change of its scale and of itself', () => {
    const scene = opened(4, { maxUnavailable: '50%' });
    expect(statusOf(scene)).toMatchObject({ expectedPods: 4, disruptionsAllowed: 2 });
    scene.world.objects.write('Deployment', 'shop/app', 'script', (it) => ({
      ...it,
      spec: { ...it.spec, replicas: 8 },
    }));
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ expectedPods: 8, disruptionsAllowed: 4 });
    scene.world.objects.write('PodDisruptionBudget', 'shop/app', 'script', (it) => ({
      ...it,
      spec: { ...it.spec, maxUnavailable: 1 },
    }));
    expect(evict(scene, 0)).toMatchObject({ ok: false, code: 429 });
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ disruptionsAllowed: 1, observedGeneration: 2 });
  });

  it('counts a Deployment once while one template takes over from another', () => {
    const scene = opened(4, { maxUnavailable: '25%' });
    scene.world.objects.write('Deployment', 'shop/app', 'script', (it) => {
      const template = it.spec?.template as { spec: object };
      return { ...it, spec: { ...it.spec, template: { ...template, spec: { ...template.spec, priority: 5 } } } };
    });
    scene.pass(3);
    expect([...scene.world.objects.list('ReplicaSet')]).toHaveLength(2);
    expect(statusOf(scene)).toMatchObject({ expectedPods: 4, desiredHealthy: 3 });
  });

  it('counts only the pods it selects, of its own namespace', () => {
    const scene = opened(2, { minAvailable: 1 });
    const foreign = pod('foreign', { nodeName: 'n' }, { labels: { app: 'app' } });
    scene.add(pod('other', { nodeName: 'n' }, { labels: { app: 'else' } }), {
      ...foreign,
      metadata: { ...foreign.metadata, namespace: 'away' },
    });
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ expectedPods: 2 });
    scene.add(pod('more', { nodeName: 'n' }, { labels: { app: 'app' } }));
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ expectedPods: 3, currentHealthy: 3 });
    scene.world.objects.write('PodDisruptionBudget', 'shop/app', 'script', (it) => ({
      ...it,
      spec: { ...it.spec, selector: {} },
    }));
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ expectedPods: 4 });
    scene.world.objects.write('PodDisruptionBudget', 'shop/app', 'script', (it) => ({
      ...it,
      spec: { minAvailable: 1 },
    }));
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ expectedPods: 0, disruptionsAllowed: 0 });
  });

  it('forgets pods that are gone', () => {
    const scene = opened(4, { minAvailable: 1 });
    expect(statusOf(scene)).toMatchObject({ expectedPods: 4, currentHealthy: 4 });
    scene.world.objects.write('Deployment', 'shop/app', 'script', (it) => ({
      ...it,
      spec: { ...it.spec, replicas: 2 },
    }));
    scene.rest();
    expect(statusOf(scene)).toMatchObject({ expectedPods: 2, currentHealthy: 2 });
  });

  it('fails, and allows nothing, for pods of a controller without a scale', () => {
    const scene = stage();
    scene.add(node(), workload('DaemonSet', 'app'), pdb('app', { maxUnavailable: 1 }));
    scene.rest();
    expect(statusOf(scene)).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ status: 'False', reason: 'SyncFailed' }],
    });
    expect(evict(scene, 0)).toMatchObject({ ok: false, code: 429 });
  });

  it('counts an evicted pod that never begins to end again after two minutes', () => {
    const scene = stage({ actors: (world) => runController(world, pdbController(world)) });
    const ready = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    scene.add(
      pod('a', { nodeName: 'n' }, { labels: { app: 'app' }, ...ready }),
      pod('b', { nodeName: 'n' }, { labels: { app: 'app' }, ...ready }),
    );
    scene.add(pdb('app', { minAvailable: 1 }));
    scene.pass(1);
    expect(statusOf(scene)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    // The budget was spent and then the delete was refused, as by a precondition.
    expect(scene.world.objects.evict('shop/a', 'lull-1', { uid: 'another' })).toMatchObject({ ok: false, code: 409 });
    scene.pass(60);
    expect(statusOf(scene)).toMatchObject({
      currentHealthy: 1,
      disruptionsAllowed: 0,
      disruptedPods: { a: expect.any(String) },
    });
    scene.pass(65);
    expect(statusOf(scene)).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 1 });
    expect(statusOf(scene)).not.toHaveProperty('disruptedPods');
  });
});
