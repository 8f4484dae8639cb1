// The life of pods on their nodes.
import { describe, expect, it } from 'vitest';
import { isReady, node, pod, type Stage, stage, workload } from '../../../../test/sim/actorStage.ts';
import { playTable } from '../actor.ts';
import { podRows } from '../kubelet.ts';

/** Two nodes, and no actors but the kubelets and the cleanup of pods. */
function kubelets(): Stage {
  const scene = stage({ actors: (world) => playTable(world, podRows) });
  scene.add(node('n'), node('other'));
  return scene;
}

const bound = (name = 'p', annotations: Record<string, string> = {}, spec = {}) =>
  pod(name, { nodeName: 'n', ...spec }, { annotations });
const phaseOf = (scene: Stage) => scene.pods()[0]?.status?.phase;

describe('A pod', () => {
  it('stays Pending while it is not bound', () => {
    const scene = kubelets();
    scene.add(pod());
    scene.pass(3600);
    expect(phaseOf(scene)).toBe('Pending');
  });

  it('runs and is ready two to five seconds after it is bound', () => {
    const scene = kubelets();
    scene.add(bound());
    scene.pass(1.9);
    expect(phaseOf(scene)).toBe('Pending');
    scene.pass(3.1);
    const [it] = scene.pods();
    expect(it && isReady(it)).toBe(true);
    expect(it?.status).toMatchObject({
      phase: 'Running',
      startTime: expect.stringMatching(/^2026-11-16T08:00:0[2-5]Z$/),
    });
  });

  it('starts once its node is ready, not before', () => {
    const scene = kubelets();
    scene.add(node('slow', { ready: 'False' }), pod('p', { nodeName: 'slow' }));
    scene.pass(60);
    expect(phaseOf(scene)).toBe('Pending');
    const conditions = [{ type: 'Ready', status: 'True' }];
    scene.world.objects.write('Node', 'slow', 'script', (it) => ({ ...it, status: { ...it.status, conditions } }));
    scene.pass(5);
    expect(phaseOf(scene)).toBe('Running');
  });

  it.each([
    { it: 'ends within ten seconds', grace: 30, annotations: {}, from: 1, to: 10 },
    { it: 'ends within its grace period if that is shorter', grace: 3, annotations: {}, from: 1, to: 3 },
    {
      it: 'takes as long as its annotation says',
      grace: 600,
      annotations: { 'sim.lull.dev/stops': '4m' },
      from: 240,
      to: 240,
    },
    {
      it: 'but no longer than its grace period',
      grace: 60,
      annotations: { 'sim.lull.dev/stops': '4m' },
      from: 60,
      to: 60,
    },
  ])('$it', ({ grace, annotations, from, to }) => {
    const scene = kubelets();
    scene.add(bound('p', annotations, { terminationGracePeriodSeconds: grace }));
    scene.pass(10);
    scene.world.objects.delete('Pod', 'shop/p', 'script');
    scene.pass(from - 0.1);
    expect(scene.pods()).toHaveLength(1);
    scene.pass(to - from + 0.1);
    expect(scene.pods()).toHaveLength(0);
  });

  it('ends sooner when its grace is cut short', () => {
    const scene = kubelets();
    scene.add(bound('p', { 'sim.lull.dev/stops': '1h' }, { terminationGracePeriodSeconds: 3600 }));
    scene.pass(10);
    scene.world.objects.delete('Pod', 'shop/p', 'script');
    scene.pass(60);
    scene.world.objects.delete('Pod', 'shop/p', 'script', { graceSeconds: 1 });
    scene.pass(2);
    expect(scene.pods()).toEqual([]);
  });

  it('does not end on a dead kubelet, until its node is gone', () => {
    const scene = kubelets();
    scene.add(bound());
    scene.pass(10);
    scene.world.faults.set('kubelets', 'n', 'dead');
    scene.world.objects.delete('Pod', 'shop/p', 'script');
    scene.pass(3600);
    expect(scene.pods()).toHaveLength(1);
    scene.world.objects.delete('Node', 'n', 'script');
    scene.pass(5);
    expect(scene.pods()).toEqual([]);
  });

  it('is cleared away with its node, whatever its phase', () => {
    const scene = kubelets();
    scene.add(bound('running'), bound('done', { 'sim.lull.dev/runs': '10s' }), pod('elsewhere', { nodeName: 'other' }));
    scene.pass(60);
    scene.world.objects.delete('Node', 'n', 'script');
    scene.pass(5);
    expect(scene.pods().map(({ metadata }) => metadata.name)).toEqual(['elsewhere']);
  });

  it('succeeds after the time that it names', () => {
    const scene = kubelets();
    scene.add(bound('p', { 'sim.lull.dev/runs': '30m' }));
    scene.pass(1802);
    expect(phaseOf(scene)).toBe('Running');
    scene.pass(3);
    expect(phaseOf(scene)).toBe('Succeeded');
    expect(scene.pods().some(isReady)).toBe(false);
  });

  it.each([
    { it: 'tolerates it for ever', tolerations: [{ key: 'x', operator: 'Exists' }], goneAfter: undefined },
    {
      it: 'tolerates it for a while',
      tolerations: [{ key: 'x', operator: 'Exists', tolerationSeconds: 100 }],
      goneAfter: 100,
    },
    { it: 'does not tolerate it', tolerations: [{ key: 'y', operator: 'Exists' }], goneAfter: 0 },
  ])('with a NoExecute taint on its node: it $it', ({ tolerations, goneAfter }) => {
    const scene = kubelets();
    scene.add(bound('p', {}, { tolerations }));
    scene.pass(10);
    const taints = [{ key: 'x', effect: 'NoExecute' }];
    scene.world.objects.write('Node', 'n', 'script', (it) => ({ ...it, spec: { taints } }));
    const isSentAway = () => scene.pods()[0]?.metadata.deletionTimestamp !== undefined;
    scene.pass(goneAfter === undefined ? 3600 : Math.max(0, goneAfter - 0.1));
    if (goneAfter !== 0) expect(isSentAway()).toBe(false);
    scene.pass(0.1);
    expect(isSentAway() || scene.pods().length === 0).toBe(goneAfter !== undefined);
  });
});

describe('Pods that crash on purpose', () => {
  it('run but are never ready on nodes of a bad image', () => {
    const scene = kubelets();
    scene.add(node('bad', { labels: { image: 'v2' } }), pod('p', { nodeName: 'bad' }));
    scene.world.faults.set('images', 'v2', 'pods');
    scene.pass(3600);
    expect(phaseOf(scene)).toBe('Running');
    expect(scene.pods().some(isReady)).toBe(false);
    scene.world.faults.clear('images', 'v2');
    scene.pass(5);
    expect(scene.pods().every(isReady)).toBe(true);
  });

  it.each(['shop/p', 'shop/Deployment/app'])('are named as %s', (name) => {
    const scene = stage();
    scene.add(node('n'), bound('p'), workload('Deployment', 'app'));
    scene.rest();
    expect(scene.pods().every(isReady)).toBe(true);
    scene.world.faults.set('workloads', name, 'crash');
    scene.pass(5);
    const meant = name === 'shop/p' ? 'p' : 'app';
    expect(
      scene
        .pods()
        .filter((each) => !isReady(each))
        .map(({ metadata }) => metadata.name.split('-')[0]),
    ).toEqual([meant]);
  });
});
