// Karpenter's disruption loop, drift, expiry and events.
import { describe, expect, it } from 'vitest';
import { karpenterCrd, v1 } from '../../../../test/crds/karpenterCrd.ts';
import { claim, pdb, pool, requests, type Stage, stage, workload } from '../../../../test/sim/actorStage.ts';
import { annotation, label, taint } from '../../../cluster/names.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { addTaints, isTrue, type RawNode, taintsOf } from '../rawObjects.ts';
import { startActors, startKarpenter } from '../startActors.ts';
import { blockers, openEvents } from './candidates.ts';

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

/** The letters of the facts. j (status by server-side apply) is not simulated: no actor applies a pool's status; test/e2e has it. */
describe('What Karpenter does beside another controller', () => {
  it('a: do-not-disrupt on a node holds against drift', () => {
    const scene = running();
    annotateAll(scene, 'Node', keep);
    release(scene);
    scene.pass(300);
    expect([drifted(scene), begun(scene)]).toEqual([3, 0]);
  });

  it.each(['8h', 'false', 'yes'])('a: "%s" on a node is ignored', (value) => {
    const scene = running({ replicas: 1 });
    annotateAll(scene, 'Node', { [annotation.doNotDisrupt]: value });
    release(scene);
    scene.pass(30);
    expect(begun(scene)).toBe(1);
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
    scene.world.faults.set('launches', 'other', 'never');
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
      addTaints(it as RawNode, [{ key: taint.karpenterDisrupted, effect: 'NoSchedule' }, ours]),
    );
    scene.pass(11);
    const node = scene.nodes().find(({ metadata }) => metadata.name === name) as RawNode;
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

  it('e: the stock CRD, applied again, lets the next write of a pool erase what only the patched one keeps', () => {
    const disruption = { ...noConsolidation, expireAfter: '24h', budgets: [{ nodes: '1', settle: '5m' }] };
    const scene = running({ disruption });
    const written = () => scene.world.objects.get('NodePool', 'web')?.spec?.disruption;
    scene.add(karpenterCrd(v1) as KubeObject);
    expect(written()).toEqual(disruption);
    edit(scene.world, 'NodePool', 'web', (it) => ({ ...it, metadata: { ...it.metadata, labels: { team: 'shop' } } }));
    expect(written()).toEqual({ ...noConsolidation, budgets: [{ nodes: '1' }] });
    edit(scene.world, 'NodePool', 'web', (it) => ({ ...it, spec: { ...it.spec, disruption } }));
    expect(written()).toEqual({ ...noConsolidation, budgets: [{ nodes: '1' }] });
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
    unready.world.faults.set('kubelets', unready.nodes()[0]?.metadata.name ?? '', 'dead');
    unready.pass(60);
    release(unready);
    unready.pass(60);
    expect(begun(unready)).toBe(0);
  });

  it('n: what is written on a claim as it is made reaches its node, so that it is born parked', () => {
    const scene = withKarpenter();
    const parked = { ...keep, [annotation.parked]: '' };
    const born = { ...claim('born'), metadata: { ...claim('born').metadata, annotations: parked } };
    scene.add(pool('web', { spec: { disruption: { budgets: hundred, consolidateAfter: '0s' } } }), born);
    scene.pass(120);
    expect(scene.nodes().map(({ metadata }) => metadata.annotations)).toEqual([expect.objectContaining(parked)]);
    expect(begun(scene)).toBe(0);
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
  it('is rolled back if its replacement does not become ready', () => {
    const scene = running();
    release(scene);
    scene.world.faults.set('boots', 'web', 1000);
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

describe('Consolidation', () => {
  it.each([
    { it: 'nodes whose pods fit on others go', policy: 'WhenEmptyOrUnderutilized', isLight: true, left: 1 },
    { it: 'not if only empty nodes may go', policy: 'WhenEmpty', isLight: true, left: 3 },
    { it: 'nor if their pods fit nowhere', policy: 'WhenEmptyOrUnderutilized', isLight: false, left: 3 },
  ])('$it', ({ policy, isLight, left }) => {
    const scene = running({ disruption: { budgets: hundred, consolidateAfter: '1m', consolidationPolicy: policy } });
    // One on each node: two do not fit beside the first pod.
    scene.add(workload('Deployment', 'small', { replicas: 3 }, { spec: requests('400m') }));
    scene.pass(20);
    if (isLight) scene.world.objects.delete('Deployment', 'shop/app', 'script');
    scene.pass(900);
    expect(scene.nodes()).toHaveLength(left);
  });
});

describe('Karpenter’s event about a node that it does not disrupt', () => {
  const said = ({ world }: Stage): unknown[] => [...world.objects.list('Event')].map(({ message }) => message);
  const selector = { matchLabels: { app: 'app' } };

  it.each([
    {
      it: 'names a pod that opts out',
      setting: { annotations: keep },
      extra: [],
      word: /^Pod has .* \(Pod=shop\/app-/,
    },
    {
      it: 'names a spent PDB',
      setting: {},
      extra: [pdb('app', { maxUnavailable: 0, selector })],
      word: /^Pdb prevents .*\[shop\/app\]/,
    },
    {
      it: 'names two PDBs over one pod',
      setting: {},
      extra: [pdb('app', { maxUnavailable: 1, selector }), pdb('too', { maxUnavailable: 1, selector })],
      word: /^Eviction does not support multiple PDBs .*shop\/app shop\/too/,
    },
  ])('$it', ({ setting, extra, word }) => {
    const scene = running({ replicas: 1, ...setting });
    scene.add(...extra);
    scene.pass(150);
    expect(said(scene)).toEqual([expect.stringMatching(word)]);
  });

  it('names the pods that would fit nowhere', () => {
    const scene = running({ replicas: 1 });
    edit(scene.world, 'NodePool', 'web', (it) => ({ ...it, spec: { ...it.spec, limits: { cpu: '2' } } }));
    release(scene);
    scene.pass(150);
    expect(said(scene)).toEqual([expect.stringMatching(/^Not all pods would schedule, shop\/app-/)]);
  });

  it('is not written within two minutes of one about the annotation', () => {
    const scene = running({ replicas: 1 });
    const say = openEvents(scene.world);
    const [node] = scene.nodes() as [RawNode];
    say(node, blockers.annotation);
    scene.pass(119);
    say(node, 'Not all pods would schedule');
    expect(said(scene)).toEqual([]);
    scene.pass(1);
    say(node, 'Not all pods would schedule');
    expect(said(scene)).toEqual(['Not all pods would schedule']);
  });
});
