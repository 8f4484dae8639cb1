// Everything about one node in one place: the node, its claim, its pods and the rules that mean them.
// A view is replaced, never changed: as long as it is the same object, nothing in it has changed.
import type { Instant } from '../time/instant.ts';
import { earliest, latest } from '../time/instant.ts';
import type { Excess } from './crowding.ts';
import type { Memory } from './memory.ts';
import type { Claim, MaintenanceWindow, Node, Pdb, Pod, PodSchedule } from './model.ts';
import { label } from './names.ts';
import { isActive, isDaemon, isEvictable, isReschedulable, podCost } from './pod.ts';
import type { Resources } from './quantity.ts';
import { type Reason, reasons } from './reason.ts';

export interface NodeView {
  readonly node: Node;
  readonly claim?: Claim;
  /** The pool it belongs to; absent where no label says so. */
  readonly poolName?: string;
  /** C3: Karpenter's, by a claim or (older clusters) by the label of a Provisioner. */
  readonly managed: boolean;
  /** All pods bound to it, by namespace and name. */
  readonly pods: readonly Pod[];
  readonly reschedulable: readonly Pod[];
  /** Active pods that say when they may be moved, or are under a PodDisruptionSchedule. */
  readonly timed: readonly PodView[];
  /** E10: how many pods of each PDB would have to be evicted; by PDB name. */
  readonly guarded: readonly Guarded[];
  /** E10: pods that two PDBs mean, so that nothing can evict them. */
  readonly overlapping: readonly PodView[];
  /** Pods that are not worked out, since their namespace has too much of something (decision 0008): by namespace and what. */
  readonly uncounted: readonly Uncounted[];
  /** The maintenance windows that select it. */
  readonly windows: readonly MaintenanceWindow[];
  /** F3. */
  readonly cost: number;
  /** Allocatable less what its active pods request. */
  readonly free: Resources;
  /** What its DaemonSet pods request: they would run on a replacement too. */
  readonly daemons: Resources;
  readonly state: NodeState;
  readonly memory: Memory;
}

/** What its conditions and labels come to; asked of every node in every round. */
export interface NodeState {
  readonly ready: boolean;
  readonly initialized: boolean;
  readonly rebooting: boolean;
  /** C3: managed, initialized (or rebooting), and its instance not yet terminating. */
  readonly counted: boolean;
  /** Deleted by someone, or in a command of Karpenter's; absent = it stays. */
  readonly leaving?: Leaving;
}

export interface Leaving {
  /** Absent where nothing says since when. */
  readonly since?: Instant;
  readonly reason?: Reason;
}

/** A PDB by its present status: the same box for as long as its selector stays, so that a status change touches no view. */
export interface PdbBox {
  /** Small and its own: what is counted by PDB in every round is counted in an array. */
  readonly id: number;
  readonly pdb: Pdb;
}

/** The pods of a node that one PDB counts. */
export interface Guarded {
  readonly box: PdbBox;
  readonly pods: readonly Pod[];
  /** Whether some of them may opt out, so that their number hangs on reason and time. */
  readonly mayOptOut: boolean;
}

export interface Uncounted {
  /** The first of them by name. */
  readonly pod: Pod;
  readonly pods: number;
  readonly excess: Excess;
}

export interface PodView {
  readonly pod: Pod;
  /** E7: none where the pod's own annotations say when. */
  readonly schedules: readonly PodSchedule[];
  readonly pdbs: readonly PdbBox[];
  /** E13: its namespace has too many schedules for those of this pod to be worked out. It holds its node. */
  readonly unworked?: true;
}

export interface ViewParts {
  readonly node: Node;
  readonly claim: Claim | undefined;
  readonly isProvisioner: (name: string) => boolean;
  readonly pods: readonly Pod[];
  readonly windows: readonly MaintenanceWindow[];
  /** The rules on a pod from outside it; undefined where there are none. */
  readonly rulesOn: (pod: Pod) => Omit<PodView, 'pod'> | undefined;
  readonly excessOn: (pod: Pod) => readonly Excess[];
}

export function buildView({ node, claim, isProvisioner, pods, windows, rulesOn, excessOn }: ViewParts): NodeView {
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
    counted: managed && (initialized || rebooting) && !isTrue(claim, 'InstanceTerminating'),
    ...(leaving && { leaving }),
  };
}

function leavingOf(node: Node, claim: Claim | undefined): Leaving | undefined {
  const commanded = isTrue(claim, 'DisruptionReason') ? claim?.conditions.DisruptionReason : undefined;
  const deleting = earliest(claim?.deletingSince, node.deletingSince);
  if (deleting === undefined && !commanded && !isTrue(claim, 'InstanceTerminating')) return undefined;
  const since = earliest(deleting, commanded?.since);
  const reason = reasons.find((it) => it === commanded?.reason);
  return { ...(since !== undefined && { since }), ...(reason && { reason }) };
}

const isTrue = (claim: Claim | undefined, type: string): boolean => claim?.conditions[type]?.status === 'True';

function groupByPdb(ruled: readonly PodView[]): Guarded[] {
  const groups = new Map<PdbBox, Pod[]>();
  for (const { pod, pdbs } of ruled) {
    const box = pdbs.length === 1 ? pdbs[0] : undefined;
    if (!box || !isEvictable(pod) || isFree(box.pdb, pod)) continue;
    groups.set(box, [...(groups.get(box) ?? []), pod]);
  }
  return [...groups].map(([box, pods]) => ({ box, pods, mayOptOut: pods.some(({ rules }) => rules?.optOut) }));
}

/** A daemon goes with its node, so that nothing but PodDisruptionBudgets is asked for it. */
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

/** An unready pod under AlwaysAllow goes whatever the budget says; a broken PDB cannot be asked (E10). */
const isFree = (pdb: Pdb, { ready }: Pod): boolean => pdb.alwaysAllowUnready && ready === 'False' && !pdb.fault;

/** Labels count from the node once it has registered, before that from the claim. */
function poolLabel(node: Node, claim: Claim | undefined): string | undefined {
  const own = node.labels[label.pool] ?? node.labels[label.provisioner];
  if (node.labels[label.registered] === 'true' || !claim) return own;
  return claim.labels[label.pool] ?? own;
}

const byName = (a: Pod, b: Pod): number => compareText(a.namespace, b.namespace) || compareText(a.name, b.name);

/** Order by code units: the same on every machine, whatever its language. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export function add(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = (total[name] ?? 0) + (amounts[name] as number);
}

export function subtract(total: Record<string, number>, amounts: Resources): void {
  for (const name in amounts) total[name] = (total[name] ?? 0) - (amounts[name] as number);
}

export const conditionIsTrue = ({ claim }: NodeView, type: string): boolean => isTrue(claim, type);

/** A5: since when it has not been Ready; a node is not older than itself. */
export const unreadySince = ({ node }: NodeView): Instant => latest(node.ready.since, node.createdAt) as Instant;

export const createdAt = ({ node, claim }: NodeView): Instant => claim?.createdAt ?? node.createdAt;
