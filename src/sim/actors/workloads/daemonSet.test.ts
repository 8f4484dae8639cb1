// The DaemonSet controller.
import { describe, expect, it } from 'vitest';
import {
  isReady,
  type NodeParts,
  node,
  requests,
  type Stage,
  stage,
  workload,
} from '../../../../test/sim/actorStage.ts';
import type { RawPodSpec, RawTaint } from '../rawObjects.ts';

const places = (scene: Stage) =>
  scene
    .pods()
    .map(({ spec }) => spec?.nodeName ?? 'nowhere')
    .sort();

function opened(spec: RawPodSpec = {}, nodes: Record<string, NodeParts> = { a: {}, b: {} }): Stage {
  const scene = stage();
  scene.add(workload('DaemonSet', 'agent', {}, { spec }));
  scene.add(...Object.entries(nodes).map(([name, parts]) => node(name, parts)));
  scene.rest();
  return scene;
}

const setTaints = (scene: Stage, name: string, ...taints: RawTaint[]) =>
  scene.world.objects.write('Node', name, 'script', (it) => ({ ...it, spec: taints.length > 0 ? { taints } : {} }));

describe('A DaemonSet', () => {
  it('has one pod on every node, and one on each that comes', () => {
    const scene = opened();
    expect(places(scene)).toEqual(['a', 'b']);
    scene.add(node('c'));
    scene.rest();
    expect(places(scene)).toEqual(['a', 'b', 'c']);
    expect(scene.pods().every(isReady)).toBe(true);
  });

  it.each<{ it: string; spec: RawPodSpec; parts: NodeParts; comes: boolean }>([
    { it: 'that its selector does not mean', spec: { nodeSelector: { tier: 'db' } }, parts: {}, comes: false },
    {
      it: 'that its selector means',
      spec: { nodeSelector: { tier: 'db' } },
      parts: { labels: { tier: 'db' } },
      comes: true,
    },
    {
      it: 'with a taint it does not tolerate',
      spec: {},
      parts: { taints: [{ key: 'x', effect: 'NoSchedule' }] },
      comes: false,
    },
    {
      it: "with Lull's taint",
      spec: {},
      parts: { taints: [{ key: 'lull.dev/disrupted', value: 'id', effect: 'NoSchedule' }] },
      comes: false,
    },
    {
      it: 'with a taint it tolerates',
      spec: { tolerations: [{ operator: 'Exists' }] },
      parts: { taints: [{ key: 'x', effect: 'NoSchedule' }] },
      comes: true,
    },
    { it: 'that is cordoned', spec: {}, parts: { unschedulable: true }, comes: true },
    {
      it: 'under memory pressure',
      spec: {},
      parts: { taints: [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }] },
      comes: true,
    },
  ])('on a node $it: comes is $comes', ({ spec, parts, comes }) => {
    expect(places(opened(spec, { n: parts }))).toEqual(comes ? ['n'] : []);
  });

  it('stays where a taint keeps others from coming, and is not made again there', () => {
    const scene = opened();
    setTaints(scene, 'a', { key: 'lull.dev/disrupted', effect: 'NoSchedule' });
    scene.rest();
    expect(places(scene)).toEqual(['a', 'b']);
    const there = scene.pods().find(({ spec }) => spec?.nodeName === 'a');
    scene.world.objects.evict(`shop/${there?.metadata.name}`, 'script');
    scene.rest();
    expect(places(scene)).toEqual(['b']);
    setTaints(scene, 'a');
    scene.rest();
    expect(places(scene)).toEqual(['a', 'b']);
  });

  it('bears a node that is not heard of for ever', () => {
    const scene = opened();
    setTaints(scene, 'a', { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' });
    scene.pass(3600);
    expect(places(scene)).toEqual(['a', 'b']);
  });

  it('is evicted and made again where nothing keeps it off', () => {
    const scene = opened({}, { a: {} });
    const uid = scene.pods()[0]?.metadata.uid;
    scene.world.objects.evict(`shop/${scene.pods()[0]?.metadata.name}`, 'script');
    scene.rest();
    expect(places(scene)).toEqual(['a']);
    expect(scene.pods()[0]?.metadata.uid).not.toBe(uid);
  });

  it('goes with its node, also where it never found room', () => {
    const scene = opened(requests('8'), { small: { cpu: '1' }, large: { cpu: '16' } });
    expect(places(scene)).toEqual(['large', 'nowhere']);
    scene.world.objects.delete('Node', 'small', 'script');
    scene.world.objects.delete('Node', 'large', 'script');
    scene.rest();
    expect(scene.pods()).toEqual([]);
  });

  it('renews its pods node by node', () => {
    const scene = opened({}, { a: {}, b: {}, c: {} });
    let least = 3;
    scene.world.objects.onChange(() => {
      least = Math.min(least, scene.pods().filter((it) => isReady(it) && !it.metadata.deletionTimestamp).length);
    });
    scene.world.objects.write('DaemonSet', 'shop/agent', 'script', (it) => {
      const template = it.spec?.template as object;
      return { ...it, spec: { ...it.spec, template: { ...template, spec: requests('200m') } } };
    });
    scene.rest();
    expect(scene.pods().map(({ spec }) => spec?.containers?.[0]?.resources?.requests?.cpu)).toEqual(
      Array(3).fill('200m'),
    );
    expect(places(scene)).toEqual(['a', 'b', 'c']);
    expect(least).toBe(2);
  });
});
