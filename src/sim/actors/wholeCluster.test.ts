// All actors together on random clusters.
import { describe, expect, it } from 'vitest';
import { isReady, pdb, pool, requests, type Stage, stage, workload } from '../../../test/sim/actorStage.ts';
import { readObject } from '../../kinds/readObject.ts';
import { startActors } from './startActors.ts';

/** Two pools, one of everything that makes pods, and budgets over some. */
function grown(seed: number): Stage {
  const scene = stage({ seed });
  scene.add(
    pool('web', { labels: { tier: 'web', image: 'v1' }, startupTaints: [{ key: 'boot', effect: 'NoSchedule' }] }),
    pool('db', {
      labels: { tier: 'db' },
      spec: { replicas: 2 },
      taints: [{ key: 'tier', value: 'db', effect: 'NoSchedule' }],
    }),
    workload('Deployment', 'shop', { replicas: 12 }, { spec: { ...requests('700m'), nodeSelector: { tier: 'web' } } }),
    workload('Deployment', 'side', { replicas: 3 }, { spec: requests('250m') }),
    workload(
      'StatefulSet',
      'store',
      { replicas: 2 },
      { spec: { ...requests('1'), nodeSelector: { tier: 'db' }, tolerations: [{ key: 'tier', operator: 'Exists' }] } },
    ),
    workload('DaemonSet', 'agent', {}, { spec: { ...requests('100m'), tolerations: [{ operator: 'Exists' }] } }),
    workload(
      'Job',
      'batch',
      { parallelism: 2, completions: 4 },
      { annotations: { 'sim.lull.dev/runs': '10m' }, spec: requests('200m') },
    ),
    pdb('shop', { maxUnavailable: '25%' }),
    pdb('store', { minAvailable: 1 }),
  );
  scene.rest();
  return scene;
}

const kinds = [
  'NodePool',
  'Deployment',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'ReplicaSet',
  'NodeClaim',
  'Node',
  'Pod',
  'PodDisruptionBudget',
];

const everything = ({ world }: Stage): string => JSON.stringify(kinds.map((kind) => [...world.objects.list(kind)]));

const countBy = (scene: Stage, app: string): number =>
  scene.pods().filter((pod) => pod.metadata.labels?.app === app && isReady(pod)).length;

describe('A whole cluster', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('comes up from pools and workloads, and is at rest (seed %i)', (seed) => {
    const scene = grown(seed);
    expect(['shop', 'side', 'store', 'batch'].map((app) => countBy(scene, app))).toEqual([12, 3, 2, 0]);
    expect(countBy(scene, 'agent')).toBe(scene.nodes().length);
    expect(scene.pods().filter(({ status }) => status?.phase === 'Pending')).toEqual([]);
    expect(scene.nodes().every(isReady)).toBe(true);
    expect(scene.nodes().every(({ metadata }) => metadata.labels?.['karpenter.sh/initialized'] === 'true')).toBe(true);
    expect(scene.world.clock.nextAt).toBeUndefined();
  });

  it('stays unchanged when actors start on a copy of it', () => {
    const scene = grown(1);
    const again = stage({ seed: 2, at: scene.world.clock.now, actors: () => undefined });
    for (const kind of kinds) again.add(...scene.world.objects.list(kind));
    const before = everything(again);
    startActors(again.world);
    again.rest();
    expect(everything(again)).toBe(before);
  });

  it('ends the same for the same seed, and differs for another', () => {
    expect(everything(grown(7))).toBe(everything(grown(7)));
    expect(everything(grown(7))).not.toBe(everything(grown(8)));
  });

  it('has no objects in which Lull finds a fault', () => {
    const scene = grown(3);
    const faults = ['NodePool', 'NodeClaim', 'Node', 'Pod', 'PodDisruptionBudget'].flatMap((kind) =>
      [...scene.world.objects.list(kind)].flatMap((object): readonly unknown[] => {
        const read = readObject(object);
        return read.kind === 'ignored' ? [kind] : read.faults;
      }),
    );
    expect(faults).toEqual([]);
  });

  it('comes to rest again after all its nodes were taken away, one after another', () => {
    const scene = grown(4);
    for (const { metadata } of scene.claims()) {
      scene.world.objects.delete('NodeClaim', metadata.name, 'script');
      scene.pass(20);
    }
    scene.rest();
    expect(['shop', 'side', 'store'].map((app) => countBy(scene, app))).toEqual([12, 3, 2]);
    expect(countBy(scene, 'agent')).toBe(scene.nodes().length);
  });
});
