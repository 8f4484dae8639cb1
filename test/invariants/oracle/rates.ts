// The test's own count of what began in a pool, from the plain objects and the ledger (P1).
import { activeNow, type Budget, readBudgets } from './budgets.ts';
import { type Host, isCounted, isLeaving, ofKind, type Seen } from './cluster.ts';
import { amountOf, conditionIsTrue } from './reading.ts';

const minute = 60_000;

/** A rate over one wish. */
interface SeenRate {
  readonly budget: Budget;
  readonly limit: number;
  readonly isActive: boolean;
  readonly used: number;
  /** When one more may start, if nothing else does; undefined = that does not depend on time alone. */
  readonly freeAt: number | undefined;
}

const conditionOf = ({ claim }: Host, type: string) => claim?.status.conditions?.find((it) => it.type === type);

/** Nodes that never finished starting use no unit (C3). */
export const needsUnit = ({ managed, node, claim }: Host): boolean =>
  managed &&
  (node.metadata.labels?.['karpenter.sh/initialized'] === 'true' ||
    conditionIsTrue(claim?.status.conditions, 'Rebooting'));

export function ratesOver(host: Host, reason: string, seen: Seen): SeenRate[] {
  const rates = ((host.pool && readBudgets(host.pool)) ?? []).filter(
    ({ per, reasons }) => per !== undefined && (reasons?.includes(reason) ?? true),
  );
  if (rates.length === 0 || !needsUnit(host)) return [];
  const mine = [...seen.hosts.values()].filter((it) => it.poolName === host.poolName && isCounted(it, seen)).length;
  const { minutes, waiting } = countOf(host.poolName ?? '', seen);
  return rates.map((budget) => {
    const limit = amountOf(budget.count, mine);
    const ends = minutes.map((at) => at + minute + (budget.per ?? 0)).filter((end) => seen.now < end);
    const freeAt = [seen.now, ...ends.sort((a, b) => a - b)].find(
      (at) => ends.filter((end) => at < end).length + waiting < limit,
    );
    return {
      budget,
      limit,
      isActive: activeNow([budget], seen).length > 0,
      used: ends.length + waiting,
      freeAt,
    };
  });
}

/** The minute of each start, and how many nodes in flight have not started or have no instant. */
function countOf(pool: string, seen: Seen): { minutes: number[]; waiting: number } {
  const known = ofKind(seen.plain.objects, 'DisruptionLedger')[0]?.spec.starts?.find(
    ({ kind, name }) => kind === 'NodePool' && name === pool,
  );
  const minutes = (known?.minutes ?? []).flatMap(({ at, nodes }) => Array(nodes).fill(Date.parse(at)) as number[]);
  let waiting = 0;
  const isObserved = (seen.plain.settings.role ?? 'observe') === 'observe';
  const begin = (at: number | undefined): void => {
    if (at === undefined && isObserved) waiting++;
    else minutes.push(Math.floor(Math.min(at ?? seen.now, seen.now) / minute) * minute);
  };
  const isKnown = (key: string): boolean => known?.leaving.includes(key) ?? false;
  const commanded = new Set(seen.commands.flatMap(({ nodes }) => nodes.map(({ name }) => name)));
  for (const host of seen.hosts.values()) {
    if (host.poolName !== pool || !needsUnit(host) || commanded.has(host.name) || !isLeaving(host, seen)) continue;
    if (!isInterrupted(host) && !isKnown(host.claim?.metadata.name ?? host.name)) begin(leftAt(host));
  }
  for (const { pool: of, reason, nodes, step, stepAt } of seen.commands) {
    if (of !== pool || reason === 'Interrupted') continue;
    for (const { name, claim } of nodes) {
      const host = seen.hosts.get(name);
      if (isKnown(claim ?? name) || (host && !needsUnit(host))) continue;
      const own = step === 'terminating' || step === 'taken' ? Date.parse(stepAt) : undefined;
      if (!host) begin(own);
      else if (leavesByItself(host)) begin(leftAt(host));
      else if (own !== undefined) begin(own);
      else waiting++;
    }
  }
  return { minutes, waiting };
}

const interruptions =
  /^(aws-node-termination-handler\/(spot-itn|scheduled-maintenance|asg-lifecycle-termination)|cloud\.google\.com\/impending-node-termination)$/;

export const isInterrupted = (host: Host): boolean =>
  conditionIsTrue(host.claim?.status.conditions, 'Interrupted') ||
  (host.node.spec.taints?.some(({ key }) => interruptions.test(key)) ?? false);

/** Those not in the ledger. */
const leavesByItself = (host: Host): boolean => isLeaving(host, { commands: [] } as unknown as Seen);

function leftAt(host: Host): number | undefined {
  const commanded = conditionOf(host, 'DisruptionReason');
  const instants = [
    host.node.metadata.deletionTimestamp,
    host.claim?.metadata.deletionTimestamp,
    ...(commanded?.status === 'True' ? [commanded.lastTransitionTime] : []),
  ].flatMap((at) => (at === undefined ? [] : Date.parse(at)));
  return instants.length === 0 ? undefined : Math.min(...instants);
}
