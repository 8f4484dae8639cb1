// Drain and termination of nodes.
import { describe, expect, it } from 'vitest';
import { claim, isReady, pdb, pool, requests, type Stage, stage, workload } from '../../../../test/sim/actorStage.ts';
import { parseInstant } from '../../../time/instant.ts';
import type { KubeObject } from '../../kubeObject.ts';
import { isTrue } from '../rawObjects.ts';

/** One node of a pool with these workloads on it, at rest. */
function grown(workloads: readonly KubeObject[], poolParts: Parameters<typeof pool>[1] = {}): Stage {
  const scene = stage();
  scene.add(pool('web', poolParts), ...workloads);
  scene.rest();
  return scene;
}

const deleteFirst = (scene: Stage): string => {
  const name = scene.claims()[0]?.metadata.name ?? '';
  scene.world.objects.delete('NodeClaim', name, 'script');
  return name;
};

const has = (scene: Stage, kind: string, name: string): boolean => scene.world.objects.get(kind, name) !== undefined;

describe('A deleted claim', () => {
  it('takes its node along: tainted, drained, its machine given back, both gone', () => {
    const scene = grown([workload('Deployment', 'app', { replicas: 2 })]);
    const node = scene.nodes()[0]?.metadata.name ?? '';
    const name = deleteFirst(scene);
    const order: string[] = [];
    scene.world.objects.onChange(({ type, object }) => {
      if (object.kind === 'Node' && object.metadata.name === node) {
        const taints = JSON.stringify(object.spec?.taints ?? '');
        if (type === 'MODIFIED' && taints.includes('karpenter.sh/disrupted')) order.push('tainted');
        if (type === 'DELETED') order.push('node gone');
      }
      if (object.kind === 'Pod' && type === 'DELETED') order.push('pod gone');
      if (object.metadata.name === name && isTrue(object, 'InstanceTerminating') && type === 'MODIFIED')
        order.push('terminating');
      if (object.metadata.name === name && type === 'DELETED') order.push('claim gone');
    });
    scene.rest();
    expect([...new Set(order)]).toEqual(['tainted', 'pod gone', 'terminating', 'node gone', 'claim gone']);
    expect(scene.pods('app').filter(isReady)).toHaveLength(2);
  });

  it('is in no hurry even where the node is empty: five seconds, and as many for its machine', () => {
    const scene = stage();
    scene.add(pool(), claim());
    scene.rest();
    deleteFirst(scene);
    const before = scene.now();
    scene.rest();
    expect(scene.nodes()).toEqual([]);
    expect(scene.now() - before).toBeGreaterThanOrEqual(10);
    expect(scene.now() - before).toBeLessThanOrEqual(30);
  });

  it.each([1, 2, 3, 4, 5])('drains even an empty node for five seconds (seed %i)', (seed) => {
    const scene = stage({ seed });
    scene.add(pool(), claim());
    scene.rest();
    deleteFirst(scene);
    const before = scene.now();
    const isDrained = (): boolean => scene.claims().some((it) => isTrue(it, 'InstanceTerminating'));
    while (!isDrained()) scene.world.clock.step();
    // A deletion timestamp has whole seconds.
    expect(scene.now() - before).toBeGreaterThan(4);
    expect(scene.now() - before).toBeLessThanOrEqual(8);
  });

  it('goes alone where it never became a node', () => {
    const scene = stage();
    scene.add(pool(), claim());
    scene.pass(5);
    deleteFirst(scene);
    scene.rest();
    expect([scene.claims(), scene.nodes()]).toEqual([[], []]);
  });

  it('is gone at once where the cloud was never asked', () => {
    const scene = stage();
    scene.add(pool(), claim());
    deleteFirst(scene);
    expect(scene.claims()).toEqual([]);
  });

  it('deleting the node deletes the claim', () => {
    const scene = stage();
    scene.add(pool(), claim());
    scene.rest();
    scene.world.objects.delete('Node', 'web-1', 'script');
    scene.rest();
    expect([scene.claims(), scene.nodes()]).toEqual([[], []]);
  });
});

describe('The drain', () => {
  it('keeps PodDisruptionBudgets: never fewer ready than they want', () => {
    const spec = { spec: requests('1500m') };
    const scene = grown([workload('Deployment', 'app', { replicas: 4 }, spec), pdb('app', { minAvailable: 3 })]);
    let least = 4;
    scene.world.objects.onChange(() => {
      least = Math.min(
        least,
        scene.pods('app').filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length,
      );
    });
    for (const { metadata } of scene.claims()) scene.world.objects.delete('NodeClaim', metadata.name, 'script');
    scene.rest();
    expect(least).toBe(3);
    expect(scene.pods('app').filter(isReady)).toHaveLength(4);
  });

  it('waits for ever where nothing may go and there is no deadline', () => {
    const scene = grown([workload('Deployment', 'app', { replicas: 1 }), pdb('app', { minAvailable: 1 })]);
    const name = deleteFirst(scene);
    scene.pass(6 * 3600);
    expect(has(scene, 'NodeClaim', name)).toBe(true);
    expect(scene.pods('app').map((pod) => pod.metadata.deletionTimestamp)).toEqual([undefined]);
  });

  it('leaves pods that opted out, until the deadline', () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const scene = grown([workload('Deployment', 'app', {}, { annotations })], { terminationGracePeriod: '10m' });
    const name = deleteFirst(scene);
    const since = scene.world.clock.now;
    scene.pass(1);
    const deadline = scene.claims()[0]?.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'];
    expect(parseInstant(deadline ?? '')).toBe(since - (since % 1000) + 600_000);
    scene.pass(560);
    expect(scene.pods('app')[0]?.metadata.deletionTimestamp).toBeUndefined();
    scene.pass(20);
    expect(has(scene, 'NodeClaim', name)).toBe(true);
    scene.pass(60);
    expect(has(scene, 'NodeClaim', name)).toBe(false);
  });

  it.each([
    { it: 'lapses by itself', value: '5m', isLeft: [true, false] },
    { it: 'does not count where it is not a duration', value: 'maybe', isLeft: [false, false] },
  ])('an opt-out that $it', ({ value, isLeft }) => {
    const annotations = { 'karpenter.sh/do-not-disrupt': value };
    const scene = grown([workload('Deployment', 'app', {}, { annotations })]);
    scene.add(workload('Deployment', 'late', {}, { annotations }));
    scene.pass(30);
    const name = deleteFirst(scene);
    scene.pass(60);
    const first = has(scene, 'NodeClaim', name);
    scene.pass(400);
    expect([first, has(scene, 'NodeClaim', name)]).toEqual(isLeft);
  });

  it('goes by tiers: others, daemons, critical ones, critical daemons', () => {
    const critical = { spec: { priorityClassName: 'system-cluster-critical' } };
    const scene = grown([
      workload('Deployment', 'plain'),
      workload('DaemonSet', 'daemon'),
      workload('Deployment', 'core', {}, critical),
      workload('DaemonSet', 'core-daemon', {}, critical),
    ]);
    deleteFirst(scene);
    const gone: string[] = [];
    scene.world.objects.onChange(({ type, object }) => {
      if (object.kind === 'Pod' && type === 'DELETED') gone.push(object.metadata.labels?.app ?? '');
    });
    scene.rest();
    expect(gone).toEqual(['plain', 'daemon', 'core', 'core-daemon']);
  });

  it('leaves those that tolerate its taint, and mirrors', () => {
    const tolerations = [{ operator: 'Exists' }];
    const scene = grown([
      workload('Deployment', 'plain'),
      workload('DaemonSet', 'agent', {}, { spec: { tolerations } }),
    ]);
    deleteFirst(scene);
    const evicted = new Set<string>();
    scene.world.objects.onChange(({ by, object }) => {
      if (by === 'karpenter-terminator' && object.kind === 'Pod') evicted.add(object.metadata.labels?.app ?? '');
    });
    scene.rest();
    expect([...evicted]).toEqual(['plain']);
  });

  it('does not wait for pods on a dead kubelet longer than a minute beyond their grace', () => {
    const scene = grown([workload('Deployment', 'app', { replicas: 1 })]);
    scene.world.faults.set('kubelets', 'web-1', 'dead');
    const name = deleteFirst(scene);
    scene.pass(60);
    expect(has(scene, 'NodeClaim', name)).toBe(true);
    scene.pass(120);
    expect(has(scene, 'NodeClaim', name)).toBe(false);
    scene.rest();
    expect(scene.pods('app').filter(isReady)).toHaveLength(1);
  });
});
