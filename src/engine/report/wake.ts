// The next instant at which time alone may change the round: the earliest edge of all windows, limits and refusals (B7).
import { gateStateAt } from '../../cluster/gateState.ts';
import { memoUntil } from '../../cluster/memo.ts';
import type { NodeGroup } from '../../cluster/nodeGroups.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import { isBesideKarpenter } from '../../cluster/settings.ts';
import { before, ceilToSecond, earliest, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import { judgedAt } from '../commands/driveSteps.ts';
import { forgottenAt } from '../commands/nextLedger.ts';
import type { Judgement } from '../decision.ts';
import { windowRules } from '../rules/openHours.ts';
import { nextPodChange } from '../rules/podRules.ts';
import type { Situation } from '../situation.ts';
import type { StartedCommand, WishOutcome } from '../wishOutcome.ts';

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
    // A window refuses from its margin before it closes (B8).
    if (edge !== undefined) note(before(edge, settings.windowMargin));
  }
  for (const gate of cluster.gates) note(gateStateAt(gate, now).changesAt);
  for (const group of cluster.groups) if (group.managed) note(nextChangeIn(group, now));
  for (const { pool } of situation.tallies.values()) note(pool.approved?.at);
  for (const { turn } of limits.topology.pools.values()) note(turn?.changesAt);
  for (const { changesAt } of limits.rates.active) note(changesAt);
  for (const { changesAt } of limits.rolls.pools.values()) note(changesAt);
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

function firstLift(judged: readonly WishOutcome[], now: Instant): Instant | undefined {
  let first: Instant | undefined;
  for (const { refusals } of judged) {
    for (const { liftsAt } of refusals) if (liftsAt !== undefined && liftsAt > now) first = earliest(first, liftsAt);
  }
  return first;
}

/** In drive a chosen command is checked again after the pause (G1). */
function judgedAgainAt(started: readonly StartedCommand[], { settings }: Situation): Instant | undefined {
  const first = settings.role === 'drive' ? started.find(({ command }) => command.step === 'chosen') : undefined;
  return first && judgedAt(first.command, settings);
}

/** The next instant at which time alone changes a node of the group or a pod on it. */
const nextChangeIn = memoUntil((group: NodeGroup, now) => {
  let at: Instant | undefined;
  for (const view of group.nodes) {
    const { doNotDisrupt, approved } = view.node.rules;
    for (const end of [doNotDisrupt?.until, approved?.at]) if (end !== undefined && end > now) at = earliest(at, end);
    at = earliest(at, nextPodChange(view, now));
  }
  return { value: at, until: at };
});

/** Windows of budgets, maintenance windows and schedules; pods' own windows only with a margin, which adds an edge to each. */
function windowsInSight({ tallies, cluster, settings }: Situation): ReadonlySet<Window> {
  const windows = new Set<Window>();
  for (const { pool } of tallies.values()) {
    // Beside Karpenter, its own reading of the budgets applies too (N4).
    const karpenters = isBesideKarpenter(settings) ? pool.karpenterBudgets : [];
    const budgets = [...pool.budgets, ...pool.rates, ...karpenters];
    for (const { window } of budgets) if (window) windows.add(window);
  }
  for (const window of cluster.windows) windows.add(window.window).add(window.life);
  for (const { window } of cluster.podSchedules) windows.add(window);
  if (settings.windowMargin === 0) return windows;
  for (const list of new Set(cluster.nodes.map((view) => view.windows))) {
    // Overlapping windows together close at an edge that need not be the next edge of any one of them.
    for (const reason of budgetReasons) windows.add(windowRules(list, reason).hours);
  }
  for (const { timed } of cluster.nodes) {
    for (const { pod, unevaluated } of timed) {
      if (unevaluated) continue;
      for (const window of [pod.rules?.allow, pod.rules?.block]) if (window) windows.add(window);
    }
  }
  return windows;
}
