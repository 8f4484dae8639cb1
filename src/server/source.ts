// What does the server serve? Rounds as they are decided, what happens in the cluster, and a person's own way in. It does not know what cluster that is.
import type { Cluster } from '../cluster/store.ts';
import type { Round } from '../engine/verdict.ts';
import type { Port } from '../runtime/port.ts';
import type { Instant } from '../time/instant.ts';

/** A round, and what it was decided about. */
export interface Decided {
  readonly round: Round;
  readonly cluster: Cluster;
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

export interface Source {
  /** The clock of the cluster, which may not be ours. */
  now(): Instant;
  /** What was decided last; absent before the first round. */
  latest(): Decided | undefined;
  /** Tells of everything from now on; gives back how to stop it. */
  subscribe(listener: (news: News) => void): () => void;
  /** For what a person asks: its requests are made in the person's name, not in the controller's. */
  readonly port: Port;
  /** Writes a recording, line by line, from now on (J4); gives back how to stop it. Absent = it cannot be recorded. */
  record?(write: (line: string) => void): () => void;
}
