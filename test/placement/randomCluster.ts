// A random cluster for scheduling from a seed: bound pods that could have been scheduled there, and pending ones.
import type { RawNode, RawPod, RawPodSpec } from '../../src/sim/actors/rawObjects.ts';
import { feasibleIn } from '../../src/sim/actors/scheduler/feasible.ts';
import { viewOf } from '../../src/sim/actors/scheduler/schedulingView.ts';
import { isUnboundUntilScheduled } from '../../src/sim/actors/scheduler/volumeClaims.ts';
import { type KubeObject, keyOf } from '../../src/sim/kubeObject.ts';
import { Random } from '../../src/sim/random.ts';
import { featuresOf } from './features.ts';
import { namespaces } from './names.ts';
import { randomDaemons } from './randomDaemons.ts';
import { type Mood, randomCsiNode, randomMood, randomNode } from './randomNodes.ts';
import { randomWorkloads } from './randomPods.ts';
import { madeOn, storageClasses } from './randomVolumes.ts';

export interface RandomCluster {
  /** Namespaces, storage classes, nodes, volumes, claims, DaemonSets, pods. */
  readonly objects: readonly KubeObject[];
  /** The `features` that occur in it. */
  readonly features: readonly string[];
}

export interface Size {
  readonly nodes?: number;
  readonly pods?: number;
}

export function randomCluster(seed: number | string, size: Size = {}): RandomCluster {
  const random = new Random(`placement ${seed}`);
  const mood = randomMood(random.fork('mood'));
  const { nodes: count = 4 + random.whole(11), pods: most = 10 + random.whole(51) } = size;
  const names = Array.from({ length: count }, (_, index) => `node-${index}`);
  const nodes = names.map((name) => randomNode(name, mood)) as RawNode[];
  const { pods, claims } = randomWorkloads({ pods: most, nodes: names }, mood);
  const settled = settle(
    [
      ...Object.entries(namespaces).map(([name, labels]) => namespace(name, labels)),
      ...storageClasses,
      ...nodes,
      ...names.flatMap((name) => randomCsiNode(name, mood)),
      ...claims,
      ...randomDaemons(nodes, random.fork('daemons')),
    ],
    pods,
    mood,
  );
  return { objects: settled, features: featuresOf(settled) };
}

/** The API server sets this label on every namespace. */
const namespace = (name: string, labels: Readonly<Record<string, string>>): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels: { ...labels, 'kubernetes.io/metadata.name': name } },
});

/** The share of pods placed by capacity only, as after a change that their rules did not anticipate. */
const careless = 0.08;
const waiting = 0.12;
const mostWaiting = 8;

/** Each in turn is placed on some node that fits. Those that fit nowhere are pending, or left out. */
function settle(objects: readonly KubeObject[], pods: readonly RawPod[], { random }: Mood): KubeObject[] {
  const all = new Map(objects.map((object) => [`${object.kind}/${keyOf(object)}`, object]));
  let waits = 0;
  for (const pod of pods) {
    const isCareless = random.chance(careless);
    const { nodes } = feasibleIn(isCareless ? plain(pod) : pod, viewOf(all.values()));
    const [first] = nodes;
    if (first === undefined || random.chance(waiting)) {
      if (++waits <= mostWaiting) all.set(`Pod/${keyOf(pod)}`, pod);
      continue;
    }
    // Some nodes become full in this way, and others stay nearly empty.
    const node = random.chance(0.5) ? first : random.pick(nodes);
    for (const made of volumesMade(pod, node, { all, random })) all.set(`${made.kind}/${keyOf(made)}`, made);
    all.set(`Pod/${keyOf(pod)}`, boundTo(pod, node));
  }
  return [...all.values()];
}

/** Without its rules about other pods. Its volumes and ports stay: without them it could not run. */
function plain(pod: RawPod): RawPod {
  const { topologySpreadConstraints: _, affinity, ...spec } = pod.spec ?? {};
  const { nodeAffinity } = affinity ?? {};
  const kept: RawPodSpec = nodeAffinity ? { ...spec, affinity: { nodeAffinity } } : spec;
  return { ...pod, spec: kept };
}

interface Drawing {
  readonly all: ReadonlyMap<string, KubeObject>;
  readonly random: Random;
}

function volumesMade(pod: RawPod, node: string, { all, random }: Drawing): KubeObject[] {
  const around = viewOf(all.values());
  return (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
    const claim = all.get(`PersistentVolumeClaim/${pod.metadata.namespace}/${persistentVolumeClaim?.claimName}`);
    const there = all.get(`Node/${node}`);
    return claim && there && isUnboundUntilScheduled(claim, around) ? madeOn(there, claim, random) : [];
  });
}

const boundTo = (pod: RawPod, nodeName: string): RawPod => ({
  ...pod,
  spec: { ...pod.spec, nodeName },
  status: { phase: 'Running', startTime: '2026-11-16T00:00:00Z', conditions: [{ type: 'Ready', status: 'True' }] },
});
