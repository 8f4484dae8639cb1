// How far is the roll, domain by domain? The figures as the round began; whose turn it is, after it.
import { compareText } from '../../cluster/nodeView.ts';
import type { Judged } from '../judged.ts';
import type { Domain } from '../limits/domains.ts';
import type { PoolDomains, TopologyLimits } from '../limits/topologyLimits.ts';
import type { DomainReport } from '../verdict.ts';

export function reportDomains(topology: TopologyLimits, judged: readonly Judged[]): DomainReport[] {
  if (topology.pools.size === 0) return [];
  const drifted = new Set(
    judged.filter(({ wish }) => wish.reason === 'Drifted').map(({ wish }) => wish.view.node.name),
  );
  const pools = [...topology.pools.values()].sort((a, b) => compareText(a.tally.pool.name, b.tally.pool.name));
  return pools.flatMap((mine) =>
    mine.domains.map(
      (domain): DomainReport => ({
        pool: mine.tally.pool.name,
        topologyKey: domain.topologyKey,
        ...(domain.name !== undefined && { domain: domain.name }),
        counted: domain.counted,
        limit: domain.limit,
        consumed: domain.consumed,
        left: Math.max(0, domain.limit - domain.consumed),
        ...standing(domain, mine, drifted),
      }),
    ),
  );
}

type Standing = Pick<DomainReport, 'state' | 'unwell'>;

function standing(domain: Domain, { turn }: PoolDomains, drifted: ReadonlySet<string>): Standing {
  if (!turn || turn.budget.topologyKey !== domain.topologyKey) return { state: 'turn' };
  const { holder, settling } = turn;
  if (!holder || holder.domain !== domain.name)
    return { state: domain.nodes.some(({ node }) => drifted.has(node.name)) ? 'waiting' : 'done' };
  if (!settling) return { state: 'turn' };
  return { state: 'settling', ...(settling.unwell.length > 0 && { unwell: settling.unwell }) };
}
