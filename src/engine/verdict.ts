// What does a round say? The value everything else is made from (L2): dry run, why, dashboard, replay.
import type { Fault } from '../cluster/fault.ts';
import type { Command, Ledger } from '../cluster/ledger.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Instant } from '../time/instant.ts';
import type { Action } from './commands/action.ts';
import type { Refusal } from './refusal.ts';
import type { PoolParking } from './report/parking.ts';
import type { SlowClaim } from './slowClaims.ts';

export interface Verdict {
  readonly node: string;
  readonly claim?: string;
  readonly pool: string;
  readonly reason: Reason;
  readonly outcome: 'go' | 'held' | 'underway';
  /** I3: what the wish rests on, e.g. the fields that drifted. */
  readonly detail?: string;
  /** E12. */
  readonly podsAgreeAt?: Instant;
  readonly refusals: readonly Refusal[];
  /**
   * Of what is held: the first instant at which every rule that depends on time permits it (E12). `now`: they all do, as this round is
   * decided. Absent where it could not be worked out.
   */
  readonly possibleAt?: Instant | 'now' | 'never';
  /** With `never`: the fewest rules that never permit together. */
  readonly neverMeet?: readonly RuleAtFault[];
  /** Of what is held: what else has to happen before it may go. */
  readonly waitsFor?: WaitsFor;
}

/** A rule, told apart from what it says now. */
export type RuleAtFault = Pick<Refusal, 'code' | 'message' | 'owner'>;

/** Time alone, something in the cluster, or a person's decision. */
export type WaitsFor = 'the clock' | 'the cluster' | 'someone';

/** J2, for every pool and every reason but Interrupted, as the round began. No limit = no cap. */
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
  /** C13: why it is not well; absent where it is, or does not settle. */
  readonly unwell?: readonly string[];
}

/** D8, and the same for PodDisruptionSchedules, where pods are counted. */
export interface WindowReport {
  readonly kind: 'MaintenanceWindow' | 'PodDisruptionSchedule';
  readonly name: string;
  readonly open: boolean;
  readonly nextChange?: Instant;
  readonly selected: number;
  readonly holding: number;
  /** Of a MaintenanceWindow: who made it, and what for. */
  readonly author?: string;
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

/** A command as it stands after the round. */
export interface CommandReport extends Command {
  /** H1: when what is left on its nodes is forced. */
  readonly deadline?: Instant;
  /** G7: what holds its drain. */
  readonly waitingFor?: readonly Refusal[];
}

/** A command that is over with this round. */
export interface Ended {
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
  /** B7: before it, time alone changes nothing. */
  readonly wakeAt?: Instant;
  readonly verdicts: readonly Verdict[];
  /** Those chosen now and those under way. */
  readonly commands: readonly CommandReport[];
  /** Those that are over. */
  readonly ended: readonly Ended[];
  readonly actions: readonly Action[];
  readonly allowances: readonly Allowance[];
  readonly domains: readonly DomainReport[];
  readonly windows: readonly WindowReport[];
  readonly pods: readonly PodReport[];
  readonly faults: readonly Fault[];
  /** N3: how far parking is. Absent where nothing is parked. */
  readonly parking?: readonly PoolParking[];
  /** F7: claims of governed pools that take too long to become nodes. Absent = none. */
  readonly slowClaims?: readonly SlowClaim[];
  /** To be committed before any action (G2). The same object as before where nothing was started or advanced. */
  readonly ledger: Ledger;
}
