// How does a DaemonSet come to every node? One pod for each that admits it, made for that node alone. Looked at by set and node.
import { isDeleting, type Key, type KubeObject, keyOf } from '../../kubeObject.ts';
import type { Changed } from '../../objects.ts';
import type { World } from '../../world.ts';
import { type Controller, nothing, type Settled } from '../controller.ts';
import { Grouped } from '../grouped.ts';
import {
  controllerOf,
  controllerReference,
  isDaemonPod,
  isTerminal,
  type Node,
  type Pod,
  type Workload,
} from '../manifest.ts';
import { create, remove, type Write } from '../write.ts';
import { admitsDaemon, daemonOf, nodeOfDaemon, revisionLabel } from './daemon.ts';
import { isServing, ownedPods, standing } from './ownedPods.ts';
import { hashOf } from './podOf.ts';

/** In seconds, between looks at a renewal. */
const renewalPause = 5;

/** By set and node; and by set alone, for its renewal. */
export function daemonSets(world: World): Controller {
  const random = world.random.fork('daemonset names');
  const ours = new Grouped(world.objects, 'Pod', (pod) =>
    isDaemonPod(pod) ? `${controllerOf(pod)} ${nodeOfDaemon(pod as Pod)}` : undefined,
  );
  const pairs = (sets: Iterable<KubeObject>, nodes: Iterable<KubeObject>): string[] => {
    const names = [...nodes].map(({ metadata }) => metadata.name);
    return [...sets].flatMap((set) => names.map((name) => `${keyOf(set)} ${name}`));
  };
  return {
    name: 'daemonset-controller',
    wakes: {
      DaemonSet: ({ object }) => [...pairs([object], world.objects.list('Node')), keyOf(object)],
      Node: (change) => (isAsBefore(change) ? [] : pairs(world.objects.list('DaemonSet'), [change.object])),
      Pod: ({ type, object }) => {
        const owner = controllerReference(object);
        if (owner?.kind !== 'DaemonSet' || (type === 'MODIFIED' && !isTerminal(object))) return [];
        return [`${object.metadata.namespace}/${owner.name} ${nodeOfDaemon(object)}`];
      },
    },
    // At once: what comes to every node is there before others fill it.
    after: [0, 0],
    settle: (key) => {
      const [setKey = '', node] = key.split(' ');
      if (node !== undefined) return { writes: keep({ key: setKey, node, ours }, world, () => random.next()) };
      const set = standing('DaemonSet', setKey, world);
      return set ? renew(set, world) : nothing;
    },
  };
}

function isAsBefore({ type, object, was }: Changed): boolean {
  const [a, b] = [object as Node, was as Node | undefined];
  return type === 'MODIFIED' && a.metadata.labels === b?.metadata.labels && a.spec === b?.spec;
}

interface Place {
  readonly key: Key;
  readonly node: string;
  /** The pods of all sets, by set and node. */
  readonly ours: Grouped;
}

function keep({ key, node: name, ours }: Place, world: World, draw: () => number): Write[] {
  const set = standing('DaemonSet', key, world);
  if (!set) return [];
  const node = world.objects.get('Node', name) as Node | undefined;
  const pods = [...ours.of(`${set.metadata.uid} ${name}`).values()] as Pod[];
  const staying = pods.filter((pod) => !isDeleting(pod));
  const template = set.spec?.template ?? {};
  if (!node || !admitsDaemon(node, template, 'stay')) return staying.map(goes);
  if (pods.length === 0) return admitsDaemon(node, template, 'start') ? [create(daemonOf(set, node, world, draw))] : [];
  const [failed, active] = [staying.filter(isTerminal), staying.filter((pod) => !isTerminal(pod))];
  return [...failed, ...active.slice(1)].map(goes);
}

const goes = (pod: Pod): Write => remove('Pod', keyOf(pod));

/** A new template comes to one node after another. */
function renew(set: Workload, world: World): Settled {
  const pods = ownedPods(set, world);
  const hash = hashOf(set.spec?.template ?? {});
  const old = pods.filter((pod) => !isDeleting(pod) && pod.metadata.labels?.[revisionLabel] !== hash);
  const [first] = old;
  if (!first) return nothing;
  return { writes: pods.every(isServing) ? [goes(first)] : [], again: renewalPause };
}
