// Scheduling: order, retries and scores.
import { describe, expect, it } from 'vitest';
import { type NodeParts, node, pod, requests, type Stage, stage, workload } from '../../../../test/sim/actorStage.ts';
import { asDuration } from '../../../time/instant.ts';
import { runController } from '../actor.ts';
import { conditionOf, type RawPodSpec } from '../rawObjects.ts';
import { daemonSets } from '../workloads/daemonSet.ts';
import { scheduler } from './scheduler.ts';

function alone(): Stage {
  return stage({ actors: (world) => runController(world, scheduler(world)) });
}

const placeOf = (scene: Stage, name = 'p') => scene.pods(name)[0]?.spec?.nodeName;

const affinity = (...nodeSelectorTerms: object[]): RawPodSpec => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
});
const taint = { key: 'team', value: 'a', effect: 'NoSchedule' };

describe('A pod', () => {
  it.each<{ it: string; spec: RawPodSpec; nodes: Record<string, NodeParts>; on: string | undefined }>([
    {
      it: 'goes where there is room',
      spec: requests('3'),
      nodes: { small: { cpu: '2' }, large: { cpu: '4' } },
      on: 'large',
    },
    {
      it: 'goes to the fullest that has it',
      spec: requests('1'),
      nodes: { large: { cpu: '8' }, small: { cpu: '2' } },
      on: 'small',
    },
    {
      it: 'goes to the first by name where they are alike',
      spec: requests('1'),
      nodes: { b: {}, a: {}, c: {} },
      on: 'a',
    },
    {
      it: 'needs room in every resource',
      spec: requests('1', '8Gi'),
      nodes: { a: { memory: '4Gi' }, b: { cpu: '8' } },
      on: 'b',
    },
    { it: 'counts as a pod', spec: {}, nodes: { a: { pods: '0' }, b: { cpu: '8' } }, on: 'b' },
    {
      it: 'keeps to its selector',
      spec: { nodeSelector: { tier: 'db' } },
      nodes: { a: {}, b: { labels: { tier: 'db' }, cpu: '8' } },
      on: 'b',
    },
    {
      it: 'keeps to its affinity',
      spec: affinity({ matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['db'] }] }),
      nodes: { a: { labels: { tier: 'db' } }, b: { cpu: '8' } },
      on: 'b',
    },
    {
      it: 'may choose between terms',
      spec: affinity(
        { matchExpressions: [{ key: 'x', operator: 'Exists' }] },
        { matchExpressions: [{ key: 'y', operator: 'Exists' }] },
      ),
      nodes: { a: {}, b: { labels: { y: '' } } },
      on: 'b',
    },
    { it: 'finds nothing in an empty term', spec: affinity({}), nodes: { a: {} }, on: undefined },
    {
      it: 'may be made for one node',
      spec: affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['b'] }] }),
      nodes: { a: {}, b: {} },
      on: 'b',
    },
    { it: 'keeps off a taint', spec: {}, nodes: { a: { taints: [taint] }, b: { cpu: '8' } }, on: 'b' },
    {
      it: 'unless it tolerates it',
      spec: { tolerations: [{ key: 'team', value: 'a' }] },
      nodes: { a: { taints: [taint] }, b: { cpu: '8' } },
      on: 'a',
    },
    {
      it: 'with the same value',
      spec: { tolerations: [{ key: 'team', value: 'b' }] },
      nodes: { a: { taints: [taint] }, b: { cpu: '8' } },
      on: 'b',
    },
    {
      it: 'or any',
      spec: { tolerations: [{ key: 'team', operator: 'Exists' }] },
      nodes: { a: { taints: [taint] }, b: { cpu: '8' } },
      on: 'a',
    },
    {
      it: 'or everything',
      spec: { tolerations: [{ operator: 'Exists' }] },
      nodes: { a: { taints: [taint] }, b: { cpu: '8' } },
      on: 'a',
    },
    {
      it: 'minds no mere preference',
      spec: {},
      nodes: { a: { taints: [{ key: 'x', effect: 'PreferNoSchedule' }] }, b: { cpu: '8' } },
      on: 'a',
    },
    { it: 'keeps off a cordoned node', spec: {}, nodes: { a: { unschedulable: true }, b: { cpu: '8' } }, on: 'b' },
    { it: 'stays nowhere where nothing fits', spec: requests('64'), nodes: { a: {} }, on: undefined },
  ])('$it', ({ spec, nodes, on }) => {
    const scene = alone();
    scene.add(...Object.entries(nodes).map(([name, parts]) => node(name, parts)));
    scene.pass(1);
    scene.add(pod('p', spec));
    scene.rest();
    expect(placeOf(scene)).toBe(on);
    const [it] = scene.pods();
    expect(it && conditionOf(it, 'PodScheduled')?.status).toBe(on === undefined ? 'False' : 'True');
  });

  it('waits until a node comes', () => {
    const scene = alone();
    scene.add(pod());
    scene.rest();
    scene.add(node());
    scene.rest();
    expect(placeOf(scene)).toBe('n');
  });

  it('waits until another makes room: by ending, or by being gone', () => {
    const scene = alone();
    scene.add(node('n', { cpu: '2' }), pod('a', requests('1')), pod('b', requests('1')));
    scene.rest();
    scene.add(pod('c', requests('1')), pod('d', requests('1')));
    scene.rest();
    expect([placeOf(scene, 'c'), placeOf(scene, 'd')]).toEqual([undefined, undefined]);
    scene.world.objects.write('Pod', 'shop/a', 'script', (it) => ({
      ...it,
      status: { ...it.status, phase: 'Succeeded' },
    }));
    scene.rest();
    expect(placeOf(scene, 'c')).toBe('n');
    // Ending takes its time; until then its room is its own.
    scene.world.objects.delete('Pod', 'shop/b', 'script');
    scene.rest();
    expect(placeOf(scene, 'd')).toBe(undefined);
    scene.world.objects.delete('Pod', 'shop/b', 'script', { graceSeconds: 0 });
    scene.rest();
    expect(placeOf(scene, 'd')).toBe('n');
  });

  it('waits until a taint is off', () => {
    const scene = alone();
    scene.add(node('n', { taints: [taint] }), pod());
    scene.rest();
    expect(placeOf(scene)).toBe(undefined);
    scene.world.objects.write('Node', 'n', 'script', (it) => ({ ...it, spec: {} }));
    scene.rest();
    expect(placeOf(scene)).toBe('n');
  });

  it('goes before others of lower priority, and before younger ones', () => {
    const scene = alone();
    scene.add(pod('old', requests('1')));
    scene.pass(10);
    scene.add(pod('young', requests('1')), pod('urgent', { ...requests('1'), priority: 10 }));
    scene.pass(10);
    scene.add(node('n', { cpu: '2' }));
    scene.rest();
    expect(['old', 'young', 'urgent'].map((name) => placeOf(scene, name))).toEqual(['n', undefined, 'n']);
  });

  it('is left alone where it is already somewhere, or on its way out', () => {
    const scene = alone();
    scene.add(node(), pod('p', { nodeName: 'elsewhere' }));
    scene.rest();
    expect(placeOf(scene)).toBe('elsewhere');
  });
});

describe('A node that has just come', () => {
  it('is known to the daemons that come to it before it is to others', () => {
    const scene = alone();
    runController(scene.world, daemonSets(scene.world));
    scene.add(workload('DaemonSet', 'daemon'));
    scene.rest();
    const { clock } = scene.world;
    // The pod makes a pass due in the very moment in which the node comes.
    clock.in(asDuration(1000), () => scene.add(node('n', { cpu: '4' })));
    clock.in(asDuration(900), () => scene.add(pod('other', requests('4'))));
    scene.rest();
    expect([placeOf(scene, 'daemon'), placeOf(scene, 'other')]).toEqual(['n', undefined]);
  });
});

const zone = 'topology.kubernetes.io/zone';
const selector = { matchLabels: { app: 'web' } };
const web = { labels: { app: 'web' } };
const apart: RawPodSpec = {
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: zone, labelSelector: selector }],
    },
  },
};
const spread = (whenUnsatisfiable: string): RawPodSpec => ({
  topologySpreadConstraints: [{ topologyKey: zone, maxSkew: 1, whenUnsatisfiable, labelSelector: selector }],
});
const at = (value: string): NodeParts => ({ labels: { [zone]: value } });

describe('F6: A pod with rules about others', () => {
  it.each(['DoNotSchedule', 'ScheduleAnyway'])('is spread, all of one pass too (%s)', (when) => {
    const scene = alone();
    scene.add(node('a', at('za')), node('b', at('zb')), node('c', at('zc')));
    scene.add(...['p', 'q', 'r'].map((name) => pod(name, spread(when), web)));
    scene.rest();
    expect(['p', 'q', 'r'].map((name) => placeOf(scene, name)).sort()).toEqual(['a', 'b', 'c']);
  });

  it('waits where spread forbids it, and goes on when the domain is gone', () => {
    const scene = alone();
    scene.add(node('a', at('za')), node('b', { ...at('zb'), unschedulable: true }));
    scene.add(pod('p', spread('DoNotSchedule'), web), pod('q', spread('DoNotSchedule'), web));
    scene.rest();
    expect([placeOf(scene, 'p'), placeOf(scene, 'q')].sort()).toEqual(['a', undefined]);
    scene.world.objects.delete('Node', 'b', 'script');
    scene.rest();
    expect([placeOf(scene, 'p'), placeOf(scene, 'q')]).toEqual(['a', 'a']);
  });

  it('keeps others away that have none, until it goes', () => {
    const scene = alone();
    scene.add(node('a', at('za')), node('b', at('za')), pod('guard', apart, web));
    scene.rest();
    scene.add(pod('p', {}, web), pod('other'));
    scene.rest();
    expect([placeOf(scene, 'p'), placeOf(scene, 'other')]).toEqual([undefined, 'a']);
    scene.world.objects.delete('Pod', 'shop/guard', 'script', { graceSeconds: 0 });
    scene.rest();
    expect(placeOf(scene, 'p')).toBe('a');
  });

  it('goes where those are whom it wants, once they are', () => {
    const near: RawPodSpec = { affinity: { podAffinity: apart.affinity?.podAntiAffinity ?? {} } };
    const scene = alone();
    scene.add(node('a', at('za')), node('b', at('zb')), pod('p', near));
    scene.rest();
    expect(placeOf(scene)).toBe(undefined);
    scene.add(pod('w', { nodeName: 'b' }, web));
    scene.rest();
    expect(placeOf(scene)).toBe('b');
  });

  it('goes where it likes best of what it may have', () => {
    const preference = { matchExpressions: [{ key: zone, operator: 'In' as const, values: ['zb'] }] };
    const likes: RawPodSpec = {
      affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] } },
    };
    const scene = alone();
    scene.add(
      node('a', at('za')),
      node('b', { ...at('zb'), cpu: '64' }),
      pod('p', likes),
      pod('q', { ...likes, ...requests('65') }),
    );
    scene.rest();
    expect([placeOf(scene, 'p'), placeOf(scene, 'q')]).toEqual(['b', undefined]);
  });

  it('waits for its claim', () => {
    const scene = alone();
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    scene.add(node('a', at('za')), pod('p', { volumes }));
    scene.rest();
    expect(placeOf(scene)).toBe(undefined);
    const storageClassName = 'late';
    scene.add(
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'late' },
        provisioner: 'd',
        volumeBindingMode: 'WaitForFirstConsumer',
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace: 'shop' },
        spec: { storageClassName },
      },
    );
    scene.rest();
    expect(placeOf(scene)).toBe('a');
  });
});
