// Refusals: a code from a closed list (L3), a message, the owner of the rule, and the instant at which time alone lifts it.
import type { Instant } from '../time/instant.ts';

/** Every code, what it means and what a person can do. The reference is generated from this table, and a test reaches each code. */
export const refusalCodes = {
  NotInitialized: {
    means: 'the node has not finished starting',
    help: 'Wait. If it lasts, check the conditions Registered and Initialized of the NodeClaim: they show what is missing.',
  },
  NotReady: {
    means: 'the node is not Ready, so it is disrupted only for Unhealthy or Interrupted',
    help: 'Repair the node, or wait for repairAfter: then it is replaced as Unhealthy.',
  },
  Rebooting: {
    means: 'the node is rebooting',
    help: 'Wait until it is back.',
  },
  AlreadyUnderway: {
    means: 'the node is being disrupted for another reason',
    help: 'Nothing to do: it is disrupted for the reason in the message.',
  },
  PoolMissing: {
    means: 'its pool does not exist',
    help: 'Create the NodePool that the label karpenter.sh/nodepool names, or correct the label.',
  },
  PoolFault: {
    means: 'a field of its pool is invalid, so the nodes of the pool are held',
    help: 'Correct the field in the message; `lull lint` shows the line.',
  },
  PoolBackingOff: {
    means: 'replacement nodes of its pool kept failing',
    help: 'Find out why new nodes of the pool fail (quota, image, subnet). Lull retries by itself.',
  },
  ReplacementSlow: {
    means: 'a NodeClaim of its pool has not become ready in time, so no further nodes of the pool are offered',
    help: 'Check the conditions of the NodeClaim in the message: they show whether it was launched, registered and initialized (quota, image, network). The refusal lifts when the NodeClaim is Initialized or gone.',
  },
  PolicyOff: {
    means: 'its pool turns this reason off',
    help: 'Change consolidationPolicy or consolidateAfter if the node should be disrupted for this reason.',
  },
  NotStable: {
    means: 'pods were added to or removed from it too recently',
    help: 'Wait, or shorten consolidateAfter.',
  },
  DriftTooRecent: {
    means: 'it has not been drifted for as long as its pool asks for',
    help: 'Wait, or shorten driftAfter (annotation lull.dev/drift-after, or the budget in the message).',
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
    means: 'a person holds the node with the annotation lull.dev/hold',
    help: 'Ask the person or team that the annotation names, then remove the annotation lull.dev/hold.',
  },
  Nominated: {
    means: 'pods are about to be scheduled on it',
    help: 'Wait until the pods are scheduled.',
  },
  PodOptedOut: {
    means: 'a pod on it is annotated do-not-disrupt',
    help: "Ask the pod's owner; remove the annotation, or give the NodeClaim a terminationGracePeriod.",
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
    help: 'Bring missing replicas back; if none is missing, let the PodDisruptionBudget allow more.',
  },
  PdbOverlap: {
    means: 'two PodDisruptionBudgets select the same pod, so it cannot be evicted',
    help: 'Change the selectors so that only one PodDisruptionBudget selects the pod.',
  },
  NamespaceCrowded: {
    means:
      'a pod on it is in a namespace with more affinity terms, resources or PodDisruptionBudgets than Lull evaluates',
    help: "Ask the namespace's owner for fewer of them, or for selectors that match only the pods of one workload. Nodes without such pods are not affected.",
  },
  WindowBlocks: {
    means: 'a maintenance window blocks it now',
    help: 'Wait until the window ends, or change it; its note says whom to ask.',
  },
  WindowNotOpen: {
    means: 'it may be disrupted only while a maintenance window is open',
    help: 'Wait for the window, or add a schedule to it.',
  },
  WindowCapSpent: {
    means: 'a maintenance window allows no more nodes at a time',
    help: "Wait for the nodes in flight, or raise the window's `nodes`.",
  },
  WindowFault: {
    means: 'a maintenance window cannot be read, so it blocks every node it may select',
    help: 'Correct the field in the message; until then the window blocks.',
  },
  HealthGateClosed: {
    means: 'the check of a HealthGate fails, or has not succeeded again for recoverAfter',
    help: 'Find out why the check fails: the message has its result, the note says whom to ask. If the check succeeds again, wait for recoverAfter.',
  },
  HealthGateUnknown: {
    means: 'the result of a HealthGate is unknown: it was not checked, the check failed to run, or its spec is invalid',
    help: 'The message says what prevents the check (`lull gate NAME` runs it now): correct the spec, the address or the Secret of the HealthGate. With onUnknown: Ignore the gate holds only while its check fails.',
  },
  NeedsApproval: {
    means: 'its pool or a maintenance window requires that a person approves the disruption',
    help: 'Approve it with the command in the message, or the whole pool with lull approve pool/NAME. The approval ends after 4 hours; use --for to change that.',
  },
  ClosesTooSoon: {
    means: 'the hours that permit it end within the margin',
    help: 'Wait for the next opening, or lower windowMargin.',
  },
  BudgetSpent: {
    means: "its pool's budget allows no more nodes at a time",
    help: 'Wait for the nodes in use, or raise the budget in the message.',
  },
  RateSpent: {
    means: 'as many nodes as a rate limit allows have begun to be disrupted in its period',
    help: 'Wait until the instant in the message, or raise `nodes` or shorten `per` of the budget or window in the message.',
  },
  DomainBudgetSpent: {
    means: "its topology domain's budget allows no more nodes at a time",
    help: 'Wait for the nodes in use in that domain, or raise the topology budget.',
  },
  NotItsTurn: {
    means: 'another topology domain has the turn',
    help: 'Wait for the turn. A domain without progress passes it after `patience`.',
  },
  AnotherDomainInFlight: {
    means: 'drifted nodes of more than one topology domain are already being disrupted',
    help: 'Wait until the nodes of the other domains are gone.',
  },
  DomainSettling: {
    means: 'the topology domain that had the turn is not healthy yet, or not for long enough',
    help: 'Wait. If the message contains SettleStuck, fix the nodes and pods that it names. If they are no longer wanted (a workload without a PodDisruptionBudget was scaled down), pass the turn: lull turn pass POOL.',
  },
  WaveFull: {
    means: 'as many nodes of its pool have begun as the current wave of the roll allows',
    help: 'Wait until the nodes of the wave are replaced and healthy: then the next wave begins.',
  },
  WaveSettling: {
    means: 'the nodes of the last wave are replaced, but the pool is not healthy yet, or not for long enough',
    help: 'Wait. If the message contains SettleStuck, fix the nodes and pods that it names. If they are no longer wanted (a workload without a PodDisruptionBudget was scaled down), begin the next wave: lull turn pass POOL.',
  },
  RollHalted: {
    means: 'the roll of its pool is halted, because replacements in a row failed',
    help: 'Find out why new nodes fail (image, quota, network), or why pods do not run on them. Release a good image: that begins a new roll. To continue this one: lull turn pass POOL.',
  },
  RepairBreaker: {
    means: 'too many nodes of its pool are not Ready, so none is repaired',
    help: 'Look for a cause that affects the whole pool: network, control plane, image.',
  },
  NoPlacement: {
    means: 'its pods do not fit on other nodes',
    help: "Add room: raise the pool's limits, or lower the pods' requests.",
  },
  NotCheaper: {
    means: 'no replacement would be cheaper',
    help: 'Nothing to do: Lull knows no cheaper way to run its pods.',
  },
  NoPriceKnown: {
    means: 'its price is unknown, so Lull cannot tell whether a replacement is cheaper',
    help: "Let Lull read Karpenter's metrics (setting `karpenterMetrics`), or give prices in the setting `catalogue`.",
  },
  KarpenterDeclined: {
    means: 'it was offered to Karpenter for consolidation, and Karpenter did not take it',
    help: 'Nothing to do: Karpenter found it not worth replacing. Lull offers it again later if it still looks worthwhile.',
  },
  KarpenterBudget: {
    means: "Karpenter's own reading of the pool's budgets allows no more nodes",
    help: 'Wait until other nodes are done, or raise the limit in spec.disruption.budgets: the smaller of that and lull.dev/budgets applies. Keep a limit there: it protects the pool while Lull is not running.',
  },
  OffersWithheld: {
    means: 'Lull offers no nodes to Karpenter at present and keeps all of them parked',
    help: 'Start Karpenter again, or run a version that Lull supports: the message says which. The refusal lifts within a few minutes after that.',
  },
} as const;

export type RefusalCode = keyof typeof refusalCodes;

/** Refusals that last until a person changes something. Other refusals without `liftsAt` lift as the cluster changes. */
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
  'RollHalted',
  'NamespaceCrowded',
  'WindowBlocks',
  'WindowNotOpen',
  'WindowFault',
  'NeedsApproval',
] as const);

/** The owner of the rule that refuses: a pod, a PDB, a window, or a NodePool with the index of its budget. */
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
  /** Based only on the instance types seen so far: Karpenter may know one that fits (F5). */
  readonly typesSeenOnly?: true;
  /** What a person can do, where it differs from the code's general help. */
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
