import { describe, expect, it } from 'vitest';
import { annotation, label, taint } from '../../../cluster/names.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import type { Node } from '../manifest.ts';
import { claim, pdb, pool, requests, type Stage, stage, workload } from '../stage.ts';
import { startActors, startKarpenter } from '../startActors.ts';
import { isTrue } from '../status.ts';
import { addTaints, taintsOf } from '../taints.ts';

const hundred = [{ nodes: '100%' }];
const noConsolidation = { budgets: hundred, consolidateAfter: 'Never' };

const withKarpenter = (): Stage =>
  stage({
    karpenter: true,
    actors: (world) => {
      startActors(world);
      startKarpenter(world);
    },
  });

interface Setting {
  readonly disruption?: object;
  readonly template?: object;
  readonly replicas?: number;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A pool whose pods have a node of two cores each. */
function running({ disruption = noConsolidation, template = {}, replicas = 3, annotations }: Setting = {}): Stage {
  const scene = withKarpenter();
  const requirements = [{ key: label.instanceType, operator: 'In' as const, values: ['s'] }];
  scene.add(pool('web', { labels: { image: 'v1' }, requirements, ...template, spec: { disruption } }));
  scene.add(
    workload('Deployment', 'app', { replicas }, { spec: requests('1500m'), ...(annotations && { annotations }) }),
  );
  scene.pass(120);
  expect(scene.nodes()).toHaveLength(replicas);
  return scene;
}

const edit = ({ objects }: World, kind: string, name: string, next: (it: KubeObject) => KubeObject): void => {
  objects.write(kind, name, 'script', next);
};

const annotateAll = (scene: Stage, kind: 'Node' | 'NodeClaim', annotations: Record<string, string>): void => {
  for (const { metadata } of kind === 'Node' ? scene.nodes() : scene.claims())
    edit(scene.world, kind, metadata.name, (it) => ({
      ...it,
      metadata: { ...it.metadata, annotations: { ...it.metadata.annotations, ...annotations } },
    }));
};

function release(scene: Stage, image = 'v2'): void {
  edit(scene.world, 'NodePool', 'web', (it) => {
    const spec = it.spec as { template: { metadata: object } };
    return { ...it, spec: { ...spec, template: { ...spec.template, metadata: { labels: { image } } } } };
  });
}

const drifted = (scene: Stage): number => scene.claims().filter((it) => isTrue(it, 'Drifted')).length;
const begun = (scene: Stage): number => scene.claims().filter((it) => isTrue(it, 'DisruptionReason')).length;
const imagesOf = (scene: Stage): string[] =>
  scene
    .nodes()
    .map(({ metadata }) => metadata.labels?.image ?? '')
    .sort();
const keep = { [annotation.doNotDisrupt]: 'true' };

describe('What Karpenter does beside another controller', () => {
  it('a: do-not-disrupt on a node holds against drift', () => {
    const scene = running();
    annotateAll(scene, 'Node', keep);
    release(scene);
    scene.pass(300);
    expect([drifted(scene), begun(scene)]).toEqual([3, 0]);
  });

  it('a: but not against expireAfter, which comes at exactly that age', () => {
    const scene = running({ template: { expireAfter: '10m' }, replicas: 1 });
    annotateAll(scene, 'Node', keep);
    const [made] = scene.claims();
    const isGoing = () =>
      scene.claims().find(({ metadata }) => metadata.name === made?.metadata.name)?.metadata.deletionTimestamp !==
      undefined;
    const born = (Date.parse(made?.metadata.creationTimestamp ?? '') - Date.parse('2026-11-16T08:00:00Z')) / 1000;
    scene.pass(born + 599 - scene.now());
    expect(isGoing()).toBe(false);
    scene.pass(1.5);
    expect(isGoing()).toBe(true);
  });

  it('b: a wrong hash is Drifted in under a second; a right one not any more', () => {
    const scene = running({ replicas: 1 });
    annotateAll(scene, 'Node', keep);
    const hash = scene.claims()[0]?.metadata.annotations?.[annotation.poolHash] ?? '';
    expect(hash).not.toBe('');
    annotateAll(scene, 'NodeClaim', { [annotation.poolHash]: 'wrong' });
    scene.pass(1);
    expect(drifted(scene)).toBe(1);
    annotateAll(scene, 'NodeClaim', { [annotation.poolHash]: hash });
    scene.pass(1);
    expect(drifted(scene)).toBe(0);
  });

  it('b: without a hash a claim never drifts', () => {
    const scene = withKarpenter();
    scene.add(pool('web', { spec: { disruption: noConsolidation } }), claim('by-hand'));
    scene.pass(60);
    release(scene);
    scene.pass(60);
    expect(drifted(scene)).toBe(0);
  });

  it('b!: a claim that cannot launch stops all disruption, of every pool', () => {
    const scene = running();
    scene.world.conditions.set('launches', 'other', 'never');
    scene.add(pool('other'), claim('stuck', 'other'));
    release(scene);
    scene.pass(120);
    expect([drifted(scene), begun(scene)]).toEqual([3, 0]);
    scene.world.objects.delete('NodeClaim', 'stuck', 'script');
    scene.pass(30);
    expect(begun(scene)).toBe(1);
  });

  it('c: its taint put on by hand is taken off within ten seconds, even at budget 0; others stay', () => {
    const scene = running({ disruption: { ...noConsolidation, budgets: [{ nodes: '0' }] } });
    const name = scene.nodes()[0]?.metadata.name ?? '';
    const ours = { key: taint.lullDisrupted, effect: 'NoSchedule' };
    edit(scene.world, 'Node', name, (it) =>
      addTaints(it as Node, [{ key: taint.karpenterDisrupted, effect: 'NoSchedule' }, ours]),
    );
    scene.pass(11);
    const node = scene.nodes().find(({ metadata }) => metadata.name === name) as Node;
    expect(taintsOf(node)).toEqual([ours]);
  });

  it('d: deleted claims use up its budget', () => {
    const scene = running({ disruption: { ...noConsolidation, budgets: [{ nodes: '1' }] } });
    scene.add(pdb('app', { maxUnavailable: 0, selector: { matchLabels: { app: 'app' } } }));
    scene.pass(5);
    scene.world.objects.delete('NodeClaim', scene.claims()[0]?.metadata.name ?? '', 'script');
    scene.world.objects.delete('PodDisruptionBudget', 'shop/app', 'script');
    scene.add(pdb('one', { maxUnavailable: 0, selector: { matchLabels: { 'no-such': 'pod' } } }));
    release(scene);
    scene.pass(3);
    expect(begun(scene)).toBe(0);
  });

  it('f: a budget with a topologyKey is read as a flat one', () => {
    const budgets = [{ nodes: '1', topologyKey: label.zone, sequential: true }];
    const scene = running({ disruption: { ...noConsolidation, budgets } });
    release(scene);
    scene.pass(35);
    expect(begun(scene)).toBe(1);
  });

  it('g: budget 0 stops drift and consolidation, not expiry', () => {
    const scene = running({
      disruption: { consolidateAfter: '0s', budgets: [{ nodes: '0' }] },
      template: { expireAfter: '10m' },
    });
    release(scene);
    scene.pass(200);
    expect(begun(scene)).toBe(0);
    scene.pass(400);
    expect(imagesOf(scene)).toContain('v2');
  });

  it('h: an empty node is deleted some 17 s after it is there, unless its claim was made with do-not-disrupt', () => {
    const scene = withKarpenter();
    const kept = { ...claim('kept'), metadata: { ...claim('kept').metadata, annotations: keep } };
    scene.add(
      pool('web', { spec: { disruption: { budgets: hundred, consolidateAfter: '0s' } } }),
      claim('loose'),
      kept,
    );
    scene.pass(60);
    const lateKeep = scene.claims().find(({ metadata }) => metadata.name === 'loose');
    expect(lateKeep === undefined || lateKeep.metadata.deletionTimestamp !== undefined || begun(scene) === 1).toBe(
      true,
    );
    scene.pass(120);
    expect(scene.claims().map(({ metadata }) => metadata.name)).toEqual(['kept']);
  });

  it('i: a pod annotated during the drain is not evicted', () => {
    const scene = running({ replicas: 1 });
    const [old] = scene.pods();
    edit(scene.world, 'Pod', `shop/${old?.metadata.name}`, (it) => ({
      ...it,
      metadata: { ...it.metadata, annotations: keep },
    }));
    scene.world.objects.delete('NodeClaim', scene.claims()[0]?.metadata.name ?? '', 'script');
    scene.pass(600);
    expect(scene.pods().map(({ metadata }) => metadata.name)).toContain(old?.metadata.name);
    expect(scene.world.objects.evict(`shop/${old?.metadata.name}`, 'lull').ok).toBe(true);
    scene.pass(60);
    expect(scene.pods().map(({ metadata }) => metadata.name)).not.toContain(old?.metadata.name);
  });

  it('k: Drifted appears a moment after the template has changed, and the next look acts', () => {
    const scene = running();
    release(scene);
    scene.pass(0.5);
    expect(drifted(scene)).toBe(3);
    scene.pass(10);
    expect(begun(scene)).toBeGreaterThan(0);
  });

  it('l: once its taint is on, neither do-not-disrupt nor budget 0 stops it', () => {
    const scene = running({ replicas: 1 });
    release(scene);
    scene.pass(12);
    expect(begun(scene)).toBe(1);
    annotateAll(scene, 'Node', keep);
    edit(scene.world, 'NodePool', 'web', (it) => ({
      ...it,
      spec: { ...it.spec, disruption: { ...noConsolidation, budgets: [{ nodes: '0' }] } },
    }));
    scene.pass(300);
    expect(imagesOf(scene)).toEqual(['v2']);
  });

  it('m: one command a look, and nodes that are not Ready use up its budget', () => {
    const scene = running({ disruption: { ...noConsolidation, budgets: [{ nodes: '2' }] } });
    release(scene);
    scene.pass(5);
    expect(begun(scene)).toBe(1);
    scene.pass(10);
    expect(begun(scene)).toBe(2);
    scene.pass(10);
    expect(begun(scene)).toBe(2);
    const unready = running({ disruption: { ...noConsolidation, budgets: [{ nodes: '1' }] } });
    unready.world.conditions.set('kubelets', unready.nodes()[0]?.metadata.name ?? '', 'dead');
    unready.pass(60);
    release(unready);
    unready.pass(60);
    expect(begun(unready)).toBe(0);
  });

  it('o: what it may take it replaces first, drains and deletes, and never puts the annotation back', () => {
    const scene = running();
    annotateAll(scene, 'Node', keep);
    release(scene);
    const [first] = scene.nodes();
    edit(
      scene.world,
      'Node',
      first?.metadata.name ?? '',
      ({ metadata: { annotations: _, ...metadata }, ...it }) => ({ ...it, metadata }) as KubeObject,
    );
    scene.pass(20);
    expect(begun(scene)).toBe(1);
    expect(scene.claims()).toHaveLength(4);
    expect(scene.pods().filter((it) => isTrue(it, 'Ready'))).toHaveLength(3);
    scene.pass(300);
    expect(imagesOf(scene)).toEqual(['v1', 'v1', 'v2']);
  });
});

describe('A command of Karpenter’s', () => {
  it('is rolled back where its replacement does not come', () => {
    const scene = running();
    release(scene);
    scene.world.conditions.set('boots', 'web', 1000);
    scene.pass(5);
    expect(begun(scene)).toBe(1);
    scene.pass(650);
    const tainted = scene.nodes().filter((it) => taintsOf(it).some(({ key }) => key === taint.karpenterDisrupted));
    expect(tainted.length).toBe(begun(scene));
    expect(imagesOf(scene)).toEqual(['v1', 'v1', 'v1']);
  });

  it.each([
    { it: 'a pod that opts out', setting: { annotations: keep }, extra: [] },
    {
      it: 'a spent PDB',
      setting: {},
      extra: [pdb('app', { maxUnavailable: 0, selector: { matchLabels: { app: 'app' } } })],
    },
  ])('is not begun over $it, unless the claim has a grace period', ({ setting, extra }) => {
    const held = running(setting);
    held.add(...extra);
    held.pass(5);
    release(held);
    held.pass(60);
    expect(begun(held)).toBe(0);
    const pressed = running({ ...setting, template: { terminationGracePeriod: '1h' } });
    pressed.add(...extra);
    pressed.pass(5);
    release(pressed);
    pressed.pass(60);
    expect(begun(pressed)).toBeGreaterThan(0);
  });
});
