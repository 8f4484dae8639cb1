// The DaemonSet controller: one pod on each node that admits it, replaced one by one when the template changes.

import { isDeleting, type KubeObject, keyOf, type ObjectKey } from '../../kubeObject.ts';
import type { ObjectChange } from '../../objects.ts';
import { Grouped, type World } from '../../world.ts';
import { type ActorController, type ActorWrite, create, noWrites, type ReconcileResult, remove } from '../actor.ts';
import {
  controllerOf,
  controllerReference,
  isDaemonPod,
  isTerminal,
  isTolerated,
  nodeNameOf,
  type RawAffinity,
  type RawNode,
  type RawPod,
  type RawPodSpec,
  type RawPodTemplate,
  type RawToleration,
  type RawWorkload,
  repelsPods,
  taintKey,
  taintsOf,
} from '../rawObjects.ts';
import { cordon, selects } from '../scheduler/schedulingView.ts';
import { freshName, hashOf, isServing, ownedPods, podOf, workloadAt } from './ownedPods.ts';

const revisionLabel = 'controller-revision-hash';

/** The tolerations Kubernetes adds to every DaemonSet pod. No disruption taint is among them. */
const daemonTolerations: readonly RawToleration[] = [
  { key: taintKey.notReady, operator: 'Exists', effect: 'NoExecute' },
  { key: taintKey.unreachable, operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

/** The pod's node, or the node it was created for. */
function nodeOfDaemon(pod: RawPod): string | undefined {
  const [term] =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return nodeNameOf(pod) ?? term?.matchFields?.[0]?.values?.[0];
}

/** A NoSchedule taint keeps new pods off, but existing ones stay. */
export function admitsDaemon(
  node: Pick<RawNode, 'metadata' | 'spec'>,
  template: RawPodTemplate,
  to: 'start' | 'stay',
): boolean {
  const { nodeSelector: selector = {}, affinity, tolerations = [] } = template.spec ?? {};
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const { name, labels = {} } = node.metadata;
  if (!selects({ selector, ...(terms && { terms }) }, { name, labels })) return false;
  const taints = node.spec?.unschedulable ? [...taintsOf(node), cordon] : taintsOf(node);
  return taints.every(
    (taint) =>
      (to === 'stay' ? taint.effect !== 'NoExecute' : !repelsPods(taint)) ||
      isTolerated(taint, [...tolerations, ...daemonTolerations]),
  );
}

function daemonOf(set: RawWorkload, node: RawNode, world: World, draw: () => number): RawPod {
  const template = set.spec?.template ?? {};
  const { name: prefix, namespace = 'default' } = set.metadata;
  const spec: RawPodSpec = {
    affinity: onlyOn(node.metadata.name, template.spec?.affinity),
    tolerations: tolerationsOf(template),
  };
  const name = freshName({ kind: 'Pod', prefix, namespace }, world, draw);
  return podOf({ name, owner: set, template, labels: { [revisionLabel]: hashOf(template) }, spec }, world);
}

const known = new WeakMap<RawPodTemplate, readonly RawToleration[]>();

/** One list for all pods of a template. */
function tolerationsOf(template: RawPodTemplate): readonly RawToleration[] {
  const list = known.get(template) ?? [...(template.spec?.tolerations ?? []), ...daemonTolerations];
  known.set(template, list);
  return list;
}

function onlyOn(node: string, affinity: RawAffinity | undefined): RawAffinity {
  const field = { key: 'metadata.name', operator: 'In' as const, values: [node] };
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchFields: [field] }));
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}

/** The seconds between two checks of an update. */
const updateInterval = 5;

/** Keys are a set and a node, or the set alone for template updates. */
export function daemonSets(world: World): ActorController {
  const random = world.random.fork('daemonset names');
  const ours = new Grouped(world.objects, 'Pod', (pod) =>
    isDaemonPod(pod) ? `${controllerOf(pod)} ${nodeOfDaemon(pod)}` : undefined,
  );
  const pairs = (sets: Iterable<KubeObject>, nodes: Iterable<KubeObject>): string[] => {
    const names = [...nodes].map(({ metadata }) => metadata.name);
    return [...sets].flatMap((set) => names.map((name) => `${keyOf(set)} ${name}`));
  };
  return {
    name: 'daemonset-controller',
    wakes: {
      DaemonSet: ({ object }) => [...pairs([object], world.objects.list('Node')), keyOf(object)],
      Node: (change) => (isIrrelevant(change) ? [] : pairs(world.objects.list('DaemonSet'), [change.object])),
      Pod: ({ type, object }) => {
        const owner = controllerReference(object);
        if (owner?.kind !== 'DaemonSet' || (type === 'MODIFIED' && !isTerminal(object))) return [];
        return [`${object.metadata.namespace}/${owner.name} ${nodeOfDaemon(object)}`];
      },
    },
    // Without delay, so that DaemonSet pods are placed before other pods fill the node.
    after: [0, 0],
    reconcile: (key) => {
      const [setKey = '', node] = key.split(' ');
      if (node !== undefined) return { writes: keep({ key: setKey, node, ours }, world, () => random.next()) };
      const set = workloadAt('DaemonSet', setKey, world);
      return set ? updatePods(set, world) : noWrites;
    },
  };
}

const isIrrelevant = ({ type, object, was }: ObjectChange): boolean =>
  type === 'MODIFIED' && object.metadata.labels === was?.metadata.labels && object.spec === was?.spec;

interface DaemonSlot {
  readonly key: ObjectKey;
  readonly node: string;
  /** The pods of all sets, by set and node. */
  readonly ours: Grouped<'Pod'>;
}

function keep({ key, node: name, ours }: DaemonSlot, world: World, draw: () => number): ActorWrite[] {
  const set = workloadAt('DaemonSet', key, world);
  if (!set) return [];
  const node = world.objects.get('Node', name);
  const pods = [...ours.of(`${set.metadata.uid} ${name}`).values()];
  const staying = pods.filter((pod) => !isDeleting(pod));
  const template = set.spec?.template ?? {};
  if (!node || !admitsDaemon(node, template, 'stay')) return staying.map(removePod);
  if (pods.length === 0) return admitsDaemon(node, template, 'start') ? [create(daemonOf(set, node, world, draw))] : [];
  const [failed, active] = [staying.filter(isTerminal), staying.filter((pod) => !isTerminal(pod))];
  return [...failed, ...active.slice(1)].map(removePod);
}

const removePod = (pod: RawPod): ActorWrite => remove('Pod', keyOf(pod));

/** Applies a new template, one pod at a time. */
function updatePods(set: RawWorkload, world: World): ReconcileResult {
  const pods = ownedPods(set, world);
  const hash = hashOf(set.spec?.template ?? {});
  const old = pods.filter((pod) => !isDeleting(pod) && pod.metadata.labels?.[revisionLabel] !== hash);
  const [first] = old;
  if (!first) return noWrites;
  return { writes: pods.every(isServing) ? [removePod(first)] : [], again: updateInterval };
}
