// The step `replacing`: waits until the replacements are Initialized and Ready before anything is drained (G1, G4, N6).
import type { Command, Replacement } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { formatDuration } from '../../time/duration.ts';
import { after, earliest, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import type { Action } from './action.ts';
import { createReplacement } from './replacementClaim.ts';
import {
  isUrgent,
  launchTimeout,
  move,
  objection,
  release,
  type StepContext,
  type StepRule,
  whileReplacing,
} from './step.ts';

export const replacing: StepRule = (command, context) => {
  const { situation } = context;
  const { now, settings } = situation;
  if (isUrgent(command, context)) return { next: move(command, 'draining', now) };
  const against = objection(command, context, whileReplacing);
  if (against !== undefined) return { next: release(command, against, now) };
  const arrivals = command.replacements.map((it) => statusOf(it, situation));
  const noted = recordStatuses(command, arrivals);
  const pools = poolsOf(command);
  if (arrivals.every(({ is }) => is === 'ready')) return { next: move(noted, 'draining', now), arrived: pools };
  const timesOut = after(command.stepAt, settings.replacementTimeout);
  const failure = whyFailed(arrivals) ?? (now < timesOut ? undefined : tooLate(command, context));
  if (failure !== undefined) return { next: release(noted, failure, now), failed: pools };
  const actions = creations(command, context);
  if (actions === undefined)
    return { next: release(noted, `pool ${pools.join(' or ')} of its replacement does not exist`, now), failed: pools };
  return { command: noted, actions, wakeAt: earliest(timesOut, firstFailure(arrivals)) };
};

const poolsOf = ({ replacements }: Command): readonly string[] => [...new Set(replacements.map(({ pool }) => pool))];

function whyFailed(arrivals: readonly ReplacementStatus[]): string | undefined {
  for (const arrival of arrivals) if (arrival.is === 'failed' || arrival.is === 'lost') return arrival.why;
  return undefined;
}

const tooLate = ({ replacements }: Command, { situation: { settings } }: StepContext): string =>
  `${replacements.map(({ name }) => name).join(' and ')} was not ready within ${formatDuration(settings.replacementTimeout)}`;

/** Requests for claims that do not exist yet; undefined if their pool is gone. */
export function creations(command: Command, { situation }: StepContext): readonly Action[] | undefined {
  const actions: Action[] = [];
  for (const replacement of command.replacements) {
    if (statusOf(replacement, situation).is !== 'unmade') continue;
    const pool = situation.cluster.pools.get(replacement.pool);
    if (!pool) return undefined;
    actions.push(createReplacement(command, replacement, { pool, situation }));
  }
  return actions;
}

type ReplacementStatus =
  | { readonly is: 'unmade' }
  | { readonly is: 'starting'; readonly fails?: Instant }
  | { readonly is: 'ready' }
  /** Deleted by another actor. */
  | { readonly is: 'lost'; readonly why: string }
  | { readonly is: 'failed'; readonly why: string };

function statusOf({ name, state }: Replacement, { cluster, now }: Situation): ReplacementStatus {
  const claim = cluster.claim(name);
  if (state === 'failed') return { is: 'failed', why: `replacement ${name} failed` };
  if (!claim) return state === 'made' ? { is: 'lost', why: `replacement ${name} no longer exists` } : { is: 'unmade' };
  if (claim.deletingSince !== undefined) return { is: 'lost', why: `replacement ${name} was deleted` };
  const failure = launchFailure(claim, now);
  if (failure !== undefined) return { is: 'failed', why: failure };
  const node = claim.nodeName === undefined ? undefined : cluster.node(claim.nodeName);
  if (claim.conditions.Initialized?.status === 'True' && node?.state.ready) return { is: 'ready' };
  return { is: 'starting', ...(claim.providerId === undefined && { fails: after(claim.createdAt, launchTimeout) }) };
}

/** A claim that cannot launch stalls Karpenter (N6). */
function launchFailure({ name, conditions, createdAt, providerId }: Claim, now: Instant): string | undefined {
  const launched = conditions.Launched;
  if (launched && launched.status !== 'True' && /Fail|Insufficient|NotReady/.test(launched.reason ?? '')) {
    const why = launched.message ? `: ${launched.message}` : '';
    return `replacement ${name} cannot be launched (${launched.reason}${why})`;
  }
  if (providerId !== undefined || now < after(createdAt, launchTimeout)) return undefined;
  return `replacement ${name} was not launched within a minute`;
}

/** Records the replacements' states; the same command if nothing changed. */
function recordStatuses(command: Command, arrivals: readonly ReplacementStatus[]): Command {
  let isNew = false;
  const replacements = command.replacements.map((replacement, index) => {
    const is = arrivals[index]?.is;
    const state = is === 'failed' ? 'failed' : is === 'unmade' ? undefined : (replacement.state ?? 'made');
    if (state === replacement.state || state === undefined) return replacement;
    isNew = true;
    return { ...replacement, state } as const;
  });
  return isNew ? { ...command, replacements } : command;
}

/** When the first claim that is not launched yet counts as failed. */
const firstFailure = (arrivals: readonly ReplacementStatus[]): Instant | undefined =>
  arrivals.reduce<Instant | undefined>(
    (at, it) => earliest(at, it.is === 'starting' ? it.fails : undefined),
    undefined,
  );

export interface WatchedReplacements {
  readonly command: Command;
  readonly wakeAt: Instant | undefined;
  /** Pools of replacements that have failed since the last round. */
  readonly failed: readonly string[];
}

/** Checks replacements that the command does not wait for (N6). */
export function watchReplacements(command: Command, situation: Situation): WatchedReplacements {
  const arrivals = command.replacements.map((it) => statusOf(it, situation));
  const failed = command.replacements.flatMap(({ state, pool }, index) =>
    arrivals[index]?.is === 'failed' && state !== 'failed' ? [pool] : [],
  );
  return { command: recordStatuses(command, arrivals), wakeAt: firstFailure(arrivals), failed };
}
