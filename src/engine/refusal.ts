// Why not? A refusal is a value: a code from a closed list (L3), a sentence, whose rule it is, and when it lifts by itself.
import type { Instant } from '../time/instant.ts';

/** Every code, with what it means and what a person can do. The reference is made from this table, and a test reaches every one. */
export const refusalCodes = {
  NotInitialized: {
    means: 'the node has not finished starting',
    help: "Wait; if it stays so, look at the claim's conditions: Registered and Initialized say what is missing.",
  },
  NotReady: {
    means: 'the node is not Ready, so it goes for Unhealthy or Interrupted alone',
    help: 'Repair the node, or wait for repairAfter: it then goes as Unhealthy.',
  },
  Rebooting: {
    means: 'the node is rebooting',
    help: 'Wait until it is back.',
  },
  AlreadyUnderway: {
    means: 'the node is being taken away for another reason',
    help: 'Nothing: it goes for the reason that is named.',
  },
  PoolMissing: {
    means: 'the pool it belongs to is not there',
    help: 'Create the NodePool the label names, or correct the label karpenter.sh/nodepool.',
  },
  PoolFault: {
    means: 'something its pool says cannot be read, so the pool moves nothing',
    help: 'Correct the field that the message names; `lull lint` shows the line.',
  },
  PoolBackingOff: {
    means: 'replacements in its pool kept failing',
    help: 'Find out why new nodes of the pool fail (quota, image, subnet); it is tried again by itself.',
  },
  ReplacementSlow: {
    means: 'a NodeClaim of its pool has not become ready in time, so nothing more is offered there',
    help: 'Look at the NodeClaim that is named: its conditions say whether it was launched, registered and initialized (quota, image, network). It is lifted when the claim is Initialized or gone.',
  },
  PolicyOff: {
    means: 'its pool turns this reason off',
    help: 'Change consolidationPolicy or consolidateAfter if the node should go for this reason.',
  },
  NotStable: {
    means: 'pods came or went on it too recently',
    help: 'Wait, or shorten consolidateAfter.',
  },
  NodeOptedOut: {
    means: 'the node is annotated do-not-disrupt',
    help: 'Remove the annotation karpenter.sh/do-not-disrupt from the node.',
  },
  ConsolidationOptedOut: {
    means: 'the node is annotated do-not-consolidate',
    help: 'Remove the annotation karpenter.sh/do-not-consolidate from the node.',
  },
  RepairOptedOut: {
    means: 'the node is annotated do-not-repair',
    help: 'Remove the annotation karpenter.sh/do-not-repair from the node.',
  },
  Held: {
    means: 'a person holds the node',
    help: 'Ask whoever the why names, then remove the annotation lull.dev/hold.',
  },
  Nominated: {
    means: 'pods are about to be placed on it',
    help: 'Wait until the pods have been placed.',
  },
  PodOptedOut: {
    means: 'a pod on it is annotated do-not-disrupt',
    help: "Ask the pod's owner; remove the annotation, or give the claim a terminationGracePeriod.",
  },
  PodScheduleClosed: {
    means: 'a pod on it may be moved only at other times',
    help: "Wait for the window, or ask the pod's owner for a wider one.",
  },
  PodBlocked: {
    means: 'a pod on it may not be moved at this time',
    help: 'Wait until the block window ends.',
  },
  PdbSpent: {
    means: 'a PodDisruptionBudget allows too few evictions now',
    help: 'Bring replicas up where some are missing; else let the PodDisruptionBudget allow more.',
  },
  PdbOverlap: {
    means: 'two PodDisruptionBudgets mean the same pod, so that it cannot be evicted',
    help: 'Change the selectors so that one PodDisruptionBudget means the pod.',
  },
  NamespaceCrowded: {
    means:
      'a pod on it is in a namespace with more affinity terms, resources or PodDisruptionBudgets than are worked out',
    help: 'Ask whoever owns the namespace for fewer of them, or for selectors that mean only the pods of their own workload. Nodes without such pods go on.',
  },
  WindowBlocks: {
    means: 'a maintenance window forbids it now',
    help: 'Wait until the window ends, or change it; its note says whom to ask.',
  },
  WindowNotOpen: {
    means: 'it is allowed only while a maintenance window is open',
    help: 'Wait for the window, or add a schedule to it.',
  },
  WindowCapSpent: {
    means: 'a maintenance window lets no more nodes go at once',
    help: 'Wait for the nodes in flight, or raise `nodes` of the window.',
  },
  WindowFault: {
    means: 'a maintenance window cannot be read, so it blocks what it may mean',
    help: 'Correct the field that the message names; until then the window blocks.',
  },
  ClosesTooSoon: {
    means: 'what permits it now closes within the margin',
    help: 'Wait for the next opening, or lower windowMargin.',
  },
  BudgetSpent: {
    means: "its pool's budget lets no more nodes go at once",
    help: 'Wait for the nodes in use, or raise the budget that is named.',
  },
  DomainBudgetSpent: {
    means: "its topology domain's budget lets no more nodes go at once",
    help: 'Wait for the nodes in use in that domain, or raise the topology budget.',
  },
  NotItsTurn: {
    means: "it is another topology domain's turn",
    help: 'Wait for the turn. A domain that cannot go on passes it after `patience`.',
  },
  AnotherDomainInFlight: {
    means: 'drifted nodes of more than one topology domain are on their way out already',
    help: 'Wait until the nodes of the other domains are gone.',
  },
  DomainSettling: {
    means: 'the topology domain that had its turn is not well yet, or not for long enough',
    help: 'Wait; if it says SettleStuck, make the nodes and pods that it names well again. Where they are not wanted any more (a workload without a PodDisruptionBudget was scaled down), pass the turn: lull turn pass POOL.',
  },
  RepairBreaker: {
    means: 'too many nodes of its pool are not Ready for repair to be wise',
    help: 'Look for what is wrong with the pool as a whole: network, control plane, image.',
  },
  NoPlacement: {
    means: 'its pods would fit nowhere else',
    help: 'Add room: raise the limits of the pool, or lower what the pod requests.',
  },
  NotCheaper: {
    means: 'no replacement would be cheaper',
    help: 'Nothing: the node is as cheap as can be.',
  },
  NoPriceKnown: {
    means: 'its price is not known, so that no replacement can be called cheaper',
    help: "Let Lull read Karpenter's metrics (setting `karpenterMetrics`), or give prices in the setting `catalogue`.",
  },
  KarpenterDeclined: {
    means: 'it was offered to Karpenter for consolidation, and Karpenter did not take it',
    help: 'Nothing: Karpenter judged it not worth replacing. It is offered again by itself where it still looks worth it.',
  },
  KarpenterBudget: {
    means: "Karpenter's own reading of the pool's budgets lets no more nodes go",
    help: 'Wait until other nodes are done, or raise the limit in spec.disruption.budgets: the smaller of that and lull.dev/budgets holds. Keep a limit there: it is what holds while Lull is away.',
  },
  OffersWithheld: {
    means: 'Lull offers Karpenter nothing at present, and keeps every node parked',
    help: 'Start Karpenter again, or run a version that Lull knows: the message says which. It lifts within a few minutes after that.',
  },
} as const;

export type RefusalCode = keyof typeof refusalCodes;

/** What stands until a person writes something else. All other refusals without an end are lifted by work going on. */
export const personalCodes: ReadonlySet<RefusalCode> = new Set([
  'PoolMissing',
  'PoolFault',
  'PolicyOff',
  'NodeOptedOut',
  'ConsolidationOptedOut',
  'RepairOptedOut',
  'Held',
  'PodOptedOut',
  'PodScheduleClosed',
  'PodBlocked',
  'PdbOverlap',
  'NamespaceCrowded',
  'WindowBlocks',
  'WindowNotOpen',
  'WindowFault',
] as const);

/** Whose rule refuses: a pod, a PDB, a budget of a pool by its index, a window. */
export interface RuleOwner {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly index?: number;
}

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  readonly owner?: RuleOwner;
  /** Present only where time alone lifts it. */
  readonly liftsAt?: Instant;
  /** F5: it rests on the instance types seen so far; Karpenter may know one that would do. */
  readonly typesSeenOnly?: true;
  /** What a person can do, where it is something else than for most refusals of this code. */
  readonly help?: string;
}

export const none: readonly Refusal[] = [];

interface RefusalDetails {
  readonly owner?: RuleOwner;
  readonly liftsAt?: Instant | undefined;
  readonly typesSeenOnly?: boolean | undefined;
  readonly help?: string;
}

export function refuse(code: RefusalCode, message: string, details: RefusalDetails = {}): Refusal {
  const { owner, liftsAt, typesSeenOnly, help } = details;
  return {
    code,
    message,
    ...(owner && { owner }),
    ...(liftsAt !== undefined && { liftsAt }),
    ...(typesSeenOnly && { typesSeenOnly }),
    ...(help !== undefined && { help }),
  };
}
