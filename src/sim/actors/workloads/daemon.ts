// What is the pod of a DaemonSet like? Made for one node, with more patience than others; and which nodes does it come to?
import type { World } from '../../world.ts';
import { freshName } from '../freshName.ts';
import {
  type Affinity,
  type Node,
  nodeNameOf,
  type Pod,
  type PodSpec,
  type PodTemplate,
  type Toleration,
  type Workload,
} from '../manifest.ts';
import { cordon, selects } from '../scheduler/admits.ts';
import { isTolerated, keepsOff, taintKey, taintsOf } from '../taints.ts';
import { hashOf, podOf } from './podOf.ts';

export const revisionLabel = 'controller-revision-hash';

/** What Kubernetes lets every pod of a DaemonSet bear. No disruption taint is among them. */
const born: readonly Toleration[] = [
  { key: taintKey.notReady, operator: 'Exists', effect: 'NoExecute' },
  { key: taintKey.unreachable, operator: 'Exists', effect: 'NoExecute' },
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map((name) => ({
    key: `node.kubernetes.io/${name}`,
    operator: 'Exists',
    effect: 'NoSchedule',
  })),
];

/** The node it is on, or was made for. */
export function nodeOfDaemon(pod: Pod): string | undefined {
  const [term] =
    pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return nodeNameOf(pod) ?? term?.matchFields?.[0]?.values?.[0];
}

/** Whoever is there stays in spite of a NoSchedule taint, but nobody comes. */
export function admitsDaemon(
  node: Pick<Node, 'metadata' | 'spec'>,
  template: PodTemplate,
  to: 'start' | 'stay',
): boolean {
  const { nodeSelector: selector = {}, affinity, tolerations = [] } = template.spec ?? {};
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const { name, labels = {} } = node.metadata;
  if (!selects({ selector, ...(terms && { terms }) }, { name, labels })) return false;
  const taints = node.spec?.unschedulable ? [...taintsOf(node as Node), cordon] : taintsOf(node as Node);
  return taints.every(
    (taint) =>
      (to === 'stay' ? taint.effect !== 'NoExecute' : !keepsOff(taint)) ||
      isTolerated(taint, [...tolerations, ...born]),
  );
}

export function daemonOf(set: Workload, node: Node, world: World, draw: () => number): Pod {
  const template = set.spec?.template ?? {};
  const { name: prefix, namespace = 'default' } = set.metadata;
  const spec: PodSpec = {
    affinity: onlyOn(node.metadata.name, template.spec?.affinity),
    tolerations: tolerationsOf(template),
  };
  const name = freshName({ kind: 'Pod', prefix, namespace }, world, draw);
  return podOf({ name, owner: set, template, labels: { [revisionLabel]: hashOf(template) }, spec }, world);
}

const known = new WeakMap<PodTemplate, readonly Toleration[]>();

/** One list for all pods of a template. */
function tolerationsOf(template: PodTemplate): readonly Toleration[] {
  const list = known.get(template) ?? [...(template.spec?.tolerations ?? []), ...born];
  known.set(template, list);
  return list;
}

function onlyOn(node: string, affinity: Affinity | undefined): Affinity {
  const field = { key: 'metadata.name', operator: 'In' as const, values: [node] };
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [{}];
  const nodeSelectorTerms = terms.map((term) => ({ ...term, matchFields: [field] }));
  return {
    ...affinity,
    nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  };
}
