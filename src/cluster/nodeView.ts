// NodeView: a node with its claim, its pods and the rules that apply to them.
// A view is immutable: the same object means that nothing has changed.
import { earliest, type Instant, latest } from '../time/instant.ts';
import type { Excess } from './crowding.ts';
import { defined } from './defined.ts';
import type { HealthGateRef } from './healthGateRecord.ts';
import type { Memory } from './memo.ts';
import type { Claim, MaintenanceWindow, Node, Pdb, Pod, PodSchedule } from './model.ts';
import { label, taint } from './names.ts';
import { isActive, isDaemon, isEvictable, isReschedulable, podCost } from './pod.ts';
import type { Resources } from './quantity.ts';
import { type Reason, reasons } from './reason.ts';
import type { Settings } from './settings.ts';

export interface NodeView {
  readonly node: Node;
  readonly claim?: Claim;
  /** Absent without a pool label. */
  readonly poolName?: string;
  /** Managed by Karpenter: it has a claim or, in older clusters, a Provisioner's label (C3). */
  readonly managed: boolean;
  /** All pods bound to it, sorted by namespace and name. */
  readonly pods: readonly Pod[];
  readonly reschedulable: readonly Pod[];
  /** Active pods with rules of their own on when they may be moved, or under a PodDisruptionSchedule. */
  readonly timed: readonly PodView[];
  /** The pods that would have to be evicted under each PDB (E10). */
  readonly guarded: readonly Guarded[];
  /** Pods selected by two PDBs: the eviction API refuses to evict them (E10). */
  readonly overlapping: readonly PodView[];
  /** Pods that Lull does not evaluate because of an excess in their namespace (decision 0008), one entry per namespace and excess. */
  readonly uncounted: readonly Uncounted[];
  /** The maintenance windows that select it. */
  readonly windows: readonly MaintenanceWindow[];
  /** The health gates that select it. */
  readonly gates: readonly HealthGateRef[];
  /** Disruption cost: 1 plus the cost of each reschedulable pod (F3). */
  readonly cost: number;
  /** Allocatable minus the requests of its active pods. */
  readonly free: Resources;
  /** Requests of its DaemonSet pods, which would run on a replacement too. */
  readonly daemons: Resources;
  readonly state: NodeState;
  readonly memory: Memory;
}

/** Derived from conditions and labels; read for every node in every round. */
interface NodeState {
  readonly ready: boolean;
  readonly initialized: boolean;
  readonly rebooting: boolean;
  /** Counts as a node of its pool: managed, and initialized or rebooting (C3). */
  readonly counted: boolean;
  /** Present if its machine is being ended: drained, and on some clouds a node for minutes more (C3). */
  readonly ending?: { readonly since?: Instant };
  /** Present if it is being deleted, or in one of Karpenter's own disruption commands. */
  readonly leaving?: LeavingState;
}

interface LeavingState {
  /** Absent when unknown. */
  readonly since?: Instant;
  readonly reason?: Reason;
}

/** A stable reference to a PDB: a new status replaces `pdb` and leaves the views that hold the reference untouched. */
export interface PdbRef {
  /** A small unique number, so that each round counts by PDB in an array. */
  readonly id: number;
  readonly pdb: Pdb;
}

/** The pods of a node under one PDB. */
export interface Guarded {
  readonly box: PdbRef;
  readonly pods: readonly Pod[];
  /** Whether some have an opt-out, so that the number to evict depends on reason and time. */
  readonly mayOptOut: boolean;
}

export interface Uncounted {
  /** The first by name. */
  readonly pod: Pod;
  readonly pods: number;
  readonly excess: Excess;
}

export interface PodView {
  readonly pod: Pod;
  /** Empty if the pod's own annotations have schedules (E7). */
  readonly schedules: readonly PodSchedule[];
  readonly pdbs: readonly PdbRef[];
  /** Its namespace has too many schedules, so Lull does not evaluate this pod's and holds its node (E13). */
  readonly unevaluated?: true;
}

export interface ViewParts {
  readonly node: Node;
  readonly claim: Claim | undefined;
  readonly isProvisioner: (name: string) => boolean;
  readonly pods: readonly Pod[];
  readonly windows: readonly MaintenanceWindow[];
  readonly gates: readonly HealthGateRef[];
  /** The PDBs and schedules that select a pod; undefined = none. */
  readonly rulesOn: (pod: Pod) => Omit<PodView, 'pod'> | undefined;
  readonly excessOn: (pod: Pod) => readonly Excess[];
}

export function buildView({
  node,
  claim,
  isProvisioner,
  pods,
  windows,
  gates,
  rulesOn,
  excessOn,
}: ViewParts): NodeView {
  const sorted = [...pods].sort(byName);
  const reschedulable = sorted.filter(isReschedulable);
  const ruled: PodView[] = [];
  const free: Record<string, number> = { ...node.allocatable };
  const daemons: Record<string, number> = {};
  for (const pod of sorted) {
    if (!isActive(pod)) continue;
    subtract(free, pod.requests);
    if (isDaemon(pod)) add(daemons, pod.requests);
    const rules = rulesOn(pod);
    if (rules || pod.rules) ruled.push({ pod, ...(rules ?? noRules) });
  }
  const provisioner = node.labels[label.provisioner];
  const poolName = poolLabel(node, claim);
  const managed = claim !== undefined || (provisioner !== undefined && isProvisioner(provisioner));
  return {
    node,
    ...(claim && { claim }),
    ...(poolName !== undefined && { poolName }),
    managed,
    pods: sorted,
    reschedulable,
    timed: ruled.filter(({ pod, schedules }) => pod.rules || schedules.length > 0),
    guarded: groupByPdb(ruled),
    uncounted: uncountedOf(sorted, excessOn),
    overlapping: ruled.filter(({ pod, pdbs }) => pdbs.length > 1 && isEvictable(pod)),
    windows,
    gates,
    cost: 1 + reschedulable.reduce((sum, pod) => sum + podCost(pod), 0),
    free,
    daemons,
    state: stateOf(node, claim, managed),
    memory: [],
  };
}

const noRules = { schedules: [], pdbs: [] };

function stateOf(node: Node, claim: Claim | undefined, managed: boolean): NodeState {
  const rebooting = isTrue(claim, 'Rebooting');
  const initialized = node.labels[label.initialized] === 'true';
  const leaving = managed ? leavingOf(node, claim) : undefined;
  return {
    ready: node.ready.status === 'True',
    initialized,
    rebooting,
    counted: managed && (initialized || rebooting),
    ...(isTrue(claim, 'InstanceTerminating') && {
      ending: defined({ since: claim?.conditions.InstanceTerminating?.since }),
    }),
    ...(leaving && { leaving }),
  };
}

function leavingOf(node: Node, claim: Claim | undefined): LeavingState | undefined {
  const commanded = isTrue(claim, 'DisruptionReason') ? claim?.conditions.DisruptionReason : undefined;
  const deleting = earliest(claim?.deletingSince, node.deletingSince);
  const isTaken = commanded !== undefined || isTainted(node, claim);
  if (deleting === undefined && !isTaken && !isTrue(claim, 'InstanceTerminating')) return undefined;
  const since = earliest(deleting, commanded?.since);
  const reason = reasons.find((it) => it === commanded?.reason);
  return { ...(since !== undefined && { since }), ...(reason && { reason }) };
}

/** Karpenter 1.0 and 1.1 mark a node that they take with a taint alone, later versions with a condition as well (C4). */
const isTainted = (node: Node, claim: Claim | undefined): boolean =>
  claim?.conditions.DisruptionReason === undefined && node.taints.some(({ key }) => key === taint.karpenterDisrupted);

const isTrue = (claim: Claim | undefined, type: string): boolean => claim?.conditions[type]?.status === 'True';

function groupByPdb(ruled: readonly PodView[]): Guarded[] {
  const groups = new Map<PdbRef, Pod[]>();
  for (const { pod, pdbs } of ruled) {
    const box = pdbs.length === 1 ? pdbs[0] : undefined;
    if (!box || !isEvictable(pod) || isFree(box.pdb, pod)) continue;
    groups.set(box, [...(groups.get(box) ?? []), pod]);
  }
  return [...groups].map(([box, pods]) => ({ box, pods, mayOptOut: pods.some(({ rules }) => rules?.optOut) }));
}

/** Daemons are not moved to other nodes, so only PodDisruptionBudgets matter for them. */
function uncountedOf(sorted: readonly Pod[], excessOn: ViewParts['excessOn']): readonly Uncounted[] {
  let found: Map<string, Uncounted> | undefined;
  for (const pod of sorted) {
    if (!isEvictable(pod)) continue;
    for (const excess of excessOn(pod)) {
      if (excess !== 'budgets' && isDaemon(pod)) continue;
      found ??= new Map();
      const key = `${pod.namespace} ${excess}`;
      const known = found.get(key);
      found.set(key, { pod: known?.pod ?? pod, pods: (known?.pods ?? 0) + 1, excess });
    }
  }
  return found ? [...found.values()] : none;
}

const none: readonly Uncounted[] = [];

/** An unready pod under AlwaysAllow may be evicted regardless of the PDB; a broken PDB grants nothing (E10). */
const isFree = (pdb: Pdb, { ready }: Pod): boolean => pdb.alwaysAllowUnready && ready === 'False' && !pdb.fault;

/** The pool label of the node once it has registered, before that of the claim. */
function poolLabel(node: Node, claim: Claim | undefined): string | undefined {
  const own = node.labels[label.pool] ?? node.labels[label.provisioner];
  if (node.labels[label.registered] === 'true' || !claim) return own;
  return claim.labels[label.pool] ?? own;
}

const byName = (a: Pod, b: Pod): number => compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

/** Compares by code units, so that the order does not depend on the locale. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function add(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = (total[name] ?? 0) + (amounts[name] ?? 0);
}

export function subtract(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = (total[name] ?? 0) - (amounts[name] ?? 0);
}

/** Whether percentages and limits count the node. The setting decides for a machine that is still ending (C3). */
export const isCounted = ({ state }: NodeView, { endingMachines }: Pick<Settings, 'endingMachines'>): boolean =>
  state.counted && (!state.ending || endingMachines === 'count');

export const conditionIsTrue = ({ claim }: NodeView, type: string): boolean => isTrue(claim, type);

/** Since when it has not been Ready, at the earliest its creation (A5). */
export const unreadySince = ({ node }: NodeView): Instant => latest(node.createdAt, node.ready.since);

export const createdAt = ({ node, claim }: NodeView): Instant => claim?.createdAt ?? node.createdAt;
