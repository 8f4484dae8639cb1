// Deployments, ReplicaSets and StatefulSets.
import { describe, expect, it } from 'vitest';
import { isReady, node, pod, requests, type Stage, stage, start, workload } from '../../../../test/sim/actorStage.ts';
import { type RawPod, withConditions } from '../rawObjects.ts';

function opened(): Stage {
  const scene = stage();
  scene.add(node('n', { cpu: '64', memory: '256Gi' }));
  return scene;
}

const scale = (scene: Stage, kind: string, replicas: number) =>
  scene.world.objects.write(kind, 'shop/app', 'script', (it) => ({ ...it, spec: { ...it.spec, replicas } }));

const renew = (scene: Stage, kind: string, cpu: string) =>
  scene.world.objects.write(kind, 'shop/app', 'script', (it) => {
    const template = it.spec?.template as { metadata: object };
    return { ...it, spec: { ...it.spec, template: { ...template, spec: requests(cpu) } } };
  });

const setOf = (scene: Stage) => [...scene.world.objects.list('ReplicaSet')];
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const cpuOf = ({ spec }: RawPod) => spec?.containers?.[0]?.resources?.requests?.cpu;

describe('A Deployment', () => {
  it('runs its pods by a ReplicaSet, named as Kubernetes names them', () => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 3 }));
    scene.rest();
    const [set] = setOf(scene);
    const hash = set?.metadata.labels?.['pod-template-hash'];
    expect(set?.metadata.name).toBe(`app-${hash}`);
    expect(set?.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'app', controller: true }]);
    for (const { metadata } of scene.pods()) {
      expect(metadata.name).toMatch(new RegExp(`^app-${hash}-[a-z0-9]{5}$`));
      expect(metadata.labels).toEqual({ app: 'app', 'pod-template-hash': hash });
      expect(metadata.ownerReferences).toMatchObject([
        {
          apiVersion: 'apps/v1',
          kind: 'ReplicaSet',
          name: set?.metadata.name,
          uid: set?.metadata.uid,
          controller: true,
        },
      ]);
    }
    expect(scene.pods().filter(isReady)).toHaveLength(3);
  });

  it.each([
    {
      it: 'an evicted pod',
      happen: (scene: Stage, name: string) => scene.world.objects.evict(`shop/${name}`, 'script'),
    },
    {
      it: 'a deleted pod',
      happen: (scene: Stage, name: string) => scene.world.objects.delete('Pod', `shop/${name}`, 'script'),
    },
    {
      it: 'a pod that failed',
      happen: (scene: Stage, name: string) =>
        scene.world.objects.write('Pod', `shop/${name}`, 'script', (it) => ({ ...it, status: { phase: 'Failed' } })),
    },
  ])('makes $it again at once, before the old one is gone', ({ happen }) => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 2 }));
    scene.rest();
    happen(scene, scene.pods()[0]?.metadata.name ?? '');
    scene.pass(0.5);
    expect(scene.pods()).toHaveLength(3);
    scene.rest();
    expect(scene.pods().filter(isReady)).toHaveLength(2);
  });

  it.each([0, 1, 7])('scales from 4 to %i', (replicas) => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 4 }));
    scene.rest();
    scale(scene, 'Deployment', replicas);
    scene.rest();
    expect(scene.pods()).toHaveLength(replicas);
  });

  it('moves over to a new template without fewer serving than may be missing, or more than may be too many', () => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 8 }));
    scene.rest();
    let [least, most] = [8, 8];
    scene.world.objects.onChange(() => {
      const active = scene.pods().filter(({ metadata }) => !metadata.deletionTimestamp);
      least = Math.min(least, active.filter(isReady).length);
      most = Math.max(most, sum(setOf(scene).map(({ spec }) => Number(spec?.replicas))));
    });
    renew(scene, 'Deployment', '200m');
    scene.rest();
    expect(scene.pods().map(cpuOf)).toEqual(Array(8).fill('200m'));
    // A quarter of eight either way.
    expect([least, most]).toEqual([6, 10]);
    expect(setOf(scene)).toHaveLength(1);
  });

  it('does not get rid of the last good pods for a template that crashes', () => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 4 }));
    scene.rest();
    scene.world.objects.onChange(({ object, type }) => {
      if (object.kind === 'ReplicaSet' && type === 'ADDED')
        scene.world.faults.set('workloads', `shop/ReplicaSet/${object.metadata.name}`, 'crash');
    });
    renew(scene, 'Deployment', '200m');
    scene.pass(3600);
    expect(scene.pods().filter(isReady).map(cpuOf)).toEqual(['100m', '100m', '100m']);
  });

  it('with Recreate stops all before it starts any', () => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 3, strategy: { type: 'Recreate' } }));
    scene.rest();
    renew(scene, 'Deployment', '200m');
    let mixed = false;
    scene.world.objects.onChange(() => {
      mixed ||=
        new Set(
          scene
            .pods()
            .filter(isReady)
            .filter(({ metadata }) => !metadata.deletionTimestamp)
            .map(cpuOf),
        ).size > 1;
    });
    scene.rest();
    expect(mixed).toBe(false);
    expect(scene.pods().map(cpuOf)).toEqual(['200m', '200m', '200m']);
  });

  it('leaves nothing behind when it is deleted', () => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 3 }));
    scene.rest();
    scene.world.objects.delete('Deployment', 'shop/app', 'script');
    scene.rest();
    expect([scene.pods(), setOf(scene)]).toEqual([[], []]);
  });
});

describe('A ReplicaSet that has too many', () => {
  const at = (pod: RawPod, isIt: boolean): RawPod =>
    withConditions(pod, start, [{ type: 'Ready', status: isIt ? 'True' : 'False' }], {
      phase: 'Running',
    });
  const cost = (value: string) => ({ annotations: { 'controller.kubernetes.io/pod-deletion-cost': value } });

  /** Scaled down to one, in either order of creation. */
  it.each([
    {
      it: 'pods that are not bound first',
      pods: [at(pod('bound', { nodeName: 'x' }), true), pod('nowhere')],
      stays: 'bound',
    },
    {
      it: 'then those that do not run',
      pods: [at(pod('runs', { nodeName: 'x' }), true), pod('starts', { nodeName: 'x' })],
      stays: 'runs',
    },
    {
      it: 'then those that are not ready',
      pods: [at(pod('ready', { nodeName: 'x' }), true), at(pod('unready', { nodeName: 'x' }), false)],
      stays: 'ready',
    },
    {
      it: 'then those with a lower deletion cost',
      pods: [
        at(pod('dear', { nodeName: 'x' }, cost('10')), true),
        at(pod('cheap', { nodeName: 'x' }, cost('-5')), true),
      ],
      stays: 'dear',
    },
  ])('gives up $it', ({ pods, stays }) => {
    for (const order of [pods, [...pods].reverse()]) {
      const scene = stage();
      const set = workload('ReplicaSet', 'set', { replicas: 1 });
      scene.add({ ...set, metadata: { ...set.metadata, uid: 'u' } });
      const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'set', uid: 'u', controller: true }];
      scene.add(...order.map((it) => ({ ...it, metadata: { ...it.metadata, ownerReferences } })));
      scene.pass(0.5);
      const left = scene.pods().filter(({ metadata }) => !metadata.deletionTimestamp);
      expect(left.map(({ metadata }) => metadata.name)).toEqual([stays]);
    }
  });

  it('gives up the youngest pods first', () => {
    const scene = opened();
    scene.add(workload('Deployment', 'app', { replicas: 2 }));
    scene.rest();
    const old = scene.pods().map(({ metadata }) => metadata.name);
    scene.pass(60);
    scale(scene, 'Deployment', 4);
    scene.rest();
    scale(scene, 'Deployment', 2);
    scene.rest();
    expect(scene.pods().map(({ metadata }) => metadata.name)).toEqual(old);
  });
});

describe('A StatefulSet', () => {
  const names = (scene: Stage) => scene.pods().map(({ metadata }) => metadata.name);

  it('starts its pods one after another, by number', () => {
    const scene = opened();
    scene.add(workload('StatefulSet', 'app', { replicas: 3 }));
    scene.pass(1);
    expect(names(scene)).toEqual(['app-0']);
    scene.rest();
    expect(names(scene)).toEqual(['app-0', 'app-1', 'app-2']);
  });

  it('or all at once with podManagementPolicy Parallel', () => {
    const scene = opened();
    scene.add(workload('StatefulSet', 'app', { replicas: 3, podManagementPolicy: 'Parallel' }));
    scene.pass(1);
    expect(names(scene)).toEqual(['app-0', 'app-1', 'app-2']);
  });

  it('reuses a name only when the pod that had it is gone', () => {
    const scene = opened();
    scene.add(workload('StatefulSet', 'app', { replicas: 2 }, { annotations: { 'sim.lull.dev/stops': '20s' } }));
    scene.rest();
    const uid = scene.pods('app-0')[0]?.metadata.uid;
    scene.world.objects.evict('shop/app-0', 'script');
    scene.pass(19);
    expect(scene.pods('app-0').map(({ metadata }) => metadata.uid)).toEqual([uid]);
    scene.rest();
    expect(scene.pods('app-0')[0]?.metadata.uid).not.toBe(uid);
    expect(scene.pods().filter(isReady)).toHaveLength(2);
  });

  it('scales down from the last', () => {
    const scene = opened();
    scene.add(workload('StatefulSet', 'app', { replicas: 3 }));
    scene.rest();
    scale(scene, 'StatefulSet', 1);
    scene.rest();
    expect(names(scene)).toEqual(['app-0']);
  });

  it.each(['OrderedReady', 'Parallel'])('renews its pods one at a time (%s)', (podManagementPolicy) => {
    const scene = opened();
    scene.add(workload('StatefulSet', 'app', { replicas: 3, podManagementPolicy }));
    scene.rest();
    let least = 3;
    scene.world.objects.onChange(() => {
      least = Math.min(least, scene.pods().filter((it) => isReady(it) && !it.metadata.deletionTimestamp).length);
    });
    renew(scene, 'StatefulSet', '200m');
    scene.rest();
    expect(scene.pods().map(cpuOf)).toEqual(['200m', '200m', '200m']);
    expect(least).toBe(2);
  });
});
