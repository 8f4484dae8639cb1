// What does a policy say to one node that is taken, whoever takes it? The gates and limits of a round, asked about that node alone.
import type { Command, Ledger, Turn } from '../cluster/ledger.ts';
import { label } from '../cluster/names.ts';
import { compareText, type NodeView } from '../cluster/nodeView.ts';
import { kindOf, type Reason } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { withExpected } from '../engine/commands/expected.ts';
import { askGates } from '../engine/gates/gates.ts';
import type { Asked } from '../engine/judged.ts';
import { limitAt } from '../engine/limits/budgets.ts';
import { domainOf } from '../engine/limits/domains.ts';
import { type Limits, openLimits } from '../engine/limits/limits.ts';
import { consumedFor, limitQuery } from '../engine/limits/poolBudgets.ts';
import type { TurnState } from '../engine/limits/turn.ts';
import type { Refusal } from '../engine/refusal.ts';
import { findPossible } from '../engine/report/possible.ts';
import { isGoverned, observe, type Situation } from '../engine/situation.ts';
import { type Until, untilWhen } from '../engine/why/untilWhen.ts';
import type { Wish } from '../engine/wish.ts';
import { findWishes } from '../engine/wishes/findWishes.ts';
import type { Instant } from '../time/instant.ts';

/** The cluster without the taking, and what is remembered of those before it. */
export interface Scene {
  readonly cluster: Cluster;
  readonly ledger: Ledger;
  readonly now: Instant;
  readonly settings: Settings;
}

export interface Opinion {
  /** All that would have held it; none = it may go. */
  readonly refusals: readonly Refusal[];
  readonly until?: Until;
  readonly pool: Units;
  /** Those of its topology domain, where a budget counts them for this reason. */
  readonly domains: readonly (Units & { readonly topologyKey: string; readonly domain?: string })[];
  /** How many nodes of its pool are on their way out together with it, and in which zones. */
  readonly inFlight: number;
  readonly zones: readonly string[];
  /** Whose turn it is now that this one goes. */
  readonly turns: readonly Turn[];
}

/** As they were before it went. No limit = no cap. */
export interface Units {
  readonly limit?: number;
  readonly inUse: number;
}

/** Undefined where the policy has no say: the node is not there, or its pool is not governed. */
export function askAbout(command: Command, scene: Scene): Opinion | undefined {
  const { cluster, ledger, settings } = scene;
  const view = cluster.node(command.nodes[0]?.name ?? '');
  const known = cluster.pools.get(command.pool);
  if (!view?.managed || (known && !isGoverned(known, settings))) return undefined;
  const free = openAsked(view, command.reason, scene);
  const turn = turnToGive(view, free, scene);
  const asked = turn ? openAsked(view, command.reason, { ...scene, ledger: { ...ledger, turns: turn } }) : free;
  const { wish, situation, limits } = asked;
  // Where its pods go is Karpenter's business; whom else a round would have chosen is not asked.
  const refusals = [...askGates(wish, situation), ...limits.refuse(wish)];
  const units = unitsOf(wish, situation);
  return {
    refusals,
    ...(refusals.length > 0 && { until: untilWhen(findPossible({ wish, refusals }, asked.others, situation)) }),
    pool: units,
    ...flightsWith(view, situation),
    domains: domainsOf(wish, limits),
    turns: turnsAfter(command, asked),
  };
}

interface Opened {
  readonly wish: Wish;
  /** What else its node wishes. */
  readonly others: readonly Wish[];
  readonly situation: Situation;
  readonly limits: Limits;
}

function openAsked(view: NodeView, reason: Reason, { cluster, ledger, now, settings }: Scene): Opened {
  const situation = observe({ cluster, ledger }, now, settings);
  const { wishes } = findWishes(situation);
  const found = wishes.find((it) => it.view === view && it.reason === reason);
  const wish = found ?? madeUp(view, reason, situation);
  const limits = openLimits(situation, askAll(found ? wishes : [...wishes, wish], situation));
  return { wish, others: wishes.filter((it) => it.view === view && it !== wish), situation, limits };
}

const askAll = (wishes: readonly Wish[], situation: Situation): Asked[] =>
  wishes.map((wish) =>
    situation.inFlight.has(wish.view.node.name) ? { wish } : { wish, refusals: askGates(wish, situation) },
  );

/** Karpenter saw a reason that Lull does not see, or not yet: it is asked about all the same. */
function madeUp(view: NodeView, reason: Reason, { cluster, now }: Situation): Wish {
  const pool = cluster.pools.get(view.poolName ?? '');
  return { view, ...(pool && { pool }), reason, kind: kindOf[reason], since: now, memory: [] };
}

/**
 * C11: with nothing in flight and no turn taken, the turn goes to whichever domain is begun with. Which of several that is hangs on
 * names where all drifted at once: to begin with another is no breach.
 */
function turnToGive(view: NodeView, { wish, situation, limits }: Opened, scene: Scene): readonly Turn[] | undefined {
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

function unitsOf({ reason, pool }: Wish, situation: Situation): Units {
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

/** C13: what runs on it now has to run again before the turn of its domain passes. */
function turnsAfter(command: Command, { wish, situation, limits }: Opened): readonly Turn[] {
  const mine = limits.topology.pools.get(wish.pool?.name ?? '')?.turn?.turn;
  return turnsIn(limits, situation.ledger).map((turn) =>
    turn === mine && command.reason === 'Drifted' && domainOf(wish.view, turn.topologyKey) === turn.domain
      ? withExpected(turn, [command], situation.cluster)
      : turn,
  );
}

/** C11: a turn that nothing was begun in is only a choice, and not kept. */
function turnsIn({ topology }: Limits, ledger: Ledger): readonly Turn[] {
  const states = [...topology.pools.values()].flatMap(({ turn }): TurnState[] => (turn ? [turn] : []));
  const open = states.flatMap(({ turn }) => turn ?? []);
  const keys = new Set([...topology.pools].flatMap(([pool, { turn }]) => (turn ? [pool] : [])));
  const resting = ledger.turns.filter(({ pool }) => !keys.has(pool));
  return [...resting, ...open.filter((turn) => turn.inFlight.length > 0 || isKnown(turn, ledger))];
}

/** Whose turn it is at a round, with nothing new taken. */
export function turnsAt({ cluster, ledger, now, settings }: Scene): readonly Turn[] {
  const situation = observe({ cluster, ledger }, now, settings);
  return turnsIn(openLimits(situation, askAll(findWishes(situation).wishes, situation)), ledger);
}
