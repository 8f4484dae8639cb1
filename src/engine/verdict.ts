// The report of a round, from which dry run, why, dashboard and replay are made (L2).
import type { Fault } from '../cluster/fault.ts';
import type { Command, Ledger } from '../cluster/ledger.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Instant } from '../time/instant.ts';
import type { Action } from './commands/action.ts';
import type { Interruption } from './interruptions.ts';
import type { Refusal, RuleOwner } from './refusal.ts';
import type { SlowClaim } from './slowClaims.ts';

export interface Verdict {
  readonly node: string;
  readonly claim?: string;
  readonly pool: string;
  readonly reason: Reason;
  readonly outcome: 'go' | 'held' | 'underway';
  /** The cause of the wish, e.g. the fields that drifted (I3). */
  readonly detail?: string;
  /** The first instant at which all pods of the node may be moved together (E12). */
  readonly podsAgreeAt?: Instant;
  readonly refusals: readonly Refusal[];
  /**
   * For held wishes: the first instant at which every rule that depends on time permits it (E12). `now`: they all do in this round.
   * Absent if it could not be determined.
   */
  readonly possibleAt?: Instant | 'now' | 'never';
  /** With `never`: the fewest rules that never permit together. */
  readonly neverMeet?: readonly ConflictingRule[];
  /** For held wishes: what else must happen before the node may be disrupted. */
  readonly waitsFor?: WaitsFor;
}

/** A rule as it is at any time, not only now. */
export type ConflictingRule = Pick<Refusal, 'code' | 'message' | 'owner'>;

/** Time alone, something in the cluster, or a person's decision. */
export type WaitsFor = 'the clock' | 'the cluster' | 'someone';

/** For every pool and every reason but Interrupted, at the start of the round (J2). No `limit` = unlimited. */
export interface Allowance {
  readonly pool: string;
  readonly reason: Reason;
  readonly limit?: number;
  readonly consumed: number;
  readonly left?: number;
  /** The index of the decisive budget. */
  readonly budget?: number;
  readonly nextChange?: Instant;
}

/** A rate limit that is active, at the start of the round (P1, P2). */
export interface RateReport {
  /** The pool with the index of its budget, or the window. */
  readonly owner: RuleOwner;
  /** `24h`, `opening` */
  readonly per: string;
  readonly limit: number;
  /** Nodes that began in the period, and nodes in flight that have not begun. */
  readonly used: number;
  readonly left: number;
  /** If none is left: when the next may begin. Absent = time alone does not permit it. */
  readonly freeAt?: Instant;
}

export interface DomainReport {
  readonly pool: string;
  readonly topologyKey: string;
  /** Absent = the nodes without the label. */
  readonly domain?: string;
  readonly counted: number;
  readonly limit: number;
  readonly consumed: number;
  readonly left: number;
  readonly state: 'turn' | 'settling' | 'waiting' | 'done';
  /** Why it is not healthy; absent if it is, or does not settle (C13). */
  readonly unwell?: readonly string[];
}

/** The state of a MaintenanceWindow (D8), or of a PodDisruptionSchedule, whose figures count pods. */
export interface WindowReport {
  readonly kind: 'MaintenanceWindow' | 'PodDisruptionSchedule';
  readonly name: string;
  readonly open: boolean;
  readonly nextChange?: Instant;
  readonly selected: number;
  readonly holding: number;
  /** Only for a MaintenanceWindow: who created it and why. */
  readonly author?: string;
  readonly note?: string;
}

/** The state of a HealthGate (O6). */
export interface GateReport {
  readonly name: string;
  /** Open lets nodes go; all other states hold them, except unknown with onUnknown Ignore. */
  readonly state: 'open' | 'closed' | 'recovering' | 'unknown';
  /** What its last check returned. */
  readonly message: string;
  /** Since when the check has had this result. */
  readonly since?: Instant;
  /** While recovering: when it opens if its check stays healthy. */
  readonly opensAt?: Instant;
  readonly selected: number;
  readonly holding: number;
  readonly note?: string;
}

export interface PodReport {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** For graceful reasons. */
  readonly movable: boolean;
  readonly movableAt?: Instant;
  readonly refusals: readonly Refusal[];
}

/** Parked nodes of a pool at the start of the round, without nodes that are offered, taken, or opted out by a user (N2, N3). */
export interface PoolParking {
  readonly pool: string;
  readonly parked: number;
  /** Still to be parked. */
  readonly unparked: number;
  /** Of those, nodes older than 30 s: every new node is unparked for a moment. */
  readonly late: number;
}

/** A command after the round. */
export interface CommandReport extends Command {
  /** When pods left on its nodes are deleted by force (H1). */
  readonly deadline?: Instant;
  /** What holds its drain (G7). */
  readonly waitingFor?: readonly Refusal[];
}

/** A command that ends with this round. */
export interface EndedCommand {
  readonly id: string;
  readonly reason: Reason;
  readonly pool: string;
  readonly nodes: readonly string[];
  readonly how: 'gone' | 'released';
  /** Why it was released. */
  readonly why?: string;
}

export interface Round {
  readonly at: Instant;
  /** Before this instant time alone changes nothing (B7). */
  readonly wakeAt?: Instant;
  readonly verdicts: readonly Verdict[];
  /** Commands started now and commands under way. */
  readonly commands: readonly CommandReport[];
  /** Commands that end with this round. */
  readonly ended: readonly EndedCommand[];
  readonly actions: readonly Action[];
  readonly allowances: readonly Allowance[];
  /** Active rate limits (P1, P2). Absent = none. */
  readonly rates?: readonly RateReport[];
  readonly domains: readonly DomainReport[];
  readonly windows: readonly WindowReport[];
  /** Absent = there are no HealthGates. */
  readonly gates?: readonly GateReport[];
  readonly pods: readonly PodReport[];
  readonly faults: readonly Fault[];
  /** Progress of parking (N3). Absent outside guide. */
  readonly parking?: readonly PoolParking[];
  /** NodeClaims of governed pools that are not ready in time (F7). Absent = none. */
  readonly slowClaims?: readonly SlowClaim[];
  /** Nodes that Karpenter removes because of an interruption (N3). Absent = none. */
  readonly interruptions?: readonly Interruption[];
  /** To be committed before any action (G2). The same object as before if nothing changed. */
  readonly ledger: Ledger;
}
