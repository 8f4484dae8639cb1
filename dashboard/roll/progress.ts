// The progress of a roll: nodes done, moving, waiting, held and left behind, by domain of a pool.
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import type { PoolRow, TurnRow } from '../../src/engine/picture/poolRow.ts';
import type { DomainReport } from '../../src/engine/verdict.ts';

export interface DomainProgress {
  readonly domain?: string;
  readonly total: number;
  /** Not drifted (any more). */
  readonly done: number;
  readonly moving: number;
  readonly waiting: number;
  readonly held: number;
  /** The turn passed while drifted nodes were left here (C12). */
  readonly leftBehind: boolean;
  /** Absent without a sequential budget. */
  readonly state?: DomainReport['state'];
}

export interface PoolProgress {
  readonly pool: PoolRow;
  readonly turn?: TurnRow;
  readonly domains: readonly DomainProgress[];
  readonly total: number;
  readonly done: number;
  readonly moving: number;
  /** Whether a node has drifted or a domain has the turn. */
  readonly isRolling: boolean;
}

export function progressOf(picture: Picture): PoolProgress[] {
  const byPool = Map.groupBy(picture.nodes, ({ pool }) => pool ?? '');
  const replaced = findReplaced(picture);
  return picture.pools.map((pool) => {
    const nodes = byPool.get(pool.name) ?? [];
    const [turn] = pool.turns;
    const domains = domainsOf(picture, pool, nodes, replaced);
    const sum = (of: (it: DomainProgress) => number): number => domains.reduce((total, it) => total + of(it), 0);
    const [total, done, moving] = [sum((it) => it.total), sum((it) => it.done), sum((it) => it.moving)];
    return { pool, ...(turn && { turn }), domains, total, done, moving, isRolling: done < total || turn !== undefined };
  });
}

function domainsOf(
  picture: Picture,
  pool: PoolRow,
  nodes: readonly NodeRow[],
  replaced: ReadonlySet<string>,
): DomainProgress[] {
  const reports = new Map(
    picture.domains
      .filter((it) => it.pool === pool.name && it.topologyKey === pool.topologyKey)
      .map((it) => [it.domain, it]),
  );
  const byDomain = Map.groupBy(nodes, ({ domain }) => domain);
  const names = [...new Set([...byDomain.keys(), ...reports.keys()])].sort(absentLast);
  const passed = new Set(pool.turns.flatMap(({ passedOver }) => passedOver));
  return names.map((domain) => {
    const mine = byDomain.get(domain) ?? [];
    // Starting nodes do not count yet: the nodes they replace do.
    const started = mine.filter(({ starting }) => !starting);
    const drifted = started.filter(isDrifted);
    const moving = drifted.filter(({ state }) => isMoving(state)).length;
    const held = drifted.filter(({ state }) => state === 'held' || state === 'lost').length;
    const report = reports.get(domain);
    return {
      ...(domain !== undefined && { domain }),
      total: started.filter(({ name }) => !replaced.has(name)).length,
      done: started.length - drifted.length,
      moving,
      held,
      waiting: drifted.length - moving - held,
      leftBehind: passed.has(domain ?? null) && drifted.length > 0,
      ...(report && pool.sequential && { state: report.state }),
    };
  });
}

/** Draining nodes whose replacements exist and are already counted. */
function findReplaced({ commands, nodes }: Picture): ReadonlySet<string> {
  const isUp = new Set(['draining', 'terminating']);
  const own = commands.filter(({ step, replacements }) => isUp.has(step) && replacements.length > 0);
  return new Set([...own, ...commandsReplaced(commands, nodes)].flatMap(({ nodes: leaving }) => leaving));
}

/** Karpenter does not report which node replaces which: count nodes of the pool created since. */
function commandsReplaced(commands: Picture['commands'], nodes: readonly NodeRow[]): Picture['commands'] {
  const taken = commands.filter(({ hands, step }) => hands === 'karpenter' && step === 'taken');
  const matched = new Set<string>();
  return taken.filter(({ pool, startedAt }) => {
    const since = Math.floor(startedAt / 1000) * 1000;
    const replacement = nodes.find(
      (it) => it.pool === pool && !it.starting && it.createdAt >= since && !matched.has(it.name),
    );
    if (replacement) matched.add(replacement.name);
    return replacement !== undefined;
  });
}

export const isMoving = (state: NodeRow['state']): boolean =>
  state === 'offered' || state === 'replacing' || state === 'draining';

const isDrifted = ({ wishes = [], state, interruption }: NodeRow): boolean =>
  wishes.some(({ reason }) => reason === 'Drifted') ||
  (state === 'draining' && wishes.length === 0 && interruption === undefined);

function absentLast(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a.localeCompare(b, 'en', { numeric: true });
}

/** The short name of a topology label. */
export function nounOf(topologyKey: string): string {
  const last = topologyKey.split('/').at(-1) ?? topologyKey;
  return last === 'hostname' ? 'host' : last;
}
