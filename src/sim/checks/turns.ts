// Is one domain rolled at a time (C11)?
import type { Budget, Pool } from '../../cluster/model.ts';
import { sequentialBudget } from './budgets.ts';
import { domainName, domainOf, type Host } from './host.ts';
import type { LedgerRecord } from './ledgerRecord.ts';
import { conditionOf, isTrue } from './raw.ts';
import type { Sight } from './sight.ts';
import { type Finding, finding } from './violation.ts';
import { nodesIn, poolOf, startsOf, type Taken, type Written } from './written.ts';

export function outOfTurn(written: Written): Finding[] {
  const byPool = Map.groupBy(
    startsOf(written).filter(({ reason }) => reason === 'Drifted'),
    ({ host }) => host.pool ?? '',
  );
  return [...byPool.values()].flatMap((starts) => {
    const pool = poolOf(starts[0] as Taken, written);
    const budget = pool && sequentialBudget(pool, (starts[0] as Taken).at);
    return budget ? judge(pool, budget, starts, written) : [];
  });
}

function judge(pool: Pool, { topologyKey = '' }: Budget, starts: readonly Taken[], written: Written): Finding[] {
  const started = new Set(starts.map(({ host }) => domainOf(host, topologyKey)));
  const going = domainsInFlight(pool.name, topologyKey, written.before, written.sight);
  const all = [...started.union(going)].map(domainName);
  if (all.length > 1) {
    const names = starts.map(({ host }) => host.name).join(', ');
    return [
      finding('C11', `${names} of ${pool.name} is started while domains ${all.sort().join(' and ')} are in flight`),
    ];
  }
  const turn = written.after.turns.find((it) => it.pool === pool.name && it.topologyKey === topologyKey);
  if (turn && started.has(turn.domain)) return [];
  const whose = turn ? `it is the turn of ${domainName(turn.domain)}` : 'no turn is recorded';
  return [finding('C11', `${pool.name} starts drift in ${all[0]}, but ${whose}`)];
}

/** C11: drift commands, and what Karpenter itself takes for drift. */
export function domainsInFlight(
  pool: string,
  topologyKey: string,
  ledger: LedgerRecord,
  sight: Sight,
): Set<string | undefined> {
  const domains = new Set<string | undefined>();
  for (const command of ledger.commands.values()) {
    if (command.reason !== 'Drifted' || command.pool !== pool) continue;
    for (const { name, domain } of command.nodes) {
      const host = sight.host(name);
      domains.add(host ? domainOf(host, topologyKey) : domain);
    }
  }
  const known = nodesIn(ledger);
  for (const host of sight.hosts()) {
    if (host.pool === pool && !known.has(host.name) && isTakenForDrift(host)) domains.add(domainOf(host, topologyKey));
  }
  return domains;
}

const isTakenForDrift = ({ claim }: Host): boolean =>
  isTrue(claim, 'DisruptionReason') && conditionOf(claim, 'DisruptionReason')?.reason === 'Drifted';
