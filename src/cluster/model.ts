// What does Lull know of the cluster? One record for each kind of object, holding only what a decision reads.
// Text is compiled when it is read (src/kinds): no rule of the engine ever parses anything.
import type { Duration, Instant } from '../time/instant.ts';
import type { Window } from '../time/window.ts';
import type { Fault } from './fault.ts';
import type { Resources } from './quantity.ts';
import type { Reason } from './reason.ts';
import type { Scheduling } from './scheduling.ts';
import type { NodeSelector, Requirement, Selector, TextMap } from './selector.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  /** As written: a patch that tests the list must repeat it to the letter. */
  readonly timeAdded?: string;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
}

export interface Condition {
  readonly status: string;
  readonly since?: Instant;
  readonly reason?: string;
  readonly message?: string;
}

/** By condition type. A missing condition reads as Unknown. */
export type Conditions = Readonly<Record<string, Condition>>;

/** E1, E2: a protection that ends by itself, or never. */
export interface OptOut {
  /** Absent = for ever. */
  readonly until?: Instant;
  /** E3. Absent = for every reason. */
  readonly reasons?: ReadonlySet<Reason>;
  /** Said by a name that Karpenter does not know any more: in guide Lull says it again in words that it does. */
  readonly unread?: true;
}

export interface Node {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: Instant;
  readonly deletingSince?: Instant;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly taints: readonly Taint[];
  readonly unschedulable: boolean;
  readonly providerId?: string;
  readonly ready: Condition;
  readonly allocatable: Resources;
  readonly rules: NodeRules;
}

/** What a node's annotations say (E2, A, N2), compiled. */
export interface NodeRules {
  /** Absent where the annotation is Lull's own parking (N2). */
  readonly doNotDisrupt?: OptOut;
  readonly doNotRepair?: boolean;
  readonly doNotConsolidate?: boolean;
  /** The why of `lull.dev/hold`. */
  readonly hold?: string;
  /** `lull.dev/rebalance` is present. */
  readonly rebalance?: boolean;
  /** `lull.dev/parked`: Lull keeps Karpenter off this node. */
  readonly parked?: boolean;
}

export interface NodeClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** What a pool asks of a node, and what a claim was made with: the drifting fields of I1. */
export interface Template {
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly taints: readonly Taint[];
  readonly startupTaints: readonly Taint[];
  readonly requirements: readonly Requirement[];
  readonly nodeClassRef?: NodeClassRef;
  /** 'Never' = does not expire. */
  readonly expireAfter?: Duration | 'Never';
  readonly terminationGracePeriod?: Duration;
  readonly kubelet?: unknown;
}

export interface Claim {
  readonly name: string;
  readonly uid: string;
  readonly createdAt: Instant;
  readonly deletingSince?: Instant;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly nodeName?: string;
  readonly providerId?: string;
  readonly conditions: Conditions;
  readonly lastPodEventAt?: Instant;
  /** H1: when all that is left on its node is forced, as `karpenter.sh/nodeclaim-termination-timestamp` says. */
  readonly terminateAt?: Instant;
  /** Labels and annotations of `spec` are those of the claim itself. */
  readonly spec: Template;
}

/** A number of nodes, or a percentage of some. */
export type NodeCount = { readonly count: number } | { readonly percent: number };

export interface Budget {
  /** Its place in the list, as users count it: from 0. */
  readonly index: number;
  readonly nodes: NodeCount;
  /** Absent = every reason (that nobody names, C5). */
  readonly reasons?: ReadonlySet<Reason>;
  /** Absent = always active. */
  readonly window?: Window;
  readonly topologyKey?: string;
  readonly sequential: boolean;
  readonly settle: Duration;
  readonly patience: Duration;
}

export interface Pool {
  readonly name: string;
  /** Absent where it is not known: then nothing can be owned by it. */
  readonly uid?: string;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  readonly budgets: readonly Budget[];
  /** C17: the annotation stands before the spec. */
  readonly budgetsFrom: 'spec' | 'annotation' | 'default';
  /** N4: spec.disruption.budgets as Karpenter itself reads them, where the real ones are in the annotation. */
  readonly karpenterBudgets: readonly Budget[];
  readonly consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
  readonly consolidateAfter: Duration | 'Never';
  /** N7: `spec.disruption.expireAfter` or `lull.dev/expire-after`. */
  readonly expireEarlyAfter?: Duration | 'Never';
  /** A7. Absent = the setting. 'Never' = no repair. */
  readonly repairAfter?: Duration | 'Never';
  /** Present = a static pool. */
  readonly replicas?: number;
  readonly limits: Resources;
  readonly weight: number;
  readonly template: Template;
  readonly conditions: Conditions;
  readonly deleting: boolean;
  /** A7: read from an older Provisioner, whose nodes have no claims. */
  readonly provisioner: boolean;
  /** N9: absent where the spec has no field that only the patched CRD keeps, and no copy of any is left. */
  readonly mirror?: PoolMirror;
  /** N4: what Karpenter cannot read in spec.disruption.budgets. In guide this is a fault of the pool. */
  readonly karpenterFault?: Fault;
  /** C8: the first thing wrong with it. Present = this pool moves nothing but for Interrupted. */
  readonly fault?: Fault;
}

/** N9. */
export interface PoolMirror {
  /** The text of the copy that is to be kept: the spec has the fields. */
  readonly keeps?: string;
  /** The spec has lost them, and the copy stands. */
  readonly stands?: true;
  /** Since when they have been missing though the CRD keeps them. */
  readonly goneSince?: Instant;
}

export interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

export interface Pod {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: Instant;
  readonly labels: TextMap;
  readonly nodeName?: string;
  readonly nominatedNode?: string;
  readonly phase: string;
  /** metadata.deletionTimestamp: the moment it is to be gone, grace included. */
  readonly deletingAt?: Instant;
  readonly ready?: string;
  readonly owner?: Owner;
  readonly priority: number;
  readonly priorityClass?: string;
  /** F3: `karpenter.sh/disruption-cost`, else pod-deletion-cost; 0 where neither is a whole 32-bit number. */
  readonly deletionCost: number;
  /** F6: what the scheduler counts: containers, init containers, sidecars, overhead; and one of `pods`. */
  readonly requests: Resources;
  readonly tolerations: readonly Toleration[];
  /** nodeSelector and required node affinity together. Absent = any node. */
  readonly nodeSelector?: NodeSelector;
  /** F6: what it asks of the pods around it, of host ports and volumes. Absent = nothing. */
  readonly scheduling?: Scheduling;
  readonly graceSeconds: number;
  /** Absent = no rule of its own. */
  readonly rules?: PodRules;
  /** Absent = it has no annotation at all, which a patch must know. */
  readonly marks?: PodMarks;
}

/** N5: the annotations that keep Karpenter's drain off a pod, to the letter. */
export interface PodMarks {
  readonly doNotDisrupt?: string;
  /** `lull.dev/parked`: then do-not-disrupt is Lull's own. */
  readonly parked?: string;
  /** What do-not-disrupt said before. */
  readonly before?: string;
}

/** What a pod's own annotations say (E1, E3–E6), compiled. */
export interface PodRules {
  readonly optOut?: OptOut;
  /** E4: may be moved only while open. */
  readonly allow?: Window;
  /** E5: may not be moved while open. */
  readonly block?: Window;
  /** E13: how many schedules each window is made of. Absent where they are few enough to count for nothing. */
  readonly sizes?: { readonly allow: number; readonly block: number };
}

/** `PodDisruptionSchedule` (E7). */
export interface PodSchedule {
  readonly name: string;
  readonly selector: Selector;
  /** Absent = every namespace. */
  readonly namespaces?: Selector;
  readonly mode: 'Allow' | 'Block';
  readonly window: Window;
  /** Present = it fails closed: the pods it selects stay. */
  readonly fault?: Fault;
}

export interface Pdb {
  readonly namespace: string;
  readonly name: string;
  /** E10: parts that are invalid match everything, so that a broken PDB blocks the pods it might mean. */
  readonly selector: Selector;
  /** Never negative. */
  readonly disruptionsAllowed: number;
  /** How many pods there should be, by the workloads it means; absent where nobody has said so yet. */
  readonly expectedPods?: number;
  readonly alwaysAllowUnready: boolean;
  readonly fault?: Fault;
}

/** `MaintenanceWindow` (D). A broken one is widened when it is read, so that it fails closed by what it says (D7). */
export interface MaintenanceWindow {
  readonly name: string;
  readonly mode: 'Block' | 'Allow';
  /** When its schedules say so; always where it has none. */
  readonly window: Window;
  /** D4: outside its life a window has no effect. */
  readonly life: Window;
  readonly reasons: ReadonlySet<Reason>;
  /** Absent = every node. */
  readonly selector?: readonly Requirement[];
  /** D5. count 0 = blocks outright. */
  readonly nodes: NodeCount;
  readonly note?: string;
  /** Who made it, as the annotation `lull.dev/author` says. */
  readonly author?: string;
  readonly fault?: Fault;
}

export interface Namespace {
  readonly name: string;
  readonly labels: TextMap;
}

/** N3: what Karpenter says of a node that it does not take. */
export interface NodeEvent {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /** Whether it speaks of consolidation alone, or of whatever Karpenter would take the node for. */
  readonly about: 'consolidation' | 'everything';
  readonly message: string;
  /** When it was last said. */
  readonly at: Instant;
}

/** N9: what the CRD of NodePools says, as far as it matters. */
export interface PoolDefinition {
  readonly name: string;
  /** Another text whenever anybody has changed it. */
  readonly version: string;
  /** Whether it keeps the fields that only the patched one has. */
  readonly keepsFields: boolean;
}
