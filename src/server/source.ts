// What does the server serve? Rounds as they are decided, what happens in the cluster, and a person's own way in. It does not know what cluster that is.
import type { Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Round } from '../engine/verdict.ts';
import type { Port } from '../runtime/port.ts';
import type { Instant } from '../time/instant.ts';
import type { Meter } from './meter.ts';

/** A round, and what it was decided about. */
export interface Decided {
  readonly round: Round;
  readonly cluster: Cluster;
  /** In which it was decided. */
  readonly role: Settings['role'];
  /** The ledger it was decided from, as it was committed; absent = not known. */
  readonly ledger?: Ledger;
  /** The round as L2 prints it. */
  readonly json: unknown;
}

/** Something that happened, as one sentence and what a program may read of it. */
export interface Happened {
  readonly kind: string;
  readonly text: string;
  readonly [field: string]: unknown;
}

export type News =
  | { readonly kind: 'round'; readonly decided: Decided }
  | { readonly kind: 'story'; readonly event: Happened };

/** What a viewer should know before anything else. */
export interface About {
  readonly title?: string;
  /** What is going to happen, where somebody wrote it down. */
  readonly story?: string;
  readonly role?: string;
  /** Why guide offers nothing at present (N11). */
  readonly withheld?: string;
  /** Seconds there in a second here; 1 where nothing is said. */
  readonly speed?: number;
  readonly version?: string;
  /** What the token of this client may do; told by the server. */
  readonly access?: 'read' | 'write';
  /** Which cluster it is; absent = one in memory. */
  readonly cluster?: { readonly context: string; readonly server: string; readonly as?: ActsAs };
}

/** Whom requests act as, where a kubeconfig impersonates. */
export interface ActsAs {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/** The cluster that an answer is about. */
export interface ClusterIdentity {
  /** box = in memory (`lull up`); file = objects read from files. */
  readonly kind: 'box' | 'cluster' | 'file';
  /** Of the context, the scenario or the files. */
  readonly name: string;
  /** Of the kube-system namespace; absent = not known. */
  readonly uid?: string;
  /** Address of the API server. */
  readonly server?: string;
  /** Absent = whoever the credentials are. */
  readonly as?: ActsAs;
}

export interface Source {
  readonly about?: About;
  /** Which cluster this is, for clients that must not ask about another one. Absent = not known. */
  identity?(): ClusterIdentity | Promise<ClusterIdentity>;
  /** What the rounds are decided with. */
  readonly settings?: Settings;
  /** The clock of the cluster, which may not be ours. */
  now(): Instant;
  /** What was decided last; absent before the first round. */
  latest(): Decided | undefined;
  /** Why nothing can be asked here now, in words: another leads, say. Undefined, or absent = it can. */
  unavailable?(): string | undefined;
  /** Why it is ready though nothing can be asked here, in words: it waits for another that leads. Undefined, or absent = it does not. */
  standby?(): string | undefined;
  /** Why it cannot do what it decides, in words, though it can be asked. Undefined, or absent = it can. */
  hindrance?(): string | undefined;
  /** Why nothing has been decided for a while since the last round, in words: what it says is old. Undefined, or absent = it is not. */
  stalled?(): string | undefined;
  /** Tells of everything from now on; gives back how to stop it. */
  subscribe(listener: (news: News) => void): () => void;
  /** For what a person asks: its requests are made in the person's name, not in the controller's. */
  readonly port: Port;
  /** What has been counted since it started; absent = the server counts what it sees. */
  readonly meter?: Meter;
  /**
   * Writes a recording, line by line, from now on (J4); gives back how to stop it. `writeLater` takes lines that may be made when the
   * reader has taken those before them. Absent = it cannot be recorded.
   */
  record?(write: (line: string) => void, writeLater?: (lines: Iterable<string>) => void): () => void;
  /** A recording of this one moment, line by line. Absent = there is none. */
  snapshot?(): Iterable<string> | AsyncIterable<string>;
}
