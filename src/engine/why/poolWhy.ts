// The state of a pool: its budgets, turns and commands, and its held nodes.
import { defined } from '../../cluster/defined.ts';
import type { Backoff } from '../../cluster/ledger.ts';
import type { Budget, MaintenanceWindow, Pool, RateBudget } from '../../cluster/model.ts';
import { compareText, createdAt, type NodeView } from '../../cluster/nodeView.ts';
import { rollRuleOf } from '../../cluster/pool.ts';
import type { SignedInstant } from '../../cluster/signedInstant.ts';
import type { Cluster } from '../../cluster/store.ts';
import { formatDuration } from '../../time/duration.ts';
import { formatClock, type Instant } from '../../time/instant.ts';
import { count } from '../../time/lists.ts';
import type { RefusalCode } from '../refusal.ts';
import { amountOf, formatNodeCount, isActive } from '../rules/budgets.ts';
import type { SlowClaim } from '../slowClaims.ts';
import type { Allowance, DomainReport, Round, Verdict } from '../verdict.ts';
import { type CommandWhy, explainCommand, type WhyContext } from './commandWhy.ts';
import { type BlockedBy, blockedBy, slowOf } from './nodeWhy.ts';
import { explainRoll, explainTurn, type RollWhy, type TurnWhy } from './rollWhy.ts';
import { addHelpTo, describeHold, isWorthTelling, nearestWish, type RefusalWithHelp } from './wishWhy.ts';

export interface PoolWhy {
  readonly kind: 'pool';
  readonly at: Instant;
  readonly name: string;
  readonly headline: string;
  /** Nodes that count for percentages (C3). */
  readonly counted: number;
  /** An invalid field: nodes of the pool are held until it is fixed (C8). */
  readonly fault?: string;
  readonly backoff?: { readonly until: Instant };
  /** The windows that block its nodes now, such as a pause. Absent = none. */
  readonly blocked?: readonly BlockedBy[];
  /** A roll that a person asked for, and how many older nodes are left (Q1). Absent = none, or done. */
  readonly rollRequested?: SignedInstant & { readonly left: number };
  /** F7: claims that take too long to become nodes. Absent = none. */
  readonly slowClaims?: readonly SlowClaim[];
  readonly budgets: readonly BudgetWhy[];
  readonly allowances: readonly Omit<Allowance, 'pool'>[];
  readonly domains: readonly Omit<DomainReport, 'pool'>[];
  readonly turns: readonly TurnWhy[];
  /** The roll in waves; absent = no budget has waves, or no node is drifted (P3). */
  readonly roll?: RollWhy;
  readonly commands: readonly CommandWhy[];
  readonly mayGo: readonly string[];
  /** By code: the nodes it holds, and what a person can do. */
  readonly held: readonly HeldBy[];
}

export interface BudgetWhy {
  readonly index: number;
  /** `10%`, `2`. */
  readonly nodes: string;
  /** The reasons it limits; absent = all of them. */
  readonly reasons?: readonly string[];
  readonly topologyKey?: string;
  readonly sequential?: boolean;
  /** When it is active; absent = always. */
  readonly window?: string;
  readonly active: boolean;
  readonly nextChange?: Instant;
  /** Only for a rate limit (P1): its period, and while it is active how many began and how many more may. */
  readonly per?: string;
  readonly used?: number;
  readonly left?: number;
  /** If none is left: when the next may begin. */
  readonly freeAt?: Instant;
}

/** Owner and instant only if they are the same for all nodes. */
export interface HeldBy extends RefusalWithHelp {
  readonly nodes: readonly string[];
  /** How many other messages there are of this code; absent = none. */
  readonly others?: number;
  /** Set if they lift at different instants. */
  readonly liftsDiffer?: true;
}

export function explainPool(told: WhyContext, cluster: Cluster, pool: Pool): PoolWhy {
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
  const [roll, waves] = [round.ledger.rolls?.find(isMine), rollRuleOf(pool)];
  return {
    kind: 'pool',
    at: round.at,
    name,
    headline: `${name} ${describePool(round, pool, { verdicts, backoff, slow: told.role === 'guide' ? slow : [] })}`,
    counted,
    ...(pool.fault && { fault: `${pool.fault.path}: ${pool.fault.message}` }),
    ...(backoff && { backoff: { until: backoff.until } }),
    ...(blocked.length > 0 && { blocked }),
    ...rollOf(pool, views),
    ...(slow.length > 0 && { slowClaims: slow }),
    budgets: [
      ...pool.budgets.map((budget) => explainBudget(budget, { allowances, counted, now: round.at })),
      ...pool.rates.map((rate) => explainRate(rate, name, round)),
    ].sort((a, b) => a.index - b.index),
    allowances: allowances.map(withoutPool),
    domains: round.domains.filter(isMine).map(withoutPool),
    turns: round.ledger.turns.filter(isMine).map((turn) => explainTurn(turn, verdicts, views)),
    ...(roll && waves && { roll: explainRoll(roll, waves, verdicts) }),
    commands: round.commands.filter(isMine).map((command) => explainCommand(command, told)),
    mayGo: verdicts.filter(({ outcome }) => outcome === 'go').map(({ node }) => node),
    held: heldBy(verdicts),
  };
}

function rollOf({ rollRequested: request }: Pool, views: readonly NodeView[]): Pick<PoolWhy, 'rollRequested'> {
  const left = request ? views.filter((view) => createdAt(view) < request.at).length : 0;
  return request && left > 0 ? { rollRequested: { ...request, left } } : {};
}

/** For a pool without nodes: the windows that select every node. */
const windowsOver = (views: readonly NodeView[], { windows }: Cluster): readonly MaintenanceWindow[] =>
  views.length > 0 ? views.flatMap((view) => view.windows) : windows.filter(({ selector }) => selector === undefined);

const withoutPool = <It extends { readonly pool: string }>({ pool: _, ...rest }: It): Omit<It, 'pool'> => rest;

interface PoolActivity {
  readonly verdicts: readonly Verdict[];
  readonly backoff: Backoff | undefined;
  /** Slow claims that hold the pool: only in guide. */
  readonly slow: readonly SlowClaim[];
}

function describePool(round: Round, pool: Pool, { verdicts, backoff, slow: [slow] }: PoolActivity): string {
  if (pool.fault)
    return `has an invalid field, so only interrupted nodes are disrupted: ${pool.fault.path}: ${pool.fault.message}`;
  if (backoff) return `backs off until ${formatClock(backoff.until, round.at)}: its replacement nodes kept failing`;
  if (slow) return `is held until the NodeClaim is ready or gone: ${slow.message}`;
  const nodesWith = (wanted: Verdict['outcome']): Set<string> =>
    new Set(verdicts.filter(({ outcome }) => outcome === wanted).map(({ node }) => node));
  const [go, underway] = [nodesWith('go'), nodesWith('underway')];
  const told = verdicts.filter((it) => it.outcome === 'held' && isWorthTelling(it));
  const held = new Set(told.map(({ node }) => node)).difference(go).difference(underway);
  if (verdicts.length === 0) return 'has nothing to do: no node has a reason to be disrupted';
  if (go.size + underway.size + held.size === 0) return 'has nothing to do: no node is worth consolidating';
  const moving = [
    ...(go.size > 0 ? [`${count(go.size, 'node')} to disrupt now`] : []),
    ...(underway.size > 0 ? [`${underway.size} under way`] : []),
  ];
  const nearest = nearestWish(told.filter(({ node }) => held.has(node)));
  const rest = nearest ? [`${held.size} held: ${nearest.node} ${describeHold(nearest, round)}`] : [];
  return `has ${[...moving, ...rest].join(', ')}`;
}

interface BudgetContext {
  readonly allowances: readonly Allowance[];
  readonly counted: number;
  readonly now: Instant;
}

function explainBudget(budget: Budget, sight: BudgetContext): BudgetWhy {
  const { index, nodes, topologyKey, sequential, window } = budget;
  const { now } = sight;
  const reasons = boundBy(budget, sight);
  const nextChange = window?.nextChange(now);
  return {
    index,
    nodes: formatNodeCount(nodes),
    ...(reasons && { reasons }),
    ...(topologyKey !== undefined && { topologyKey, sequential }),
    ...(window && { window: window.text }),
    active: window?.isOpen(now) ?? true,
    ...(nextChange !== undefined && { nextChange }),
  };
}

function explainRate(rate: RateBudget, pool: string, { at, rates = [] }: Round): BudgetWhy {
  const { index, nodes, reasons, window, per } = rate;
  const report = rates.find(({ owner }) => owner.kind === 'NodePool' && owner.name === pool && owner.index === index);
  return defined<BudgetWhy>({
    index,
    nodes: formatNodeCount(nodes),
    reasons: reasons && [...reasons],
    topologyKey: undefined,
    sequential: undefined,
    window: window?.text,
    active: isActive(rate, at),
    nextChange: window?.nextChange(at),
    per: formatDuration(per),
    used: report?.used,
    left: report?.left,
    freeAt: report?.freeAt,
  });
}

/** Topology budgets limit drift only (C9). A budget without reasons applies to reasons that no active budget names, or is a ceiling (C5). */
function boundBy(budget: Budget, { allowances, counted, now }: BudgetContext): readonly string[] | undefined {
  if (budget.topologyKey !== undefined) return ['Drifted'];
  if (budget.reasons) return [...budget.reasons];
  if (!isActive(budget, now)) return undefined;
  const most = amountOf(budget.nodes, counted);
  const bound = allowances.filter(({ limit }) => limit !== undefined && limit <= most);
  return bound.length === allowances.length ? undefined : bound.map(({ reason }) => reason);
}

/** One entry per code, the one that holds most nodes first. A node that goes for another reason is not held. */
function heldBy(verdicts: readonly Verdict[]): HeldBy[] {
  const byCode = new Map<RefusalCode, { readonly refusals: RefusalWithHelp[]; readonly nodes: Set<string> }>();
  for (const verdict of verdicts) {
    const { node, outcome } = verdict;
    if (outcome !== 'held' || verdict.refusals.some(({ code }) => code === 'AlreadyUnderway')) continue;
    for (const refusal of addHelpTo(verdict)) {
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

function together(refusals: readonly RefusalWithHelp[]): Omit<HeldBy, 'nodes'> {
  const [first] = refusals as [RefusalWithHelp, ...RefusalWithHelp[]];
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
