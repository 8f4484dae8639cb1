// What became of a wish on its way through a round?
import { none, type Refusal } from './refusal.ts';
import type { Verdict } from './verdict.ts';
import type { Wish } from './wish.ts';

/** A wish and what the gates say to it; no answer where it is under way already. */
export interface Asked {
  readonly wish: Wish;
  readonly refusals?: readonly Refusal[];
}

/** Asked, and refused by no gate. */
export const isCandidate = ({ refusals }: Asked): boolean => refusals?.length === 0;

/** A wish and what became of it. */
export interface Judged {
  readonly wish: Wish;
  readonly outcome: Verdict['outcome'];
  readonly refusals: readonly Refusal[];
}

export const underway = (wish: Wish): Judged => ({ wish, outcome: 'underway', refusals: none });

export const go = (wish: Wish): Judged => ({ wish, outcome: 'go', refusals: none });

/** Gates first, then limits: what a person can do something about, then what passes. */
export const held = (wish: Wish, limits: readonly Refusal[], gates: readonly Refusal[] = none): Judged => ({
  wish,
  outcome: 'held',
  refusals: gates.length === 0 ? limits : limits.length === 0 ? gates : [...gates, ...limits],
});
