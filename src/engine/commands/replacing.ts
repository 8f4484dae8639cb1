// replacing: nothing is drained before its replacements are Initialized, and Ready now (G1, G4).
import type { Command } from '../../cluster/ledger.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, earliest } from '../../time/instant.ts';
import type { Action } from './action.ts';
import { type Arrival, arrivalOf, firstFailure, noteArrivals } from './arrival.ts';
import { createReplacement } from './replacementClaim.ts';
import { isPressed, objection, whileReplacing } from './secondLook.ts';
import { type Context, move, release, type StepRule } from './step.ts';

export const replacing: StepRule = (command, context) => {
  const { situation } = context;
  const { now, settings } = situation;
  if (isPressed(command, context)) return { next: move(command, 'draining', now) };
  const against = objection(command, context, whileReplacing);
  if (against !== undefined) return { next: release(command, against, now) };
  const arrivals = command.replacements.map((it) => arrivalOf(it, situation));
  const noted = noteArrivals(command, arrivals);
  const pools = poolsOf(command);
  if (arrivals.every(({ is }) => is === 'ready')) return { next: move(noted, 'draining', now), arrived: pools };
  const timesOut = after(command.stepAt, settings.replacementTimeout);
  const failure = whyFailed(arrivals) ?? (now < timesOut ? undefined : tooLate(command, context));
  if (failure !== undefined) return { next: release(noted, failure, now), failed: pools };
  const actions = creations(command, context);
  if (actions === undefined)
    return { next: release(noted, `there is no pool ${pools.join(' and ')} to make it from`, now), failed: pools };
  return { command: noted, actions, wakeAt: earliest(timesOut, firstFailure(arrivals)) };
};

const poolsOf = ({ replacements }: Command): readonly string[] => [...new Set(replacements.map(({ pool }) => pool))];

function whyFailed(arrivals: readonly Arrival[]): string | undefined {
  for (const arrival of arrivals) if (arrival.is === 'failed' || arrival.is === 'lost') return arrival.why;
  return undefined;
}

const tooLate = ({ replacements }: Command, { situation: { settings } }: Context): string =>
  `${replacements.map(({ name }) => name).join(' and ')} did not come up within ${formatDuration(settings.replacementTimeout)}`;

/** The claims that nobody has seen yet; undefined where their pool is gone. */
export function creations(command: Command, { situation }: Context): readonly Action[] | undefined {
  const actions: Action[] = [];
  for (const replacement of command.replacements) {
    if (arrivalOf(replacement, situation).is !== 'unmade') continue;
    const pool = situation.cluster.pools.get(replacement.pool);
    if (!pool) return undefined;
    actions.push(createReplacement(command, replacement, { pool, situation }));
  }
  return actions;
}
