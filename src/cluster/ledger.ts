// The ledger: everything that must survive a restart, in one object (G2, docs/decisions/0003).
import { asDuration, type Duration, hour, type Instant } from '../time/instant.ts';
import type { Resources } from './quantity.ts';
import type { Reason } from './reason.ts';

export interface Ledger {
  /** Schema version. A Lull that reads a newer version stops instead of guessing. */
  readonly version: 1;
  readonly commands: readonly Command[];
  readonly turns: readonly Turn[];
  readonly backoffs: readonly Backoff[];
  /** Nodes that were offered and that Karpenter did not take (N3). Other nodes are offered before them. */
  readonly declined?: readonly Declined[];
  /** Since when pools ask for what they ask for now, where drifted nodes wait and Lull itself finds drift (P7). One per pool. */
  readonly templates?: readonly PoolTemplate[];
  /** What began to be disrupted, where a rate limit counts it (P1, P2). One per pool or window. */
  readonly starts?: readonly StartRecord[];
  /** Rolls of pools whose budgets have waves or haltAfter (P4). One per pool. */
  readonly rolls?: readonly Roll[];
  /** The resourceVersions the writer had seen. A controller whose view is older may not decide. */
  readonly seen?: SeenVersions;
}

/** By kind: the resourceVersion up to which every change has been seen. */
export type SeenVersions = Readonly<Record<string, string>>;

export const emptyLedger: Ledger = { version: 1, commands: [], turns: [], backoffs: [] };

/** An etcd object holds up to 1.5 MB; 1,000 commands of about 400 bytes stay far below that (G2). */
export const maxCommands = 1000;

/** The longest period of a rate limit: what began is remembered for at most this long (P1). */
export const longestPeriod = asDuration(720 * hour);

/** Bounds of the start records, over all pools and windows together: each stays below 500 kB (P1). */
export const maxStartMinutes = 5000;
/** For one pool or window. The API server estimates the cost of the CRD's rules from this number, and rejects a larger one. */
export const maxMinutesEach = 250;
export const maxLeaving = 10_000;

/** Steps of a command (G1). drive: chosen … terminating, or released while it is rolled back; guide: offered, taken, withdrawn. */
export const steps = [
  'chosen',
  'tainted',
  'replacing',
  'draining',
  'terminating',
  'released',
  'offered',
  'taken',
  'withdrawn',
] as const;

export type Step = (typeof steps)[number];

/** One or more nodes being disrupted together, with their replacements. They use up allowances while the command is in the ledger. */
export interface Command {
  /** Derived from the nodes, so that the same decision made twice is one command. */
  readonly id: string;
  readonly reason: Reason;
  readonly pool: string;
  readonly hands: 'lull' | 'karpenter';
  readonly nodes: readonly CommandNode[];
  readonly replacements: readonly Replacement[];
  /** The nodes its pods are expected to move to. They count as nominated until the command ends (N0). */
  readonly promisedTo: readonly string[];
  readonly step: Step;
  readonly startedAt: Instant;
  /** When it entered its step. */
  readonly stepAt: Instant;
  /** When its first pod was evicted. From then on, a rule that starts to refuse no longer rolls the command back (D6, G5). */
  readonly evictedAt?: Instant;
  /** How many pods were left to evict, and when that number last fell (G7). */
  readonly drain?: { readonly left: number; readonly progressAt: Instant };
  /** Savings per hour once the command is done; absent = not known. */
  readonly savings?: number;
  /** How many pods it moves; absent = not known. */
  readonly podsMoved?: number;
  /** A trial offer (F5): the instance types Lull knows do not prove a saving, so Karpenter judges the node. */
  readonly trial?: boolean;
  /** Why it was released or withdrawn. */
  readonly why?: string;
  /** When a withdrawn node was first seen parked again (N3). */
  readonly parkedAt?: Instant;
}

export interface CommandNode {
  readonly name: string;
  readonly claim?: string;
  /** Its topology domain, if a sequential budget applied when it was chosen. */
  readonly domain?: string;
}

export interface Replacement {
  /** Derived from the command, so that a repeated create is recognised as the same claim. */
  readonly name: string;
  readonly pool: string;
  /** The cheapest of the allowed instance types. */
  readonly instanceType?: string;
  /** Launch requirements planned by consolidation; absent = `instanceType`, like the node that leaves. */
  readonly launch?: Launch;
  /** No known instance type meets the current requirements; a matching one is assumed (F5). */
  readonly assumed?: boolean;
  /** Absent = not seen yet. made: seen; if it disappears it is not created again. failed: it will be deleted (N6). */
  readonly state?: 'made' | 'failed';
}

/** Launch requirements of a replacement, so that it costs what was planned. */
export interface Launch {
  /** Cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly zones: readonly string[];
  /** Total requests of the pods planned for it, by resource, without daemons. */
  readonly requests: Resources;
}

/** What began together and must be healthy before more begins: the domain that has the turn, or a wave (C13, P3). */
export interface Settlement {
  readonly pool: string;
  /** Nodes in flight when this was written. */
  readonly inFlight: readonly string[];
  /** Nodes that were not Ready at the start. Usually few, so the record stays small. */
  readonly unreadyAtStart: readonly string[];
  /** Claims that replace the nodes, until they are Initialized (C13). */
  readonly replacements: readonly string[];
  /** How many pods of each affected workload ran before the first one was evicted here (C13). */
  readonly expected: readonly ExpectedPods[];
  /** Since when everything has been healthy with nothing in flight (C13); absent = it is not. */
  readonly wellSince?: Instant;
  /** When a user asked to pass it (`lull turn pass`), whether it is healthy or not (C12). */
  readonly passAsked?: Instant;
}

/** The domain that has the turn in one pool (C11–C13). A node that joins or leaves `inFlight` is progress; offers are not in it. */
export interface Turn extends Settlement {
  readonly topologyKey: string;
  /** Absent = the nodes without the label (C14). */
  readonly domain?: string;
  readonly takenAt: Instant;
  /** When a node of the domain last started or finished; patience counts from here (C12). */
  readonly progressAt: Instant;
  /** Since when a health gate has held nodes of the domain (O4); absent = none does. Patience does not run meanwhile. */
  readonly gatedSince?: Instant;
  /** Domains of this roll that lost the turn with drifted nodes left (C12); null = the nodes without the label. */
  readonly passedOver: readonly (string | null)[];
}

/** The replacement of a pool's drifted nodes, from the first to the last (P4), and its current wave (P3). Offers are in `inFlight`. */
export interface Roll extends Settlement {
  readonly startedAt: Instant;
  /** A fingerprint of the pool's template when the roll began; absent = not known (P4). */
  readonly print?: string;
  /** The pool's counted nodes when the roll began: percentages of waves refer to them. */
  readonly counted: number;
  /** How many nodes the roll has replaced. */
  readonly done: number;
  /** The current wave, from 0; the number of waves = the rest. */
  readonly wave: number;
  /** When the current wave began. */
  readonly waveAt: Instant;
  /** How many replacements in a row have not become ready; absent = none (P5). */
  readonly failures?: number;
  /** Since when the roll is halted (P5). */
  readonly haltedAt?: Instant;
  /** When a person last resumed it: nodes created before then do not count as failed. */
  readonly resumedAt?: Instant;
}

export interface ExpectedPods {
  readonly owner: string;
  readonly name: string;
  readonly running: number;
  /** The PDB that selects them, `namespace/name`. Its expectedPods counts if the workload was scaled down since. */
  readonly pdb?: string;
}

/** A pool that waits because its replacements keep failing (F4). */
export interface Backoff {
  readonly pool: string;
  readonly until: Instant;
  readonly delay: Duration;
}

/** What a pool asks for, as Lull last saw it. */
export interface PoolTemplate {
  readonly pool: string;
  /** A fingerprint of the template and the instance types that may be launched. */
  readonly print: string;
  /** When Lull first saw it. */
  readonly since: Instant;
}

/** The nodes of a pool, or under a maintenance window, that began to be disrupted (P1, P2). */
export interface StartRecord {
  readonly kind: 'NodePool' | 'MaintenanceWindow';
  readonly name: string;
  /** Oldest first. */
  readonly minutes: readonly StartMinute[];
  /** Nodes that are counted in `minutes` and still in flight, by NodeClaim (without one, by node), so that each counts once. */
  readonly leaving: readonly string[];
}

/** How many nodes began in one minute. */
export interface StartMinute {
  readonly at: Instant;
  readonly nodes: number;
}

export interface Declined {
  readonly node: string;
  /** When the offer was withdrawn. */
  readonly at: Instant;
}
