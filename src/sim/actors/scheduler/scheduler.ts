// Where does a pod go that is nowhere yet? To the most allocated node that would take it: kube-scheduler, set to pack.
import type { Instant } from '../../../time/instant.ts';
import { isDeleting, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing, type Settled } from '../controller.ts';
import { isTerminal, type Node, nodeNameOf, type Pod } from '../manifest.ts';
import { conditionOf, withConditions } from '../status.ts';
import { change, type Write } from '../write.ts';
import { Backlog } from './backlog.ts';
import { findNode, isPlain } from './findNode.ts';
import { isGuard } from './guards.ts';
import { type Needs, needsOf } from './needs.ts';
import { Rooms } from './rooms.ts';

const pass = ['pass'];
/** Changes are gathered for so long, in seconds. */
const gather = 0.1;

/** What else a pod may wait for. */
const besides = [
  'Namespace',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
  'VolumeAttachment',
];

export function scheduler(world: World): Controller {
  const rooms = new Rooms();
  const backlog = new Backlog();
  let changedAt: Instant | undefined;
  const passIf = (isDue: boolean): readonly string[] => (isDue ? pass : []);
  const freed = (node: string): readonly string[] => {
    backlog.stir();
    backlog.reconsider((needs) => rooms.fitsOn(node, needs));
    return passIf(backlog.isHopeful);
  };
  const stirred = (): readonly string[] => passIf(backlog.stir());
  return {
    name: 'scheduler',
    wakes: {
      Node: ({ type, object }) => {
        const { name } = object.metadata;
        if (type === 'DELETED') {
          rooms.dropNode(name);
          return stirred();
        }
        if (!rooms.setNode(object as Node, world.clock.now)) return [];
        changedAt = world.clock.now;
        return freed(name);
      },
      Pod: ({ type, object, was }) => {
        const pod = object as Pod;
        const isGone = type === 'DELETED';
        const left = rooms.setPod(pod, isGone || isTerminal(pod) ? undefined : nodeNameOf(pod));
        const isNew = backlog.set(pod, isGone);
        // Whom it kept away may be anywhere.
        if (left !== undefined && isGuard(pod)) backlog.reconsider(() => true);
        if (left !== undefined) return freed(left);
        return isNew ? pass : passIf(isAnother(pod, was) && backlog.stir());
      },
      ...Object.fromEntries(besides.map((kind) => [kind, stirred])),
    },
    after: [gather, gather],
    settle: () => {
      if (!backlog.isHopeful) return nothing;
      // A node that has changed in this very moment is known to its daemons first: everyone else looks again.
      const isEarly = changedAt === world.clock.now;
      const settled = schedule(rooms, backlog, { now: world.clock.now, isEarly, objects: world.objects });
      return isEarly ? { ...settled, again: gather } : settled;
    },
  };
}

/** To others: where it is, what it is called, whether it is about to go. */
const isAnother = (pod: Pod, was: KubeObject | undefined): boolean =>
  nodeNameOf(pod) !== undefined &&
  (!was || !nodeNameOf(was) || was.metadata.labels !== pod.metadata.labels || isDeleting(was) !== isDeleting(pod));

interface Moment {
  readonly now: Instant;
  readonly isEarly: boolean;
  readonly objects: World['objects'];
}

function schedule(rooms: Rooms, backlog: Backlog, { now, isEarly, objects }: Moment): Settled {
  const writes: Write[] = [];
  /** What is asked for room alone is asked once; and all whose pods are left over. */
  const hopeless = new Set<Needs>();
  const left = new Set<Needs>();
  const search = { rooms, objects, before: now };
  for (const pod of backlog.next()) {
    const needs = needsOf(pod);
    const node = hopeless.has(needs) ? undefined : findNode(pod, search);
    if (node === undefined) {
      left.add(needs);
      if (!hopeless.has(needs) && (isPlain(pod, search) || rooms.find(needs, now) === undefined)) hopeless.add(needs);
      if (conditionOf(pod, 'PodScheduled')?.status !== 'False')
        writes.push(change('Pod', keyOf(pod), (it) => unschedulable(it, now)));
      continue;
    }
    // Taken at once, so that the next one of this pass does not take it too.
    rooms.setPod(pod, node);
    writes.push(change('Pod', keyOf(pod), (it) => bind(it, node, now)));
  }
  if (!isEarly) for (const needs of left) backlog.giveUp(needs);
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
      message: 'no node that would take it has room for it',
    },
  ]);
