// What must Lull remember? Everything that a restart may not lose, in one object (G2). See docs/decisions/0003.
import type { Duration, Instant } from '../time/instant.ts';
import type { Resources } from './quantity.ts';
import type { Reason } from './reason.ts';

export interface Ledger {
  /** The form of this record. A Lull that meets a newer one stands aside instead of guessing. */
  readonly version: 1;
  readonly commands: readonly Command[];
  readonly turns: readonly Turn[];
  readonly backoffs: readonly Backoff[];
  /** N3: nodes that Karpenter did not take when they were offered: others come first. */
  readonly declined?: readonly Declined[];
  /** How far whoever wrote this had seen each kind (resourceVersion): a view that is older may not decide. */
  readonly seen?: Seen;
}

/** By kind, the resourceVersion up to which everything has been seen. */
export type Seen = Readonly<Record<string, string>>;

export const emptyLedger: Ledger = { version: 1, commands: [], turns: [], backoffs: [] };

/** One etcd object holds 1.5 MB; 1,000 commands of some 400 bytes stay far below it (G2). */
export const maxCommands = 1000;

/** G1. drive: chosen … terminating, or released (until all that was done is undone); guide: offered, taken, or withdrawn. */
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

/** One or more claims being taken away together, with their replacements. Its nodes count as consumed while it stands here. */
export interface Command {
  /** Derived from what it takes, so that the same decision made twice is one command. */
  readonly id: string;
  readonly reason: Reason;
  readonly pool: string;
  readonly hands: 'lull' | 'karpenter';
  readonly nodes: readonly CommandNode[];
  readonly replacements: readonly Replacement[];
  /** N0: the nodes its pods were promised to. They are nominated until it is over. */
  readonly promisedTo: readonly string[];
  readonly step: Step;
  readonly startedAt: Instant;
  /** When it entered its step. */
  readonly stepAt: Instant;
  /** When its first pod was evicted: from then on it is not rolled back for a rule that changes its mind (D6, G5). */
  readonly evictedAt?: Instant;
  /** G7: how many pods were still to go, and when that number last fell. */
  readonly drain?: { readonly left: number; readonly progressAt: Instant };
  /** What the cluster costs less once it is over, an hour; absent = not known. */
  readonly savings?: number;
  /** How many pods it moves; absent = not known. */
  readonly podsMoved?: number;
  /** F5: a trial offer, so that Karpenter judges a node that the types seen do not prove worth removing. */
  readonly trial?: boolean;
  /** Why it was released or withdrawn. */
  readonly why?: string;
  /** N3: since when a withdrawn node has been seen parked again. */
  readonly parkedAt?: Instant;
}

export interface CommandNode {
  readonly name: string;
  readonly claim?: string;
  /** The topology domain it was taken from, where a sequential budget held then. */
  readonly domain?: string;
}

export interface Replacement {
  /** Derived from the command, so that a repeated create is recognised. */
  readonly name: string;
  readonly pool: string;
  /** The cheapest of the types it may be. */
  readonly instanceType?: string;
  /** What it is asked for as, where consolidation planned it; absent = of the planned type, like what leaves. */
  readonly launch?: Launch;
  /** F5: no known shape fits today's requirements; one that does is assumed. */
  readonly assumed?: boolean;
  /** Absent = not seen yet. made: it was; should it vanish, it is not made again. failed (N6): it is to go. */
  readonly state?: 'made' | 'failed';
}

/** What a replacement is to be launched as, so that it is as cheap as was planned. */
export interface Launch {
  /** Any of these, the cheapest first. */
  readonly instanceTypes: readonly string[];
  readonly capacityTypes: readonly string[];
  readonly zones: readonly string[];
  /** What the pods that are to go there request, by resource; daemons come on top. */
  readonly requests: Resources;
}

/** C11–C13: whose domain it is, for one pool. */
export interface Turn {
  readonly pool: string;
  readonly topologyKey: string;
  /** Absent = the nodes without the label (C14). */
  readonly domain?: string;
  readonly takenAt: Instant;
  /** C12: the last time a node of the domain was started or finished; patience counts from here. */
  readonly progressAt: Instant;
  /** Nodes of the domain that were on their way out when this was written: one that comes or goes is progress. */
  readonly inFlight: readonly string[];
  /** Nodes of the domain that were not Ready when the turn was taken: few, so that the record stays small. */
  readonly unreadyAtStart: readonly string[];
  /** C13: claims that replace nodes of this domain, until they are seen Initialized. */
  readonly replacements: readonly string[];
  /** C13: how many pods of a workload (its key, and what people call it) ran before the first of them was evicted here. */
  readonly expected: readonly ExpectedPods[];
  /** C13: since when the domain has been well with nothing in flight; absent = it is not. */
  readonly wellSince?: Instant;
  /** C12: a person has asked for it to be passed (`lull turn pass`), well or not. */
  readonly passAsked?: Instant;
  /** C12: domains of this roll that were passed with drifted nodes left behind; null = the unlabelled one. */
  readonly passedOver: readonly (string | null)[];
}

export interface ExpectedPods {
  readonly owner: string;
  readonly name: string;
  readonly running: number;
  /** The PDB over them, `namespace/name`: it knows how many there should be, if that is less by now. */
  readonly pdb?: string;
}

/** F4: a pool whose replacements keep failing waits. */
export interface Backoff {
  readonly pool: string;
  readonly until: Instant;
  readonly delay: Duration;
}

export interface Declined {
  readonly node: string;
  /** When it was withdrawn. */
  readonly at: Instant;
}
