// The step `draining`: evicts the pods tier by tier, each under its own rules, until none is left (G6, G7, H).
import type { Command } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, earliest, formatInstant, type Instant, minute } from '../../time/instant.ts';
import type { Refusal } from '../refusal.ts';
import { type Action, annotate } from './action.ts';
import { deadlineOf } from './drains.ts';
import { type EvictionPlan, evictionsOn } from './evictions.ts';
import { creations, type WatchedReplacements, watchReplacements } from './replacing.ts';
import {
  beforeEviction,
  disruptedNodesOf,
  isLeaving,
  isUrgent,
  move,
  objection,
  release,
  type StepContext,
  type StepRule,
  type StepRuleOutcome,
} from './step.ts';

/** The minimum interval between two records of progress, so that the ledger is not written too often (G7). */
const quiet = minute;

export const draining: StepRule = (command, context) => {
  const { now } = context.situation;
  const against = command.evictedAt === undefined ? objection(command, context, beforeEviction) : undefined;
  if (against !== undefined) return { next: release(command, against, now) };
  // The kubelet of an unhealthy node does not respond: its pods end with the node.
  if (command.reason === 'Unhealthy' && !isUrgent(command, context)) return { next: move(command, 'terminating', now) };
  const raised = raiseReplacements(command, context);
  const plan = planDrain(raised.command, context);
  if (plan.left === 0 && !plan.busy && raised.actions.length === 0)
    return { next: move(raised.command, 'terminating', now), failed: raised.failed };
  return continueDrain(withProgress(raised.command, plan, now), { plan, raised, context });
};

interface DrainPlan extends EvictionPlan {
  readonly deadline: Instant | undefined;
  /** Patches that write the deadline on the claims, where users can see it (H1). */
  readonly marks: readonly Action[];
}

function planDrain(command: Command, context: StepContext): DrainPlan {
  let deadline: Instant | undefined;
  const marks: Action[] = [];
  const evictions: EvictionPlan[] = [];
  for (const place of disruptedNodesOf(command, context.situation.cluster)) {
    const { view, claim } = place;
    if (!view || isLeaving(place)) continue;
    const mine = deadlineOf(command, claim);
    deadline = earliest(deadline, mine);
    if (claim && mine !== undefined && claim.terminateAt === undefined)
      marks.push(markDeadline(claim, mine, command.id));
    evictions.push(evictionsOn(view, command, { context, deadline: mine }));
  }
  return {
    deadline,
    marks,
    actions: evictions.flatMap(({ actions }) => actions),
    waitingFor: eachOnce(evictions.flatMap(({ waitingFor }) => waitingFor)),
    left: evictions.reduce((sum, { left }) => sum + left, 0),
    busy: evictions.some(({ busy }) => busy),
    wakeAt: evictions.reduce<Instant | undefined>((at, { wakeAt }) => earliest(at, wakeAt), undefined),
  };
}

const eachOnce = (refusals: readonly Refusal[]): readonly Refusal[] => [
  ...new Map(refusals.map((it) => [`${it.code} ${it.message}`, it])).values(),
];

function markDeadline({ name, annotations }: Claim, deadline: Instant, command: string): Action {
  const isBare = Object.keys(annotations).length === 0;
  const wanted = { [annotation.terminateAt]: formatInstant(deadline) };
  const patch = annotate({ [annotation.terminateAt]: undefined }, wanted, isBare);
  return { verb: 'patch', kind: 'NodeClaim', name, patch, command };
}

/** Fewer pods are progress (G7). Returns the same command if there is nothing to record. */
function withProgress(command: Command, { left }: DrainPlan, now: Instant): Command {
  const { drain } = command;
  if (!drain) return { ...command, drain: { left, progressAt: now } };
  if (left >= drain.left || now < after(drain.progressAt, quiet)) return command;
  return { ...command, drain: { left, progressAt: now } };
}

interface DrainProgress {
  readonly plan: DrainPlan;
  readonly raised: RaisedReplacements;
  readonly context: StepContext;
}

function continueDrain(command: Command, { plan, raised, context }: DrainProgress): StepRuleOutcome {
  const { now, settings } = context.situation;
  const { drain } = command;
  // A forced command (A2) would start again at once, with other replacements, so it is only reported.
  const mayEnd = plan.deadline === undefined && !isUrgent(command, context);
  const stuckAt = drain && mayEnd ? after(drain.progressAt, settings.drainTimeout) : undefined;
  if (stuckAt !== undefined && now >= stuckAt && plan.left > 0 && !plan.busy && plan.left >= (drain?.left ?? 0)) {
    const holders = plan.waitingFor
      .map(({ message }) => message)
      .slice(0, 3)
      .join('; ');
    const why = `its drain made no progress for ${formatDuration(settings.drainTimeout)}${holders && `: ${holders}`}`;
    return { next: release(command, why, now), failed: [command.pool] };
  }
  const asks = plan.actions.length > 0;
  const actions = [...raised.actions, ...plan.marks, ...plan.actions];
  const noted = drain && plan.left < drain.left ? after(drain.progressAt, quiet) : undefined;
  return {
    command: asks && command.evictedAt === undefined ? { ...command, evictedAt: now } : command,
    actions,
    waitingFor: plan.waitingFor,
    deadline: plan.deadline,
    wakeAt: [plan.wakeAt, stuckAt, noted, raised.wakeAt]
      .filter((at) => at !== undefined && at > now)
      .reduce(earliest, undefined),
    failed: raised.failed,
  };
}

interface RaisedReplacements extends WatchedReplacements {
  readonly actions: readonly Action[];
}

/** Interrupted nodes are drained at once; their replacements are created in parallel (A). */
function raiseReplacements(command: Command, context: StepContext): RaisedReplacements {
  if (!isUrgent(command, context)) return { command, wakeAt: undefined, failed: [], actions: [] };
  return { ...watchReplacements(command, context.situation), actions: creations(command, context) ?? [] };
}
