// How is it said until when something stays held?
import type { Until } from '../engine/why/untilWhen.ts';
import type { Instant } from '../time/instant.ts';
import { sayMoment } from './moment.ts';

export const sayUntil = (until: Until, now: Instant): string =>
  `until ${typeof until === 'string' ? until : sayMoment(until.at, now)}`;
