// Which nodes could a pod go to, and what keeps it off the others? Every rule of Kubernetes' scheduler, one after another, in the plainest way.
import { parseResources } from '../../../cluster/quantity.ts';
import type { KubeObject } from '../../kubeObject.ts';
import type { Node, Pod } from '../manifest.ts';
import { isTolerated, keepsOff, taintsOf } from '../taints.ts';
import { cordon, selects } from './admits.ts';
import { type Around, aroundOf, type Judge, labelsOf, type Rule } from './around.ts';
import { attachRule, onePodRule } from './attachLimits.ts';
import { hostPortRule } from './hostPorts.ts';
import { add, needsOf } from './needs.ts';
import { podAffinityRule } from './podAffinity.ts';
import { spreadRule } from './spread.ts';
import { volumeRule } from './volumes.ts';

export interface Feasibility {
  /** By name. */
  readonly nodes: readonly string[];
  /** By node: why it is none of them. */
  readonly keptOff: ReadonlyMap<string, string>;
}

/** Where it could go now. It counts for nothing itself, wherever it may be. */
export function feasibleNodes(pod: Pod, objects: Iterable<KubeObject>): Feasibility {
  const others = [...objects].filter(
    ({ kind, metadata }) =>
      kind !== 'Pod' || metadata.name !== pod.metadata.name || metadata.namespace !== pod.metadata.namespace,
  );
  return feasibleAround(pod, aroundOf(others));
}

export function feasibleAround(pod: Pod, around: Around): Feasibility {
  const judge = everyRule(pod, around);
  const keptOff = new Map<string, string>();
  const nodes: string[] = [];
  for (const node of around.nodes()) {
    const why = judge(node);
    if (why === undefined) nodes.push(node.metadata.name);
    else keptOff.set(node.metadata.name, why);
  }
  return { nodes: nodes.sort(), keptOff };
}

/** Beyond room, selector and taints: what hardly any pod asks. */
export const otherRules: readonly Rule[] = [
  hostPortRule,
  onePodRule,
  volumeRule,
  attachRule,
  spreadRule,
  podAffinityRule,
];

function everyRule(pod: Pod, around: Around): Judge {
  const judges = [nameRule, cordonRule, taintRule, selectorRule, roomRule, ...otherRules].flatMap(
    (rule) => rule(pod, around) ?? [],
  );
  return firstOf(judges);
}

export const firstOf =
  (judges: readonly Judge[]): Judge =>
  (node) => {
    for (const judge of judges) {
      const why = judge(node);
      if (why !== undefined) return why;
    }
    return undefined;
  };

const nameRule = ({ spec }: Pod): Judge | undefined =>
  spec?.nodeName
    ? ({ metadata }) => (metadata.name === spec.nodeName ? undefined : 'name: it is not the one')
    : undefined;

const cordonRule =
  ({ spec }: Pod): Judge =>
  (node) =>
    node.spec?.unschedulable && !isTolerated(cordon, spec?.tolerations) ? 'taints: it is cordoned' : undefined;

const taintRule =
  ({ spec }: Pod): Judge =>
  (node) => {
    const bad = taintsOf(node).find((taint) => keepsOff(taint) && !isTolerated(taint, spec?.tolerations));
    return bad && `taints: ${bad.key}`;
  };

const selectorRule =
  (pod: Pod): Judge =>
  (node) =>
    selects(needsOf(pod).rules, { name: node.metadata.name, labels: labelsOf(node) })
      ? undefined
      : 'selector: its labels are not the ones asked for';

function roomRule(pod: Pod, around: Around): Judge {
  const { requests } = needsOf(pod);
  return (node: Node) => {
    const room = parseResources(node.status?.allocatable);
    const used: Record<string, number> = {};
    for (const other of around.podsOn(node.metadata.name)) add(used, needsOf(other).requests);
    const short = Object.keys(requests).find(
      (name) => (requests[name] ?? 0) > 0 && (requests[name] ?? 0) > (room[name] ?? 0) - (used[name] ?? 0),
    );
    return short && `room: too little ${short}`;
  };
}
