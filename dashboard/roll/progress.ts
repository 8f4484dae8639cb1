// How far is a roll? For each domain of a pool: how many are done, on their way, waiting, held, or left behind.
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
  /** C12: the turn was passed on while drifted nodes were left here. */
  readonly leftBehind: boolean;
  /** Absent where no budget goes by domain. */
  readonly state?: DomainReport['state'];
}

export interface PoolProgress {
  readonly pool: PoolRow;
  readonly turn?: TurnRow;
  readonly domains: readonly DomainProgress[];
  readonly total: number;
  readonly done: number;
  readonly moving: number;
  /** Whether anything of it drifted or is on its way for drift. */
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
    // Who is still starting does not count yet: until then there is the one it replaces.
    const standing = mine.filter(({ starting }) => !starting);
    const drifted = standing.filter(isDrifted);
    const moving = drifted.filter(({ state }) => isMoving(state)).length;
    const held = drifted.filter(({ state }) => state === 'held' || state === 'lost').length;
    const report = reports.get(domain);
    return {
      ...(domain !== undefined && { domain }),
      total: standing.filter(({ name }) => !replaced.has(name)).length,
      done: standing.length - drifted.length,
      moving,
      held,
      waiting: drifted.length - moving - held,
      leftBehind: passed.has(domain ?? null) && drifted.length > 0,
      ...(report && pool.sequential && { state: report.state }),
    };
  });
}

/** Nodes that only empty out: those that stand in for them are there and counted already. */
function findReplaced({ commands, nodes }: Picture): ReadonlySet<string> {
  const isUp = new Set(['draining', 'terminating']);
  const own = commands.filter(({ step, replacements }) => isUp.has(step) && replacements.length > 0);
  return new Set([...own, ...commandsReplaced(commands, nodes)].flatMap(({ nodes: leaving }) => leaving));
}

/** Karpenter does not say what stands in for which: it is what came up in the pool since. */
function commandsReplaced(commands: Picture['commands'], nodes: readonly NodeRow[]): Picture['commands'] {
  const taken = commands.filter(({ hands, step }) => hands === 'karpenter' && step === 'taken');
  const found = new Set<string>();
  return taken.filter(({ pool, startedAt }) => {
    const since = Math.floor(startedAt / 1000) * 1000;
    const standIn = nodes.find(
      (it) => it.pool === pool && !it.starting && it.createdAt >= since && !found.has(it.name),
    );
    if (standIn) found.add(standIn.name);
    return standIn !== undefined;
  });
}

export const isMoving = (state: NodeRow['state']): boolean =>
  state === 'offered' || state === 'replacing' || state === 'draining';

const isDrifted = ({ wishes = [], state }: NodeRow): boolean =>
  wishes.some(({ reason }) => reason === 'Drifted') || (state === 'draining' && wishes.length === 0);

function absentLast(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return a.localeCompare(b, 'en', { numeric: true });
}

/** What people call the label. */
export function nounOf(topologyKey: string): string {
  const last = topologyKey.split('/').at(-1) ?? topologyKey;
  return last === 'hostname' ? 'host' : last;
}
