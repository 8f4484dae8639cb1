// The cluster model: one record for each kind of object, with only the fields that a decision reads.
// Past 300 lines: the records refer to each other.
// src/kinds parses and compiles all text, so the engine never parses anything.
import type { Duration, Instant } from '../time/instant.ts';
import type { Window } from '../time/window.ts';
import type { Fault } from './fault.ts';
import type { Resources } from './quantity.ts';
import type { Reason } from './reason.ts';
import type { Scheduling } from './scheduling.ts';
import type { NodeSelector, Requirement, Selector, TextMap } from './selector.ts';
import type { SignedInstant } from './signedInstant.ts';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  /** As written: a JSON patch that tests the list must repeat it exactly. */
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

/** By condition type. A missing condition counts as Unknown. */
export type Conditions = Readonly<Record<string, Condition>>;

/** An opt-out from disruption (E1, E2), for ever or until an instant. */
export interface OptOut {
  /** Absent = for ever. */
  readonly until?: Instant;
  /** Absent = for every reason (E3). */
  readonly reasons?: ReadonlySet<Reason>;
  /** Written with a name that Karpenter no longer reads. In guide mode Lull repeats it under a name it does. */
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

/** A node's annotations (E2, A, N2), compiled. */
export interface NodeRules {
  /** Absent if Lull itself wrote the annotation to park the node (N2). */
  readonly doNotDisrupt?: OptOut;
  readonly doNotRepair?: boolean;
  readonly doNotConsolidate?: boolean;
  /** The text of `lull.dev/hold`. */
  readonly hold?: string;
  /** `lull.dev/rebalance` is present. */
  readonly rebalance?: boolean;
  /** `lull.dev/roll-requested`: replace the node if it was created before that instant (Q1). */
  readonly rollRequested?: SignedInstant;
  /** `lull.dev/approved`: a person has approved its disruption until that instant (Q2). */
  readonly approved?: SignedInstant;
  /** `lull.dev/parked`: Lull keeps Karpenter off this node. */
  readonly parked?: boolean;
}

export interface NodeClassRef {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** The node template of a pool, and the same fields of a claim: those that can drift (I1). */
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
  /** When the remaining pods are deleted by force (H1): `karpenter.sh/nodeclaim-termination-timestamp`. */
  readonly terminateAt?: Instant;
  /** `spec.labels` and `spec.annotations` are those of the claim itself. */
  readonly spec: Template;
}

/** A number or percentage of nodes. */
export type NodeCount = { readonly count: number } | { readonly percent: number };

/** A budget that applies to the domains of a topology label (C9). */
export interface TopologyBudget extends Budget {
  readonly topologyKey: string;
}

export interface Budget {
  /** Index in the list, from 0. */
  readonly index: number;
  readonly nodes: NodeCount;
  /** Absent = every reason that no other active budget names (C5). */
  readonly reasons?: ReadonlySet<Reason>;
  /** Absent = always active. */
  readonly window?: Window;
  readonly topologyKey?: string;
  readonly sequential: boolean;
  readonly settle: Duration;
  readonly patience: Duration;
  /** How long a node must have been drifted before it is replaced for that (P7). */
  readonly driftAfter?: Duration;
  /** The period of a rate limit (P1). */
  readonly per?: Duration;
  /** How many nodes a roll replaces before it settles, in steps, from its start (P3). */
  readonly waves?: readonly NodeCount[];
  /** After how many failed replacements in a row a roll is halted; 0 = never (P5). */
  readonly haltAfter?: number;
}

/** A budget with waves. */
export interface WaveBudget extends Budget {
  readonly waves: readonly NodeCount[];
}

/** A budget with `per`: how many nodes of the pool may begin to be disrupted in any period of that length (P1). */
export interface RateBudget extends Budget {
  readonly per: Duration;
}

export interface Pool {
  readonly name: string;
  /** Absent when unknown: then no object can have it as its owner. */
  readonly uid?: string;
  readonly labels: TextMap;
  readonly annotations: TextMap;
  /** Without those that have `per`. */
  readonly budgets: readonly Budget[];
  readonly rates: readonly RateBudget[];
  /** The annotation takes precedence over the spec (C17). */
  readonly budgetsFrom: 'spec' | 'annotation' | 'default';
  /** spec.disruption.budgets as Karpenter reads them; they differ from `budgets` if those are in the annotation (N4). */
  readonly karpenterBudgets: readonly Budget[];
  readonly consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
  readonly consolidateAfter: Duration | 'Never';
  /** `spec.disruption.expireAfter` or `lull.dev/expire-after` (N7). */
  readonly expireEarlyAfter?: Duration | 'Never';
  /** `lull.dev/drift-after`: how long a drifted node waits (P7). Budgets may ask for longer. */
  readonly driftAfter?: Duration;
  /** `lull.dev/roll-requested`: replace every node that was created before that instant (Q1). */
  readonly rollRequested?: SignedInstant;
  /** `lull.dev/approval: required`: its nodes are disrupted only if a person has approved it (Q2). */
  readonly needsApproval?: true;
  /** `lull.dev/approved`: a person has approved the disruption of its nodes until that instant (Q2). */
  readonly approved?: SignedInstant;
  /** Absent = the setting `repairAfter`. 'Never' = no repair (A7). */
  readonly repairAfter?: Duration | 'Never';
  /** Present = a static pool. */
  readonly replicas?: number;
  readonly limits: Resources;
  readonly weight: number;
  readonly template: Template;
  readonly conditions: Conditions;
  readonly deleting: boolean;
  /** Read from an older Provisioner, whose nodes have no claims (A7). */
  readonly provisioner: boolean;
  /** Absent if the spec has no field that only the patched CRD keeps and no copy of such a field exists (N9). */
  readonly mirror?: PoolMirror;
  /** What Karpenter cannot read in spec.disruption.budgets (N4). In guide mode this is a fault of the pool. */
  readonly karpenterFault?: Fault;
  /** The first fault of the pool (C8). If present, its nodes are disrupted only for Interrupted. */
  readonly fault?: Fault;
}

/** The copy of the fields that only the patched CRD keeps (N9). */
interface PoolMirror {
  /** The text to store as the copy: the spec has the fields. */
  readonly keeps?: string;
  /** The spec has lost the fields, so the copy applies. */
  readonly usesCopy?: true;
  /** Since when they are missing although the CRD keeps them. */
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
  /** metadata.deletionTimestamp: the end of its grace period. */
  readonly deletingAt?: Instant;
  readonly ready?: string;
  readonly owner?: Owner;
  readonly priority: number;
  readonly priorityClass?: string;
  /** `karpenter.sh/disruption-cost`, else pod-deletion-cost; 0 if neither is a 32-bit integer (F3). */
  readonly deletionCost: number;
  /** Requests as the scheduler counts them (F6): containers, init containers, sidecars, overhead, and one of `pods`. */
  readonly requests: Resources;
  readonly tolerations: readonly Toleration[];
  /** nodeSelector and required node affinity combined. Absent = any node. */
  readonly nodeSelector?: NodeSelector;
  /** Pod affinity, spread constraints, host ports and volumes (F6). Absent = none. */
  readonly scheduling?: Scheduling;
  readonly graceSeconds: number;
  /** Absent = no rule of its own. */
  readonly rules?: PodRules;
  /** Absent = the pod has no annotations, so a JSON patch must create the map. */
  readonly marks?: PodMarks;
}

/** The annotations that keep Karpenter from draining a pod, exactly as written (N5). */
export interface PodMarks {
  readonly doNotDisrupt?: string;
  /** `lull.dev/parked`: if present, Lull wrote do-not-disrupt. */
  readonly parked?: string;
  /** The value of do-not-disrupt before Lull changed it. */
  readonly before?: string;
}

/** A pod's own annotations (E1, E3–E6), compiled. */
export interface PodRules {
  readonly optOut?: OptOut;
  /** May be moved only while open (E4). */
  readonly allow?: Window;
  /** May not be moved while open (E5). */
  readonly block?: Window;
  /** How many schedules each window combines (E13). Absent if they are too few to count. */
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
  /** If present, it fails closed: the pods it selects are not moved. */
  readonly fault?: Fault;
}

export interface Pdb {
  readonly namespace: string;
  readonly name: string;
  /** Invalid parts match everything, so that a broken PDB blocks every pod it might select (E10). */
  readonly selector: Selector;
  /** Never negative. */
  readonly disruptionsAllowed: number;
  /** status.expectedPods; absent until the PDB controller has written it. */
  readonly expectedPods?: number;
  readonly alwaysAllowUnready: boolean;
  readonly fault?: Fault;
}

/** `MaintenanceWindow` (D). The reader widens a broken one, so that it fails closed (D7). */
export interface MaintenanceWindow {
  readonly name: string;
  /** Approve: `approval: true`. While it is active, its actions need approval (Q2). */
  readonly mode: 'Block' | 'Allow' | 'Approve';
  /** Open when its schedules are; always open if it has none. */
  readonly window: Window;
  /** Its validity: outside of it the window has no effect (D4). */
  readonly life: Window;
  readonly reasons: ReadonlySet<Reason>;
  /** Absent = every node. */
  readonly selector?: readonly Requirement[];
  /** The node cap while it is open (D5). A count of 0 blocks everything. */
  readonly nodes: NodeCount;
  /** Absent = `nodes` is how many at a time; otherwise how many may begin in one opening, or in any period of that length (P2). */
  readonly per?: Duration | 'opening';
  readonly note?: string;
  /** The annotation `lull.dev/author`. */
  readonly author?: string;
  readonly fault?: Fault;
}

export interface Namespace {
  readonly name: string;
  readonly labels: TextMap;
}

/** Karpenter's event about why it does not disrupt a node, or about an interruption that removes it (N3). */
export interface NodeEvent {
  readonly namespace: string;
  readonly name: string;
  readonly node: string;
  /**
   * What does not happen: consolidation only, or every disruption. Or what does: an interruption by the cloud, and that Karpenter removes
   * the node because of one.
   */
  readonly about: 'consolidation' | 'everything' | 'interruption' | 'termination';
  readonly message: string;
  /** When it last occurred. */
  readonly at: Instant;
}

/** The CRD of NodePools, as far as Lull needs it (N9). */
export interface PoolDefinition {
  readonly name: string;
  /** Changes with every change of the CRD. */
  readonly version: string;
  /** Whether it keeps the fields that only Lull's patched CRD has. */
  readonly keepsFields: boolean;
}
