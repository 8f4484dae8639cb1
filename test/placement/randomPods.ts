// Random workloads of a few pods each; all pods of one workload have the same spec.
import type { RawAffinity, RawPod, RawPodSpec } from '../../src/sim/actors/rawObjects.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import { namespaces } from './names.ts';
import { randomRoom, randomSelector, randomTerms, randomTolerations, withPorts } from './randomAsks.ts';
import type { Mood } from './randomNodes.ts';
import { type Asker, randomApart, randomLikes, randomNear, randomSpread } from './randomRules.ts';
import { claimFor, randomKind, type VolumeKind } from './randomVolumes.ts';

export interface Drawn {
  readonly pods: readonly RawPod[];
  /** What they mount. */
  readonly claims: readonly KubeObject[];
}

export interface Wanted {
  readonly pods: number;
  readonly nodes: readonly string[];
}

export function randomWorkloads({ pods: most, nodes }: Wanted, mood: Mood): Drawn {
  const { random } = mood;
  const apps = Array.from({ length: 3 + random.whole(6) }, (_, index) => `app-${index}`);
  const pods: RawPod[] = [];
  const claims: KubeObject[] = [];
  for (let round = 0; pods.length < most; round++) {
    const app = apps[round % apps.length] as string;
    const made = workload({ app, apps, nodes, random }, mood, round);
    const fitting = made.pods.slice(0, most - pods.length);
    pods.push(...fitting);
    claims.push(...made.claims);
  }
  return { pods, claims };
}

function workload(asker: Asker, mood: Mood, round: number): Drawn {
  const { app, random } = asker;
  const namespace = random.pick(Object.keys(namespaces));
  const spec = randomSpec(asker, mood);
  const name = `${app}-${round}`;
  const tier = random.pick(['front', 'back', undefined]);
  const kind = random.chance(mood.storm * 0.6) ? randomKind(random) : undefined;
  const isShared = random.chance(0.25);
  const claims: KubeObject[] = [];
  const replicas = 1 + random.whole(random.pick([3, 5, 9]));
  const pods = Array.from({ length: replicas }, (_, index): RawPod => {
    const hash = random.pick(['a1', 'a1', 'b2']);
    const claim = isShared ? `${name}-data` : `${name}-data-${index}`;
    if (kind && (!isShared || index === 0)) claims.push(...claimFor({ namespace, name: claim, kind }, mood));
    const labels = {
      app,
      'pod-template-hash': hash,
      ...(tier !== undefined && { tier }),
      ...(random.chance(0.5) && { tenant: random.pick(['x', 'y']) }),
    };
    return podObject({ name: `${name}-${index}`, namespace, labels, owner: name }, withVolume(spec, kind, claim));
  });
  return { pods, claims };
}

const withVolume = (spec: RawPodSpec, kind: VolumeKind | undefined, claimName: string): RawPodSpec =>
  kind === undefined ? spec : { ...spec, volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }] };

interface Named {
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly owner: string;
}

function podObject({ name, namespace, labels, owner }: Named, spec: RawPodSpec): RawPod {
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: `set-${owner}`, controller: true },
  ];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `pod-${namespace}-${name}`, labels, ownerReferences },
    spec: { ...spec, restartPolicy: 'Always', terminationGracePeriodSeconds: 0 },
    status: { phase: 'Pending' },
  };
}

function randomSpec(asker: Asker, { random, storm }: Mood): RawPodSpec {
  const often = storm;
  const room = randomRoom(random, often);
  const affinity = randomAffinity(asker, often);
  const spec: RawPodSpec = {
    ...room,
    ...(random.chance(often) && { tolerations: randomTolerations(random) }),
    ...(random.chance(often * 0.5) && { nodeSelector: randomSelector(random) }),
    ...(Object.keys(affinity).length > 0 && { affinity }),
    ...(random.chance(often) && { topologySpreadConstraints: randomSpread(asker) }),
    ...(random.chance(0.2) && { priority: random.whole(3) * 100 }),
  };
  return random.chance(often * 0.35) ? withPorts(spec, random) : spec;
}

function randomAffinity(asker: Asker, often: number): RawAffinity {
  const { random, nodes } = asker;
  const likes = random.chance(often * 0.6) ? randomLikes(asker) : {};
  const terms = random.chance(often * 0.6) ? randomTerms(random, nodes) : undefined;
  const near = random.chance(often * 0.35) ? randomNear(asker) : undefined;
  const apart = random.chance(often * 0.5) ? randomApart(asker) : undefined;
  return {
    ...likes,
    ...(terms && {
      nodeAffinity: {
        ...likes.nodeAffinity,
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms },
      },
    }),
    ...(near && { podAffinity: { ...likes.podAffinity, ...near } }),
    ...(apart && { podAntiAffinity: { ...likes.podAntiAffinity, ...apart } }),
  };
}
