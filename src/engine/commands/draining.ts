// draining: the pods are asked to go, tier by tier, each by its own rules, until none is left (G6, G7, H).
import type { Command } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, earliest, formatInstant, type Instant, minute } from '../../time/instant.ts';
import type { Refusal } from '../refusal.ts';
import type { Action } from './action.ts';
import { type Watched, watchReplacements } from './arrival.ts';
import { deadlineOf } from './drains.ts';
import { type Evictions, evictionsOn } from './evictions.ts';
import { isLeaving, placesOf } from './place.ts';
import { creations } from './replacing.ts';
import { beforeEviction, isPressed, objection } from './secondLook.ts';
import { type Context, move, type Outcome, release, type StepRule } from './step.ts';

/** G7: progress is written down no more often, so that the ledger stays quiet. */
const quiet = minute;

export const draining: StepRule = (command, context) => {
  const { now } = context.situation;
  const against = command.evictedAt === undefined ? objection(command, context, beforeEviction) : undefined;
  if (against !== undefined) return { next: release(command, against, now) };
  // The kubelet of an unhealthy node answers nobody: its pods end with it.
  if (command.reason === 'Unhealthy' && !isPressed(command, context))
    return { next: move(command, 'terminating', now) };
  const raised = raiseReplacements(command, context);
  const plan = planDrain(raised.command, context);
  if (plan.left === 0 && !plan.busy && raised.actions.length === 0)
    return { next: move(raised.command, 'terminating', now), failed: raised.failed };
  return goOn(withProgress(raised.command, plan, now), { plan, raised, context });
};

interface Plan extends Evictions {
  readonly deadline: Instant | undefined;
  /** H1: the deadline is written on the claim, where anyone can see it. */
  readonly marks: readonly Action[];
}

function planDrain(command: Command, context: Context): Plan {
  let deadline: Instant | undefined;
  const marks: Action[] = [];
  const evictions: Evictions[] = [];
  for (const place of placesOf(command, context.situation.cluster)) {
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
  const whole = '/metadata/annotations';
  const [path, value] =
    Object.keys(annotations).length === 0
      ? [whole, { [annotation.terminateAt]: formatInstant(deadline) }]
      : [`${whole}/${annotation.terminateAt.replaceAll('/', '~1')}`, formatInstant(deadline)];
  const patch = [
    { op: 'test', path, value: null },
    { op: 'add', path, value },
  ] as const;
  return { verb: 'patch', kind: 'NodeClaim', name, patch, command };
}

/** G7: a pod less is progress. The record is the same object where there is nothing to write. */
function withProgress(command: Command, { left }: Plan, now: Instant): Command {
  const { drain } = command;
  if (!drain) return { ...command, drain: { left, progressAt: now } };
  if (left >= drain.left || now < after(drain.progressAt, quiet)) return command;
  return { ...command, drain: { left, progressAt: now } };
}

interface Going {
  readonly plan: Plan;
  readonly raised: Raised;
  readonly context: Context;
}

function goOn(command: Command, { plan, raised, context }: Going): Outcome {
  const { now, settings } = context.situation;
  const { drain } = command;
  // A2: what goes whatever anyone says would begin again at once, with other replacements; it is only reported.
  const mayEnd = plan.deadline === undefined && !isPressed(command, context);
  const stuckAt = drain && mayEnd ? after(drain.progressAt, settings.drainTimeout) : undefined;
  if (stuckAt !== undefined && now >= stuckAt && plan.left > 0 && !plan.busy && plan.left >= (drain?.left ?? 0)) {
    const holders = plan.waitingFor
      .map(({ message }) => message)
      .slice(0, 3)
      .join('; ');
    const why = `its drain stood still for ${formatDuration(settings.drainTimeout)}${holders && `: ${holders}`}`;
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

interface Raised extends Watched {
  readonly actions: readonly Action[];
}

/** A: what is interrupted is drained at once, and its replacements come beside that as soon as they can. */
function raiseReplacements(command: Command, context: Context): Raised {
  if (!isPressed(command, context)) return { command, wakeAt: undefined, failed: [], actions: [] };
  return { ...watchReplacements(command, context.situation), actions: creations(command, context) ?? [] };
}
