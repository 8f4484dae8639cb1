// The life of pods on their nodes: start, readiness, termination, and what happens if the node fails or disappears.
import { parseDuration } from '../../time/duration.ts';
import { formatInstant, type Instant, second } from '../../time/instant.ts';
import { type KubeObject, keyAt, keyOf } from '../kubeObject.ts';
import type { World } from '../world.ts';
import { type ActorRow, type ActorWrite, change, type ObservedChange, type RowCondition, remove } from './actor.ts';
import { isKubeletAlive } from './cloud/launching.ts';
import {
  conditionOf,
  controllerReference,
  isTrue,
  nodeNameOf,
  type RawNode,
  type RawPod,
  type RawTaint,
  taintKey,
  tolerates,
  withConditions,
} from './rawObjects.ts';

/** Annotation: the pod completes after this time, such as a Job's: `30m`. */
const runsFor = 'sim.lull.dev/runs';
/** Annotation: the pod takes this long to stop, within its grace period: `5m`. */
const stopsIn = 'sim.lull.dev/stops';

const defaultGraceSeconds = 30;
const defaultTolerationSeconds = 300;

const bound: RowCondition = { has: 'spec.nodeName' };
const stays: RowCondition = { lacks: 'metadata.deletionTimestamp' };
const running: RowCondition = { at: 'status.phase', is: 'Running' };

/** A pod without a phase is Pending. */
const notYetRunning = ['Running', 'Succeeded', 'Failed'].map(
  (phase): RowCondition => ({ at: 'status.phase', isNot: phase }),
);

const nodeOf = (pod: KubeObject, { objects }: World): RawNode | undefined => objects.get('Node', nodeNameOf(pod) ?? '');

function isUp(pod: KubeObject, world: World): boolean {
  const node = nodeOf(pod, world);
  return node !== undefined && isTrue(node, 'Ready') && isKubeletAlive(node, world);
}

/** A dead kubelet stops no pods: they remain until the node is gone. */
function hasKubelet(pod: KubeObject, world: World): boolean {
  const node = nodeOf(pod, world);
  return node !== undefined && isKubeletAlive(node, world);
}

/** Whether the pod would become Ready. */
function canServe(pod: KubeObject, world: World): boolean {
  const node = nodeOf(pod, world);
  return node !== undefined && isTrue(node, 'Ready') && !crashes(pod, node, world);
}

function crashes(pod: KubeObject, node: KubeObject, world: World): boolean {
  const { faults } = world;
  if (faults.of('images', node.metadata.labels?.image ?? '') === 'pods') return true;
  return faults.has('workloads') && namesOf(pod, world).some((name) => faults.of('workloads', name) === 'crash');
}

/** The names of the pod, its controller, and the controllers above it. */
function namesOf(pod: KubeObject, { objects }: World): string[] {
  const { namespace, name } = pod.metadata;
  const names = [keyAt(namespace, name)];
  for (let owner = controllerReference(pod); owner; ) {
    names.push(`${namespace}/${owner.kind}/${owner.name}`);
    const above = objects.get(owner.kind, keyAt(namespace, owner.name));
    owner = above && controllerReference(above);
  }
  return names;
}

/** The pods of a node whose readiness or taints changed. */
const also = {
  Node: ({ type, object, was }: ObservedChange, { objects }: World): Iterable<KubeObject> => {
    const isSame =
      type === 'MODIFIED' &&
      was !== undefined &&
      conditionOf(was, 'Ready')?.status === conditionOf(object, 'Ready')?.status &&
      was.spec?.taints === object.spec?.taints;
    return isSame ? [] : objects.podsOn(object.metadata.name);
  },
};

export const podRows: readonly ActorRow[] = [
  {
    name: 'a pod starts',
    by: 'kubelet',
    kind: 'Pod',
    when: [bound, stays, ...notYetRunning, { so: 'its node is up', holds: isUp }],
    also,
    after: [2, 5],
    becomes: (pod, world) => [change('Pod', keyOf(pod), (it) => started(it, canServe(it, world), world.clock.now))],
  },
  {
    name: 'a pod serves again',
    by: 'kubelet',
    kind: 'Pod',
    when: [bound, stays, running, { condition: 'Ready', isNot: 'True' }, { so: 'it can', holds: canServe }],
    also,
    after: [2, 5],
    becomes: (pod, { clock }) => [setReady(pod, true, clock.now)],
  },
  {
    name: 'a pod serves no more',
    by: 'node-lifecycle',
    kind: 'Pod',
    when: [
      bound,
      running,
      { condition: 'Ready', is: 'True' },
      { so: 'it cannot', holds: (pod, world) => !canServe(pod, world) },
    ],
    also,
    after: [5, 5],
    becomes: (pod, { clock }) => [setReady(pod, false, clock.now)],
  },
  {
    name: 'a pod is done',
    by: 'kubelet',
    kind: 'Pod',
    when: [bound, stays, running, { annotated: runsFor }, { so: 'its node is up', holds: isUp }],
    also,
    after: ({ metadata }) => {
      const seconds = (parseDuration(metadata.annotations?.[runsFor] ?? '') ?? 0) / second;
      return [seconds, seconds];
    },
    becomes: (pod, { clock }) => [
      change('Pod', keyOf(pod), (it) =>
        withConditions(it, clock.now, readiness(false, 'PodCompleted'), { phase: 'Succeeded' }),
      ),
    ],
  },
  {
    name: 'a pod ends',
    by: 'kubelet',
    kind: 'Pod',
    when: [bound, { has: 'metadata.deletionTimestamp' }, { so: 'its kubelet hears of it', holds: hasKubelet }],
    restartsOn: 'metadata.deletionTimestamp',
    after: endsAfter,
    becomes: (pod) => [goneNow(pod)],
  },
  {
    name: 'a pod without a node is cleared away',
    by: 'pod-gc',
    kind: 'Pod',
    when: [bound, { so: 'its node is gone', holds: (pod, world) => nodeOf(pod, world) === undefined }],
    also: { Node: ({ type, object }, { objects }) => (type === 'DELETED' ? objects.podsOn(object.metadata.name) : []) },
    after: [1, 5],
    becomes: (pod) => [goneNow(pod)],
  },
  {
    name: 'a pod is sent away by a taint',
    by: 'taint-eviction',
    kind: 'Pod',
    when: [
      bound,
      stays,
      {
        so: 'its node has a taint that it bears only for a while',
        holds: (pod, world) => toleratedSeconds(pod, world) !== undefined,
      },
    ],
    also,
    after: (pod, world) => [toleratedSeconds(pod, world) ?? 0, toleratedSeconds(pod, world) ?? 0],
    becomes: (pod) => [remove('Pod', keyOf(pod))],
  },
];

const readiness = (isReady: boolean, reason?: string) =>
  ['Ready', 'ContainersReady'].map((type) => ({ type, status: isReady ? 'True' : 'False', ...(reason && { reason }) }));

const started = (pod: RawPod, isReady: boolean, at: Instant): RawPod =>
  withConditions(pod, at, [{ type: 'Initialized', status: 'True' }, ...readiness(isReady)], {
    phase: 'Running',
    startTime: formatInstant(at),
  });

const setReady = (pod: KubeObject, isReady: boolean, at: Instant): ActorWrite =>
  change('Pod', keyOf(pod), (it) => withConditions(it, at, readiness(isReady)));

const goneNow = (pod: KubeObject): ActorWrite =>
  remove('Pod', keyOf(pod), { graceSeconds: 0, ...(pod.metadata.uid !== undefined && { uid: pod.metadata.uid }) });

/** Most pods stop well within their grace period; an annotation can set the time. */
function endsAfter({ metadata, status }: RawPod): readonly [number, number] {
  const grace = metadata.deletionGracePeriodSeconds ?? defaultGraceSeconds;
  if (status?.phase !== 'Running') return [0, Math.min(grace, 1)];
  const own = parseDuration(metadata.annotations?.[stopsIn] ?? '');
  if (own !== undefined) return [Math.min(grace, own / second), Math.min(grace, own / second)];
  return [Math.min(grace, 1), Math.min(grace, 10)];
}

/** How many seconds a pod tolerates the NoExecute taints of its node; undefined: forever. */
function toleratedSeconds(pod: RawPod, world: World): number | undefined {
  const taints = nodeOf(pod, world)?.spec?.taints;
  if (!taints) return undefined;
  const times = taints.filter(({ effect }) => effect === 'NoExecute').map((taint) => secondsFor(taint, pod));
  const least = Math.min(...times);
  return Number.isFinite(least) ? least : undefined;
}

/** By default a pod tolerates a node that is not ready for five minutes. */
function secondsFor(taint: RawTaint, { spec }: RawPod): number {
  const own = spec?.tolerations?.filter((toleration) => tolerates(toleration, taint)) ?? [];
  if (own.length > 0) return Math.min(...own.map(({ tolerationSeconds }) => tolerationSeconds ?? Infinity));
  return taint.key === taintKey.notReady || taint.key === taintKey.unreachable ? defaultTolerationSeconds : 0;
}
