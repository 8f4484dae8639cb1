// How does this Lull behave? One record; every default is written here and nowhere else (M).
import { asDuration, type Duration, hour, minute, second } from '../time/instant.ts';
import type { NodeCount } from './model.ts';
import type { Selector } from './selector.ts';

export interface Settings {
  /** N1. observe: decides and reports; guide: Karpenter's hands; drive: Lull's own. */
  readonly role: 'observe' | 'guide' | 'drive';
  /** N11. Guide offers nothing while this says why; everything stays parked. Lull sets it where it may not act beside this Karpenter. */
  readonly withhold?: string;
  /** The pools Lull governs. Absent = all. */
  readonly pools?: Selector;
  /** C5. */
  readonly defaultBudgets: 'fallback' | 'ceiling';
  /** A4. */
  readonly expiration: 'graceful' | 'forceful';
  /** N7. */
  readonly expireLead: Duration | 'auto';
  /** I5. */
  readonly drift: 'claims' | 'computed';
  readonly repairAfter: Duration;
  /** A5: repair stops for a pool when more than this many of its nodes are not Ready. */
  readonly repairBreaker: NodeCount;
  /** B8. */
  readonly windowMargin: Duration;
  /** G1. */
  readonly consolidationPause: Duration;
  /** G4. */
  readonly replacementTimeout: Duration;
  /** F7. */
  readonly replacementSlow: Duration;
  /** G7. */
  readonly drainTimeout: Duration;
  /** N3. */
  readonly offerTimeout: Duration;
  readonly offerTimeoutUnderutilized: Duration;
  /** ★ How much a consolidation must save at least, as a share of the price of what leaves, in percent. */
  readonly minimumSavings: number;
  /** ★ What moving one pod must save, as a price an hour, so that near-equal swaps stop. */
  readonly podMoveCost: number;
  /** Whether spot nodes are replaced by cheaper spot nodes, as Karpenter's gate SpotToSpotConsolidation says. */
  readonly spotToSpot: boolean;
  /** F5: instance types with their prices, beyond those seen on nodes. */
  readonly catalogue: readonly InstanceType[];
  /** F5: where Karpenter's own metrics are read: found by themselves, at a URL, or not at all. */
  readonly karpenterMetrics: string;
}

/** Whether Karpenter disrupts nodes too, so that its own reading of a pool's budgets binds (N4). In drive Lull is the only one. */
export const isBesideKarpenter = ({ role }: Pick<Settings, 'role'>): boolean => role !== 'drive';

/** F5: a shape a node can have, and what it costs where. */
export interface InstanceType {
  readonly name: string;
  readonly allocatable: Readonly<Record<string, number>>;
  readonly offerings: readonly Offering[];
  /** What its nodes carry, as far as is known beforehand. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Its size is worked out from that of the machine, and gives way to what nodes of the type show. */
  readonly estimated?: true;
}

export interface Offering {
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  readonly available: boolean;
}

/** What each setting means, for `lull settings` and the reference. */
export const settingMeanings: { readonly [Key in keyof Required<Settings>]: string } = {
  role: 'observe: decide and report; guide: let Karpenter take the nodes that may go; drive: take them by its own hands (N1)',
  pools: 'a label selector of the pools that Lull governs (M)',
  defaultBudgets:
    'fallback: budgets without reasons bind only what no other names; ceiling: they bind everything, as in Karpenter (C5)',
  expiration: 'graceful: expiry obeys budgets, windows and pods; forceful: it obeys nothing, as in Karpenter (A4)',
  expireLead: "how long before Karpenter's hard expiry the wish Expired arises; auto works it out (N7)",
  drift: "claims: the claim's own condition is the truth; computed: Lull compares template and claim (I5)",
  repairAfter: 'how long a node is not Ready before it is Unhealthy, where its pool does not say (A)',
  repairBreaker: 'repair stops for a pool when more of its nodes than this are not Ready (A5)',
  windowMargin: 'nothing new is started this soon before what permits it closes (B8)',
  consolidationPause: 'how long a consolidation waits before it is judged again and begun (G1)',
  replacementTimeout: 'how long a replacement may take before the command is rolled back (G4)',
  replacementSlow:
    'a NodeClaim that is not Initialized this long after its creation is reported; in guide nothing more of its pool is offered until it is, or is gone (F7)',
  drainTimeout: 'how long a drain may stand still before the node is released (G7)',
  offerTimeout: 'how long a node stays offered to Karpenter before it is withdrawn (N3)',
  offerTimeoutUnderutilized: 'the same for consolidation, which Karpenter looks at less often (N3)',
  minimumSavings:
    'consolidation saves at least this share of the price of the nodes that leave, else it is not worth the moves (A)',
  podMoveCost: 'what each pod that consolidation moves must save, as a price an hour: stops near-equal swaps (A)',
  spotToSpot: 'whether spot nodes are consolidated into cheaper spot nodes, where at least 15 types remain (A)',
  catalogue:
    "instance types with their prices, beyond those seen on nodes: a list, a file with one, or a file of Karpenter's metrics (F5)",
  karpenterMetrics:
    "where Karpenter's own metrics say which instance types there are at which price: auto finds its Service, a URL names them, off reads none (F5)",
  withhold:
    'in guide: why nothing is offered, so that every governed node stays parked; Lull sets it itself while Karpenter is away or of an unknown version (N11)',
};

export const defaultSettings: Settings = {
  role: 'observe',
  defaultBudgets: 'fallback',
  expiration: 'graceful',
  expireLead: 'auto',
  drift: 'claims',
  repairAfter: asDuration(30 * minute),
  repairBreaker: { percent: 20 },
  windowMargin: asDuration(0),
  consolidationPause: asDuration(15 * second),
  replacementTimeout: asDuration(10 * minute),
  replacementSlow: asDuration(2 * minute),
  drainTimeout: hour,
  offerTimeout: asDuration(2 * minute),
  offerTimeoutUnderutilized: asDuration(6 * minute),
  minimumSavings: 0,
  podMoveCost: 0,
  spotToSpot: false,
  catalogue: [],
  karpenterMetrics: 'auto',
};
