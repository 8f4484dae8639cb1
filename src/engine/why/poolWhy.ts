// How does this pool fare? Its budgets now, whose turn it is, what is under way, held, or left behind.
import type { Backoff, Turn } from '../../cluster/ledger.ts';
import type { Budget, MaintenanceWindow, NodeCount, Pool } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import { labelOf } from '../../cluster/selector.ts';
import type { Cluster } from '../../cluster/store.ts';
import type { Instant } from '../../time/instant.ts';
import { amountOf, isActive } from '../limits/budgets.ts';
import type { RefusalCode } from '../refusal.ts';
import type { SlowClaim } from '../slowClaims.ts';
import type { Allowance, DomainReport, Round, Verdict } from '../verdict.ts';
import { type BlockedBy, blockedBy } from './blockedBy.ts';
import { sayClock } from './clockWords.ts';
import { type CommandWhy, explainCommand, type Told } from './commandWhy.ts';
import { type Advised, adviseOn, nearestWish, sayHeld } from './wishWhy.ts';
import { isWorthTelling } from './worthTelling.ts';

export interface PoolWhy {
  readonly kind: 'pool';
  readonly at: Instant;
  readonly name: string;
  readonly headline: string;
  /** C3. */
  readonly counted: number;
  /** C8: it moves nothing until this is mended. */
  readonly fault?: string;
  readonly backoff?: { readonly until: Instant };
  /** The windows that block its nodes now, such as a pause. Absent = none. */
  readonly blocked?: readonly BlockedBy[];
  /** F7: claims that take too long to become nodes. Absent = none. */
  readonly slowClaims?: readonly SlowClaim[];
  readonly budgets: readonly BudgetWhy[];
  readonly allowances: readonly Omit<Allowance, 'pool'>[];
  readonly domains: readonly Omit<DomainReport, 'pool'>[];
  readonly turns: readonly TurnWhy[];
  readonly commands: readonly CommandWhy[];
  readonly mayGo: readonly string[];
  /** By code: who is held so, and what a person could do. */
  readonly held: readonly HeldBy[];
}

export interface BudgetWhy {
  readonly index: number;
  /** `10%`, `2`. */
  readonly nodes: string;
  /** The reasons it binds; absent = all of them. */
  readonly reasons?: readonly string[];
  readonly topologyKey?: string;
  readonly sequential?: boolean;
  /** When it holds; absent = always. */
  readonly window?: string;
  readonly active: boolean;
  readonly nextChange?: Instant;
}

export interface TurnWhy {
  readonly topologyKey: string;
  readonly domain?: string;
  readonly takenAt: Instant;
  readonly progressAt: Instant;
  /** Nodes that an earlier round or another hand began with. */
  readonly inFlight: readonly string[];
  /** Nodes that this round chooses; absent = none. */
  readonly chosen?: readonly string[];
  /** C13: it has had its turn and is not well yet, or not for long enough. */
  readonly settling?: string;
  readonly passAsked?: Instant;
  /** C12: domains that were passed with drifted nodes in them. */
  readonly leftBehind: readonly { readonly domain?: string; readonly nodes: readonly string[] }[];
}

/** Owner and instant only where they are the same for all. */
export interface HeldBy extends Advised {
  readonly nodes: readonly string[];
  /** How many more sentences there are of this code; absent = none. */
  readonly others?: number;
  /** Some of them lift by themselves, at different instants. */
  readonly liftsDiffer?: true;
}

export function explainPool(told: Told, cluster: Cluster, pool: Pool): PoolWhy {
  const { round } = told;
  const { name } = pool;
  const isMine = (it: { readonly pool: string }): boolean => it.pool === name;
  const verdicts = round.verdicts.filter(isMine);
  const views = cluster.nodes.filter((view) => view.managed && view.poolName === name);
  const counted = views.filter(({ state }) => state.counted).length;
  const blocked = blockedBy(windowsOver(views, cluster), round.at);
  const backoff = round.ledger.backoffs.find((it) => isMine(it) && round.at < it.until);
  const slow = slowOf(round, name);
  const allowances = round.allowances.filter(isMine);
  return {
    kind: 'pool',
    at: round.at,
    name,
    headline: `${name} ${sayPool(round, pool, { verdicts, backoff, slow: told.role === 'guide' ? slow : [] })}`,
    counted,
    ...(pool.fault && { fault: `${pool.fault.path}: ${pool.fault.message}` }),
    ...(backoff && { backoff: { until: backoff.until } }),
    ...(blocked.length > 0 && { blocked }),
    ...(slow.length > 0 && { slowClaims: slow }),
    budgets: pool.budgets.map((budget) => explainBudget(budget, { allowances, counted, now: round.at })),
    allowances: allowances.map(withoutPool),
    domains: round.domains.filter(isMine).map(withoutPool),
    turns: round.ledger.turns.filter(isMine).map((turn) => explainTurn(turn, verdicts, views)),
    commands: round.commands.filter(isMine).map((command) => explainCommand(command, told)),
    mayGo: verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node),
    held: heldBy(verdicts),
  };
}

/** A pool without nodes is under those that mean every node. */
const windowsOver = (views: readonly NodeView[], { windows }: Cluster): readonly MaintenanceWindow[] =>
  views.length > 0 ? views.flatMap((view) => view.windows) : windows.filter(({ selector }) => selector === undefined);

const withoutPool = <It extends { readonly pool: string }>({ pool: _, ...rest }: It): Omit<It, 'pool'> => rest;

interface Standing {
  readonly verdicts: readonly Verdict[];
  readonly backoff: Backoff | undefined;
  /** Those that hold the pool: in guide alone. */
  readonly slow: readonly SlowClaim[];
}

/** F7: those of one pool. */
export const slowOf = ({ slowClaims = [] }: Round, pool: string | undefined): readonly SlowClaim[] =>
  slowClaims.filter((it) => it.pool === pool);

function sayPool(round: Round, pool: Pool, { verdicts, backoff, slow: [slow] }: Standing): string {
  if (pool.fault) return `moves nothing: ${pool.fault.path}: ${pool.fault.message}`;
  if (backoff) return `backs off until ${sayClock(backoff.until, round.at)}: its replacements kept failing`;
  if (slow) return `is held while this lasts: ${slow.message}`;
  const nodesWith = (wanted: Verdict['outcome']): Set<string> =>
    new Set(verdicts.filter(({ outcome }) => outcome === wanted).map(({ node }) => node));
  const [go, underway] = [nodesWith('go'), nodesWith('underway')];
  const told = verdicts.filter((it) => it.outcome === 'held' && isWorthTelling(it));
  const held = new Set(told.map(({ node }) => node)).difference(go).difference(underway);
  if (verdicts.length === 0) return 'is at rest: no node of it has a reason to go';
  if (go.size + underway.size + held.size === 0) return 'is at rest: no node of it is worth consolidating';
  const moving = [
    ...(go.size > 0 ? [`${go.size} may go now`] : []),
    ...(underway.size > 0 ? [`${underway.size} under way`] : []),
  ];
  const nearest = nearestWish(told.filter(({ node }) => held.has(node)));
  const rest = nearest ? [`${held.size} held, ${nearest.node} ${sayHeld(nearest, round)}`] : [];
  return `has ${[...moving, ...rest].join(', ')}`;
}

interface BudgetSight {
  readonly allowances: readonly Allowance[];
  readonly counted: number;
  readonly now: Instant;
}

function explainBudget(budget: Budget, sight: BudgetSight): BudgetWhy {
  const { index, nodes, topologyKey, sequential, window } = budget;
  const { now } = sight;
  const reasons = boundBy(budget, sight);
  const nextChange = window?.nextChange(now);
  return {
    index,
    nodes: sayCount(nodes),
    ...(reasons && { reasons }),
    ...(topologyKey !== undefined && { topologyKey, sequential }),
    ...(window && { window: window.text }),
    active: window?.isOpen(now) ?? true,
    ...(nextChange !== undefined && { nextChange }),
  };
}

/** Drift alone by topology (C9). One without reasons binds those that no other active budget names (C5), unless it is a ceiling. */
function boundBy(budget: Budget, { allowances, counted, now }: BudgetSight): readonly string[] | undefined {
  if (budget.topologyKey !== undefined) return ['Drifted'];
  if (budget.reasons) return [...budget.reasons];
  if (!isActive(budget, now)) return undefined;
  const most = amountOf(budget.nodes, counted);
  const bound = allowances.filter(({ limit }) => limit !== undefined && limit <= most);
  return bound.length === allowances.length ? undefined : bound.map(({ reason }) => reason);
}

const sayCount = (nodes: NodeCount): string => ('count' in nodes ? String(nodes.count) : `${nodes.percent}%`);

function explainTurn(turn: Turn, verdicts: readonly Verdict[], views: readonly NodeView[]): TurnWhy {
  const { topologyKey, domain, takenAt, progressAt, inFlight, passAsked, passedOver } = turn;
  const going = new Set(verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node));
  const chosen = inFlight.filter((node) => going.has(node));
  const settling = verdicts.flatMap(({ refusals }) => refusals).find(({ code }) => code === 'DomainSettling');
  return {
    topologyKey,
    ...(domain !== undefined && { domain }),
    takenAt,
    progressAt,
    inFlight: inFlight.filter((node) => !going.has(node)),
    ...(chosen.length > 0 && { chosen }),
    ...(settling && { settling: settling.message }),
    ...(passAsked !== undefined && { passAsked }),
    leftBehind: passedOver.map((name) => leftIn(name ?? undefined, turn, { verdicts, views })),
  };
}

function leftIn(
  domain: string | undefined,
  { topologyKey }: Turn,
  { verdicts, views }: { verdicts: readonly Verdict[]; views: readonly NodeView[] },
): TurnWhy['leftBehind'][number] {
  const drifted = new Set(verdicts.filter(({ reason }) => reason === 'Drifted').map(({ node }) => node));
  const nodes = views
    .filter(({ node }) => drifted.has(node.name) && labelOf(node.labels, topologyKey) === domain)
    .map(({ node }) => node.name);
  return { ...(domain !== undefined && { domain }), nodes };
}

/** One of each code, the one that holds most nodes first. A node that goes for another reason is not held. */
function heldBy(verdicts: readonly Verdict[]): HeldBy[] {
  const byCode = new Map<RefusalCode, { readonly refusals: Advised[]; readonly nodes: Set<string> }>();
  for (const verdict of verdicts) {
    const { node, outcome } = verdict;
    if (outcome !== 'held' || verdict.refusals.some(({ code }) => code === 'AlreadyUnderway')) continue;
    for (const refusal of adviseOn(verdict)) {
      const known = byCode.get(refusal.code) ?? { refusals: [], nodes: new Set<string>() };
      known.nodes.add(node);
      known.refusals.push(refusal);
      byCode.set(refusal.code, known);
    }
  }
  return [...byCode.values()]
    .map(({ refusals, nodes }) => ({ ...together(refusals), nodes: [...nodes].sort(compareText) }))
    .sort((a, b) => b.nodes.length - a.nodes.length || compareText(a.code, b.code));
}

function together(refusals: readonly Advised[]): Omit<HeldBy, 'nodes'> {
  const [first] = refusals as [Advised, ...Advised[]];
  const { owner, liftsAt, ...rest } = first;
  const others = new Set(refusals.map(({ message }) => message)).size - 1;
  const isOneOwner = refusals.every((it) => JSON.stringify(it.owner) === JSON.stringify(owner));
  const isOneInstant = refusals.every((it) => it.liftsAt === liftsAt);
  return {
    ...rest,
    help: [...new Set(refusals.map(({ help }) => help))].join(' '),
    ...(owner && isOneOwner && { owner }),
    ...(liftsAt !== undefined && isOneInstant && { liftsAt }),
    ...(!isOneInstant && { liftsDiffer: true as const }),
    ...(others > 0 && { others }),
  };
}
