// Checks that a sequential pool rolls one domain at a time (C11).

import type { Budget, Pool } from '../../cluster/model.ts';
import { conditionOf, isTrue } from '../actors/rawObjects.ts';
import type { LedgerRecord } from '../ledgerRecord.ts';
import type { AuthorView } from './authorView.ts';
import {
  type CheckFinding,
  finding,
  type LedgerWrite,
  nodesIn,
  poolOf,
  type StartedNode,
  startsOf,
} from './ledgerWrite.ts';
import { domainName, domainOf, type Host } from './raw.ts';
import { sequentialBudget } from './startLimits.ts';

export function outOfTurn(written: LedgerWrite): CheckFinding[] {
  const byPool = Map.groupBy(
    startsOf(written).filter(({ reason }) => reason === 'Drifted'),
    ({ host }) => host.pool ?? '',
  );
  return [...byPool.values()].flatMap((starts) => {
    const [first] = starts;
    const pool = first && poolOf(first, written);
    const budget = pool && sequentialBudget(pool, first.at);
    return budget ? judge(pool, budget, starts, written) : [];
  });
}

function judge(
  pool: Pool,
  { topologyKey = '' }: Budget,
  starts: readonly StartedNode[],
  written: LedgerWrite,
): CheckFinding[] {
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

/** The domains with drift commands of Lull's, or with nodes that Karpenter disrupts for drift (C11). */
export function domainsInFlight(
  pool: string,
  topologyKey: string,
  ledger: LedgerRecord,
  sight: AuthorView,
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
