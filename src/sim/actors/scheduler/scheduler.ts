// kube-scheduler: pending pods grouped by their needs, retried when a change may help them.

import type { Instant } from '../../../time/instant.ts';
import { isDeleting, type KubeObject, keyOf, type ObjectKey } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type ActorController, type ActorWrite, change, noWrites, type ReconcileResult } from '../actor.ts';
import { conditionOf, isDaemonPod, isTerminal, nodeNameOf, type RawPod, withConditions } from '../rawObjects.ts';
import { findNode, hasSpecialRules, isPlain } from './findNode.ts';
import { needsOf, type SimPodNeeds } from './needs.ts';
import { hasAntiAffinity } from './podAffinity.ts';
import { Rooms } from './rooms.ts';

class PendingPods {
  readonly #groups = new Map<SimPodNeeds, Map<ObjectKey, RawPod>>();
  readonly #needs = new Map<ObjectKey, SimPodNeeds>();
  readonly #toRetry = new Set<SimPodNeeds>();
  /** Groups with rules beyond room, labels and taints: any change may help them. */
  readonly #withSpecialRules = new Set<SimPodNeeds>();

  get hasWork(): boolean {
    return this.#toRetry.size > 0;
  }

  /** Returns whether the pod is newly pending. */
  set(pod: RawPod, isGone: boolean): boolean {
    const key = keyOf(pod);
    const known = this.#needs.get(key);
    const isWaiting = !isGone && nodeNameOf(pod) === undefined && !isDeleting(pod) && !isTerminal(pod);
    if (!isWaiting) {
      if (known) this.#drop(key, known);
      return false;
    }
    const needs = known ?? needsOf(pod);
    this.#needs.set(key, needs);
    const group = this.#groups.get(needs);
    if (group) group.set(key, pod);
    else this.#groups.set(needs, new Map([[key, pod]]));
    if (!known) this.#toRetry.add(needs);
    if (!known && hasSpecialRules(pod)) this.#withSpecialRules.add(needs);
    return !known;
  }

  /** Retries the groups that a change would help. */
  reconsider(wouldHelp: (needs: SimPodNeeds) => boolean): void {
    for (const needs of this.#groups.keys()) {
      if (!this.#toRetry.has(needs) && wouldHelp(needs)) this.#toRetry.add(needs);
    }
  }

  /** Retries the groups with special rules; returns whether there are any. */
  retrySpecial(): boolean {
    for (const needs of this.#withSpecialRules) this.#toRetry.add(needs);
    return this.#withSpecialRules.size > 0;
  }

  setUnschedulable(needs: SimPodNeeds): void {
    this.#toRetry.delete(needs);
  }

  /** The pods to try: by priority, then DaemonSet pods, which fit on one node only, then by age. */
  next(): RawPod[] {
    const pods = [...this.#toRetry].flatMap((needs) => [...(this.#groups.get(needs)?.values() ?? [])]);
    const age = ({ metadata }: RawPod): string => metadata.creationTimestamp ?? '';
    return pods.sort(
      (a, b) =>
        (b.spec?.priority ?? 0) - (a.spec?.priority ?? 0) ||
        Number(isDaemonPod(b)) - Number(isDaemonPod(a)) ||
        compare(age(a), age(b)) ||
        compare(a.metadata.uid ?? '', b.metadata.uid ?? ''),
    );
  }

  #drop(key: ObjectKey, needs: SimPodNeeds): void {
    this.#needs.delete(key);
    const group = this.#groups.get(needs);
    group?.delete(key);
    if (group?.size !== 0) return;
    this.#groups.delete(needs);
    this.#toRetry.delete(needs);
    this.#withSpecialRules.delete(needs);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const pass = ['pass'];
/** How long changes are batched, in seconds. */
const batchSeconds = 0.1;

/** Other kinds whose changes may help a pending pod. */
const otherKinds = [
  'Namespace',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
  'VolumeAttachment',
];

export function scheduler(world: World): ActorController {
  const rooms = new Rooms();
  const backlog = new PendingPods();
  let changedAt: Instant | undefined;
  const passIf = (isDue: boolean): readonly string[] => (isDue ? pass : []);
  const freed = (node: string): readonly string[] => {
    backlog.retrySpecial();
    backlog.reconsider((needs) => rooms.fitsOn(node, needs));
    return passIf(backlog.hasWork);
  };
  const retried = (): readonly string[] => passIf(backlog.retrySpecial());
  return {
    name: 'scheduler',
    wakes: {
      Node: ({ type, object }) => {
        const { name } = object.metadata;
        if (type === 'DELETED') {
          rooms.dropNode(name);
          return retried();
        }
        if (!rooms.setNode(object, world.clock.now)) return [];
        changedAt = world.clock.now;
        return freed(name);
      },
      Pod: ({ type, object, was }) => {
        const pod = object;
        const isGone = type === 'DELETED';
        const left = rooms.setPod(pod, isGone || isTerminal(pod) ? undefined : nodeNameOf(pod));
        const isNew = backlog.set(pod, isGone);
        // The pods it repelled may now fit on any node.
        if (left !== undefined && hasAntiAffinity(pod)) backlog.reconsider(() => true);
        if (left !== undefined) return freed(left);
        return isNew ? pass : passIf(affectsOthers(pod, was) && backlog.retrySpecial());
      },
      ...Object.fromEntries(otherKinds.map((kind) => [kind, retried])),
    },
    after: [batchSeconds, batchSeconds],
    reconcile: () => {
      if (!backlog.hasWork) return noWrites;
      // DaemonSet pods get a node that changed at this very instant first: other pods are retried later.
      const isEarly = changedAt === world.clock.now;
      const result = schedule(rooms, backlog, { now: world.clock.now, isEarly, objects: world.objects });
      return isEarly ? { ...result, again: batchSeconds } : result;
    },
  };
}

/** Whether the change matters to other pods: node, labels, or deletion. */
const affectsOthers = (pod: RawPod, was: KubeObject | undefined): boolean =>
  nodeNameOf(pod) !== undefined &&
  (!was || !nodeNameOf(was) || was.metadata.labels !== pod.metadata.labels || isDeleting(was) !== isDeleting(pod));

interface SchedulingPass {
  readonly now: Instant;
  readonly isEarly: boolean;
  readonly objects: World['objects'];
}

function schedule(rooms: Rooms, backlog: PendingPods, { now, isEarly, objects }: SchedulingPass): ReconcileResult {
  const writes: ActorWrite[] = [];
  /** Needs that no node meets, tried once per pass; and all needs with unplaced pods. */
  const unplaceable = new Set<SimPodNeeds>();
  const left = new Set<SimPodNeeds>();
  const search = { rooms, objects, before: now };
  for (const pod of backlog.next()) {
    const needs = needsOf(pod);
    const node = unplaceable.has(needs) ? undefined : findNode(pod, search);
    if (node === undefined) {
      left.add(needs);
      if (!unplaceable.has(needs) && (isPlain(pod, search) || rooms.find(needs, now) === undefined))
        unplaceable.add(needs);
      if (conditionOf(pod, 'PodScheduled')?.status !== 'False')
        writes.push(change('Pod', keyOf(pod), (it) => unschedulable(it, now)));
      continue;
    }
    // Reserve the room, so that the next pod of this pass does not get it too.
    rooms.setPod(pod, node);
    writes.push(change('Pod', keyOf(pod), (it) => bind(it, node, now)));
  }
  if (!isEarly) for (const needs of left) backlog.setUnschedulable(needs);
  return { writes };
}

function bind(pod: KubeObject, nodeName: string, at: Instant): KubeObject | undefined {
  if (nodeNameOf(pod) !== undefined || isDeleting(pod)) return undefined;
  const scheduled = { type: 'PodScheduled', status: 'True' };
  return withConditions({ ...pod, spec: { ...pod.spec, nodeName } }, at, [scheduled]);
}

const unschedulable = (pod: KubeObject, at: Instant): KubeObject =>
  withConditions(pod, at, [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: 'no node matches the pod and has room for it',
    },
  ]);
