// Topology spread constraints: a domain may have at most maxSkew more matching pods than the smallest one.
import { isDeleting, labelsOf, namespaceOf } from '../../kubeObject.ts';
import {
  isTolerated,
  type RawNode,
  type RawPod,
  type RawSpreadConstraint,
  repelsPods,
  taintsOf,
} from '../rawObjects.ts';
import { needsOf } from './needs.ts';
import { type PodSelector, podSelector } from './podAffinity.ts';
import { labelAt, type NodeCheck, type SchedulingView, selects } from './schedulingView.ts';

export const isHard = ({ whenUnsatisfiable }: RawSpreadConstraint): boolean => whenUnsatisfiable !== 'ScheduleAnyway';

export function spreadRule(pod: RawPod, around: SchedulingView): NodeCheck | undefined {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(isHard);
  if (constraints.length === 0) return undefined;
  const judges = constraints.map((constraint) => checkOf(constraint, constraints, { pod, around }));
  return (node) => {
    for (const judge of judges) {
      const why = judge(node);
      if (why !== undefined) return why;
    }
    return undefined;
  };
}

interface SpreadContext {
  readonly pod: RawPod;
  readonly around: SchedulingView;
}

function checkOf(
  constraint: RawSpreadConstraint,
  all: readonly RawSpreadConstraint[],
  { pod, around }: SpreadContext,
): NodeCheck {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const selector = podSelector(constraint, labelsOf(pod));
  const counts = countsOf(constraint, all, { pod, around });
  const fewest = counts.size < minDomains ? 0 : Math.min(...counts.values());
  const self = selector.matches(labelsOf(pod)) ? 1 : 0;
  return (node) => {
    const domain = labelAt(node, topologyKey);
    if (domain === undefined) return `spread: no label ${topologyKey}`;
    const skew = (counts.get(domain) ?? 0) + self - fewest;
    return skew > maxSkew ? `spread: a skew of ${skew} over ${topologyKey}, at most ${maxSkew} allowed` : undefined;
  };
}

/** Matching pods per domain. A node that lacks the key of any constraint is in no domain. */
export function countsOf(
  constraint: RawSpreadConstraint,
  all: readonly RawSpreadConstraint[],
  { pod, around }: SpreadContext,
): Map<string, number> {
  const selector = podSelector(constraint, labelsOf(pod));
  const counts = new Map<string, number>();
  for (const node of around.nodes()) {
    const domain = labelAt(node, constraint.topologyKey);
    if (domain === undefined || all.some(({ topologyKey }) => labelAt(node, topologyKey) === undefined)) continue;
    if (!isCounted(node, constraint, pod)) continue;
    counts.set(
      domain,
      (counts.get(domain) ?? 0) + countMatching(around.podsOn(node.metadata.name), selector, namespaceOf(pod)),
    );
  }
  return counts;
}

/** nodeAffinityPolicy and nodeTaintsPolicy: nodes the pod cannot run on may not count. */
function isCounted(node: RawNode, { nodeAffinityPolicy, nodeTaintsPolicy }: RawSpreadConstraint, pod: RawPod): boolean {
  const { rules } = needsOf(pod);
  const place = { name: node.metadata.name, labels: labelsOf(node) };
  if (nodeAffinityPolicy !== 'Ignore' && !selects(rules, place)) return false;
  if (nodeTaintsPolicy !== 'Honor') return true;
  return taintsOf(node).every((taint) => !repelsPods(taint) || isTolerated(taint, rules.tolerations));
}

/** In Kubernetes an empty selector counts no pods here. */
function countMatching(pods: Iterable<RawPod>, selector: PodSelector, namespace: string): number {
  if (selector.isEmpty) return 0;
  let count = 0;
  for (const pod of pods)
    if (namespaceOf(pod) === namespace && !isDeleting(pod) && selector.matches(labelsOf(pod))) count++;
  return count;
}
