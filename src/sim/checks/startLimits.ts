// Checks the limits on started commands with its own counting: budgets of pools and domains (C3–C9), maintenance windows
// (D2–D5), the window margin (B8), and PodDisruptionBudgets (E10).
// Past 300 lines: the limits share their counting.

import type { Budget, MaintenanceWindow, NodeCount, Pool } from '../../cluster/model.ts';
import { matches, matchesAll } from '../../cluster/selector.ts';
import type { Settings } from '../../cluster/settings.ts';
import { asInstant, type Instant } from '../../time/instant.ts';
import { conditionOf } from '../actors/rawObjects.ts';
import { type KubeObject, labelsOf, namespaceOf } from '../kubeObject.ts';
import type { AuthorView } from './authorView.ts';
import { closedBy, compiled, isOptedOut } from './compiledPolicies.ts';
import {
  type CheckFinding,
  finding,
  ignoresBlockedPods,
  isForced,
  isGoverned,
  type LedgerWrite,
  nodesIn,
  poolOf,
  type StartedNode,
  startsOf,
} from './ledgerWrite.ts';
import { domainName, domainOf, type Host, isActive, isDrained } from './raw.ts';

/** Percentages round up (C3). */
export const unitsOf = (nodes: NodeCount, of: number): number =>
  'count' in nodes ? nodes.count : Math.ceil((nodes.percent * of) / 100);

export const isBudgetActive = ({ window }: Budget, at: Instant): boolean => !window || window.isOpen(at);
const isFreeze = ({ nodes }: Pick<Budget, 'nodes'>): boolean => unitsOf(nodes, 100) === 0;

/** The pool's budgets for a reason: those that name it, otherwise those without reasons; a freeze applies to every reason (C5). */
export function bindingBudgets(
  { budgets }: Pool,
  reason: string | undefined,
  at: Instant,
  isCeiling = false,
): Budget[] {
  const active = budgets.filter((budget) => budget.topologyKey === undefined && isBudgetActive(budget, at));
  const named = active.filter(({ reasons }) => [...(reasons ?? [])].some((it) => it === reason));
  const unnamed = active.filter(({ reasons }) => reasons === undefined);
  return [...named, ...(isCeiling || named.length === 0 ? unnamed : unnamed.filter(isFreeze))];
}

/** Infinity: no limit. */
function limitOf(pool: Pool, counted: number, { reason, at }: StartedNode, isCeiling: boolean): number {
  const binding = bindingBudgets(pool, reason, at, isCeiling);
  return Math.min(Number.POSITIVE_INFINITY, ...binding.map(({ nodes }) => unitsOf(nodes, counted)));
}

/** The budgets for drift by domain; of the sequential ones only the first (C9, C15). */
function topologyBudgets(pool: Pool, at: Instant): Budget[] {
  const active = pool.budgets.filter(
    (budget) =>
      budget.topologyKey !== undefined && (budget.reasons?.has('Drifted') ?? true) && isBudgetActive(budget, at),
  );
  const first = active.find(({ sequential }) => sequential);
  return active.filter((budget) => !budget.sequential || budget === first);
}

/** Whether a budget of zero of the pool or its domains applies to the reason at that instant (B8). */
const isFrozenAt = ({ budgets }: Pool, { reason, at }: StartedNode): boolean =>
  budgets.some(
    (budget) =>
      isFreeze(budget) &&
      isBudgetActive(budget, at) &&
      (budget.topologyKey === undefined || reason === 'Drifted') &&
      (budget.reasons === undefined || [...budget.reasons].some((it) => it === reason)),
  );

export const sequentialBudget = (pool: Pool, at: Instant): Budget | undefined =>
  topologyBudgets(pool, at).find(({ sequential }) => sequential);

export function beyondBudgets(written: LedgerWrite): CheckFinding[] {
  const gone = nodesIn(written.before);
  return startsOf(written).flatMap((start) => {
    const wrong = isForced(start.reason, written.settings) ? [] : overspent(start, gone, written);
    gone.add(start.host.name);
    return wrong;
  });
}

function overspent(start: StartedNode, gone: ReadonlySet<string>, written: LedgerWrite): CheckFinding[] {
  const { host, reason } = start;
  const pool = poolOf(start, written);
  const what = `${host.name} is started for ${reason}`;
  if (!host.claim) return [finding('C3', `${what}, which has no claim`)];
  if (!pool) return [finding('C8', `${what}, whose pool ${host.pool} does not exist`)];
  if (!isGoverned(pool, written.settings)) return [finding('M', `${what}, whose pool is not governed`)];
  if (pool.fault) return [finding('C8', `${what}, whose pool cannot be read: ${pool.fault.message}`)];
  const mine = written.sight.hosts().filter((it) => it.claim && it.pool === host.pool);
  return [...overPool(start, pool, { mine, gone, written }), ...overDomain(start, pool, { mine, gone, written })];
}

interface UnitCounts {
  readonly mine: readonly Host[];
  readonly gone: ReadonlySet<string>;
  readonly written: LedgerWrite;
}

/** A machine that is ending is there until it is gone, unless the setting ignores it (C3). */
const countedOf = (hosts: readonly Host[], { settings }: LedgerWrite): Host[] =>
  hosts.filter((it) => it.isCounted && !(it.isEnding && settings.endingMachines === 'ignore'));

function overPool(start: StartedNode, pool: Pool, { mine, gone, written }: UnitCounts): CheckFinding[] {
  const counted = countedOf(mine, written);
  const { host, reason } = start;
  const isCeiling = written.settings.defaultBudgets === 'ceiling';
  // A budget of zero freezes the pool, whatever its size, and nodes that are not counted too.
  if (isFrozen(pool, start, written.settings))
    return [finding('C5', `${host.name} is started for ${reason} in a freeze of ${pool.name}`)];
  // A node that is not counted does not use the budget.
  if (!host.isCounted) return [];
  const limit = limitOf(pool, counted.length, start, isCeiling);
  const used = usedUnits(counted, reason, gone);
  if (fits(limit, used, host)) return [];
  const message = `${host.name} is started for ${reason}, where ${used.size} of ${limit} units of ${pool.name} are in use`;
  return [finding('C6', message)];
}

export const isFrozen = (pool: Pool, start: StartedNode, { defaultBudgets }: Settings): boolean =>
  limitOf(pool, 100, start, defaultBudgets === 'ceiling') === 0;

function overDomain(start: StartedNode, pool: Pool, { mine, gone, written }: UnitCounts): CheckFinding[] {
  const { host, reason, at } = start;
  if (reason !== 'Drifted') return [];
  return topologyBudgets(pool, at).flatMap(({ topologyKey = '', nodes }) => {
    const domain = domainOf(host, topologyKey);
    const counted = countedOf(mine, written).filter((it) => domainOf(it, topologyKey) === domain);
    const limit = unitsOf(nodes, counted.length);
    if (!host.isCounted && !isFreeze({ nodes })) return [];
    const used = usedUnits(counted, reason, gone);
    if (fits(limit, used, host)) return [];
    const where = `${topologyKey} ${domainName(domain)} of ${pool.name}`;
    return [finding('C9', `${host.name} is started, where ${used.size} of ${limit} units of ${where} are in use`)];
  });
}

/** The nodes that use the budget (C4). For Unhealthy, a node that is merely not Ready does not. */
const usedUnits = (counted: readonly Host[], reason: string, gone: ReadonlySet<string>): Set<string> =>
  new Set(
    counted
      .filter((it) => it.isLeaving || it.isRebooting || gone.has(it.name) || (reason !== 'Unhealthy' && !it.isReady))
      .map(({ name }) => name),
  );

/** A node that already counts as used needs no further unit, but the limit must not be zero (C7). */
const fits = (limit: number, used: ReadonlySet<string>, { name }: Host): boolean =>
  used.has(name) ? limit >= Math.max(used.size, 1) : limit > used.size;

const windowsOver = ({ labels }: Host, reason: string, sight: Pick<AuthorView, 'list'>): MaintenanceWindow[] =>
  [...sight.list('MaintenanceWindow')]
    .map((object) => compiled('MaintenanceWindow', object))
    .filter((window) => [...window.reasons].some((it) => it === reason) && selects(window, labels));

const selects = ({ selector }: MaintenanceWindow, labels: Host['labels']): boolean =>
  !selector || matchesAll(selector, labels);

const isAlive = ({ life }: MaintenanceWindow, at: Instant): boolean => life.isOpen(at);
const isInForce = (window: MaintenanceWindow, at: Instant): boolean => isAlive(window, at) && window.window.isOpen(at);
const caps = ({ nodes }: MaintenanceWindow): boolean => unitsOf(nodes, 100) > 0;

/** The windows that forbid a reason on a node at an instant (D2, D3). */
export function windowsForbid({ host, reason, at }: StartedNode, sight: Pick<AuthorView, 'list'>): CheckFinding[] {
  const mine = windowsOver(host, reason, sight);
  const blocking = mine.filter((window) => window.mode === 'Block' && !caps(window) && isInForce(window, at));
  const allowing = mine.filter((window) => window.mode === 'Allow' && isAlive(window, at));
  const findings = blocking.map(({ name }) => finding('D2', `window ${name} blocks ${reason} on ${host.name}`));
  if (allowing.length === 0 || allowing.some((window) => isInForce(window, at))) return findings;
  const names = allowing.map(({ name }) => name).join(' and ');
  return [...findings, finding('D3', `window ${names} is not open for ${reason} on ${host.name}`)];
}

/** The pool or a window asks for approval, and neither node nor pool has one that lasts (Q2). */
export function approvalMissing(start: StartedNode, written: LedgerWrite): CheckFinding[] {
  const { host, reason, at } = start;
  const pool = poolOf(start, written);
  const asks = windowsOver(host, reason, written.sight).filter((it) => it.mode === 'Approve' && isInForce(it, at));
  if (!pool?.needsApproval && asks.length === 0) return [];
  const approvals = [pool?.approved, compiled('Node', host.node).rules.approved];
  if (approvals.some((approval) => approval && at < approval.at)) return [];
  return [finding('Q2', `${host.name} is disrupted for ${reason} without an approval`)];
}

/** Every Block window with a cap must have room, and at least one open Allow window (D5). */
export function beyondCaps(written: LedgerWrite): CheckFinding[] {
  const { sight, settings } = written;
  const gone = nodesIn(written.before);
  return startsOf(written).flatMap((start) => {
    const full = isForced(start.reason, settings) ? [] : fullWindows(start, gone, sight);
    gone.add(start.host.name);
    return full.map(({ name, most, used }) =>
      finding('D5', `${start.host.name} is started for ${start.reason}, where window ${name} has ${used} of ${most}`),
    );
  });
}

function fullWindows({ host, reason, at }: StartedNode, gone: ReadonlySet<string>, sight: AuthorView) {
  const mine = windowsOver(host, reason, sight)
    .filter((window) => isInForce(window, at))
    .map((window) => ({ mode: window.mode, name: window.name, ...room(window, gone, sight) }));
  const isFull = ({ most, used }: { most: number; used: number }): boolean => used >= most;
  const blocking = mine.filter((window) => window.mode === 'Block' && window.most > 0 && isFull(window));
  const allowing = mine.filter(({ mode }) => mode === 'Allow');
  return allowing.length > 0 && allowing.every(isFull) ? [...blocking, ...allowing] : blocking;
}

/** An Allow window without `nodes` has no cap. */
function room(window: MaintenanceWindow, gone: ReadonlySet<string>, sight: AuthorView): { most: number; used: number } {
  const selected = sight.hosts().filter(({ claim, labels }) => claim && selects(window, labels));
  const used = selected.filter(({ name, isLeaving }) => isLeaving || gone.has(name)).length;
  // A window with `per` limits what begins, not what is in flight (P2).
  const unlimited = window.per !== undefined || (window.mode === 'Allow' && !caps(window));
  return { used, most: unlimited ? Number.POSITIVE_INFINITY : unitsOf(window.nodes, selected.length) };
}

export function closesSoon(written: LedgerWrite): CheckFinding[] {
  const { windowMargin } = written.settings;
  if (windowMargin === 0) return [];
  return startsOf(written)
    .filter(({ reason }) => !isForced(reason, written.settings))
    .map((start): StartedNode => ({ ...start, at: asInstant(start.at + windowMargin) }))
    .flatMap((later) => [
      ...windowsForbid(later, written.sight).map(({ message }) => message),
      ...budgetFreezes(later, written),
      ...podsClose(later, written),
    ])
    .map((message) => finding('B8', `within the margin ${message}`));
}

function budgetFreezes(later: StartedNode, written: LedgerWrite): string[] {
  const pool = poolOf(later, written);
  return pool && isFrozenAt(pool, later) ? [`${pool.name} is frozen for ${later.reason}`] : [];
}

function podsClose(later: StartedNode, { sight }: LedgerWrite): string[] {
  const { host, reason, at } = later;
  if (reason === 'Unhealthy' || ignoresBlockedPods(later)) return [];
  return sight
    .podsOn(host.name)
    .filter((pod) => isActive(pod) && closedBy(pod, at, sight) !== undefined)
    .map(({ metadata }) => `pod ${metadata.namespace}/${metadata.name} on ${host.name} may not be moved any more`);
}

const nameOf = (pdb: KubeObject): string => `${namespaceOf(pdb)}/${pdb.metadata.name}`;

export const pdbsOver = (pod: KubeObject, pdbs: Iterable<KubeObject>): KubeObject[] =>
  [...pdbs].filter(
    (pdb) =>
      namespaceOf(pdb) === namespaceOf(pod) && matches(compiled('PodDisruptionBudget', pdb).selector, labelsOf(pod)),
  );

export function beyondPdbs(written: LedgerWrite): CheckFinding[] {
  const { before, sight, settings } = written;
  const starts = startsOf(written);
  if (starts.length === 0) return [];
  /** By PDB: pods still to be evicted from nodes being disrupted. */
  const waiting = new Map<string, number>();
  const leave = (node: string): void => {
    for (const [pdb, pods] of guardedOn(node, sight))
      waiting.set(nameOf(pdb), (waiting.get(nameOf(pdb)) ?? 0) + pods.length);
  };
  const gone = nodesIn(before);
  for (const { name, isLeaving } of sight.hosts()) if (isLeaving || gone.has(name)) leave(name);
  return starts.flatMap((start) => {
    const isFree = isForced(start.reason, settings) || start.reason === 'Unhealthy' || ignoresBlockedPods(start);
    const wrong = isFree ? [] : [...overlaps(start, sight), ...overspentPdbs(start, waiting, sight)];
    leave(start.host.name);
    return wrong;
  });
}

function overlaps({ host, reason, at }: StartedNode, sight: AuthorView): CheckFinding[] {
  const pods = sight.podsOn(host.name).filter((pod) => isActive(pod) && isDrained(pod) && !isOptedOut(pod, reason, at));
  return pods
    .filter((pod) => pdbsOver(pod, sight.list('PodDisruptionBudget')).length > 1)
    .map(({ metadata }) => finding('E10', `${host.name} is started with pod ${metadata.name}, which two PDBs select`));
}

function overspentPdbs(
  { host, reason, at }: StartedNode,
  waiting: ReadonlyMap<string, number>,
  sight: AuthorView,
): CheckFinding[] {
  return [...guardedOn(host.name, sight)].flatMap(([pdb, all]) => {
    const pods = all.filter((pod) => !isOptedOut(pod, reason, at)).length;
    const allowed = allowedBy(pdb);
    const others = waiting.get(nameOf(pdb)) ?? 0;
    if (pods === 0 || (allowed >= 1 && (others === 0 || others + pods <= allowed))) return [];
    const message = `${host.name} is started with ${pods} pods of ${nameOf(pdb)} beside ${others}, where it allows ${allowed}`;
    return [finding('E10', message)];
  });
}

function allowedBy(pdb: KubeObject): number {
  const allowed = pdb.status?.disruptionsAllowed;
  return typeof allowed === 'number' && !compiled('PodDisruptionBudget', pdb).fault ? Math.max(allowed, 0) : 0;
}

/** The pods of a node that would be evicted, by the only PDB that selects them. */
function guardedOn(node: string, sight: AuthorView): Map<KubeObject, KubeObject[]> {
  const guarded = new Map<KubeObject, KubeObject[]>();
  for (const pod of sight.podsOn(node)) {
    if (!isActive(pod) || !isDrained(pod)) continue;
    const [pdb, ...others] = pdbsOver(pod, sight.list('PodDisruptionBudget'));
    if (!pdb || others.length > 0 || isFree(pod, pdb)) continue;
    guarded.set(pdb, [...(guarded.get(pdb) ?? []), pod]);
  }
  return guarded;
}

const isFree = (pod: KubeObject, pdb: KubeObject): boolean =>
  pdb.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow' &&
  conditionOf(pod, 'Ready')?.status === 'False' &&
  !compiled('PodDisruptionBudget', pdb).fault;
