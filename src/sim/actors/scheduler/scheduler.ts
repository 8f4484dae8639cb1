// Where does a pod go that is nowhere yet? To the most allocated node that admits it and has the room: kube-scheduler, set to pack.
import type { Instant } from '../../../time/instant.ts';
import { isDeleting, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing, type Settled } from '../controller.ts';
import { isTerminal, type Node, nodeNameOf, type Pod } from '../manifest.ts';
import { conditionOf, withConditions } from '../status.ts';
import { change, type Write } from '../write.ts';
import { Backlog } from './backlog.ts';
import { type Needs, needsOf } from './needs.ts';
import { Rooms } from './rooms.ts';

const pass = ['pass'];
/** Changes are gathered for so long, in seconds. */
const gather = 0.1;

export function scheduler(world: World): Controller {
  const rooms = new Rooms();
  const backlog = new Backlog();
  let changedAt: Instant | undefined;
  const freed = (node: string): readonly string[] => {
    backlog.reconsider((needs) => rooms.fitsOn(node, needs));
    return backlog.isHopeful ? pass : [];
  };
  return {
    name: 'scheduler',
    wakes: {
      Node: ({ type, object }) => {
        const { name } = object.metadata;
        if (type === 'DELETED') rooms.dropNode(name);
        else if (rooms.setNode(object as Node, world.clock.now)) {
          changedAt = world.clock.now;
          return freed(name);
        }
        return [];
      },
      Pod: ({ type, object }) => {
        const pod = object as Pod;
        const isGone = type === 'DELETED';
        const left = rooms.setPod(pod, isGone || isTerminal(pod) ? undefined : nodeNameOf(pod));
        const isNew = backlog.set(pod, isGone);
        return left === undefined ? (isNew ? pass : []) : freed(left);
      },
    },
    after: [gather, gather],
    settle: () => {
      if (!backlog.isHopeful) return nothing;
      // A node that has changed in this very moment is known to its daemons first: everyone else looks again.
      const isEarly = changedAt === world.clock.now;
      const settled = schedule(rooms, backlog, { now: world.clock.now, isEarly });
      return isEarly ? { ...settled, again: gather } : settled;
    },
  };
}

interface Moment {
  readonly now: Instant;
  readonly isEarly: boolean;
}

function schedule(rooms: Rooms, backlog: Backlog, { now, isEarly }: Moment): Settled {
  const writes: Write[] = [];
  const hopeless = new Set<Needs>();
  for (const pod of backlog.next()) {
    const needs = needsOf(pod);
    const node = hopeless.has(needs) ? undefined : rooms.find(needs, now);
    if (node === undefined) {
      hopeless.add(needs);
      if (conditionOf(pod, 'PodScheduled')?.status !== 'False')
        writes.push(change('Pod', keyOf(pod), (it) => unschedulable(it, now)));
      continue;
    }
    // Taken at once, so that the next one of this pass does not take it too.
    rooms.setPod(pod, node);
    writes.push(change('Pod', keyOf(pod), (it) => bind(it, node, now)));
  }
  if (!isEarly) for (const needs of hopeless) backlog.giveUp(needs);
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
