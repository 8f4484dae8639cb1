// Groups nodes by pool and domain: sequential pools first, nodes without a pool last.
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';

export interface DomainGroup {
  readonly key: string;
  /** Absent = the nodes without the label; `more` = several small ones together. */
  readonly domain?: string;
  readonly more?: number;
  readonly nodes: readonly NodeRow[];
}

export interface PoolGroup {
  /** Absent = nodes without a pool. */
  readonly pool?: string;
  readonly count: number;
  readonly domains: readonly DomainGroup[];
}

export type SeenDomains = Map<string | undefined, Set<string | undefined>>;

/** More columns are unreadable; by host there could be thousands. */
const mostDomains = 24;

/** `seen`: all domains so far, by pool; a domain that is empty for a while keeps its column. */
export function groupNodes({ nodes, pools }: Picture, seen: SeenDomains = new Map()): PoolGroup[] {
  const byPool = Map.groupBy(nodes, ({ pool }) => pool);
  const sequential = new Set(pools.filter((it) => it.sequential).map(({ name }) => name));
  const rank = (pool: string | undefined): number => Number(!sequential.has(pool ?? ''));
  const names = [...new Set([...pools.map(({ name }) => name), ...byPool.keys()])].sort(
    (a, b) => rank(a) - rank(b) || absentLast(a, b),
  );
  return names.flatMap((pool): PoolGroup[] => {
    const mine = byPool.get(pool) ?? [];
    if (mine.length === 0 && pool === undefined) return [];
    return [{ ...(pool !== undefined && { pool }), count: mine.length, domains: domainsOf(pool, mine, seen) }];
  });
}

function domainsOf(pool: string | undefined, nodes: readonly NodeRow[], seen: SeenDomains): DomainGroup[] {
  const byDomain = Map.groupBy(nodes, ({ domain }) => domain);
  const known = seen.get(pool) ?? new Set();
  seen.set(pool, known);
  for (const domain of byDomain.keys()) known.add(domain);
  const names = (known.size > mostDomains ? [...byDomain.keys()] : [...known]).sort(absentLast);
  const all = names.map(
    (domain): DomainGroup => ({
      key: `${pool ?? ''}\n${domain ?? ''}`,
      ...(domain !== undefined && { domain }),
      nodes: byDomain.get(domain) ?? [],
    }),
  );
  if (all.length <= mostDomains) return all;
  const rest = all.slice(mostDomains - 1);
  return [
    ...all.slice(0, mostDomains - 1),
    { key: `${pool ?? ''}\n…`, more: rest.length, nodes: rest.flatMap((it) => it.nodes) },
  ];
}

function absentLast(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a.localeCompare(b, 'en', { numeric: true });
}
