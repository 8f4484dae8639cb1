// Evaluates a policy for one disrupted node: the gates and limits of a round, for that node only.
import type { Command, Ledger, Roll, Turn } from '../cluster/ledger.ts';
import { label } from '../cluster/names.ts';
import { compareText, type NodeView } from '../cluster/nodeView.ts';
import { kindOf, type Reason } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { withExpected } from '../engine/commands/nextLedger.ts';
import { askGates } from '../engine/gates/gates.ts';
import { domainOf } from '../engine/limits/domains.ts';
import { type Limits, openLimits } from '../engine/limits/limits.ts';
import { consumedFor, limitQuery } from '../engine/limits/poolBudgets.ts';
import type { TurnState } from '../engine/limits/turn.ts';
import type { Refusal } from '../engine/refusal.ts';
import { findPossible } from '../engine/report/possible.ts';
import { limitAt } from '../engine/rules/budgets.ts';
import { isGoverned, observe, type Situation } from '../engine/situation.ts';
import { type Until, untilWhen } from '../engine/why/wishWhy.ts';
import type { Wish } from '../engine/wish.ts';
import { findWishes } from '../engine/wishes/findWishes.ts';
import type { GatedWish } from '../engine/wishOutcome.ts';
import type { Instant } from '../time/instant.ts';

/** The cluster before the disruption, and the ledger after the previous ones. */
export interface ShadowSituation {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
  readonly now: Instant;
  readonly settings: Settings;
}

export interface Opinion {
  /** All refusals; empty: it may go. */
  readonly refusals: readonly Refusal[];
  readonly until?: Until;
  readonly pool: ShadowUnits;
  /** The units of its domain, if a budget counts them for this reason. */
  readonly domains: readonly (ShadowUnits & { readonly topologyKey: string; readonly domain?: string })[];
  /** How many nodes of its pool are being disrupted, including this one, and in which zones. */
  readonly inFlight: number;
  readonly zones: readonly string[];
  /** The turns and waves after this disruption. */
  readonly pace: ShadowPace;
}

/** What the ledger would remember of rolls. */
export type ShadowPace = Pick<Ledger, 'turns' | 'rolls'>;

/** Before the disruption. Without a limit there is no cap. */
interface ShadowUnits {
  readonly limit?: number;
  readonly inUse: number;
}

/** Undefined if the policy does not apply: the node does not exist, or its pool is not governed. */
export function evaluateNode(command: Command, scene: ShadowSituation): Opinion | undefined {
  const { cluster, ledger, settings } = scene;
  const view = cluster.node(command.nodes[0]?.name ?? '');
  const known = cluster.pools.get(command.pool);
  if (!view?.managed || (known && !isGoverned(known, settings))) return undefined;
  const free = openWish(view, command.reason, scene);
  const turn = turnToGive(view, free, scene);
  const asked = turn ? openWish(view, command.reason, { ...scene, ledger: { ...ledger, turns: turn } }) : free;
  const { wish, situation, limits } = asked;
  // Karpenter places the pods, and other candidates do not matter here.
  const refusals = [...askGates(wish, situation), ...limits.refuse(wish)];
  const units = unitsOf(wish, situation);
  return {
    refusals,
    ...(refusals.length > 0 && {
      until: untilWhen(findPossible({ wish, refusals }, asked.others, { situation, rates: limits.rates })),
    }),
    pool: units,
    ...flightsWith(view, situation),
    domains: domainsOf(wish, limits),
    pace: paceAfter(command, asked),
  };
}

interface OpenedWish {
  readonly wish: Wish;
  /** The node's other wishes. */
  readonly others: readonly Wish[];
  readonly situation: Situation;
  readonly limits: Limits;
}

function openWish(view: NodeView, reason: Reason, { cluster, ledger, now, settings }: ShadowSituation): OpenedWish {
  const situation = observe({ cluster, ledger }, now, settings);
  const { wishes } = findWishes(situation);
  const found = wishes.find((it) => it.view === view && it.reason === reason);
  const wish = found ?? assumedWish(view, reason, situation);
  const limits = openLimits(situation, askAll(found ? wishes : [...wishes, wish], situation));
  return { wish, others: wishes.filter((it) => it.view === view && it !== wish), situation, limits };
}

const askAll = (wishes: readonly Wish[], situation: Situation): GatedWish[] =>
  wishes.map((wish) =>
    situation.inFlight.has(wish.view.node.name) ? { wish } : { wish, refusals: askGates(wish, situation) },
  );

/** A wish for a reason that Karpenter saw and Lull does not, or not yet. */
function assumedWish(view: NodeView, reason: Reason, { cluster, now }: Situation): Wish {
  const pool = cluster.pools.get(view.poolName ?? '');
  return { view, ...(pool && { pool }), reason, kind: kindOf[reason], since: now, memory: [] };
}

/**
 * With nothing in flight and no turn taken, any domain may start (C11). If all drifted at the same time, Lull's own choice depends only
 * on names, so another first domain is not a violation.
 */
function turnToGive(
  view: NodeView,
  { wish, situation, limits }: OpenedWish,
  scene: ShadowSituation,
): readonly Turn[] | undefined {
  const state = wish.reason === 'Drifted' ? limits.topology.pools.get(wish.pool?.name ?? '')?.turn : undefined;
  if (!state?.holder || state.inFlight.length > 0 || isKnown(state.turn, scene.ledger)) return undefined;
  const topologyKey = state.budget.topologyKey as string;
  const domain = domainOf(view, topologyKey);
  const nodes = situation.tallies.get(view.poolName ?? '')?.nodes ?? [];
  const unready = nodes.filter((it) => domainOf(it, topologyKey) === domain && !it.state.ready);
  const others = scene.ledger.turns.filter((it) => it.pool !== view.poolName || it.topologyKey !== topologyKey);
  const given: Turn = {
    pool: view.poolName ?? '',
    topologyKey,
    ...(domain !== undefined && { domain }),
    takenAt: scene.now,
    progressAt: scene.now,
    inFlight: [],
    unreadyAtStart: unready.map(({ node }) => node.name),
    replacements: [],
    expected: [],
    passedOver: state.turn?.passedOver ?? [],
  };
  return [...others, given];
}

const isSameTurn = (a: Turn, b: Turn): boolean =>
  a.pool === b.pool && a.topologyKey === b.topologyKey && a.takenAt === b.takenAt;

const isKnown = (turn: Turn | undefined, { turns }: Ledger): boolean =>
  turn !== undefined && turns.some((it) => isSameTurn(it, turn));

function unitsOf({ reason, pool }: Wish, situation: Situation): ShadowUnits {
  const tally = situation.tallies.get(pool?.name ?? '');
  if (!tally) return { inUse: 0 };
  const { limit } = limitAt(limitQuery(tally, reason, situation), situation.now);
  return { ...(limit !== undefined && { limit }), inUse: consumedFor(reason, tally) };
}

function domainsOf({ view, reason, pool }: Wish, { topology }: Limits): Opinion['domains'] {
  const all = reason === 'Drifted' ? (topology.pools.get(pool?.name ?? '')?.domains ?? []) : [];
  return all
    .filter(({ topologyKey, name }) => domainOf(view, topologyKey) === name)
    .map(({ topologyKey, name, limit, consumed }) => ({
      topologyKey,
      ...(name !== undefined && { domain: name }),
      limit,
      inUse: consumed,
    }));
}

function flightsWith(view: NodeView, { inFlight, cluster }: Situation): Pick<Opinion, 'inFlight' | 'zones'> {
  const others = [...inFlight.keys()].flatMap((name) => cluster.node(name) ?? []);
  const together = [view, ...others.filter((it) => it !== view && it.poolName === view.poolName)];
  const zones = new Set(together.flatMap(({ node }) => node.labels[label.zone] ?? []));
  return { inFlight: together.length, zones: [...zones].sort(compareText) };
}

/** The pods on the node must run again before the domain's turn passes (C13). */
function paceAfter(command: Command, { wish, situation, limits }: OpenedWish): ShadowPace {
  const mine = limits.topology.pools.get(wish.pool?.name ?? '')?.turn?.turn;
  const turns = turnsIn(limits, situation.ledger).map((turn) =>
    turn === mine && command.reason === 'Drifted' && domainOf(wish.view, turn.topologyKey) === turn.domain
      ? withExpected(turn, [command], situation.cluster)
      : turn,
  );
  const rolls = rollsIn(limits).map((roll) =>
    roll.pool === command.pool && command.reason === 'Drifted'
      ? withExpected(roll, [command], situation.cluster)
      : roll,
  );
  return { turns, rolls };
}

/** A turn in which nothing was started is not recorded (C11). */
function turnsIn({ topology }: Limits, ledger: Ledger): readonly Turn[] {
  const states = [...topology.pools.values()].flatMap(({ turn }): TurnState[] => (turn ? [turn] : []));
  const open = states.flatMap(({ turn }) => turn ?? []);
  const keys = new Set([...topology.pools].flatMap(([pool, { turn }]) => (turn ? [pool] : [])));
  const resting = ledger.turns.filter(({ pool }) => !keys.has(pool));
  return [...resting, ...open.filter((turn) => turn.inFlight.length > 0 || isKnown(turn, ledger))];
}

const rollsIn = ({ rolls }: Limits): readonly Roll[] => [...rolls.pools.values()].flatMap(({ roll }) => roll ?? []);

/** The turns and waves at a round without a new disruption. */
export function paceAt({ cluster, ledger, now, settings }: ShadowSituation): ShadowPace {
  const situation = observe({ cluster, ledger }, now, settings);
  const limits = openLimits(situation, askAll(findWishes(situation).wishes, situation));
  return { turns: turnsIn(limits, ledger), rolls: rollsIn(limits) };
}
