// Property tests of the scheduler.
import { describe, expect, it } from 'vitest';
import { node, pod, requests, type Stage, stage } from '../../../../test/sim/actorStage.ts';
import { parseResources } from '../../../cluster/quantity.ts';
import { Random } from '../../random.ts';
import type { RawNode, RawPod, RawPodSpec, RawTaint } from '../rawObjects.ts';

const tiers = ['web', 'db', 'ml'];
const teams = ['a', 'b'];

function randomNode(name: string, random: Random) {
  const taints: RawTaint[] = random.chance(0.3)
    ? [{ key: 'team', value: random.pick(teams), effect: 'NoSchedule' }]
    : [];
  return node(name, {
    labels: { tier: random.pick(tiers) },
    ...(taints.length > 0 && { taints }),
    cpu: String(1 + random.whole(8)),
    memory: `${1 + random.whole(16)}Gi`,
    pods: String(2 + random.whole(12)),
    unschedulable: random.chance(0.1),
  });
}

function randomPod(name: string, random: Random) {
  const spec: RawPodSpec = {
    ...requests(`${100 * (1 + random.whole(20))}m`, `${1 + random.whole(3000)}Mi`),
    ...(random.chance(0.4) && { nodeSelector: { tier: random.pick(tiers) } }),
    ...(random.chance(0.3) && { tolerations: [{ key: 'team', value: random.pick(teams) }] }),
    priority: random.whole(3),
  };
  return pod(name, spec);
}

/** Some cluster that changes in some way for a while. */
function play(seed: number): Stage {
  const random = new Random(seed);
  const scene = stage({ seed });
  let made = 0;
  const broken: string[] = [];
  scene.world.objects.onChange(({ object, was, by }) => {
    if (by !== 'scheduler' || !object.spec?.nodeName || was?.spec?.nodeName) return;
    const place = scene.world.objects.get('Node', object.spec.nodeName as string);
    const why = place ? whyNot(object, place) : 'no such node';
    if (why) broken.push(`${object.metadata.name} went to ${object.spec.nodeName}: ${why}`);
  });
  for (let round = 0; round < 60; round++) {
    const dice = random.next();
    const someone = scene.pods()[random.whole(Math.max(1, scene.pods().length))];
    const somewhere = scene.nodes()[random.whole(Math.max(1, scene.nodes().length))];
    if (dice < 0.3) scene.add(randomNode(`n${made++}`, random));
    else if (dice < 0.7)
      scene.add(...Array.from({ length: 1 + random.whole(8) }, () => randomPod(`p${made++}`, random)));
    else if (dice < 0.85 && someone) scene.world.objects.delete('Pod', `shop/${someone.metadata.name}`, 'script');
    else if (dice < 0.9 && somewhere) scene.world.objects.delete('Node', somewhere.metadata.name, 'script');
    else if (somewhere) retaint(scene, somewhere, random);
    scene.pass(random.chance(0.5) ? random.between(0, 0.3) : random.between(1, 20));
    for (const each of scene.nodes()) expect(overfull(scene, each)).toEqual([]);
  }
  scene.rest();
  expect(broken).toEqual([]);
  return scene;
}

function retaint(scene: Stage, { metadata }: RawNode, random: Random): void {
  const taints = random.chance(0.5) ? [{ key: 'team', value: random.pick(teams), effect: 'NoSchedule' }] : undefined;
  scene.world.objects.write('Node', metadata.name, 'script', (it) => ({ ...it, spec: taints ? { taints } : {} }));
}

/** Worked out here, in the plainest way. */
function whyNot({ spec }: RawPod, { metadata, spec: place }: RawNode): string | undefined {
  const tier = spec?.nodeSelector?.tier;
  if (tier !== undefined && metadata.labels?.tier !== tier) return `wants ${tier}`;
  if (place?.unschedulable) return 'is cordoned';
  const bad = place?.taints?.find(
    ({ value }) => !spec?.tolerations?.some((own) => own.key === 'team' && own.value === value),
  );
  return bad && `does not tolerate ${bad.key}=${bad.value}`;
}

function taken(scene: Stage, name: string): Record<string, number> {
  const total: Record<string, number> = { cpu: 0, memory: 0, pods: 0 };
  for (const { spec } of scene.pods().filter((each) => each.spec?.nodeName === name)) {
    const own = parseResources(spec?.containers?.[0]?.resources?.requests);
    total.cpu = (total.cpu ?? 0) + (own.cpu ?? 0);
    total.memory = (total.memory ?? 0) + (own.memory ?? 0);
    total.pods = (total.pods ?? 0) + 1;
  }
  return total;
}

function overfull(scene: Stage, { metadata, status }: RawNode): string[] {
  const room = parseResources(status?.allocatable);
  const used = taken(scene, metadata.name);
  return Object.keys(used).filter((name) => (used[name] ?? 0) > (room[name] ?? 0));
}

const fits = (scene: Stage, { spec }: RawPod, { metadata, status }: RawNode): boolean => {
  const room = parseResources(status?.allocatable);
  const used = taken(scene, metadata.name);
  const own = { ...parseResources(spec?.containers?.[0]?.resources?.requests), pods: 1 };
  return Object.entries(own).every(([name, amount]) => (used[name] ?? 0) + amount <= (room[name] ?? 0));
};

describe('The scheduler', () => {
  it.each(Array.from({ length: 30 }, (_, seed) => seed))(
    'overfills no node, breaks no rule, and leaves no pod waiting that would fit (seed %i)',
    (seed) => {
      const scene = play(seed);
      const waiting = scene.pods().filter(({ spec }) => !spec?.nodeName);
      const helped = waiting.flatMap((each) =>
        scene.nodes().filter((place) => whyNot(each, place) === undefined && fits(scene, each, place)),
      );
      expect(helped).toEqual([]);
    },
  );

  it('binds many pods in these clusters, and leaves some waiting', () => {
    const all = Array.from({ length: 5 }, (_, seed) => play(seed).pods());
    expect(all.flat().filter(({ spec }) => spec?.nodeName).length).toBeGreaterThan(50);
    expect(all.flat().filter(({ spec }) => !spec?.nodeName).length).toBeGreaterThan(0);
  });
});
