// Termination of nodes: Karpenter's drain in four tiers, which respects PDBs until the deadline, and the instance's end.
import { annotation, taint } from '../../../cluster/names.ts';
import { parseDuration } from '../../../time/duration.ts';
import { after, asDuration, formatInstant, type Instant, parseInstant, second } from '../../../time/instant.ts';
import { isDeleting, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import {
  type ActorController,
  type ActorRow,
  type ActorWrite,
  change,
  noWrites,
  type ReconcileResult,
  type RowCondition,
  remove,
} from '../actor.ts';
import {
  addTaints,
  controllerReference,
  isDaemonPod,
  isTerminal,
  isTolerated,
  isTrue,
  nodeNameOf,
  type RawClaim,
  type RawNode,
  type RawPod,
  withConditions,
} from '../rawObjects.ts';
import { isInstanceGone } from './failing.ts';
import { claimOfNode } from './launching.ts';
import { terminationFinalizer, yes } from './machineObjects.ts';

const disrupted = { key: taint.karpenterDisrupted, effect: 'NoSchedule' };
const defaultGraceSeconds = 30;
/** The drain ignores a pod this long after its deletion should have finished. */
const stuckAfter = asDuration(60 * second);

/** The pods the drain waits for. */
const waitedFor = (pods: Iterable<RawPod>, now: Instant): RawPod[] =>
  [...pods].filter(
    (pod) =>
      !isTerminal(pod) &&
      !isTolerated(disrupted, pod.spec?.tolerations) &&
      controllerReference(pod)?.kind !== 'Node' &&
      !isStuck(pod, now),
  );

function isStuck({ metadata }: RawPod, now: Instant): boolean {
  if (metadata.deletionTimestamp === undefined) return false;
  const endsAt = parseInstant(metadata.deletionTimestamp);
  return endsAt !== undefined && now > after(endsAt, stuckAfter);
}

/** The evictions and deletions to send now. A tier starts when the previous one is gone. */
function drainWrites(waiting: readonly RawPod[], now: Instant, deadline: Instant | undefined): ActorWrite[] {
  const forced = deadline === undefined ? [] : waiting.filter((pod) => isForced(pod, now, deadline));
  const rest = waiting.filter((pod) => !forced.includes(pod));
  const first = Math.min(...rest.map(tierOf));
  const evicted = rest.filter((pod) => tierOf(pod) === first && !isDeleting(pod) && !optsOut(pod, now));
  return [
    ...forced.map((pod) => forceDelete(pod, now, deadline ?? now)),
    ...evicted.map((pod): ActorWrite => ({ verb: 'evict', key: keyOf(pod), ...uidOf(pod) })),
  ];
}

function forceDelete(pod: RawPod, now: Instant, deadline: Instant): ActorWrite {
  const graceSeconds = Math.max(1, Math.floor((deadline - now) / second));
  return remove('Pod', keyOf(pod), { ...uidOf(pod), graceSeconds });
}

const uidOf = ({ metadata: { uid } }: RawPod) => (uid === undefined ? {} : { uid });

/** Whether a pod must be deleted now to finish its grace period before the deadline. */
function isForced({ metadata, spec }: RawPod, now: Instant, deadline: Instant): boolean {
  const endsAt = parseInstant(metadata.deletionTimestamp ?? '');
  if (endsAt !== undefined) return endsAt > deadline;
  const grace = spec?.terminationGracePeriodSeconds ?? defaultGraceSeconds;
  return now > after(deadline, asDuration(-grace * second));
}

const critical = ['system-cluster-critical', 'system-node-critical'];

const tierOf = (pod: RawPod): number =>
  (critical.includes(pod.spec?.priorityClassName ?? '') ? 2 : 0) + (isDaemonPod(pod) ? 1 : 0);

export function optsOut({ metadata, status }: RawPod, now: Instant): boolean {
  const text = metadata.annotations?.[annotation.doNotDisrupt];
  if (text === undefined || text === 'true') return text === 'true';
  const length = parseDuration(text);
  if (length === undefined || length <= 0) return false;
  const startedAt = parseInstant(status?.startTime ?? '');
  return startedAt === undefined || now < after(startedAt, length);
}

const deadlineKey = 'karpenter.sh/nodeclaim-termination-timestamp';
const isDeleted: RowCondition = { has: 'metadata.deletionTimestamp' };

/** The minimum duration of a drain, in seconds. */
const shortestDrain = 5;
/** The interval between two looks at a drain, in seconds; it grows with the drain's duration. */
const [soonest, latest] = [1, 10];

const nodeOfClaim = (claim: RawClaim, { objects }: World): KubeObject | undefined =>
  objects.get('Node', claim.status?.nodeName ?? '');

export const terminationRows: readonly ActorRow[] = [
  {
    name: 'a claim takes its node along',
    by: 'karpenter',
    kind: 'NodeClaim',
    when: [
      isDeleted,
      { so: 'its node stays', holds: (claim, world) => isDeleting(nodeOfClaim(claim, world) ?? claim) === false },
    ],
    after: [0.1, 0.5],
    becomes: (claim, world) => [...setDeadline(claim), remove('Node', nodeOfClaim(claim, world)?.metadata.name ?? '')],
  },
  {
    name: 'a node takes its claim along',
    by: 'karpenter',
    kind: 'Node',
    when: [
      isDeleted,
      { so: 'its claim stays', holds: (node, world) => isDeleting(claimOfNode(node, world) ?? node) === false },
    ],
    after: [0.1, 0.5],
    becomes: (node, world) => {
      const claim = claimOfNode(node, world);
      return claim ? [remove('NodeClaim', claim.metadata.name)] : [];
    },
  },
  {
    name: 'a drained machine is given back',
    by: 'cloud',
    kind: 'NodeClaim',
    when: [isDeleted, { condition: 'InstanceTerminating', is: 'True' }],
    after: [5, 15],
    becomes: (claim, world) => [
      ...removeFinalizer('Node', nodeOfClaim(claim, world)),
      ...removeFinalizer('NodeClaim', claim),
    ],
  },
  {
    name: 'a claim without a node goes',
    by: 'cloud',
    kind: 'NodeClaim',
    when: [
      isDeleted,
      { condition: 'InstanceTerminating', isNot: 'True' },
      { so: 'it has no node', holds: (claim, world) => nodeOfClaim(claim, world) === undefined },
    ],
    also: {
      Node: ({ type, object }, { claimsByNode }) =>
        type === 'DELETED' ? claimsByNode.of(object.metadata.name).values() : [],
    },
    after: (claim) => (nodeNameOf(claim) === undefined ? [5, 15] : [0.1, 0.5]),
    becomes: (claim) => removeFinalizer('NodeClaim', claim),
  },
];

/** Annotates a deleted claim that has a terminationGracePeriod with its deadline (H1). */
function setDeadline({ metadata, spec }: RawClaim): ActorWrite[] {
  const grace = parseDuration(spec?.terminationGracePeriod ?? '');
  const since = parseInstant(metadata.deletionTimestamp ?? '');
  if (grace === undefined || since === undefined || metadata.annotations?.[deadlineKey] !== undefined) return [];
  const deadline = formatInstant(after(since, grace));
  return [
    change('NodeClaim', metadata.name, (claim) => ({
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, [deadlineKey]: deadline } },
    })),
  ];
}

const removeFinalizer = (kind: string, object: KubeObject | undefined): ActorWrite[] =>
  object
    ? [
        change(kind, object.metadata.name, (it) => ({
          ...it,
          metadata: {
            ...it.metadata,
            finalizers: it.metadata.finalizers?.filter((name) => name !== terminationFinalizer) ?? [],
          },
        })),
      ]
    : [];

/** Drains nodes that are being deleted; keys are node names. */
export function terminator(world: World): ActorController {
  const leaving = new Set<string>();
  return {
    name: 'karpenter-terminator',
    wakes: {
      Node: ({ type, object }) => {
        const { name } = object.metadata;
        const isLeaving = type !== 'DELETED' && isDeleting(object);
        if (isLeaving) leaving.add(name);
        else leaving.delete(name);
        return isLeaving ? [name] : [];
      },
      Pod: ({ object }) => {
        const name = nodeNameOf(object);
        return name !== undefined && leaving.has(name) ? [name] : [];
      },
    },
    after: [0.1, 0.5],
    reconcile: (name) => {
      const node = world.objects.get('Node', name);
      return node && isDeleting(node) ? drain(node, world) : noWrites;
    },
  };
}

function drain(node: RawNode, world: World): ReconcileResult {
  const { now } = world.clock;
  const claim = claimOfNode(node, world);
  if (!claim) return { writes: removeFinalizer('Node', node) };
  if (isTrue(claim, 'InstanceTerminating')) return noWrites;
  if (isInstanceGone(claim, world))
    return { writes: [...removeFinalizer('Node', node), ...removeFinalizer('NodeClaim', claim)] };
  const since = parseInstant(node.metadata.deletionTimestamp ?? '') ?? now;
  const waited = (now - since) / second;
  const again = Math.min(latest, Math.max(soonest, Math.floor(waited / 10)));
  const waiting = waitedFor(world.objects.podsOn(node.metadata.name), now);
  if (waiting.length > 0) {
    const writes = [mark(node), ...drainWrites(waiting, now, deadlineOf(claim))];
    return { writes, again };
  }
  if (waited < shortestDrain) return { writes: [mark(node)], again: soonest };
  const changes = [yes('Drained'), yes('InstanceTerminating')];
  return { writes: [change('NodeClaim', claim.metadata.name, (it) => withConditions(it, now, changes))] };
}

/** Taints the node so that no new pods are scheduled on it. */
const mark = ({ metadata }: RawNode): ActorWrite =>
  change('Node', metadata.name, (node) => addTaints(node, [{ key: taint.karpenterDisrupted, effect: 'NoSchedule' }]));

const deadlineOf = ({ metadata }: RawClaim): Instant | undefined =>
  parseInstant(metadata.annotations?.[deadlineKey] ?? '');
