// Replays the starts of a round one by one and checks every limit.
import type { Round } from '../../../src/engine/verdict.ts';
import { limitOf, readBudgets, topologyBudgets } from './budgets.ts';
import { type Host, isConsumed, isCounted, isGoverned, type Seen, type Start, startsOf } from './cluster.ts';
import { isInterrupted, needsUnit, ratesOver } from './rates.ts';
import { amountOf } from './reading.ts';
import { capOf, seeWindows, windowsOver } from './windows.ts';

/** Called for one start after another; returns its violations. */
type Checker = (start: Start, before: ReadonlySet<string>) => readonly string[];

export function beyondLimits(round: Round, seen: Seen): string[] {
  const checkers: readonly Checker[] = [poolChecker(seen), rateChecker(seen), domainChecker(seen), capChecker(seen)];
  const before = new Set<string>();
  return startsOf(round, seen).flatMap((start) => {
    // Forced starts are counted, but no limit refuses them (A2).
    const wrong = start.forced ? [] : checkers.flatMap((check) => check(start, before));
    before.add(start.host.name);
    return wrong;
  });
}

/** A node that is already consumed needs no further unit, but the limit must be at least one (C7). */
const fits = (limit: number, consumed: ReadonlySet<string>, { name }: Host): boolean =>
  consumed.has(name) ? limit >= Math.max(consumed.size, 1) : limit >= consumed.size + 1;

/** The hosts that use a unit, before the round or because of it (C3, C4). */
const consumedOf = (hosts: readonly Host[], reason: string, before: ReadonlySet<string>, seen: Seen): Set<string> =>
  new Set(
    hosts
      .filter((host) => isCounted(host, seen) && (before.has(host.name) || isConsumed(host, reason, seen)))
      .map(({ name }) => name),
  );

const hostsOf = ({ hosts }: Seen, { poolName }: Host): Host[] =>
  [...hosts.values()].filter((host) => host.managed && host.poolName === poolName);

/** The budgets of the pool that have no topologyKey, and whether the pool can be read at all (C5–C8). */
const poolChecker =
  (seen: Seen): Checker =>
  ({ host, reason }, before) => {
    if (!host.pool) return [`C8: ${host.name} goes for ${reason}, and there is no pool ${host.poolName}`];
    if (!isGoverned(host.pool, seen.plain)) return [`M: ${host.name} goes, whose pool is not governed`];
    const budgets = readBudgets(host.pool);
    if (!budgets) return [`C8: ${host.name} goes for ${reason}, whose pool cannot be read`];
    const mine = hostsOf(seen, host);
    // A node that is not counted uses no unit, but a limit of zero applies to it too (C5).
    const isFrozen = limitOf(budgets, reason, Infinity, seen) === 0;
    if (!isCounted(host, seen)) return isFrozen ? [`C5: ${host.name} goes for ${reason} in a freeze`] : [];
    const limit = limitOf(budgets, reason, mine.filter((it) => isCounted(it, seen)).length, seen);
    const consumed = consumedOf(mine, reason, before, seen);
    if (fits(limit, consumed, host)) return [];
    return [`C6: ${host.name} goes for ${reason}, where ${consumed.size} of ${limit} are in use`];
  };

/** The rates of the pool: past starts, nodes in flight and earlier starts of this round (P1). */
const rateChecker =
  (seen: Seen): Checker =>
  ({ host, reason }, before) => {
    const started = hostsOf(seen, host).filter(
      (it) => before.has(it.name) && needsUnit(it) && !isInterrupted(it),
    ).length;
    return ratesOver(host, reason, seen).flatMap(({ isActive, used, limit }) =>
      !isActive || used + started < limit
        ? []
        : [`P1: ${host.name} goes for ${reason}, where ${used + started} of ${limit} have begun`],
    );
  };

/** The topology budgets of the pool, which apply to Drifted only (C9). */
const domainChecker =
  (seen: Seen): Checker =>
  ({ host, reason }, before) => {
    const budgets = reason === 'Drifted' && host.pool ? readBudgets(host.pool) : undefined;
    return topologyBudgets(budgets ?? [], seen).flatMap(({ topologyKey = '', count }) => {
      const domain = host.node.metadata.labels?.[topologyKey];
      const mine = hostsOf(seen, host).filter(({ node }) => node.metadata.labels?.[topologyKey] === domain);
      const limit = amountOf(count, mine.filter((it) => isCounted(it, seen)).length);
      // A node that is not counted uses no unit, but a limit of zero applies to it too (C5).
      if (!isCounted(host, seen) && count.number > 0) return [];
      const consumed = consumedOf(mine, reason, before, seen);
      if (fits(limit, consumed, host)) return [];
      return [`C9: ${host.name} goes, where ${consumed.size} of ${limit} of ${topologyKey} ${domain} are in use`];
    });
  };

/** Every Block window with a cap must have room, and at least one of the open Allow windows (D5). */
function capChecker(seen: Seen): Checker {
  const windows = seeWindows(seen);
  return ({ host, reason }, before) => {
    const mine = windowsOver(windows, host, reason).map((window) => {
      const { most, inFlight } = capOf(window, seen);
      const started = [...before].filter((name) => window.selects(seen.hosts.get(name)?.node.metadata.labels ?? {}));
      return { ...window, isFull: inFlight.union(new Set(started)).size >= most };
    });
    const full = mine.filter(({ state, isFull }) => state === 'caps' && isFull);
    const permits = mine.filter(({ state }) => state === 'permits');
    if (permits.length > 0 && permits.every(({ isFull }) => isFull)) full.push(...permits);
    return full.map(({ name }) => `D5: ${host.name} goes for ${reason}, though ${name} lets no more go`);
  };
}
