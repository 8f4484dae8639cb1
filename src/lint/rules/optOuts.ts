// Lint rules about pods and nodes that opt out of disruption, and about their deadlines (E1, E2, E8).
import type { Pod } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { isActive, isDaemon, isMirror } from '../../cluster/pod.ts';
import { steering } from '../../kinds/read/knownKeys.ts';
import { mapIn } from '../../kinds/read/reader.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, asDuration, asInstant, day, second } from '../../time/instant.ts';
import { capital, count, groupsOf, someOf } from '../../time/lists.ts';
import {
  annotationPath,
  asWritten,
  hoursText,
  isScheduled,
  namePods,
  optOutKey,
  optOutKeyFor,
  podFacts,
  podGroupsOf,
  type WrittenPod,
} from '../facts/writtenPods.ts';
import { readPools } from '../facts/writtenPools.ts';
import { checkEach, type LintPolicy, type LintRule, type RuleFinding } from '../rule.ts';

export const optOutsRules: readonly LintRule[] = [
  {
    name: 'node-hold-without-why', // E2
    severity: 'info',
    finds: 'A node with the annotation lull.dev/hold that does not say why.',
    why: 'Its value is shown with every refusal, so that anyone waiting for the node can see who holds it and why.',
    check: checkEach(nodesIn(steering.hold), ({ node: { rules } }) =>
      rules.hold === undefined || !switches.has(rules.hold.trim().toLowerCase())
        ? undefined
        : {
            message: 'This node is held, but the annotation does not say by whom or why.',
            suggestion: `Put it in the value, for example ${steering.hold}: "mia, kernel debugging until Friday".`,
          },
    ),
  },
  {
    name: 'node-opt-out-left',
    severity: 'info',
    finds: 'A node older than 30 days with a do-not-disrupt annotation that never ends.',
    why: 'The annotation prevents disruption for drift, expiry and consolidation. It is often set for an afternoon of debugging and then forgotten.',
    check: checkEach(nodesIn(steering.doNotDisrupt), ({ node, managed }, { now }) => {
      const optOut = node.rules.doNotDisrupt;
      // Without a creation time the age is unknown.
      const isOld = node.createdAt > asInstant(0) && now > after(node.createdAt, old);
      if (!managed || !optOut || optOut.until !== undefined || !isOld) return undefined;
      return {
        message: `This node is ${Math.floor((now - node.createdAt) / day)} days old and is never disrupted for drift, expiry or consolidation.`,
        suggestion: `Remove the annotation, or use ${steering.hold}: <why>, which shows why the node is kept.`,
      };
    }),
  },
  {
    name: 'pod-opt-out-duration', // E1, N11
    severity: 'info',
    finds: 'A pod whose do-not-disrupt is a duration, unless the files show a Karpenter of 1.12.0 or newer.',
    why: 'Karpenter reads durations on pods from 1.12.0 on; an older one ignores the annotation, so that the pod is not protected where Lull is not in guide or drive.',
    *check(policy) {
      if (karpentersIn(policy).some(readsDurations)) return;
      const timed = podFacts(policy).pods.filter(isOptedOutForDuration);
      for (const group of podGroupsOf(timed, durationText)) {
        const [{ object, within }] = group;
        yield {
          object,
          path: annotationPath(steering.doNotDisrupt, within),
          message: `${capital(namePods(group))} is protected for ${durationText(group[0])} after its start. Karpenter before ${firstWithDurations} ignores durations: there only Lull in guide or drive protects the pod.`,
          suggestion: `Upgrade Karpenter to ${firstWithDurations} or newer, or use "true" and remove it when the pod may be moved.`,
        };
      }
    },
  },
  {
    name: 'pod-opt-out-and-schedule', // E8
    severity: 'warning',
    finds: 'A pod that has both a do-not-disrupt annotation and a schedule.',
    why: 'do-not-disrupt wins: the schedule is never used, and the pod holds its node indefinitely.',
    *check(policy) {
      const both = podFacts(policy).pods.filter((view) => isScheduled(view) && optOutKey(view, policy));
      for (const group of podGroupsOf(both, hoursText)) {
        const [{ object, within, schedules }] = group;
        const key = optOutKey(group[0], policy) ?? '';
        const whose = schedules[0] ? `the window of ${schedules[0].name}` : 'its window';
        yield {
          object,
          path: annotationPath(key, within),
          message: `${capital(namePods(group))} is annotated do-not-disrupt, which wins over ${whose} (${hoursText(group[0])}): it is never moved.`,
          suggestion: `Remove ${key} and keep the schedule, or remove the schedule.`,
        };
      }
    },
  },
  {
    name: 'pod-opt-out-on-daemonset',
    severity: 'warning',
    finds: 'A DaemonSet most of whose pods are annotated do-not-disrupt.',
    why: 'A DaemonSet runs on every node, so no node can be disrupted any more, not even an empty or drifted one.',
    *check(policy) {
      const isOptedOut = (view: WrittenPod): boolean => isDaemon(view.pod) && optOutKey(view, policy) !== undefined;
      const templates = podFacts(policy).pods.filter((view) => view.within !== '' && isOptedOut(view));
      const written = new Set(templates.map(({ pod }) => `${pod.namespace}/${pod.name}`));
      for (const view of templates) {
        const where = `in the template of DaemonSet ${view.pod.namespace}/${view.pod.name}: the nodes its pods run on`;
        yield daemonSetFinding(view, where, policy);
      }
      const managed = policy.cluster.nodes.filter((view) => view.managed);
      const active = managed.flatMap(({ pods }) => pods.filter((pod) => isDaemon(pod) && isActive(pod)));
      const pods = Map.groupBy(active, daemonSetOf);
      const optedOut = managed.flatMap(({ timed }) => timed.map((view) => asWritten(view)).filter(isOptedOut));
      for (const [set, its] of [...Map.groupBy(optedOut, ({ pod }) => daemonSetOf(pod))].sort(byName)) {
        const [first] = its;
        const all = pods.get(set)?.length ?? 0;
        // Only a few annotated pods were annotated by hand, not by the template.
        if (!first || written.has(set) || its.length * 2 <= all) continue;
        const where = `on ${its.length} of the ${all} pods of DaemonSet ${set}: the nodes they run on`;
        yield daemonSetFinding(first, where, policy);
      }
    },
  },
  {
    name: 'pod-opt-out-under-deadline',
    severity: 'warning',
    finds: 'Pods of one PodDisruptionBudget that are annotated do-not-disrupt on nodes with a terminationGracePeriod.',
    why: 'Nothing moves such pods until the deadline; then they are deleted whatever the budget allows. Nodes that expire together take several of them down at the same time.',
    *check(policy) {
      for (const forced of groupsOf(forcedPods(policy), ({ pdb }) => pdb)) {
        const [{ view, key, pdb, deadline }] = forced;
        const nodes = new Set(forced.map(({ node }) => node));
        // A single pod is what a budget of 1 allows.
        if (forced.length === 1) continue;
        yield {
          object: view.object,
          path: annotationPath(key, view.within),
          message: `${count(forced.length, 'pod')} of PodDisruptionBudget ${pdb.namespace}/${pdb.name} (${someOf(forced.map((it) => it.view.pod.name))}) are annotated do-not-disrupt on ${count(nodes.size, 'node')} with a terminationGracePeriod (${formatDuration(deadline)}). When it ends they are deleted whatever the budget allows, several at the same time if their nodes are disrupted together.`,
          suggestion: `Give them a schedule (karpenter.sh/disruption-schedule) or a do-not-disrupt that ends (such as "8h"), so that they can be moved one by one before the deadline.`,
        };
      }
    },
  },
  {
    name: 'pod-grace-over-deadline',
    severity: 'warning',
    finds: 'A terminationGracePeriod of a node that is shorter than the terminationGracePeriodSeconds of a pod on it.',
    why: 'At the deadline of the node such a pod is killed, even if its own grace period has not ended.',
    check: checkEach(readPools, ({ pool, object, nodes }) => {
      const cut = nodes.flatMap(cutShort).sort((a, b) => b.pod.graceSeconds - a.pod.graceSeconds);
      const [longest] = cut;
      if (!longest) return undefined;
      const { pod, claim, deadline } = longest;
      const inTemplate = pool.template.terminationGracePeriod !== undefined;
      const grace = formatDuration(asDuration(pod.graceSeconds * second));
      const others = cut.length > 1 ? ` (and ${count(cut.length - 1, 'more pod')} longer than that)` : '';
      return {
        object: inTemplate ? object : `NodeClaim/${claim}`,
        path: inTemplate ? 'spec.template.spec.terminationGracePeriod' : 'spec.terminationGracePeriod',
        message: `Nodes of ${pool.name} have ${formatDuration(deadline)} to terminate, but pod ${pod.namespace}/${pod.name} may take ${grace}${others}: pods that are still running then are killed.`,
        suggestion: `Make terminationGracePeriod longer than ${grace}, or the terminationGracePeriodSeconds of the pods shorter.`,
      };
    }),
  },
];

/** Values that turn the annotation on without giving a reason. */
/** The first Karpenter that reads a duration in a pod's do-not-disrupt (pkg/utils/pod/scheduling.go; 1.11.2 does not). */
const firstWithDurations = '1.12.0';

const durationText = ({ pod }: WrittenPod): string => pod.marks?.doNotDisrupt ?? '';

/** A value that is not valid is a fault of its own. */
const isOptedOutForDuration = ({ pod }: WrittenPod): boolean =>
  pod.rules?.optOut !== undefined && !pod.rules.optOut.unread && !['', 'true'].includes(pod.marks?.doNotDisrupt ?? '');

/** The versions of the Karpenter Deployments among the files. */
const karpentersIn = ({ documents }: LintPolicy): readonly string[] =>
  documents.flatMap(({ object: { kind, metadata } }) => {
    const labels = mapIn(mapIn(metadata).labels);
    const version = labels['app.kubernetes.io/version'];
    const isKarpenter = kind === 'Deployment' && labels['app.kubernetes.io/name'] === 'karpenter';
    return isKarpenter && typeof version === 'string' ? [version.replace(/^v/, '')] : [];
  });

const readsDurations = (version: string): boolean =>
  version.localeCompare(firstWithDurations, 'en', { numeric: true }) >= 0;

const switches = new Set(['', 'true', 'yes', 'on', '1']);

/** Karpenter's default expireAfter. */
const old = asDuration(30 * day);

/** All nodes, with the path of this annotation. */
function nodesIn(key: string) {
  return ({ cluster }: LintPolicy) =>
    cluster.nodes.map(({ node, managed }) => ({
      node,
      managed,
      object: `Node/${node.name}`,
      path: annotationPath(key),
    }));
}

const daemonSetFinding = (view: WrittenPod, where: string, policy: LintPolicy): RuleFinding => ({
  object: view.object,
  path: annotationPath(optOutKey(view, policy) ?? '', view.within),
  message: `do-not-disrupt is set ${where} are never disrupted, not even when empty.`,
  suggestion:
    "Remove the annotation from the DaemonSet's template: its pods are never moved to another node, they end with their own.",
});

const daemonSetOf = ({ namespace, owner }: Pod): string => `${namespace}/${owner?.name}`;
const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => compareText(a, b);

/** Opted-out pods on nodes with a deadline, with each PodDisruptionBudget that selects them. */
const forcedPods = (policy: LintPolicy) =>
  policy.cluster.nodes.flatMap(({ node, claim, timed }) => {
    const deadline = claim?.spec.terminationGracePeriod;
    const guarded = deadline === undefined ? [] : timed.filter(({ pdbs }) => pdbs.length > 0);
    return guarded
      .map((it) => asWritten(it))
      .flatMap((view) => {
        // A terminationGracePeriod overrides opt-outs for drift and expiry only (A2).
        const key = optOutKeyFor('Drifted', view, policy) ?? optOutKeyFor('Expired', view, policy);
        if (key === undefined || deadline === undefined) return [];
        return view.pdbs.map(({ pdb }) => ({ pdb, view, key, node: node.name, deadline }));
      });
  });

/** The pods of a node whose grace period is longer than the node's. */
function cutShort({ claim, pods }: NodeView) {
  const deadline = claim?.spec.terminationGracePeriod;
  if (deadline === undefined) return [];
  return pods
    .filter((pod) => isActive(pod) && !isMirror(pod) && pod.graceSeconds * second > deadline)
    .map((pod) => ({ pod, claim: claim?.name, deadline }));
}
