// B7: when could time alone change the answer? The earliest edge of anything that was asked.
import { budgetReasons } from '../../cluster/reason.ts';
import { before, ceilToSecond, earliest, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import type { Limits } from '../limits/limits.ts';
import { windowRules } from '../limits/poolHours.ts';
import { nextPodChange } from '../podTimes.ts';
import type { Situation } from '../situation.ts';

export function wakeAt(
  situation: Situation,
  limits: Limits,
  others: readonly (Instant | undefined)[],
): Instant | undefined {
  const { now, cluster, ledger, settings } = situation;
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
  for (const view of cluster.nodes) {
    if (!view.managed) continue;
    note(view.node.rules.doNotDisrupt?.until);
    note(nextPodChange(view, now));
  }
  for (const { until } of ledger.backoffs) note(until);
  for (const { turn } of limits.topology.pools.values()) note(turn?.changesAt);
  for (const at of others) note(at);
  return next === undefined ? undefined : ceilToSecond(next);
}

/** Of budgets, maintenance windows and schedules; of the pods' own only where a margin gives each of them a second edge. */
function windowsInSight({ tallies, cluster, settings }: Situation): ReadonlySet<Window> {
  const windows = new Set<Window>();
  for (const { pool } of tallies.values()) {
    // N4: beside Karpenter its own reading of the budgets binds too.
    const budgets = settings.role === 'guide' ? [...pool.budgets, ...pool.karpenterBudgets] : pool.budgets;
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
    for (const { pod } of timed) {
      for (const window of [pod.rules?.allow, pod.rules?.block]) if (window) windows.add(window);
    }
  }
  return windows;
}
