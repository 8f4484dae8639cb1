// Would a pod there lie too far from its like? Topology spread: no domain may have too many more of them than the emptiest.
import { isDeleting } from '../../kubeObject.ts';
import type { Node, Pod, SpreadConstraint } from '../manifest.ts';
import { isTolerated, keepsOff, taintsOf } from '../taints.ts';
import { selects } from './admits.ts';
import { type Around, type Judge, labelAt, labelsOf, namespaceOf } from './around.ts';
import { needsOf } from './needs.ts';
import { type PodSelector, podSelector } from './podSelector.ts';

export const isHard = ({ whenUnsatisfiable }: SpreadConstraint): boolean => whenUnsatisfiable !== 'ScheduleAnyway';

export function spreadRule(pod: Pod, around: Around): Judge | undefined {
  const constraints = (pod.spec?.topologySpreadConstraints ?? []).filter(isHard);
  if (constraints.length === 0) return undefined;
  const judges = constraints.map((constraint) => judgeOf(constraint, constraints, { pod, around }));
  return (node) => {
    for (const judge of judges) {
      const why = judge(node);
      if (why !== undefined) return why;
    }
    return undefined;
  };
}

interface Asked {
  readonly pod: Pod;
  readonly around: Around;
}

function judgeOf(constraint: SpreadConstraint, all: readonly SpreadConstraint[], { pod, around }: Asked): Judge {
  const { topologyKey, maxSkew, minDomains = 1 } = constraint;
  const selector = podSelector(constraint, labelsOf(pod));
  const counts = countsOf(constraint, all, { pod, around });
  const fewest = counts.size < minDomains ? 0 : Math.min(...counts.values());
  const self = selector.matches(labelsOf(pod)) ? 1 : 0;
  return (node) => {
    const domain = labelAt(node, topologyKey);
    if (domain === undefined) return `spread: it has no label ${topologyKey}`;
    const skew = (counts.get(domain) ?? 0) + self - fewest;
    return skew > maxSkew ? `spread: a skew of ${skew} over ${topologyKey}, and ${maxSkew} is the most` : undefined;
  };
}

/** How many of its like are in each domain. A node that lacks the key of any constraint is in none. */
export function countsOf(
  constraint: SpreadConstraint,
  all: readonly SpreadConstraint[],
  { pod, around }: Asked,
): Map<string, number> {
  const selector = podSelector(constraint, labelsOf(pod));
  const counts = new Map<string, number>();
  for (const node of around.nodes()) {
    const domain = labelAt(node, constraint.topologyKey);
    if (domain === undefined || all.some(({ topologyKey }) => labelAt(node, topologyKey) === undefined)) continue;
    if (!isCounted(node, constraint, pod)) continue;
    counts.set(
      domain,
      (counts.get(domain) ?? 0) + likeIt(around.podsOn(node.metadata.name), selector, namespaceOf(pod)),
    );
  }
  return counts;
}

/** Its two policies: nodes that it could not go to anyway may be no domain. */
function isCounted(node: Node, { nodeAffinityPolicy, nodeTaintsPolicy }: SpreadConstraint, pod: Pod): boolean {
  const { rules } = needsOf(pod);
  const place = { name: node.metadata.name, labels: labelsOf(node) };
  if (nodeAffinityPolicy !== 'Ignore' && !selects(rules, place)) return false;
  if (nodeTaintsPolicy !== 'Honor') return true;
  return taintsOf(node).every((taint) => !keepsOff(taint) || isTolerated(taint, rules.tolerations));
}

/** An empty selector counts nobody here: Kubernetes' own oddity. */
function likeIt(pods: Iterable<Pod>, selector: PodSelector, namespace: string): number {
  if (selector.isEmpty) return 0;
  let count = 0;
  for (const pod of pods)
    if (namespaceOf(pod) === namespace && !isDeleting(pod) && selector.matches(labelsOf(pod))) count++;
  return count;
}
