// The board against the simulated scheduler on random clusters.
import { describe, expect, it } from 'vitest';
import { runController } from '../../src/sim/actors/actor.ts';
import type { RawPod } from '../../src/sim/actors/rawObjects.ts';
import { feasibleNodes } from '../../src/sim/actors/scheduler/feasible.ts';
import { scheduler } from '../../src/sim/actors/scheduler/scheduler.ts';
import { type KubeObject, keyOf } from '../../src/sim/kubeObject.ts';
import { Random } from '../../src/sim/random.ts';
import { type Stage, stage } from '../sim/actorStage.ts';
import { randomCluster } from './randomCluster.ts';

const kinds = [
  'Namespace',
  'StorageClass',
  'Node',
  'CSINode',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'DaemonSet',
  'Pod',
];

const all = (scene: Stage): KubeObject[] => kinds.flatMap((kind) => [...scene.world.objects.list(kind)]);

interface Played {
  readonly broken: readonly string[];
  readonly bound: number;
  readonly waiting: number;
}

/** A third of the pods of a random cluster are scheduled again, while nodes are added, removed and cordoned. */
function play(seed: number): Played {
  const random = new Random(`play ${seed}`);
  const scene = stage({ seed, actors: (world) => runController(world, scheduler(world)) });
  const broken: string[] = [];
  let bound = 0;
  scene.world.objects.onChange(({ object, was, by }) => {
    if (by !== 'scheduler' || !object.spec?.nodeName || was?.spec?.nodeName) return;
    bound++;
    const node = object.spec.nodeName as string;
    const { nodeName: _, ...spec } = object.spec;
    const { nodes, keptOff } = feasibleNodes({ ...object, spec }, all(scene));
    if (!nodes.includes(node)) broken.push(`${keyOf(object)} went to ${node}: ${keptOff.get(node)}`);
  });
  scene.add(...randomCluster(seed).objects.map((object) => (random.chance(0.35) ? unbound(object) : object)));
  for (let round = 0; round < 12; round++) {
    scene.pass(random.between(0.05, 2));
    change(scene, random, `come-${round}`);
  }
  scene.rest();
  const left = (scene.pods() as RawPod[]).filter(({ spec }) => !spec?.nodeName);
  for (const pod of left) {
    const { nodes } = feasibleNodes(pod, all(scene));
    if (nodes.length > 0) broken.push(`${keyOf(pod)} waits, and could go to ${nodes}`);
  }
  return { broken, bound, waiting: left.length };
}

function unbound(object: KubeObject): KubeObject {
  if (object.kind !== 'Pod') return object;
  const { nodeName: _, ...spec } = object.spec ?? {};
  return { ...object, spec, status: { phase: 'Pending' } };
}

function change(scene: Stage, random: Random, newName: string): void {
  const { objects } = scene.world;
  const dice = random.next();
  const pods = scene.pods();
  const nodes = scene.nodes();
  const [pod, node] = [pods[random.whole(pods.length)], nodes[random.whole(nodes.length)]];
  if (dice < 0.5 && pod) objects.delete('Pod', keyOf(pod), 'script', { graceSeconds: 0 });
  else if (dice < 0.6 && pod) objects.delete('Pod', keyOf(pod), 'script');
  else if (dice < 0.8 && node)
    objects.write('Node', node.metadata.name, 'script', (it) => ({
      ...it,
      spec: { ...it.spec, unschedulable: !it.spec?.unschedulable },
    }));
  else if (dice < 0.9 && node) objects.delete('Node', node.metadata.name, 'script');
  else if (node) scene.add({ ...node, metadata: { name: newName, labels: node.metadata.labels ?? {} } });
}

describe("F6: The simulator's scheduler", () => {
  const played = Array.from({ length: 60 }, (_, seed) => play(seed));

  it.each(played.map(({ broken }, seed) => ({ seed, broken })))(
    'binds no pod against a rule, and leaves no pod pending that fits (seed $seed)',
    ({ broken }) => {
      expect(broken).toEqual([]);
    },
  );

  it('binds pods in those', () => {
    expect(played.reduce((sum, { bound }) => sum + bound, 0)).toBeGreaterThan(200);
    expect(played.reduce((sum, { waiting }) => sum + waiting, 0)).toBeGreaterThan(50);
  });
});
