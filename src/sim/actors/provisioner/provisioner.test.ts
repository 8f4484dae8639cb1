// Karpenter's provisioner, static pools and lastPodEventTime.
import { describe, expect, it } from 'vitest';
import {
  isReady,
  type PoolParts,
  pod,
  pool,
  requests,
  type Stage,
  stage,
  workload,
} from '../../../../test/sim/actorStage.ts';
import type { RawPodSpec } from '../rawObjects.ts';

const zone = 'topology.kubernetes.io/zone';
const type = 'node.kubernetes.io/instance-type';

const labelsOf = (scene: Stage, key: string) =>
  scene
    .nodes()
    .map(({ metadata }) => metadata.labels?.[key] ?? '')
    .sort();
const poolsOf = (scene: Stage) => labelsOf(scene, 'karpenter.sh/nodepool');

describe('Pods that fit nowhere', () => {
  it('get nodes, and no more than they need', () => {
    const scene = stage();
    scene.add(pool(), workload('Deployment', 'app', { replicas: 10 }, { spec: requests('1') }));
    scene.rest();
    expect(scene.pods().every(isReady)).toBe(true);
    // Ten cores in machines of at most eight, the cheapest way first fit finds.
    expect(labelsOf(scene, type)).toEqual(['l', 's']);
  });

  it('are gathered for a second, so that one machine serves many', () => {
    const scene = stage();
    scene.add(pool());
    for (let count = 0; count < 4; count++) {
      scene.add(pod(`p${count}`, requests('1200m')));
      scene.pass(0.6);
    }
    scene.rest();
    expect(scene.nodes()).toHaveLength(1);
  });

  it('but for no longer than ten', () => {
    const scene = stage();
    scene.add(pool());
    for (let count = 0; count < 30; count++) {
      scene.add(pod(`p${count}`, requests('10m')));
      scene.pass(0.6);
    }
    expect(scene.claims().length).toBeGreaterThan(0);
    scene.rest();
    expect(scene.nodes()).toHaveLength(1);
  });

  it('wait for what is on its way already', () => {
    const scene = stage();
    scene.add(pool(), pod('one', requests('1')));
    scene.pass(5);
    scene.add(pod('two', requests('500m')));
    scene.pass(5);
    expect(scene.claims()).toHaveLength(1);
    scene.rest();
    expect(scene.pods().every(isReady)).toBe(true);
    expect(scene.nodes()).toHaveLength(1);
  });

  it('leave room for the daemons of the new node', () => {
    const scene = stage();
    scene.add(pool(), workload('DaemonSet', 'agent', {}, { spec: requests('500m') }), pod('p', requests('1800m')));
    scene.rest();
    expect(scene.pods().every(isReady)).toBe(true);
    expect(labelsOf(scene, type)).toEqual(['m']);
  });

  it.each<{ it: string; spec: RawPodSpec; pools: Record<string, PoolParts>; from: string[] }>([
    { it: 'the heaviest pool', spec: {}, pools: { a: {}, b: { spec: { weight: 10 } } }, from: ['b'] },
    { it: 'the first by name if they weigh the same', spec: {}, pools: { b: {}, a: {} }, from: ['a'] },
    {
      it: 'a pool whose labels they ask for',
      spec: { nodeSelector: { tier: 'db' } },
      pools: { a: {}, b: { labels: { tier: 'db' } } },
      from: ['b'],
    },
    {
      it: 'a pool by its name',
      spec: { nodeSelector: { 'karpenter.sh/nodepool': 'b' } },
      pools: { a: {}, b: {} },
      from: ['b'],
    },
    {
      it: 'a pool whose taints they tolerate',
      spec: {},
      pools: { a: { taints: [{ key: 'x', effect: 'NoSchedule' }] }, b: {} },
      from: ['b'],
    },
    {
      it: 'a pool that may use their zone',
      spec: { nodeSelector: { [zone]: 'b' } },
      pools: { a: { requirements: [{ key: zone, operator: 'In', values: ['a'] }] }, b: {} },
      from: ['b'],
    },
    {
      it: 'a pool that has machines large enough',
      spec: requests('6'),
      pools: { a: { requirements: [{ key: type, operator: 'In', values: ['s', 'm'] }] }, b: {} },
      from: ['b'],
    },
    { it: 'no pool if none matches', spec: { nodeSelector: { tier: 'db' } }, pools: { a: {} }, from: [] },
    {
      it: 'a pool within its limits',
      spec: requests('3'),
      pools: { a: { spec: { limits: { cpu: '3' } } }, b: {} },
      from: ['b'],
    },
    { it: 'no static pool', spec: {}, pools: { a: { spec: { replicas: 0 } } }, from: [] },
  ])('get theirs from $it', ({ spec, pools, from }) => {
    const scene = stage();
    scene.add(...Object.entries(pools).map(([name, parts]) => pool(name, parts)), pod('p', spec));
    scene.rest();
    expect(poolsOf(scene)).toEqual(from);
  });

  it('get theirs in the zone they ask for', () => {
    const scene = stage();
    scene.add(pool(), pod('p', { nodeSelector: { [zone]: 'b', 'karpenter.sh/capacity-type': 'on-demand' } }));
    scene.rest();
    expect(labelsOf(scene, zone)).toEqual(['b']);
    expect(scene.pods().every(isReady)).toBe(true);
  });

  it('are spread over zones even without a constraint', () => {
    const scene = stage();
    scene.add(
      pool('web', { requirements: [{ key: type, operator: 'In', values: ['s'] }] }),
      workload('Deployment', 'app', { replicas: 6 }, { spec: requests('1500m') }),
    );
    scene.rest();
    expect(labelsOf(scene, zone)).toEqual(['a', 'a', 'b', 'b', 'c', 'c']);
  });

  it('stay pending beyond the limits until they are raised', () => {
    const scene = stage();
    scene.add(
      pool('web', { spec: { limits: { cpu: '4' } } }),
      workload('Deployment', 'app', { replicas: 4 }, { spec: requests('1500m') }),
    );
    scene.rest();
    const used = scene.nodes().reduce((sum, { status }) => sum + Number(status?.allocatable?.cpu), 0);
    expect(used).toBeLessThanOrEqual(4);
    expect(scene.pods().filter(isReady)).toHaveLength(2);
    scene.world.objects.write('NodePool', 'web', 'script', (it) => ({
      ...it,
      spec: { ...it.spec, limits: { cpu: '100' } },
    }));
    scene.rest();
    expect(scene.pods().filter(isReady)).toHaveLength(4);
  });

  it('get theirs from another pool while the launches of one fail', () => {
    const scene = stage();
    scene.world.faults.set('launches', 'a', 'fails');
    scene.add(pool('a', { spec: { weight: 10 } }), pool('b'), pod());
    scene.pass(200);
    expect(poolsOf(scene)).toEqual(['b']);
    expect(scene.pods().every(isReady)).toBe(true);
  });

  it('are tried again when launches never came and the claim was given up', () => {
    const scene = stage();
    scene.world.faults.set('launches', 'web', 'never');
    scene.add(pool(), pod());
    scene.pass(310);
    scene.world.faults.clear('launches', 'web');
    scene.rest();
    expect(scene.pods().every(isReady)).toBe(true);
  });
});

describe('A claim of the provisioner', () => {
  it('is what Karpenter would make: template, labels, owner, requests, requirements', () => {
    const scene = stage();
    const requirements = [
      { key: type, operator: 'In' as const, values: ['m', 'l'] },
      { key: 'tier', operator: 'In' as const, values: ['web'] },
    ];
    scene.add(
      pool('web', { labels: { image: 'v1' }, requirements, terminationGracePeriod: '1h' }),
      pod('p', requests('1')),
    );
    scene.pass(2);
    const [made] = scene.claims();
    expect(made?.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(made?.metadata).toMatchObject({
      labels: { image: 'v1', 'karpenter.sh/nodepool': 'web' },
      ownerReferences: [{ kind: 'NodePool', name: 'web' }],
    });
    expect(made?.spec).toMatchObject({
      terminationGracePeriod: '1h',
      resources: { requests: { cpu: '1000m', pods: '1' } },
    });
    expect(made?.spec?.requirements).toEqual([
      { key: 'tier', operator: 'In', values: ['web'] },
      { key: type, operator: 'In', values: ['m', 'l'] },
      { key: zone, operator: 'In', values: ['a'] },
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    ]);
  });
});

describe('A pool', () => {
  it('of fixed size keeps it', () => {
    const scene = stage();
    scene.add(pool('web', { spec: { replicas: 3 } }));
    scene.rest();
    expect(labelsOf(scene, zone)).toEqual(['a', 'b', 'c']);
    scene.world.objects.delete('NodeClaim', scene.claims()[0]?.metadata.name ?? '', 'script');
    scene.rest();
    expect(scene.nodes()).toHaveLength(3);
    scene.world.objects.write('NodePool', 'web', 'script', (it) => ({ ...it, spec: { ...it.spec, replicas: 1 } }));
    scene.rest();
    expect(scene.nodes()).toHaveLength(1);
  });

  it('of fixed size gives up those without pods first', () => {
    const scene = stage();
    scene.add(pool('web', { spec: { replicas: 3 } }), workload('DaemonSet', 'agent'), pod('p', requests('1')));
    scene.rest();
    const busy = scene.pods('p')[0]?.spec?.nodeName;
    scene.world.objects.write('NodePool', 'web', 'script', (it) => ({ ...it, spec: { ...it.spec, replicas: 1 } }));
    scene.rest();
    expect(scene.nodes().map(({ metadata }) => metadata.name)).toEqual([busy]);
  });

  it('of fixed size makes nothing for a node that is being replaced, and takes nothing for its replacement', () => {
    const scene = stage();
    scene.add(pool('web', { spec: { replicas: 2 } }));
    scene.rest();
    const [old] = scene.nodes();
    const taints = [{ key: 'lull.dev/disrupted', value: 'drifted-x', effect: 'NoSchedule' }];
    scene.world.objects.write('Node', old?.metadata.name ?? '', 'script', (it) => ({
      ...it,
      spec: { ...it.spec, taints },
    }));
    scene.rest();
    expect(scene.claims()).toHaveLength(2);
    const metadata = { name: 'drifted-x-0', labels: { 'karpenter.sh/nodepool': 'web' } };
    scene.add({ apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', metadata, spec: {} });
    scene.rest();
    expect(scene.claims()).toHaveLength(3);
  });

  it('reports its nodes and resources in its status', () => {
    const scene = stage();
    scene.add(pool('web', { spec: { replicas: 2 } }));
    scene.rest();
    expect(scene.world.objects.get('NodePool', 'web')?.status).toMatchObject({
      nodes: 2,
      resources: { cpu: '4000m', nodes: '2' },
    });
  });

  it('takes its nodes along when it is deleted', () => {
    const scene = stage();
    scene.add(pool('web', { spec: { replicas: 2 } }));
    scene.rest();
    scene.world.objects.delete('NodePool', 'web', 'script');
    scene.rest();
    expect([scene.nodes(), scene.claims()]).toEqual([[], []]);
  });
});

describe('A6: lastPodEventTime', () => {
  const eventOf = (scene: Stage) => scene.claims()[0]?.status?.lastPodEventTime;

  it.each([
    { it: 'a pod is bound', happen: (scene: Stage) => scene.add(pod('new', requests('100m'))), isEvent: true },
    {
      it: 'a pod begins to end',
      happen: (scene: Stage) => scene.world.objects.evict('shop/p', 'script'),
      isEvent: true,
    },
    {
      it: 'a pod has ended',
      happen: (scene: Stage) =>
        scene.world.objects.write('Pod', 'shop/p', 'script', (it) => ({ ...it, status: { phase: 'Succeeded' } })),
      isEvent: true,
    },
    { it: 'a daemon comes', happen: (scene: Stage) => scene.add(workload('DaemonSet', 'agent')), isEvent: false },
    {
      it: 'a pod is labelled',
      happen: (scene: Stage) =>
        scene.world.objects.write('Pod', 'shop/p', 'script', (it) => ({
          ...it,
          metadata: { ...it.metadata, labels: { x: 'y' } },
        })),
      isEvent: false,
    },
  ])('$it: $isEvent', ({ happen, isEvent }) => {
    const scene = stage();
    scene.add(pool(), pod('p', requests('100m')));
    scene.rest();
    const before = eventOf(scene);
    expect(before).toBeDefined();
    scene.pass(60);
    happen(scene);
    scene.pass(1);
    expect(eventOf(scene) !== before).toBe(isEvent);
  });

  it('is written at most every ten seconds', () => {
    const scene = stage();
    scene.add(pool(), pod('p', requests('100m')));
    scene.rest();
    scene.pass(60);
    const seen = new Set([eventOf(scene)]);
    for (let count = 0; count < 12; count++) {
      scene.add(pod(`p${count}`, requests('10m')));
      scene.pass(1);
      seen.add(eventOf(scene));
    }
    expect(seen.size).toBe(3);
  });
});

describe('F6: Pods with rules about others', () => {
  const labelSelector = { matchLabels: { app: 'app' } };
  const spread = (topologyKey: string): RawPodSpec => ({
    ...requests('100m'),
    topologySpreadConstraints: [{ topologyKey, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector }],
  });
  const term = (side: 'podAffinity' | 'podAntiAffinity', topologyKey: string): RawPodSpec => ({
    ...requests('100m'),
    affinity: { [side]: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector }] } },
  });

  it.each([
    { it: 'spread over zones: a node in each', spec: spread(zone), replicas: 6, zones: ['a', 'b', 'c'] },
    {
      it: 'apart over zones: no more than there are',
      spec: term('podAntiAffinity', zone),
      replicas: 5,
      zones: ['a', 'b', 'c'],
      waiting: 2,
    },
    { it: 'together in a zone: one', spec: term('podAffinity', zone), replicas: 5, zones: ['a'] },
    {
      it: 'apart over nodes: a node for each',
      spec: term('podAntiAffinity', 'kubernetes.io/hostname'),
      replicas: 4,
      zones: ['a', 'a', 'b', 'c'],
    },
  ])('$it', ({ spec, replicas, zones, waiting = 0 }) => {
    const scene = stage();
    scene.add(pool(), workload('Deployment', 'app', { replicas }, { spec }));
    scene.pass(600);
    expect(labelsOf(scene, zone)).toEqual(zones);
    expect(scene.pods().filter((each) => !isReady(each))).toHaveLength(waiting);
  });

  it('get no node if none could run them', () => {
    const scene = stage();
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'missing' } }];
    scene.add(pool(), pod('p', { ...requests('1'), volumes }));
    scene.pass(600);
    expect(scene.claims()).toEqual([]);
  });
});
