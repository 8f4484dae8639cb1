// What may the loop ask of the outside? Facts to look at, and requests to send. The simulator and a real cluster both stand behind it.
import type { Ledger, Seen } from '../cluster/ledger.ts';
import type { InstanceType } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Action } from '../engine/commands/action.ts';
import { asDuration, type Duration, type Instant } from '../time/instant.ts';

export interface Port {
  /** The facts as far as they are known here. Nothing is copied: look, decide, and look again after every request. */
  view(): View;
  /** Carries one request out. What it changed is in the view when the answer is here. Never throws on what a server may say. */
  send(request: Request): Answer | Promise<Answer>;
  /** What is known of these kinds is older than it may be: they are to be looked at anew. Absent = what comes will do. */
  catchUp?(kinds: readonly string[]): void;
}

export interface View {
  readonly cluster: Cluster;
  /** Absent where there is none: new here, or lost (G2). */
  readonly ledger?: { readonly record: Ledger; readonly version: string };
  /** K3: what is not known completely, in words. Empty = all is. */
  readonly unsynced: readonly string[];
  /** How far each kind has been seen: everything up to there. */
  readonly seen: Seen;
  /** F5: what Karpenter's metrics say of instance types, as far as they were read. */
  readonly instanceTypes?: readonly InstanceType[];
  /** The first answer is not here yet. */
  readonly typesAwaited?: boolean;
  /** The last thing of each kind that was written through this port: it is in the view, though what came before it may not be. */
  readonly written: Seen;
}

/** G8: one API request as data. */
export type Request = Action | Commit;

/** G2: writes the ledger, if it still is the one that was seen. */
export interface Commit {
  readonly verb: 'commit';
  readonly ledger: Ledger;
  /** Absent = there was none: it is created. */
  readonly version?: string;
}

export type Answer =
  | { readonly status: 'done' }
  /** The server says no: 404 gone, 409 conflict or exists already, 422 a test failed, 429 not now. */
  | { readonly status: 'refused'; readonly code: number; readonly message: string }
  /** K2: nobody answered. The request may have been carried out, or not. */
  | { readonly status: 'away'; readonly message: string; readonly retryAfter?: Duration };

/**
 * Requests that do not depend on each other: they may be sent at the same time, and arrive in any order. None is sent any more once
 * one of them was answered with `away`.
 */
export type Batch = readonly Request[];

/** In the order of the requests; absent = it was not sent. */
export type Answers = readonly (Answer | undefined)[];

/** One pass of the loop (one round), batch by batch: the caller sends what it yields and gives back the answers. */
export type Pass = Generator<Batch, Rest, Answers>;

/** What to wait for after a pass. */
export type Rest =
  /** Something was done: look again at once. */
  | { readonly again: true }
  /** A change, or this instant, whichever comes first. */
  | { readonly again: false; readonly wakeAt?: Instant };

/** Whatever acts on a cluster through a port. */
export interface Tenant {
  pass(now: Instant): Pass;
}

/** K5: changes come in swarms; a pass waits this long for the rest of them. */
export const gatherFor: Duration = asDuration(250);
