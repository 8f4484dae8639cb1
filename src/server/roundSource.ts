// The interface between the server and a cluster, live or simulated: rounds, events and user requests.
import type { Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import type { Round } from '../engine/verdict.ts';
import type { Port } from '../runtime/port.ts';
import type { Instant } from '../time/instant.ts';
import type { Meter } from './meter.ts';

/** A round, with the cluster and ledger it was decided from. */
export interface DecidedRound {
  readonly round: Round;
  readonly cluster: Cluster;
  /** The role the round was decided in. */
  readonly role: Settings['role'];
  /** The committed ledger the round was decided from. */
  readonly ledger: Ledger;
  /** The round as `lull decide -o json` prints it (L2). */
  readonly json: unknown;
}

/** An event as one sentence, with fields for programs. */
export interface ReportedEvent {
  readonly kind: string;
  readonly text: string;
  readonly [field: string]: unknown;
}

export type News =
  | { readonly kind: 'round'; readonly decided: DecidedRound }
  | { readonly kind: 'story'; readonly event: ReportedEvent };

/** What a viewer needs to know first. */
export interface AboutCluster {
  readonly title?: string;
  /** The description of a scenario: what is going to happen. */
  readonly story?: string;
  readonly role?: string;
  /** Why Lull offers no nodes in role guide at present (N11). */
  readonly withheld?: string;
  /** Simulated seconds per real second; 1 if absent. */
  readonly speed?: number;
  readonly version?: string;
  /** What the client's token may do; set by the server. */
  readonly access?: 'read' | 'write';
  /** Absent for a cluster in memory. */
  readonly cluster?: { readonly context: string; readonly server: string; readonly as?: ActsAs };
}

/** The user that a kubeconfig impersonates. */
export interface ActsAs {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/** Identifies a cluster, so that a client can check that an answer is about the cluster it expects. */
export interface ClusterIdentity {
  /** box: in memory (`lull up`); file: objects read from files. */
  readonly kind: 'box' | 'cluster' | 'file';
  /** The name of the context, the scenario or the files. */
  readonly name: string;
  /** The UID of the kube-system namespace; absent if unknown. */
  readonly uid?: string;
  /** The address of the API server. */
  readonly server?: string;
  /** Absent without impersonation. */
  readonly as?: ActsAs;
}

export interface RoundSource {
  readonly about?: AboutCluster;
  /** Which cluster this is, for clients that must not talk to another one. Absent if unknown. */
  identity?(): ClusterIdentity | Promise<ClusterIdentity>;
  /** The settings rounds are decided with. */
  readonly settings?: Settings;
  /** The time in the cluster, which may be simulated. */
  now(): Instant;
  /** The last round; undefined before the first. */
  latest(): DecidedRound | undefined;
  /** Why the API cannot answer now, such as that another process is the leader. Undefined if it can. */
  unavailable?(): string | undefined;
  /** Why it is ready although the API cannot answer: it waits for the lease. Undefined if it does not. */
  standby?(): string | undefined;
  /** Why it cannot act on its decisions, although the API answers. Undefined if it can. */
  hindrance?(): string | undefined;
  /** Why no round has been decided for a while, so that answers are outdated. Undefined if they are not. */
  stalled?(): string | undefined;
  /** Calls the listener for all news from now on; returns the function to unsubscribe. */
  subscribe(listener: (news: News) => void): () => void;
  /** For user requests: they are sent in the user's name, not in the controller's. */
  readonly port: Port;
  /** Counters since the start; absent if the server counts by itself. */
  readonly meter?: Meter;
  /**
   * Writes a recording, line by line, from now on (J4); returns the function to stop it. `writeLater` takes lines that may be generated
   * once the client has read those before. Absent if recording is not supported.
   */
  record?(write: (line: string) => void, writeLater?: (lines: Iterable<string>) => void): () => void;
  /** A recording of the current moment, line by line. Absent if not supported. */
  snapshot?(): Iterable<string> | AsyncIterable<string>;
}
