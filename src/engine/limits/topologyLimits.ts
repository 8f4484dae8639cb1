// Topology budgets as shared limits: units per domain, and the turn (C9–C15).
import { defined } from '../../cluster/defined.ts';
import type { TopologyBudget } from '../../cluster/model.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { count } from '../../time/lists.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import { describeNodes, isZero, leastOf, nameBudget } from '../rules/budgets.ts';
import { isConsumed, type PoolTally, type Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { activeTopologyBudgets, type Domain, describeDomain, domainOf, findDomains } from './domains.ts';
import { describeEnding, helpForEnding } from './endingMachines.ts';
import { describeUse, needed } from './poolBudgets.ts';
import type { RollState } from './rolls.ts';
import { describeSettling } from './settling.ts';
import type { SharedLimit } from './sharedLimit.ts';
import { openTurn, type TurnState } from './turn.ts';

export interface TopologyLimits extends SharedLimit {
  readonly pools: ReadonlyMap<string, PoolDomains>;
}

/** The domains of one pool with an active topology budget. */
export interface PoolDomains {
  readonly tally: PoolTally;
  readonly domains: readonly Domain[];
  /** Absent without an active sequential budget. */
  readonly turn?: TurnState;
  readonly started: Map<Domain, number>;
}

export interface DriftWishes {
  readonly drifted: readonly Wish[];
  /** Drifted wishes that no gate refuses. */
  readonly candidates: readonly Wish[];
}

export function openTopologyLimits(
  situation: Situation,
  wishes: DriftWishes,
  waves: ReadonlyMap<string, RollState>,
): TopologyLimits {
  const pools = new Map<string, PoolDomains>();
  for (const tally of situation.tallies.values()) {
    if (!tally.pool.budgets.some(({ topologyKey }) => topologyKey !== undefined)) continue;
    const budgets = activeTopologyBudgets(tally.pool, situation.now);
    if (budgets.length > 0)
      pools.set(tally.pool.name, openPool(tally, budgets, { situation, wishes, waves: waves.get(tally.pool.name) }));
  }
  const domainsOf = (wish: Wish): PoolDomains | undefined =>
    wish.reason === 'Drifted' && wish.pool ? pools.get(wish.pool.name) : undefined;
  // Every reason uses a domain's units, though only drift is limited by them (C9).
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
  tally: PoolTally,
  budgets: readonly TopologyBudget[],
  { situation, wishes, waves }: { situation: Situation; wishes: DriftWishes; waves: RollState | undefined },
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
    turn: openTurn({ tally, budget, domains, drifted, candidates, situation, waves }),
  };
}

function spentRefusals({ view }: Wish, { tally, domains, started }: PoolDomains, situation: Situation): Refusal[] {
  return domains.flatMap((domain) => {
    if (domainOf(view, domain.topologyKey) !== domain.name) return [];
    // A node that is not counted uses no unit, but a budget of zero holds it too (C5).
    if (!view.state.counted && !isZero(domain.budget.nodes)) return [];
    const isOwn = isConsumed(view, 'Drifted', situation);
    const consumed = domain.consumed + (started.get(domain) ?? 0);
    const needs = needed(consumed, isOwn);
    if (needs <= domain.limit) return [];
    const atStart = needed(domain.consumed, isOwn);
    // A wish that only lost the last unit to another one waits for that node, not for an instant.
    const liftsAt = atStart <= domain.limit ? undefined : domainLiftsAt(domain, atStart, { tally, situation });
    return [domainSpent(domain, { consumed, chosen: consumed - domain.consumed, needs }, { tally, liftsAt })];
  });
}

function domainSpent(
  domain: Domain,
  { consumed, chosen, needs }: { consumed: number; chosen: number; needs: number },
  { tally, liftsAt }: { tally: PoolTally; liftsAt: Instant | undefined },
): Refusal {
  const { limit, budget, nodes } = domain;
  const ending = tally.ending.filter((view) => nodes.includes(view));
  const owner = { kind: 'NodePool', name: tally.pool.name, index: budget.index };
  const which = `${nameBudget(budget, tally.pool)} allows ${describeNodes(limit)} of ${describeDomain(domain)}`;
  const message =
    limit === 0
      ? `${which} for Drifted now`
      : `${which} at a time; ${describeUse(consumed, chosen)}${describeEnding(ending)}`;
  const help = needs - ending.length <= limit ? helpForEnding(ending) : undefined;
  return refuse('DomainBudgetSpent', message, { owner, liftsAt, ...defined({ help }) });
}

/** Stops following schedules that change every minute. */
const maxEdges = 1000;

/** When the topology budgets change so that the domain has enough units. */
function domainLiftsAt(
  { topologyKey, counted }: Domain,
  needs: number,
  { tally: { pool }, situation }: { tally: PoolTally; situation: Situation },
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
  const topologyKey = budget.topologyKey;
  const mine = domainOf(view, topologyKey);
  const owner = { kind: 'NodePool', name: tally.pool.name, index: budget.index };
  const holding = describeDomain({ topologyKey, ...defined({ name: holder.domain }) });
  const refusals: Refusal[] = [];
  if (mine !== holder.domain && settling)
    refusals.push(refuse('DomainSettling', describeSettling(holding, settling), { owner, liftsAt: settling.until }));
  if (mine !== holder.domain && !settling)
    refusals.push(refuse('NotItsTurn', `${holding} has the turn${describeProgress(turn, domains)}`, { owner }));
  const others = inFlight.filter((domain) => domain !== holder.domain);
  if (others.length > 0) {
    const names = others.map((name) => describeDomain({ topologyKey, ...defined({ name }) })).join(', ');
    refusals.push(
      refuse('AnotherDomainInFlight', `drifted nodes of ${names} are being disrupted beside those of ${holding}`, {
        owner,
      }),
    );
  }
  return refusals;
}

function describeProgress({ holder, inFlight }: TurnState, domains: readonly Domain[]): string {
  const domain = domains.find(({ name }) => name === holder?.domain);
  if (!domain) return '';
  if (!inFlight.includes(domain.name)) return '; none of its nodes in flight yet';
  return `; ${domain.consumed} of its ${count(domain.counted, 'node')} in use`;
}
