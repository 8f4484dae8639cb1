// How far is a replacement? Not made yet, starting, ready, or not coming (G4, N6).
import type { Command, Replacement } from '../../cluster/ledger.ts';
import type { Claim } from '../../cluster/model.ts';
import { after, earliest, type Instant } from '../../time/instant.ts';
import type { Situation } from '../situation.ts';
import { launchTimeout } from './step.ts';

export type Arrival =
  | { readonly is: 'unmade' }
  | { readonly is: 'starting'; readonly fails?: Instant }
  | { readonly is: 'ready' }
  /** Somebody deleted it. */
  | { readonly is: 'lost'; readonly why: string }
  | { readonly is: 'failed'; readonly why: string };

export function arrivalOf({ name, state }: Replacement, { cluster, now }: Situation): Arrival {
  const claim = cluster.claim(name);
  if (state === 'failed') return { is: 'failed', why: `replacement ${name} failed` };
  if (!claim) return state === 'made' ? { is: 'lost', why: `replacement ${name} has vanished` } : { is: 'unmade' };
  if (claim.deletingSince !== undefined) return { is: 'lost', why: `replacement ${name} was deleted` };
  const failure = launchFailure(claim, now);
  if (failure !== undefined) return { is: 'failed', why: failure };
  const node = claim.nodeName === undefined ? undefined : cluster.node(claim.nodeName);
  if (claim.conditions.Initialized?.status === 'True' && node?.state.ready) return { is: 'ready' };
  return { is: 'starting', ...(claim.providerId === undefined && { fails: after(claim.createdAt, launchTimeout) }) };
}

/** N6: a claim that cannot launch holds up everything Karpenter does. */
function launchFailure({ name, conditions, createdAt, providerId }: Claim, now: Instant): string | undefined {
  const launched = conditions.Launched;
  if (launched && launched.status !== 'True' && /Fail|Insufficient|NotReady/.test(launched.reason ?? '')) {
    const why = launched.message ? `: ${launched.message}` : '';
    return `replacement ${name} cannot be launched (${launched.reason}${why})`;
  }
  if (providerId !== undefined || now < after(createdAt, launchTimeout)) return undefined;
  return `replacement ${name} was not launched within a minute`;
}

/** The record of what was seen: the same object where nothing is new. */
export function noteArrivals(command: Command, arrivals: readonly Arrival[]): Command {
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

/** When a claim that starts counts as failed, unless it is launched by then. */
export const firstFailure = (arrivals: readonly Arrival[]): Instant | undefined =>
  arrivals.reduce<Instant | undefined>(
    (at, it) => earliest(at, it.is === 'starting' ? it.fails : undefined),
    undefined,
  );

export interface Watched {
  readonly command: Command;
  readonly wakeAt: Instant | undefined;
  /** Pools of replacements that have failed since the last look. */
  readonly failed: readonly string[];
}

/** Replacements that nobody waits for, but that are not forgotten either (N6). */
export function watchReplacements(command: Command, situation: Situation): Watched {
  const arrivals = command.replacements.map((it) => arrivalOf(it, situation));
  const failed = command.replacements.flatMap(({ state, pool }, index) =>
    arrivals[index]?.is === 'failed' && state !== 'failed' ? [pool] : [],
  );
  return { command: noteArrivals(command, arrivals), wakeAt: firstFailure(arrivals), failed };
}
