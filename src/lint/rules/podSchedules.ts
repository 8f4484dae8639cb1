// Lint rules about pod schedules (E5–E12).
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import type { NodeView, PodView } from '../../cluster/nodeView.ts';
import { consolidates } from '../../cluster/pool.ts';
import { kindOf, type Reason } from '../../cluster/reason.ts';
import { openByBudgets } from '../../engine/rules/openHours.ts';
import { scheduleWindows } from '../../engine/rules/podRules.ts';
import { all } from '../../time/combine.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, day, formatInstant, type Instant, second } from '../../time/instant.ts';
import { andList, capital, count, someOf } from '../../time/lists.ts';
import { never, opensAt, type Window } from '../../time/window.ts';
import { everOpen, longestClosing, longestOpening, nearLabel, permittingHours } from '../facts/windows.ts';
import {
  asWritten,
  countPods,
  hoursText,
  isScheduled,
  namePods,
  podFacts,
  podGroupsOf,
  scheduleOf,
  type WrittenPod,
  type WrittenPodGroup,
} from '../facts/writtenPods.ts';
import { readPools } from '../facts/writtenPools.ts';
import {
  checkEach,
  type FieldLocation,
  type LintPolicy,
  type LintRule,
  type PartialFinding,
  type RuleFinding,
} from '../rule.ts';

export const podSchedulesRules: readonly LintRule[] = [
  {
    name: 'pod-schedule-never-opens',
    severity: 'warning',
    finds:
      'Pod schedules that together never let a pod be moved: one that never fires, or an allow window that lies within a block window.',
    why: 'Such a pod holds its node indefinitely: only a terminationGracePeriod, an interruption or a manual deletion removes the node.',
    check: checkEachPodGroup(({ group: [view], who }, { now }) => {
      if (everOpen(scheduleWindows(view), now)) return undefined;
      return scheduleWindows(view).includes(never)
        ? {
            message: `${capital(who)} may never be moved: its schedule never fires.`,
            suggestion:
              'Use a date that exists, or write karpenter.sh/do-not-disrupt: "true" if the pod must never be moved.',
          }
        : {
            message: `${capital(who)} may never be moved: its windows (${hoursText(view)}) are never open together.`,
            suggestion: 'Extend the windows in which it may be moved beyond those in which it may not.',
          };
    }),
  },
  {
    name: 'pod-schedule-outside-pool-hours',
    severity: 'warning',
    finds: 'A pod schedule that is never open while the budgets and maintenance windows of its pool are.',
    why: 'A node may be disrupted only when its pods, budgets and windows all permit it. If these hours never overlap, it is never disrupted.',
    *check(policy) {
      for (const { pool, nodes } of readPools(policy)) {
        const shut = new Map<WrittenPod, readonly Reason[]>();
        const missed = missedReasons(pool, policy);
        for (const view of nodes) {
          for (const pod of view.timed) if (isScheduled(pod)) shut.set(asWritten(pod), missed(view, pod));
        }
        const stuck = [...shut].filter(([, reasons]) => reasons.length > 0).map(([pod]) => pod);
        const keyOf = (pod: WrittenPod) => `${hoursText(pod)} ${shut.get(pod)}`;
        for (const group of podGroupsOf(stuck, keyOf)) yield outsideFinding(pool, group, shut.get(group[0]) ?? []);
      }
    },
  },
  {
    name: 'pod-schedule-rare',
    severity: 'info',
    finds: 'A pod schedule that stays closed for more than a month at a time.',
    why: 'Meanwhile the node of such a pod misses image updates, and it often expires first, which Karpenter enforces whatever the schedule says.',
    check: checkEachPodGroup(({ group: [view], who }, { now }) => {
      const hours = all(scheduleWindows(view));
      if (!everOpen(scheduleWindows(view), now) || longestClosing(hours, now) <= rare) return undefined;
      const next = opensAt(hours, now);
      const when = next === undefined || next === now ? '' : ` It opens next at ${formatInstant(next)}.`;
      return {
        message: `The node of ${who} has to wait up to ${Math.floor(longestClosing(hours, now) / day)} days for its window (${hours.text}).${when}`,
        suggestion: 'Open the window at least once a month.',
      };
    }),
  },
  {
    name: 'pod-schedule-selects-nothing',
    severity: 'warning',
    finds: 'A PodDisruptionSchedule that selects none of the pods in the input.',
    why: 'The pods it was written for have no schedule, and may be moved at any time.',
    *check(policy) {
      const { pods, under } = podFacts(policy);
      // Without pods in the input, it may be only a part of the cluster.
      if (pods.length === 0) return;
      for (const schedule of policy.cluster.podSchedules.filter((each) => !each.fault && under(each) === 0)) {
        const labels = pods.map(({ pod }) => pod.labels);
        yield {
          object: `PodDisruptionSchedule/${schedule.name}`,
          path: 'spec.selector',
          message: `It selects none of the pods in the input (${countPods(pods)}): it has no effect.`,
          suggestion:
            nearLabel(schedule.selector.requirements, labels) ?? 'Select labels that the pods have, or remove it.',
        };
      }
    },
  },
  {
    name: 'pod-schedule-shorter-than-grace',
    severity: 'warning',
    finds: 'A pod schedule whose windows are all shorter than the terminationGracePeriodSeconds of the pod.',
    why: 'The window says when a pod may be evicted, not when it is gone: such a pod may still be terminating after its window has closed.',
    check: checkEachPodGroup(
      ({ group: [view], who }, { now }) => {
        const grace = asDuration(view.pod.graceSeconds * second);
        // pod-schedule-never-opens reports schedules that never open.
        if (!everOpen(scheduleWindows(view), now)) return undefined;
        const longest = longestOpening(all(scheduleWindows(view)), now);
        if (longest >= grace) return undefined;
        return {
          message: `${capital(who)} may be moved only in windows of at most ${formatDuration(longest)} (${hoursText(view)}), but may take ${formatDuration(grace)} to terminate: it can still be terminating after its window has closed.`,
          suggestion: `Make the windows at least ${formatDuration(grace)} long, or terminationGracePeriodSeconds at most ${longest / second}.`,
        };
      },
      (view) => `${view.pod.graceSeconds} ${hoursText(view)}`,
    ),
  },
  {
    name: 'pod-schedules-never-meet', // E12
    severity: 'warning',
    finds: 'Pods on one node whose schedules are never open at the same time.',
    why: 'A node may be disrupted when all its pods may be moved. If their windows never overlap, it is held until a terminationGracePeriod, an interruption or a manual deletion ends it.',
    check: (policy) => conflictsIn(policy).flatMap(conflictFinding),
  },
];

/** Pods of one owner with the same schedule, and how to name them. */
interface NamedPodGroup extends FieldLocation {
  readonly group: WrittenPodGroup;
  readonly who: string;
}

/** The check of a rule that looks at pods with schedules, grouped by owner and schedule. */
function checkEachPodGroup(
  judge: (each: NamedPodGroup, policy: LintPolicy) => PartialFinding | undefined,
  keyOf: (view: WrittenPod) => string = hoursText,
): LintRule['check'] {
  const groups = (policy: LintPolicy): NamedPodGroup[] =>
    podGroupsOf(podFacts(policy).pods.filter(isScheduled), keyOf).map((group) => ({
      ...scheduleOf(group[0]),
      group,
      who: namePods(group),
    }));
  return checkEach(groups, judge);
}

function outsideFinding({ name: pool }: Pool, group: WrittenPodGroup, reasons: readonly Reason[]) {
  return {
    ...scheduleOf(group[0]),
    message: `${capital(namePods(group))} may be moved only in its windows (${hoursText(group[0])}), when the budgets and maintenance windows of ${pool} never allow disruption for ${andList(reasons)}.`,
    suggestion: `Give it a window in hours when ${pool} allows disruption.`,
  };
}

/** The reasons that pod schedules apply to; repair ignores them (A2). */
const held: readonly Reason[] = ['Drifted', 'Expired', 'Underutilized'];

/** The reasons for which the hours of a pod and of its pool never overlap; computed once per set of windows and schedules. */
function missedReasons(pool: Pool, { now }: LintPolicy): (view: NodeView, pod: PodView) => readonly Reason[] {
  const known = new Map<readonly MaintenanceWindow[], Map<string, readonly Reason[]>>();
  return (view, pod) => {
    const here = known.get(view.windows) ?? new Map<string, readonly Reason[]>();
    known.set(view.windows, here);
    const asked = held.filter((reason) => mayArise(view, pool, reason));
    const key = `${hoursText(pod)} ${asked}`;
    const misses = (reason: Reason): boolean => {
      const hours: Window[] = [openByBudgets(pool, reason), ...permittingHours(view.windows, reason)];
      // If either never opens by itself, other rules report that.
      return (
        everOpen(hours, now) &&
        everOpen(scheduleWindows(pod), now) &&
        !everOpen([...hours, ...scheduleWindows(pod)], now)
      );
    };
    const missed = here.get(key) ?? asked.filter(misses);
    here.set(key, missed);
    return missed;
  };
}

function mayArise({ claim }: NodeView, pool: Pool, reason: Reason): boolean {
  // With a terminationGracePeriod, eventual reasons do not wait for pods (A2).
  if (kindOf[reason] === 'eventual' && claim?.spec.terminationGracePeriod !== undefined) return false;
  if (reason === 'Expired') return typeof (claim ? claim.spec : pool.template).expireAfter === 'number';
  return reason !== 'Underutilized' || consolidates(pool, reason);
}

/** A month, about Karpenter's default expireAfter. */
const rare = asDuration(31 * day);

/** Pods whose windows never overlap, and the nodes they share. */
interface ScheduleConflict {
  readonly pods: readonly PodView[];
  readonly nodes: string[];
}

/** One conflict per combination of schedules, however many nodes have it. */
function conflictsIn({ cluster, now }: LintPolicy): ScheduleConflict[] {
  const conflicts = new Map<string, ScheduleConflict>();
  for (const view of cluster.nodes) {
    const pods = view.managed ? differingPods(view, now) : new Map<string, PodView>();
    if (pods.size < 2) continue;
    const key = JSON.stringify([...pods.keys()].sort());
    const conflict = conflicts.get(key) ?? { pods: conflictingPods(pods, now), nodes: [] };
    conflict.nodes.push(view.node.name);
    conflicts.set(key, conflict);
  }
  return [...conflicts.values()];
}

/** One pod per different schedule on a node, without schedules that never open: another rule reports these. */
function differingPods({ timed }: NodeView, now: Instant): Map<string, PodView> {
  const pods = new Map<string, PodView>();
  for (const pod of timed) {
    const hours = hoursText(pod);
    if (isScheduled(pod) && !pods.has(hours) && everOpen(scheduleWindows(pod), now)) pods.set(hours, pod);
  }
  return pods;
}

/** Two pods whose windows never overlap; all pods if only all together never do; none if they overlap. */
function conflictingPods(pods: ReadonlyMap<string, PodView>, now: Instant): readonly PodView[] {
  const all = [...pods].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, pod]) => pod);
  const meet = (some: readonly PodView[]): boolean => everOpen(some.flatMap(scheduleWindows), now);
  if (meet(all)) return [];
  const pairs = all.flatMap((first, index) => all.slice(index + 1).map((second) => [first, second]));
  return pairs.find((pair) => !meet(pair)) ?? all;
}

function conflictFinding({ pods, nodes }: ScheduleConflict): RuleFinding[] {
  const who = pods.map((view) => `${view.pod.namespace}/${view.pod.name} (${hoursText(view)})`);
  return pods.slice(0, 1).map((first) => ({
    ...scheduleOf(asWritten(first)),
    message: `These pods on one node may never be moved at the same time, so the node can never be disrupted: ${who.join('; ')}. This affects ${count(nodes.length, 'node')}: ${someOf(nodes)}.`,
    suggestion: 'Give the pods a common window, or keep them on different nodes.',
  }));
}
