// Can the pods of a node ever be moved together (E12)?
import type { NodeView, PodView } from '../../cluster/nodeView.ts';
import type { Instant } from '../../time/instant.ts';
import { everOpen } from '../facts/hours.ts';
import { asWritten } from '../facts/pods.ts';
import { hoursOf, hoursText, isScheduled, scheduleOf } from '../facts/schedules.ts';
import type { Finding, Policy, Rule } from '../rule.ts';
import { count, someOf } from '../words/lists.ts';

const name = 'pod-schedules-never-meet';

export const podSchedulesNeverMeet: Rule = {
  name,
  finds: 'Pods on one node whose schedules are never open at the same time.',
  why: 'A node goes when all its pods may be moved. Where their windows never meet, it stays until a terminationGracePeriod, an interruption or a person ends it.',
  example: `apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Node, metadata: {name: n-1}}
  - {apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: default-1}, status: {nodeName: n-1}}
  - apiVersion: v1
    kind: Pod
    metadata:
      {namespace: web, name: cart, annotations: {karpenter.sh/disruption-schedule: 0 2 * * 6, karpenter.sh/disruption-schedule-duration: 4h}}
    spec: {nodeName: n-1}
  - apiVersion: v1
    kind: Pod
    metadata:
      {namespace: data, name: etl, annotations: {karpenter.sh/disruption-schedule: 0 2 * * 0, karpenter.sh/disruption-schedule-duration: 4h}}
    spec: {nodeName: n-1}
`,
  check: (policy) => [...conflictsIn(policy).values()].map(asFinding),
};

/** Pods that never agree, and the nodes on which such pods stand beside each other. */
interface Conflict {
  readonly pods: readonly PodView[];
  readonly nodes: string[];
}

/** By their windows: the same quarrel on fifty nodes is told once. */
function conflictsIn({ cluster, now }: Policy): ReadonlyMap<string, Conflict> {
  const conflicts = new Map<string, Conflict>();
  const judged = new Map<string, readonly string[] | undefined>();
  for (const view of cluster.nodes) {
    const pods = view.managed ? differingPods(view, now) : new Map<string, PodView>();
    if (pods.size < 2) continue;
    const key = JSON.stringify([...pods.keys()].sort());
    if (!judged.has(key)) judged.set(key, quarrelling(pods, now));
    const hours = judged.get(key);
    if (!hours) continue;
    const conflict = conflicts.get(key) ?? { pods: hours.map((each) => pods.get(each) as PodView), nodes: [] };
    conflict.nodes.push(view.node.name);
    conflicts.set(key, conflict);
  }
  return conflicts;
}

/** One pod for each of the different hours on a node; those that never open by themselves are another rule's. */
function differingPods({ timed }: NodeView, now: Instant): Map<string, PodView> {
  const pods = new Map<string, PodView>();
  for (const pod of timed) {
    const hours = hoursText(pod);
    if (isScheduled(pod) && !pods.has(hours) && everOpen(hoursOf(pod), now)) pods.set(hours, pod);
  }
  return pods;
}

/** The hours of two pods that never meet; all of them where only all together never do; undefined where they meet. */
function quarrelling(pods: ReadonlyMap<string, PodView>, now: Instant): readonly string[] | undefined {
  const all = [...pods].sort(([a], [b]) => (a < b ? -1 : 1));
  if (
    everOpen(
      all.flatMap(([, pod]) => hoursOf(pod)),
      now,
    )
  )
    return undefined;
  for (const [i, [a, first]] of all.entries()) {
    for (const [b, second] of all.slice(i + 1)) {
      if (!everOpen([...hoursOf(first), ...hoursOf(second)], now)) return [a, b];
    }
  }
  return all.map(([hours]) => hours);
}

function asFinding({ pods, nodes }: Conflict): Finding {
  const who = pods.map((view) => `${view.pod.namespace}/${view.pod.name} (${hoursText(view)})`);
  return {
    rule: name,
    severity: 'warning',
    ...scheduleOf(asWritten(pods[0] as PodView)),
    message: `These pods on one node may never be moved at the same time, so the node is never free to go: ${who.join('; ')}. So it is on ${count(nodes.length, 'node')}: ${someOf(nodes)}.`,
    suggestion: 'Give the pods a window in common, or keep them on different nodes.',
  };
}
