// The port between the loop and the outside: facts to read and requests to send. The simulator and a real cluster implement it.
import type { Ledger, SeenVersions } from '../cluster/ledger.ts';
import type { InstanceType } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Action } from '../engine/commands/action.ts';
import { asDuration, type Duration, formatInstant, type Instant } from '../time/instant.ts';

export interface Port {
  /** The facts as far as they are known here. Nothing is copied: look, decide, and look again after every request. */
  view(): ClusterView;
  /** Carries out one request. When it returns, the view contains what changed. Never throws because of a server's response. */
  send(request: ApiRequest): ApiResponse | Promise<ApiResponse>;
  /** Lists these kinds again: what is known of them is too old. Absent = waiting for the watch is enough. */
  catchUp?(kinds: readonly string[]): void;
}

export interface ClusterView {
  readonly cluster: Cluster;
  /** Absent if the cluster has none: Lull is new here, or the ledger is lost (G2). */
  readonly ledger?: { readonly record: Ledger; readonly version: string };
  /** What is not completely known (K3). Empty = everything is known. */
  readonly unsynced: readonly Unsynced[];
  /** The resource version up to which each kind has been seen completely. */
  readonly seen: SeenVersions;
  /** Instance types from Karpenter's metrics, as far as they were read (F5). */
  readonly instanceTypes?: readonly InstanceType[];
  /** Karpenter's metrics have not been read yet. */
  readonly typesAwaited?: boolean;
  /** The last version of each kind that was written through this port. It is in the view, but what came before it may not be. */
  readonly written: SeenVersions;
}

/** Why the view is not complete, or may be old (K3). */
export type Unsynced =
  | {
      readonly cause: 'not listed' | 'listed again';
      readonly kind: string;
      /** The last failure, in words. */
      readonly fault?: string;
      /** Its status code, if the server refused. */
      readonly code?: number;
    }
  | {
      readonly cause: 'watch down';
      readonly kind: string;
      readonly fault?: string;
      readonly code?: number;
      readonly since: Instant;
    }
  /** The ledger was written by a Lull that had seen newer objects. */
  | { readonly cause: 'behind'; readonly kind: string; readonly seen: string; readonly needed: string }
  | { readonly cause: 'other'; readonly text: string };

export const unsyncedBecause = (text: string): Unsynced => ({ cause: 'other', text });

export function describeUnsynced(it: Unsynced): string {
  switch (it.cause) {
    case 'not listed':
      return `${it.kind} is not listed yet${because(it)}`;
    case 'listed again':
      return `${it.kind} is being listed again${because(it)}`;
    case 'watch down':
      return `the watch of ${it.kind} has been down since ${formatInstant(it.since)}${because(it)}`;
    case 'behind':
      return `${it.kind} is seen up to resourceVersion ${it.seen}, but the ledger was written at ${it.needed}`;
    case 'other':
      return it.text;
  }
}

const because = ({ fault }: { readonly fault?: string }): string => (fault === undefined ? '' : `: ${fault}`);

/** One API request as data (G8). */
export type ApiRequest = Action | Commit;

/** Writes the ledger, if it still is the version that was seen (G2). */
export interface Commit {
  readonly verb: 'commit';
  readonly ledger: Ledger;
  /** Absent = there was none: create it. */
  readonly version?: string;
}

export type ApiResponse =
  | { readonly status: 'done' }
  /** The server refused: 404 gone, 409 conflict or already exists, 422 a test failed, 429 not now. */
  | { readonly status: 'refused'; readonly code: number; readonly message: string }
  /** No answer: the request may or may not have been carried out (K2). */
  | { readonly status: 'away'; readonly message: string; readonly retryAfter?: Duration };

/**
 * Requests that do not depend on each other: they may be sent at the same time and arrive in any order. After one of them was answered
 * with `away`, no more are sent.
 */
export type Batch = readonly ApiRequest[];

/** In the order of the requests; absent = not sent. */
export type ApiResponses = readonly (ApiResponse | undefined)[];

/** One pass of the loop (one round), batch by batch: the caller sends what it yields and passes the responses back. */
export type Pass = Generator<Batch, Rest, ApiResponses>;

/** What to wait for after a pass. */
export type Rest =
  /** Something was done: look again at once. */
  | { readonly again: true }
  /** Wait for a change or for this instant, whichever comes first. */
  | { readonly again: false; readonly wakeAt?: Instant };

/** Acts on a cluster through a port, pass by pass. */
export interface Reconciler {
  pass(now: Instant): Pass;
}

/** Changes arrive in bursts: a pass waits this long for the rest of a burst (K5). */
export const gatherFor: Duration = asDuration(250);
