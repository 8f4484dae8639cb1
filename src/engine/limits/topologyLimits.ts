// C9–C15: the units of topology domains, and whose turn it is.
import type { Budget } from '../../cluster/model.ts';
import { earliest, formatInstant, type Instant } from '../../time/instant.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import { isConsumed, type Situation, type Tally } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { leastOf } from './budgets.ts';
import { activeTopologyBudgets, type Domain, domainOf, findDomains } from './domains.ts';
import { needed, sayUse } from './poolBudgets.ts';
import type { SharedLimit } from './sharedLimit.ts';
import { openTurn, type TurnState } from './turn.ts';

export interface TopologyLimits extends SharedLimit {
  readonly pools: ReadonlyMap<string, PoolDomains>;
}

/** The domains of one pool with an active topology budget. */
export interface PoolDomains {
  readonly tally: Tally;
  readonly domains: readonly Domain[];
  /** Absent without an active sequential budget. */
  readonly turn?: TurnState;
  readonly started: Map<Domain, number>;
}

export interface DriftWishes {
  readonly drifted: readonly Wish[];
  /** Those no gate refuses. */
  readonly candidates: readonly Wish[];
}

export function openTopologyLimits(situation: Situation, wishes: DriftWishes): TopologyLimits {
  const pools = new Map<string, PoolDomains>();
  for (const tally of situation.tallies.values()) {
    if (!tally.pool.budgets.some(({ topologyKey }) => topologyKey !== undefined)) continue;
    const budgets = activeTopologyBudgets(tally.pool, situation.now);
    if (budgets.length > 0) pools.set(tally.pool.name, openPool(tally, budgets, { situation, wishes }));
  }
  const domainsOf = (wish: Wish): PoolDomains | undefined =>
    wish.reason === 'Drifted' && wish.pool ? pools.get(wish.pool.name) : undefined;
  // Every reason uses up a domain's units (C9), though drift alone is bound by them.
  const count = ({ view, pool }: Wish, change: 1 | -1): void => {
    const mine = pool && view.state.counted ? pools.get(pool.name) : undefined;
    if (!mine || isConsumed(view, 'Drifted', situation)) return;
    for (const domain of mine.domains) {
      if (domainOf(view, domain.topologyKey) === domain.name)
        mine.started.set(domain, (mine.started.get(domain) ?? 0) + change);
    }
  };
  return {
    pools,
    refuse: (wish) => {
      const mine = domainsOf(wish);
      return mine ? [...spentRefusals(wish, mine, situation), ...turnRefusals(wish, mine)] : none;
    },
    spend: (wish) => count(wish, 1),
    takeBack: (wish) => count(wish, -1),
  };
}

function openPool(
  tally: Tally,
  budgets: readonly Budget[],
  { situation, wishes }: { situation: Situation; wishes: DriftWishes },
): PoolDomains {
  const domains = findDomains(tally, situation);
  const budget = budgets.find(({ sequential }) => sequential);
  if (!budget) return { tally, domains, started: new Map() };
  const ofPool = ({ pool }: Wish): boolean => pool?.name === tally.pool.name;
  const [drifted, candidates] = [wishes.drifted.filter(ofPool), wishes.candidates.filter(ofPool)];
  return {
    tally,
    domains,
    started: new Map(),
    turn: openTurn({ tally, budget, domains, drifted, candidates, situation }),
  };
}

function spentRefusals({ view }: Wish, { tally, domains, started }: PoolDomains, situation: Situation): Refusal[] {
  if (!view.state.counted) return [];
  return domains.flatMap((domain) => {
    if (domainOf(view, domain.topologyKey) !== domain.name) return [];
    const isOwn = isConsumed(view, 'Drifted', situation);
    const consumed = domain.consumed + (started.get(domain) ?? 0);
    if (needed(consumed, isOwn) <= domain.limit) return [];
    const atStart = needed(domain.consumed, isOwn);
    // Who only lost the last unit to another waits for that one, not for a clock.
    const liftsAt = atStart <= domain.limit ? undefined : domainLiftsAt(domain, atStart, { tally, situation });
    return [domainSpent(domain, { consumed, chosen: consumed - domain.consumed }, { tally, liftsAt })];
  });
}

function domainSpent(
  domain: Domain,
  { consumed, chosen }: { consumed: number; chosen: number },
  { tally, liftsAt }: { tally: Tally; liftsAt: Instant | undefined },
): Refusal {
  const { limit, budget } = domain;
  const owner = { kind: 'NodePool', name: tally.pool.name, index: budget.index };
  const which = `budget ${budget.index} of ${tally.pool.name}`;
  const message = `${which} lets ${limit} of ${describe(domain)} go at once; ${sayUse(consumed, chosen)}`;
  return refuse('DomainBudgetSpent', message, { owner, liftsAt });
}

/** Edges of topology budgets are few; a schedule of every minute is not followed for ever. */
const maxEdges = 1000;

/** When the topology budgets themselves change so that the domain has the units needed. */
function domainLiftsAt(
  { topologyKey, counted }: Domain,
  needs: number,
  { tally: { pool }, situation }: { tally: Tally; situation: Situation },
): Instant | undefined {
  const windows = pool.budgets.flatMap((it) => (it.window && it.topologyKey !== undefined ? [it.window] : []));
  const nextEdge = (at: Instant): Instant | undefined =>
    windows.reduce<Instant | undefined>((next, window) => earliest(next, window.nextChange(at)), undefined);
  let at = nextEdge(situation.now);
  for (let edges = 0; at !== undefined && edges < maxEdges; edges++, at = nextEdge(at)) {
    const mine = activeTopologyBudgets(pool, at).filter((budget) => budget.topologyKey === topologyKey);
    const { limit } = leastOf(mine, counted);
    if (limit === undefined || limit >= needs) return at;
  }
  return undefined;
}

function turnRefusals({ view }: Wish, { tally, domains, turn }: PoolDomains): Refusal[] {
  if (!turn?.holder) return [];
  const { holder, budget, inFlight, settling } = turn;
  const topologyKey = budget.topologyKey as string;
  const mine = domainOf(view, topologyKey);
  const owner = { kind: 'NodePool', name: tally.pool.name, index: budget.index };
  const holding = describe({ topologyKey, ...(holder.domain !== undefined && { name: holder.domain }) });
  const refusals: Refusal[] = [];
  if (mine !== holder.domain && settling)
    refusals.push(refuse('DomainSettling', settlingText(holding, turn), { owner, liftsAt: settling.until }));
  if (mine !== holder.domain && !settling)
    refusals.push(refuse('NotItsTurn', `it is the turn of ${holding}${progress(turn, domains)}`, { owner }));
  const others = inFlight.filter((domain) => domain !== holder.domain);
  if (others.length > 0) {
    const names = others.map((name) => describe({ topologyKey, ...(name !== undefined && { name }) })).join(', ');
    refusals.push(
      refuse('AnotherDomainInFlight', `drifted nodes of ${names} are on their way out beside ${holding}`, { owner }),
    );
  }
  return refusals;
}

function progress({ holder, inFlight }: TurnState, domains: readonly Domain[]): string {
  const domain = domains.find(({ name }) => name === holder?.domain);
  if (!domain) return '';
  const busy = inFlight.includes(domain.name)
    ? `; in use: ${domain.consumed} of its ${domain.counted} nodes`
    : ', nothing of it in flight yet';
  return busy;
}

function settlingText(holding: string, { settling }: TurnState): string {
  if (settling?.until !== undefined) return `${holding} is well and settles until ${formatInstant(settling.until)}`;
  if (settling?.unwell.length === 0) return `${holding} is well and begins to settle`;
  return `${holding} is not well (SettleStuck): ${settling?.unwell.slice(0, 5).join('; ')}`;
}

const describe = ({ topologyKey, name }: Pick<Domain, 'topologyKey' | 'name'>): string =>
  name === undefined ? `the nodes without ${topologyKey}` : `${topologyKey.split('/').at(-1)} ${name}`;
