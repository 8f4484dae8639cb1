// What becomes of a pod on its node? It starts, serves, ends; and what happens to it where the node is silent or gone.
import { parseDuration } from '../../../time/duration.ts';
import { formatInstant, type Instant, second } from '../../../time/instant.ts';
import { type KubeObject, keyAt, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { kubeletLives } from '../cloud/launching.ts';
import type { Condition } from '../condition.ts';
import { controllerReference, type Node, nodeNameOf, type Pod, type Taint } from '../manifest.ts';
import { conditionOf, isTrue, withConditions } from '../status.ts';
import type { Row, Seen } from '../table.ts';
import { taintKey, tolerates } from '../taints.ts';
import { change, remove, type Write } from '../write.ts';

/** A pod that is done after so long, such as a Job's: `30m`. */
const runsFor = 'sim.lull.dev/runs';
/** A pod that takes so long to end, if its grace allows: `5m`. */
const stopsIn = 'sim.lull.dev/stops';

const defaultGraceSeconds = 30;
const defaultTolerationSeconds = 300;

const bound: Condition = { has: 'spec.nodeName' };
const stays: Condition = { lacks: 'metadata.deletionTimestamp' };
const running: Condition = { at: 'status.phase', is: 'Running' };

/** A pod that says nothing of its phase is Pending. */
const notYetRunning = ['Running', 'Succeeded', 'Failed'].map(
  (phase): Condition => ({ at: 'status.phase', isNot: phase }),
);

const nodeOf = (pod: KubeObject, { objects }: World): Node | undefined => objects.get('Node', nodeNameOf(pod) ?? '');

function isUp(pod: KubeObject, world: World): boolean {
  const node = nodeOf(pod, world);
  return node !== undefined && isTrue(node, 'Ready') && kubeletLives(node, world);
}

/** A silent kubelet ends nothing: such a pod stays until its node is gone. */
function isHeard(pod: KubeObject, world: World): boolean {
  const node = nodeOf(pod, world);
  return node !== undefined && kubeletLives(node, world);
}

/** Whether it would answer, if it ran. */
function canServe(pod: KubeObject, world: World): boolean {
  const node = nodeOf(pod, world);
  return node !== undefined && isTrue(node, 'Ready') && !crashes(pod, node, world);
}

function crashes(pod: KubeObject, node: KubeObject, world: World): boolean {
  const { conditions } = world;
  if (conditions.of('images', node.metadata.labels?.image ?? '') === 'pods') return true;
  return (
    conditions.has('workloads') && namesOf(pod, world).some((name) => conditions.of('workloads', name) === 'crash')
  );
}

/** Its own name, its controller's, and whoever is above that. */
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

/** The pods of a node that got ready, or no longer is, or has other taints. */
const also = {
  Node: ({ type, object, was }: Seen, { objects }: World): Iterable<KubeObject> => {
    const isSame =
      type === 'MODIFIED' &&
      was !== undefined &&
      conditionOf(was, 'Ready')?.status === conditionOf(object, 'Ready')?.status &&
      (was as Node).spec?.taints === (object as Node).spec?.taints;
    return isSame ? [] : objects.podsOn(object.metadata.name);
  },
};

export const podRows: readonly Row[] = [
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
    when: [bound, { has: 'metadata.deletionTimestamp' }, { so: 'its kubelet hears of it', holds: isHeard }],
    anew: 'metadata.deletionTimestamp',
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
        holds: (pod, world) => bearsFor(pod, world) !== undefined,
      },
    ],
    also,
    after: (pod, world) => [bearsFor(pod, world) ?? 0, bearsFor(pod, world) ?? 0],
    becomes: (pod) => [remove('Pod', keyOf(pod))],
  },
];

const readiness = (isReady: boolean, reason?: string) =>
  ['Ready', 'ContainersReady'].map((type) => ({ type, status: isReady ? 'True' : 'False', ...(reason && { reason }) }));

const started = (pod: Pod, isReady: boolean, at: Instant): Pod =>
  withConditions(pod, at, [{ type: 'Initialized', status: 'True' }, ...readiness(isReady)], {
    phase: 'Running',
    startTime: formatInstant(at),
  });

const setReady = (pod: KubeObject, isReady: boolean, at: Instant): Write =>
  change('Pod', keyOf(pod), (it) => withConditions(it, at, readiness(isReady)));

const goneNow = (pod: KubeObject): Write =>
  remove('Pod', keyOf(pod), { graceSeconds: 0, ...(pod.metadata.uid !== undefined && { uid: pod.metadata.uid }) });

/** Most pods end long before they must; some say how long they take. */
function endsAfter({ metadata, status }: Pod): readonly [number, number] {
  const grace = metadata.deletionGracePeriodSeconds ?? defaultGraceSeconds;
  if (status?.phase !== 'Running') return [0, Math.min(grace, 1)];
  const own = parseDuration(metadata.annotations?.[stopsIn] ?? '');
  if (own !== undefined) return [Math.min(grace, own / second), Math.min(grace, own / second)];
  return [Math.min(grace, 1), Math.min(grace, 10)];
}

/** In seconds: how long a pod bears the NoExecute taints of its node; undefined = for ever. */
function bearsFor(pod: Pod, world: World): number | undefined {
  const taints = nodeOf(pod, world)?.spec?.taints;
  if (!taints) return undefined;
  const times = taints.filter(({ effect }) => effect === 'NoExecute').map((taint) => patienceWith(taint, pod));
  const least = Math.min(...times);
  return Number.isFinite(least) ? least : undefined;
}

/** Kubernetes gives every pod some minutes of patience with nodes that are not ready. */
function patienceWith(taint: Taint, { spec }: Pod): number {
  const own = spec?.tolerations?.filter((toleration) => tolerates(toleration, taint)) ?? [];
  if (own.length > 0) return Math.min(...own.map(({ tolerationSeconds }) => tolerationSeconds ?? Infinity));
  return taint.key === taintKey.notReady || taint.key === taintKey.unreachable ? defaultTolerationSeconds : 0;
}
