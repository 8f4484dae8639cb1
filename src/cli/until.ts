// How long something stays held, in a few words.
import type { Until } from '../engine/why/untilWhen.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { sayMoment } from './moment.ts';

/** `until 2026-11-21 21:00Z (in 4d10h)`, `not before …`, `never`, `waits for someone`. */
export function sayUntil(until: Until, now: Instant): string {
  if (typeof until === 'string') return waiting[until];
  if ('at' in until) return `until ${sayMoment(until.at, now)}`;
  return 'never' in until ? 'never, as its rules are' : `not before ${sayMoment(until.notBefore, now)}`;
}

const waiting: Readonly<Record<Extract<Until, string>, string>> = {
  'the cluster changes': 'waits for the cluster',
  'someone acts': 'waits for someone',
  'time passes': 'waits for its hours',
};

/** As JSON: an instant, or what has to happen; with it the instant before which it does not go in any case. */
export function untilAsJson(until: Until): { readonly until: string; readonly notBefore?: string } {
  if (typeof until === 'string') return { until };
  if ('at' in until) return { until: formatInstant(until.at) };
  return 'never' in until ? { until: 'never' } : { until: until.besides, notBefore: formatInstant(until.notBefore) };
}
