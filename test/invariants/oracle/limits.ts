// Does what starts stay within every limit? The starts are replayed one after another, and units counted by hand.
import type { Round } from '../../../src/engine/verdict.ts';
import { limitOf, readBudgets, topologyBudgets } from './budgets.ts';
import { type Host, isConsumed, isCounted, isGoverned, type Seen, type Start, startsOf } from './cluster.ts';
import { amountOf } from './reading.ts';
import { capOf, seeWindows, windowsOver } from './windows.ts';

/** Asked of one start after another; what it says is wrong. */
type Checker = (start: Start, before: ReadonlySet<string>) => readonly string[];

export function beyondLimits(round: Round, seen: Seen): string[] {
  const checkers: readonly Checker[] = [poolChecker(seen), domainChecker(seen), capChecker(seen)];
  const before = new Set<string>();
  return startsOf(round, seen).flatMap((start) => {
    // What is forced is counted, but nothing refuses it (A2).
    const wrong = start.forced ? [] : checkers.flatMap((check) => check(start, before));
    before.add(start.host.name);
    return wrong;
  });
}

/** C7: who is consumed already needs no further unit, but some unit there must be. */
const fits = (limit: number, consumed: ReadonlySet<string>, { name }: Host): boolean =>
  consumed.has(name) ? limit >= Math.max(consumed.size, 1) : limit >= consumed.size + 1;

/** C3, C4: those of these hosts that use a unit, before the round or by it. */
const consumedOf = (hosts: readonly Host[], reason: string, before: ReadonlySet<string>, seen: Seen): Set<string> =>
  new Set(
    hosts
      .filter((host) => isCounted(host) && (before.has(host.name) || isConsumed(host, reason, seen)))
      .map(({ name }) => name),
  );

const hostsOf = ({ hosts }: Seen, { poolName }: Host): Host[] =>
  [...hosts.values()].filter((host) => host.managed && host.poolName === poolName);

/** C5–C8. */
const poolChecker =
  (seen: Seen): Checker =>
  ({ host, reason }, before) => {
    if (!host.pool) return [`C8: ${host.name} goes for ${reason}, and there is no pool ${host.poolName}`];
    if (!isGoverned(host.pool, seen.plain)) return [`M: ${host.name} goes, whose pool is not governed`];
    const budgets = readBudgets(host.pool);
    if (!budgets) return [`C8: ${host.name} goes for ${reason}, whose pool cannot be read`];
    const mine = hostsOf(seen, host);
    // C5: who is not counted uses no unit, but a freeze is a freeze.
    const isFrozen = limitOf(budgets, reason, Infinity, seen) === 0;
    if (!isCounted(host)) return isFrozen ? [`C5: ${host.name} goes for ${reason} in a freeze`] : [];
    const limit = limitOf(budgets, reason, mine.filter(isCounted).length, seen);
    const consumed = consumedOf(mine, reason, before, seen);
    if (fits(limit, consumed, host)) return [];
    return [`C6: ${host.name} goes for ${reason}, where ${consumed.size} of ${limit} are in use`];
  };

/** C9. */
const domainChecker =
  (seen: Seen): Checker =>
  ({ host, reason }, before) => {
    const budgets = reason === 'Drifted' && host.pool ? readBudgets(host.pool) : undefined;
    return topologyBudgets(budgets ?? [], seen).flatMap(({ topologyKey = '', count }) => {
      const domain = host.node.metadata.labels?.[topologyKey];
      const mine = hostsOf(seen, host).filter(({ node }) => node.metadata.labels?.[topologyKey] === domain);
      const limit = amountOf(count, mine.filter(isCounted).length);
      const consumed = consumedOf(mine, reason, before, seen);
      if (fits(limit, consumed, host)) return [];
      return [`C9: ${host.name} goes, where ${consumed.size} of ${limit} of ${topologyKey} ${domain} are in use`];
    });
  };

/** D5. Every window that caps must have room; of those that permit, one. */
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
