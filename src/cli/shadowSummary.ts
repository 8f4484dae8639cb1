// What comes of a shadow in a few numbers? How many were taken, how many of them would have been held and by what, and how many went at once.
import type { Shadow, Shadowed } from '../recording/shadow.ts';
import { between, type Duration, type Instant } from '../time/instant.ts';

export type ShadowVerdict = 'allowed' | 'held' | 'notAsked';

export interface ShadowSummary {
  readonly taken: number;
  readonly allowed: number;
  readonly held: number;
  readonly notAsked: number;
  /** How many nodes each code would have held, the most first. A node can be held by several. */
  readonly byCode: ReadonlyMap<string, number>;
  readonly longestWait?: Wait & { readonly node: string; readonly reason: string };
  /** For each pool that lost nodes, and each domain of a topology budget: the most at once, and the limit then. */
  readonly atOnce: readonly AtOnce[];
}

/** How long it would have had to wait at least; exactly so where time alone lifts all that holds it. */
export interface Wait {
  readonly waits: Duration;
  readonly isExact: boolean;
}

export interface AtOnce {
  readonly pool: string;
  readonly topologyKey?: string;
  readonly domain?: string;
  readonly nodes: number;
  readonly limit?: number;
  readonly at: Instant;
  readonly zones: readonly string[];
}

export function verdictOf({ opinion }: Shadowed): ShadowVerdict {
  if (!opinion) return 'notAsked';
  return opinion.refusals.length === 0 ? 'allowed' : 'held';
}

/** Undefined where no rule of time holds it, or they never permit it together. */
export function waitOf({ at, opinion }: Shadowed): Wait | undefined {
  const { until } = opinion ?? {};
  if (typeof until !== 'object' || 'never' in until) return undefined;
  return 'at' in until
    ? { waits: between(at, until.at), isExact: true }
    : { waits: between(at, until.notBefore), isExact: false };
}

export function summarise({ taken }: Shadow): ShadowSummary {
  const byVerdict = Map.groupBy(taken, verdictOf);
  const many = (verdict: ShadowVerdict): number => byVerdict.get(verdict)?.length ?? 0;
  const longest = longestOf(taken);
  return {
    taken: taken.length,
    allowed: many('allowed'),
    held: many('held'),
    notAsked: many('notAsked'),
    byCode: countCodes(taken),
    ...(longest && { longestWait: longest }),
    atOnce: [...Map.groupBy(taken, ({ pool }) => pool)].flatMap(([pool, its]) => [
      ...mostOf(pool, its),
      ...mostInDomains(pool, its),
    ]),
  };
}

function countCodes(taken: readonly Shadowed[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { opinion } of taken) {
    const codes = new Set((opinion?.refusals ?? []).map(({ code }) => code));
    for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return new Map([...counts].sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1)));
}

function longestOf(taken: readonly Shadowed[]): ShadowSummary['longestWait'] {
  let longest: ShadowSummary['longestWait'];
  for (const it of taken) {
    const wait = waitOf(it);
    if (wait && it.reason && wait.waits > (longest?.waits ?? -1))
      longest = { node: it.node, reason: it.reason, ...wait };
  }
  return longest;
}

function mostOf(pool: string, taken: readonly Shadowed[]): AtOnce[] {
  let most: AtOnce | undefined;
  for (const { at, opinion } of taken) {
    if (!opinion || opinion.inFlight <= (most?.nodes ?? 0)) continue;
    const { limit } = opinion.pool;
    most = { pool, nodes: opinion.inFlight, ...(limit !== undefined && { limit }), at, zones: opinion.zones };
  }
  return most ? [most] : [];
}

function mostInDomains(pool: string, taken: readonly Shadowed[]): AtOnce[] {
  const most = new Map<string, AtOnce>();
  for (const { at, opinion } of taken) {
    for (const { inUse, ...domain } of opinion?.domains ?? []) {
      const key = JSON.stringify([domain.topologyKey, domain.domain]);
      const nodes = inUse + 1;
      if (nodes > (most.get(key)?.nodes ?? 0)) most.set(key, { pool, ...domain, nodes, at, zones: [] });
    }
  }
  return [...most].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, it]) => it);
}
