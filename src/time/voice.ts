// What keeps a window open, and how far does it carry? One schedule, or several that cover whole days together.
import { asInstant, type Instant } from './instant.ts';
import { type CompiledSchedule, endOfLast, staysOpenUntil, wasOpenSince } from './schedule.ts';

/** How far a voice carries, and from where on asking it again could say more. */
export interface Said {
  readonly reach: Instant;
  readonly again: Instant;
}

export interface Voice {
  /** Until when it stays open on its account, as far as one step sees; not after `at` if it does not. */
  forwards(at: Instant): Said;
  /** Since when it has been open up to `start` on its account; `start` if it was closed just before. */
  backwards(start: Instant): Said;
}

export const solo = (schedule: CompiledSchedule): Voice => ({
  forwards: (at) => ({
    reach: staysOpenUntil(schedule, at),
    // A compiled schedule fires, so there always is a next hit.
    again: schedule.cron.next(at) as Instant,
  }),
  backwards: (start) => {
    const reach = wasOpenSince(schedule, start);
    // Closed before `start`, it is silent until its last opening; its earlier ones end earlier.
    return { reach, again: reach < start ? asInstant(Infinity) : endOfLast(schedule, asInstant(start - 1)) };
  },
});
