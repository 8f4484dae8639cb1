// The stages of a wish in a round: refused or not by the gates, its outcome, and the command it starts.
import type { Command } from '../cluster/ledger.ts';
import type { Action } from './commands/action.ts';
import { none, type Refusal } from './refusal.ts';
import type { Verdict } from './verdict.ts';
import type { Wish } from './wish.ts';

/** A wish and its refusals by the gates; no refusals where its node is already being disrupted. */
export interface GatedWish {
  readonly wish: Wish;
  readonly refusals?: readonly Refusal[];
}

/** Whether no gate refuses it. */
export const isCandidate = ({ refusals }: GatedWish): boolean => refusals?.length === 0;

/** A wish and its outcome. */
export interface WishOutcome {
  readonly wish: Wish;
  readonly outcome: Verdict['outcome'];
  readonly refusals: readonly Refusal[];
}

/** A wish and what holds it. */
export type HeldWish = Pick<WishOutcome, 'wish' | 'refusals'>;

export const underway = (wish: Wish): WishOutcome => ({ wish, outcome: 'underway', refusals: none });

export const go = (wish: Wish): WishOutcome => ({ wish, outcome: 'go', refusals: none });

/** Gates first, then limits: a person may do something about the first, the others pass as nodes are done. */
export const held = (wish: Wish, limits: readonly Refusal[], gates: readonly Refusal[] = none): WishOutcome => ({
  wish,
  outcome: 'held',
  refusals: gates.length === 0 ? limits : limits.length === 0 ? gates : [...gates, ...limits],
});

/** A command that starts in this round. */
export interface StartedCommand {
  /** The wishes of its nodes, in the order of `command.nodes`. */
  readonly wishes: readonly Wish[];
  readonly command: Command;
  readonly actions: readonly Action[];
}
