// Was anything started beyond a budget of its pool or of its domain (C3–C9)? Units are counted by hand.
import type { Budget, NodeCount, Pool } from '../../cluster/model.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Instant } from '../../time/instant.ts';
import { domainName, domainOf, type Host } from './host.ts';
import { type Finding, finding } from './violation.ts';
import { isForced, isGoverned, nodesIn, poolOf, startsOf, type Taken, type Written } from './written.ts';

/** C3: percentages round up. */
export const unitsOf = (nodes: NodeCount, of: number): number =>
  'count' in nodes ? nodes.count : Math.ceil((nodes.percent * of) / 100);

const isActive = ({ window }: Budget, at: Instant): boolean => !window || window.isOpen(at);
const isFreeze = ({ nodes }: Budget): boolean => unitsOf(nodes, 100) === 0;

/** C5. Infinity = no limit. */
function limitOf(pool: Pool, counted: number, { reason, at }: Taken, isCeiling: boolean): number {
  const active = pool.budgets.filter((budget) => budget.topologyKey === undefined && isActive(budget, at));
  const named = active.filter(({ reasons }) => [...(reasons ?? [])].some((it) => it === reason));
  const unnamed = active.filter(({ reasons }) => reasons === undefined);
  const others = isCeiling || named.length === 0 ? unnamed : unnamed.filter(isFreeze);
  return Math.min(Number.POSITIVE_INFINITY, ...[...named, ...others].map(({ nodes }) => unitsOf(nodes, counted)));
}

/** C9, C15: the budgets that bind drift by domain; of the sequential ones the first alone. */
function topologyBudgets(pool: Pool, at: Instant): Budget[] {
  const active = pool.budgets.filter(
    (budget) => budget.topologyKey !== undefined && (budget.reasons?.has('Drifted') ?? true) && isActive(budget, at),
  );
  const first = active.find(({ sequential }) => sequential);
  return active.filter((budget) => !budget.sequential || budget === first);
}

/** B8: whether some budget of zero binds the reason then, of the pool or of its domains. */
export const isFrozenAt = ({ budgets }: Pool, { reason, at }: Taken): boolean =>
  budgets.some(
    (budget) =>
      isFreeze(budget) &&
      isActive(budget, at) &&
      (budget.topologyKey === undefined || reason === 'Drifted') &&
      (budget.reasons === undefined || [...budget.reasons].some((it) => it === reason)),
  );

export const sequentialBudget = (pool: Pool, at: Instant): Budget | undefined =>
  topologyBudgets(pool, at).find(({ sequential }) => sequential);

export function beyondBudgets(written: Written): Finding[] {
  const gone = nodesIn(written.before);
  return startsOf(written).flatMap((start) => {
    const wrong = isForced(start.reason, written.settings) ? [] : overspent(start, gone, written);
    gone.add(start.host.name);
    return wrong;
  });
}

function overspent(start: Taken, gone: ReadonlySet<string>, written: Written): Finding[] {
  const { host, reason } = start;
  const pool = poolOf(start, written);
  const what = `${host.name} is started for ${reason}`;
  if (!host.claim) return [finding('C3', `${what}, which has no claim`)];
  if (!pool) return [finding('C8', `${what}, whose pool ${host.pool} is not there`)];
  if (!isGoverned(pool, written.settings)) return [finding('M', `${what}, whose pool is not governed`)];
  if (pool.fault) return [finding('C8', `${what}, whose pool cannot be read: ${pool.fault.message}`)];
  const mine = written.sight.hosts().filter((it) => it.claim && it.pool === host.pool);
  return [...overPool(start, pool, { mine, gone, written }), ...overDomain(start, pool, { mine, gone })];
}

interface Units {
  readonly mine: readonly Host[];
  readonly gone: ReadonlySet<string>;
}

function overPool(start: Taken, pool: Pool, { mine, gone, written }: Units & { written: Written }): Finding[] {
  const counted = mine.filter(({ isCounted }) => isCounted);
  const { host, reason } = start;
  const isCeiling = written.settings.defaultBudgets === 'ceiling';
  // Who is not counted was never part of what a budget counts, and uses no unit of it.
  if (!host.isCounted) return [];
  // Nought of any number: a freeze is a freeze.
  if (isFrozen(pool, start, written.settings))
    return [finding('C5', `${host.name} is started for ${reason} in a freeze of ${pool.name}`)];
  const limit = limitOf(pool, counted.length, start, isCeiling);
  const used = usedUnits(counted, reason, gone);
  if (fits(limit, used, host)) return [];
  const message = `${host.name} is started for ${reason}, where ${used.size} of ${limit} units of ${pool.name} are in use`;
  return [finding('C6', message)];
}

export const isFrozen = (pool: Pool, start: Taken, { defaultBudgets }: Settings): boolean =>
  limitOf(pool, 100, start, defaultBudgets === 'ceiling') === 0;

function overDomain(start: Taken, pool: Pool, { mine, gone }: Units): Finding[] {
  const { host, reason, at } = start;
  if (reason !== 'Drifted' || !host.isCounted) return [];
  return topologyBudgets(pool, at).flatMap(({ topologyKey = '', nodes }) => {
    const domain = domainOf(host, topologyKey);
    const counted = mine.filter((it) => it.isCounted && domainOf(it, topologyKey) === domain);
    const limit = unitsOf(nodes, counted.length);
    const used = usedUnits(counted, reason, gone);
    if (fits(limit, used, host)) return [];
    const where = `${topologyKey} ${domainName(domain)} of ${pool.name}`;
    return [finding('C9', `${host.name} is started, where ${used.size} of ${limit} units of ${where} are in use`)];
  });
}

/** C4. For Unhealthy, what is merely not Ready uses nothing. */
const usedUnits = (counted: readonly Host[], reason: string, gone: ReadonlySet<string>): Set<string> =>
  new Set(
    counted
      .filter((it) => it.isLeaving || it.isRebooting || gone.has(it.name) || (reason !== 'Unhealthy' && !it.isReady))
      .map(({ name }) => name),
  );

/** C7: who uses a unit already needs no other, but one there must be. */
const fits = (limit: number, used: ReadonlySet<string>, { name }: Host): boolean =>
  used.has(name) ? limit >= Math.max(used.size, 1) : limit > used.size;
