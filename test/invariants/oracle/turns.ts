// Checks that one domain is rolled at a time (C11).
import type { Round } from '../../../src/engine/verdict.ts';
import { readBudgets, topologyBudgets } from './budgets.ts';
import { type Host, type Seen, startsOf } from './cluster.ts';
import { conditionIsTrue } from './reading.ts';

export function outOfTurn(round: Round, seen: Seen): string[] {
  const starts = startsOf(round, seen).filter(({ reason }) => reason === 'Drifted');
  return seen.pools.flatMap((pool) => {
    const budget = topologyBudgets(readBudgets(pool) ?? [], seen).find(({ sequential }) => sequential);
    if (!budget?.topologyKey) return [];
    const key = budget.topologyKey;
    const started = new Set(starts.filter(({ host }) => host.pool === pool).map(({ host }) => domainOf(host, key)));
    const going = inFlight(pool.metadata.name, key, seen, round);
    if (started.size > 1) return [`C11: ${pool.metadata.name} starts in ${[...started].join(' and ')} at once`];
    const others = [...going].filter((domain) => !started.has(domain));
    if (started.size === 0 || others.length === 0) return [];
    return [`C11: ${pool.metadata.name} starts in ${[...started][0]} while ${others.join(', ')} is in flight`];
  });
}

const domainOf = ({ node }: Host, key: string): string => node.metadata.labels?.[key] ?? '(none)';

/** The domains with drift commands of Lull or Karpenter, or with drifted nodes being deleted (C11). */
function inFlight(poolName: string, key: string, seen: Seen, round: Round): Set<string> {
  const domains = new Set<string>();
  for (const { pool, reason, nodes } of seen.commands) {
    if (reason !== 'Drifted') continue;
    for (const { name, domain = '(none)' } of nodes) {
      const host = seen.hosts.get(name);
      if (host ? host.poolName === poolName && host.managed : pool === poolName)
        domains.add(host ? domainOf(host, key) : domain);
    }
  }
  for (const host of seen.hosts.values()) {
    if (host.managed && host.poolName === poolName && isDriftLeaving(host, seen, round))
      domains.add(domainOf(host, key));
  }
  return domains;
}

export function isDriftLeaving(host: Host, { commands }: Seen, round: Round): boolean {
  // Nodes in a command are counted by their command.
  if (commands.some(({ nodes }) => nodes.some(({ name }) => name === host.name))) return false;
  const conditions = host.claim?.status.conditions;
  const commanded = conditionIsTrue(conditions, 'DisruptionReason');
  if (commanded) return conditions?.find(({ type }) => type === 'DisruptionReason')?.reason === 'Drifted';
  const deleting = host.node.metadata.deletionTimestamp ?? host.claim?.metadata.deletionTimestamp;
  const isDrifted = round.verdicts.some(({ node, reason }) => node === host.name && reason === 'Drifted');
  return deleting !== undefined && isDrifted;
}
