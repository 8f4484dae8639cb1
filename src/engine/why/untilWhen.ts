// How long a wish stays held: until an instant, not before one, never as the rules are, or what it waits for instead (J1).
import type { Instant } from '../../time/instant.ts';
import type { RuleAtFault, Verdict, WaitsFor } from '../verdict.ts';

/** `time passes`: only rules of time hold it, and when they all permit it could not be worked out. */
export type Until =
  | { readonly at: Instant }
  | { readonly notBefore: Instant; readonly besides: Besides }
  | { readonly never: readonly RuleAtFault[] }
  | Besides
  | 'time passes';

type Besides = 'the cluster changes' | 'someone acts';

const besides: Readonly<Record<Exclude<WaitsFor, 'the clock'>, Besides>> = {
  'the cluster': 'the cluster changes',
  someone: 'someone acts',
};

/** Only of what is held. */
export function untilWhen({
  possibleAt,
  neverMeet = [],
  waitsFor = 'the cluster',
}: Pick<Verdict, 'possibleAt' | 'neverMeet' | 'waitsFor'>): Until {
  if (possibleAt === 'never') return { never: neverMeet };
  if (typeof possibleAt !== 'number') return waitsFor === 'the clock' ? 'time passes' : besides[waitsFor];
  return waitsFor === 'the clock' ? { at: possibleAt } : { notBefore: possibleAt, besides: besides[waitsFor] };
}
