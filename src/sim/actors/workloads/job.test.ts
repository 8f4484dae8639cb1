// The Job controller.
import { describe, expect, it } from 'vitest';
import { node, type Stage, stage, workload } from '../../../../test/sim/actorStage.ts';
import { isTrue } from '../rawObjects.ts';

const ten = { annotations: { 'sim.lull.dev/runs': '10m' } };

function opened(spec: object, template: { annotations?: Record<string, string> } = ten): Stage {
  const scene = stage();
  scene.add(node('n'), node('m'), workload('Job', 'app', { ...spec }, template));
  return scene;
}

const phases = (scene: Stage) => scene.pods().map(({ status }) => status?.phase);
const jobOf = (scene: Stage) => scene.world.objects.get('Job', 'shop/app');
const isDone = (scene: Stage) => isTrue(jobOf(scene) ?? node(), 'Complete');

describe('A Job', () => {
  it('runs up to its parallelism at a time until its completions are done', () => {
    const scene = opened({ parallelism: 2, completions: 5 });
    let most = 0;
    scene.world.objects.onChange(() => {
      most = Math.max(most, phases(scene).filter((phase) => phase === 'Running').length);
    });
    scene.rest();
    expect(most).toBe(2);
    expect(phases(scene)).toEqual(Array(5).fill('Succeeded'));
    expect(jobOf(scene)?.status).toMatchObject({ active: 0, succeeded: 5, failed: 0 });
    expect(isDone(scene)).toBe(true);
    expect(scene.now()).toBeGreaterThan(1800);
  });

  it('replaces an evicted pod, whose work starts over', () => {
    const scene = opened({});
    scene.pass(300);
    scene.world.objects.evict(`shop/${scene.pods()[0]?.metadata.name}`, 'script');
    scene.rest();
    expect(phases(scene)).toEqual(['Succeeded']);
    expect(scene.now()).toBeGreaterThan(900);
  });

  it('counts a completion even after its pod is deleted', () => {
    const scene = opened({ completions: 2 });
    scene.pass(615);
    expect(phases(scene)).toContain('Succeeded');
    const first = scene.pods().find(({ status }) => status?.phase === 'Succeeded');
    scene.world.objects.delete('Pod', `shop/${first?.metadata.name}`, 'script');
    scene.rest();
    expect(isDone(scene)).toBe(true);
    expect(scene.now()).toBeLessThan(1300);
  });

  it('runs for ever if its pods do not say how long', () => {
    const scene = opened({}, {});
    scene.pass(100_000);
    expect(phases(scene)).toEqual(['Running']);
  });

  it('gives up after too many failures', () => {
    const scene = opened({ backoffLimit: 1 });
    for (let count = 0; count < 3; count++) {
      scene.pass(10);
      const running = scene.pods().find(({ status }) => status?.phase === 'Running');
      if (running)
        scene.world.objects.write('Pod', `shop/${running.metadata.name}`, 'script', (it) => ({
          ...it,
          status: { phase: 'Failed' },
        }));
    }
    scene.rest();
    expect(phases(scene)).toEqual(['Failed', 'Failed']);
    expect(isTrue(jobOf(scene) ?? node(), 'Failed')).toBe(true);
  });
});
