// B7: when could time alone change the answer? The earliest edge of anything that was asked.
import { openSlot } from '../../cluster/memory.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import { isBesideKarpenter } from '../../cluster/settings.ts';
import { before, ceilToSecond, earliest, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import { forgottenAt } from '../commands/backoffs.ts';
import { judgedAt } from '../commands/chosen.ts';
import type { Started } from '../commands/start.ts';
import type { Judgement } from '../decision.ts';
import type { Judged } from '../judged.ts';
import { windowRules } from '../limits/poolHours.ts';
import { isStillSo, nextPodChange } from '../podTimes.ts';
import type { Situation } from '../situation.ts';

export function wakeAt(judgement: Judgement): Instant | undefined {
  const { situation, limits, ledger, advanced, started, judged, arisesAt } = judgement;
  const { now, cluster, settings } = situation;
  let next: Instant | undefined;
  const note = (at: Instant | undefined): void => {
    if (at !== undefined && at > now) next = earliest(next, at);
  };
  for (const window of windowsInSight(situation)) {
    const edge = window.nextChange(now);
    note(edge);
    // B8: what closes refuses from its margin on.
    if (edge !== undefined) note(before(edge, settings.windowMargin));
  }
  for (const group of cluster.groups) if (group.managed) note(nextChangeIn(group, now));
  for (const { turn } of limits.topology.pools.values()) note(turn?.changesAt);
  for (const backoff of ledger.backoffs) {
    note(backoff.until);
    note(forgottenAt(backoff, settings));
  }
  note(firstLift(judged, now));
  note(situation.slow.nextAt);
  note(arisesAt);
  note(advanced.wakeAt);
  note(judgedAgainAt(started, situation));
  return next === undefined ? undefined : ceilToSecond(next);
}

function firstLift(judged: readonly Judged[], now: Instant): Instant | undefined {
  let first: Instant | undefined;
  for (const { refusals } of judged) {
    for (const { liftsAt } of refusals) if (liftsAt !== undefined && liftsAt > now) first = earliest(first, liftsAt);
  }
  return first;
}

/** G1: by its own hands Lull looks again after the pause. */
function judgedAgainAt(started: readonly Started[], { settings }: Situation): Instant | undefined {
  const first = settings.role === 'drive' ? started.find(({ command }) => command.step === 'chosen') : undefined;
  return first && judgedAt(first.command, settings);
}

interface NextChange {
  readonly asked: Instant;
  readonly at: Instant | undefined;
}

const remembered = openSlot<NextChange>();

/** When a node of the group, or a pod on it, next says something else. */
function nextChangeIn(group: NodeGroup, now: Instant): Instant | undefined {
  const known = remembered.recall(group);
  if (known && isStillSo(known.asked, known.at, now)) return known.at;
  let at: Instant | undefined;
  for (const view of group.nodes) {
    const { until } = view.node.rules.doNotDisrupt ?? {};
    if (until !== undefined && until > now) at = earliest(at, until);
    at = earliest(at, nextPodChange(view, now));
  }
  return remembered.keep(group, { asked: now, at }).at;
}

/** Of budgets, maintenance windows and schedules; of the pods' own only where a margin gives each of them a second edge. */
function windowsInSight({ tallies, cluster, settings }: Situation): ReadonlySet<Window> {
  const windows = new Set<Window>();
  for (const { pool } of tallies.values()) {
    // N4: beside Karpenter its own reading of the budgets binds too.
    const budgets = isBesideKarpenter(settings) ? [...pool.budgets, ...pool.karpenterBudgets] : pool.budgets;
    for (const { window } of budgets) if (window) windows.add(window);
  }
  for (const window of cluster.windows) windows.add(window.window).add(window.life);
  for (const { window } of cluster.podSchedules) windows.add(window);
  if (settings.windowMargin === 0) return windows;
  for (const list of new Set(cluster.nodes.map((view) => view.windows))) {
    // Windows that overlap close together, at an edge that is not the next one of any of them.
    for (const reason of budgetReasons) windows.add(windowRules(list, reason).hours);
  }
  for (const { timed } of cluster.nodes) {
    for (const { pod, unworked } of timed) {
      if (unworked) continue;
      for (const window of [pod.rules?.allow, pod.rules?.block]) if (window) windows.add(window);
    }
  }
  return windows;
}
