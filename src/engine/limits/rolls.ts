// The roll of a pool in growing waves: each wave is replaced and settles before the next one begins (P3, P4).
import { defined } from '../../cluster/defined.ts';
import type { Roll } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { type RollRule, rollRuleOf, templatePrint } from '../../cluster/pool.ts';
import { earliest, type Instant } from '../../time/instant.ts';
import { count } from '../../time/lists.ts';
import { none, type Refusal, refuse } from '../refusal.ts';
import { amountOf } from '../rules/budgets.ts';
import type { PoolTally, Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { haltRefusals, withHalt } from './rollHalts.ts';
import { describeSettling, findDriftFlights, type Settling, settle } from './settling.ts';
import type { SharedLimit } from './sharedLimit.ts';

export interface RollLimits extends SharedLimit {
  /** By pool: those whose budgets have waves or haltAfter. */
  readonly pools: ReadonlyMap<string, RollState>;
}

export interface RollState {
  readonly tally: PoolTally;
  readonly budget: RollRule;
  /** The ledger record; absent = the pool has no drifted node, and the last wave has settled. */
  readonly roll?: Roll;
  /** How many more nodes may begin in this wave. */
  readonly room: number;
  /** Whether the wave's nodes have all begun, so that it holds the rest of the pool. */
  readonly isFull: boolean;
  readonly settling?: Settling;
  /** The next instant at which time alone changes the wave. */
  readonly changesAt?: Instant;
}

export function openRolls(situation: Situation, drifted: readonly Wish[]): RollLimits {
  const pools = new Map<string, RollState>();
  const byPool = Map.groupBy(drifted, ({ pool }) => pool?.name);
  for (const tally of situation.tallies.values()) {
    const budget = rollRuleOf(tally.pool);
    if (budget)
      pools.set(tally.pool.name, openRoll({ tally, budget, drifted: byPool.get(tally.pool.name) ?? [], situation }));
  }
  const started = new Map<string, number>();
  const spend = ({ pool, reason }: Wish, change: 1 | -1): void => {
    if (reason === 'Drifted' && pool && pools.has(pool.name))
      started.set(pool.name, (started.get(pool.name) ?? 0) + change);
  };
  return {
    pools,
    refuse: ({ pool, reason }) => {
      const state = reason === 'Drifted' && pool ? pools.get(pool.name) : undefined;
      return state?.roll ? waveRefusals(state, state.roll, started.get(state.roll.pool) ?? 0) : none;
    },
    spend: (wish) => spend(wish, 1),
    takeBack: (wish) => spend(wish, -1),
  };
}

interface RollQuery {
  readonly tally: PoolTally;
  readonly budget: RollRule;
  /** All drifted nodes of the pool, in flight or not. */
  readonly drifted: readonly Wish[];
  readonly situation: Situation;
}

function openRoll(asked: RollQuery): RollState {
  const { tally, budget, drifted, situation } = asked;
  const names = findDriftFlights(tally, drifted, situation).map(({ name }) => name);
  const inFlight = [...new Set(names)].sort(compareText);
  const known = continuedRoll(asked, inFlight) ?? (drifted.length > 0 ? newRoll(asked, inFlight) : undefined);
  if (!known) return { tally, budget, room: 0, isFull: false };
  const { roll, changesAt } = withHalt(known, { rule: budget, nodes: tally.nodes, situation });
  const state = openWave(roll, inFlight, asked);
  const isFull = state.isFull || state.roll?.haltedAt !== undefined;
  return { ...state, isFull, ...defined({ changesAt: earliest(changesAt, state.changesAt) }) };
}

/** The wave continues, settles or passes. */
function openWave(roll: Roll, inFlight: readonly string[], asked: RollQuery): RollState {
  const { tally, budget, drifted, situation } = asked;
  const end = waveEnd(budget, roll);
  const room = Math.max(0, end - roll.done - inFlight.length);
  const isOver = drifted.length === 0;
  const state = { tally, budget, room, isFull: room === 0 };
  const isBegun = room === 0 || isOver || roll.passAsked !== undefined;
  if (inFlight.length > 0 || !isBegun) return { ...state, roll: markWell(roll, undefined) };
  const asksHealth = { nodes: tally.nodes, since: roll.startedAt, situation };
  // Passed by `lull turn pass`, healthy or not (C12).
  const { wellSince, settling, changesAt } =
    roll.passAsked === undefined ? settle(roll, budget.settle, asksHealth) : {};
  if (settling) return { ...state, roll: markWell(roll, wellSince), settling, ...defined({ changesAt }) };
  if (isOver) return { ...state, isFull: false };
  const next = nextWave(roll, asked);
  return { tally, budget, roll: next, room: waveEnd(budget, next) - next.done, isFull: false };
}

/** The recorded roll with what has happened since; undefined if there is none or its target has changed (P4). */
function continuedRoll(asked: RollQuery, inFlight: readonly string[]): Roll | undefined {
  const { tally, situation } = asked;
  const known = situation.ledger.rolls?.find(({ pool }) => pool === tally.pool.name);
  if (!known || isNewTarget(known, asked)) return undefined;
  const left = known.inFlight.filter((name) => !inFlight.includes(name));
  if (left.length === 0 && inFlight.length === known.inFlight.length) return known;
  // Clouds reuse names: a node that is younger than the roll is not the one that left.
  const gone = left.filter((name) => (situation.cluster.node(name)?.node.createdAt ?? Infinity) > known.startedAt);
  // A node that was replaced ends a row of failures (P5).
  const { failures: _, ...rest } = known;
  return { ...(gone.length > 0 ? rest : known), inFlight, done: known.done + gone.length };
}

/** Where only the NodeClass changed, a node that the roll has created is drifted again. */
const isNewTarget = ({ print, startedAt }: Roll, { tally, drifted }: RollQuery): boolean =>
  (print !== undefined && print !== templatePrint(tally.pool)) ||
  drifted.some(({ view }) => view.node.createdAt > startedAt);

const newRoll = ({ tally, situation: { now } }: RollQuery, inFlight: readonly string[]): Roll => ({
  pool: tally.pool.name,
  startedAt: now,
  print: templatePrint(tally.pool),
  counted: tally.counted,
  done: 0,
  wave: 0,
  waveAt: now,
  inFlight,
  unreadyAtStart: tally.nodes.filter(({ state }) => !state.ready).map(({ node }) => node.name),
  replacements: [],
  expected: [],
});

/** A wave that a small pool has reached already is left out: nothing would begin in it. */
function nextWave(roll: Roll, { budget, situation: { now } }: RollQuery): Roll {
  const { wellSince: _, passAsked: __, ...rest } = roll;
  const later = budget.waves.findIndex((wave, index) => index > roll.wave && amountOf(wave, roll.counted) > roll.done);
  const wave = later < 0 ? budget.waves.length : later;
  return { ...rest, wave, waveAt: now, replacements: [], expected: [] };
}

/** The same record if nothing changes, so that the ledger is not written. */
const markWell = (roll: Roll, wellSince: Instant | undefined): Roll =>
  roll.wellSince === wellSince ? roll : defined({ ...roll, wellSince });

/** How many nodes the roll replaces up to the end of its current wave. */
export function waveEnd({ waves }: RollRule, { wave, counted }: Roll): number {
  const nodes = waves[wave];
  return nodes ? amountOf(nodes, counted) : Infinity;
}

/** `wave 1 of 2 of pool web` */
export const nameWave = ({ waves }: RollRule, { wave, pool }: Roll): string =>
  `wave ${wave + 1} of ${waves.length} of pool ${pool}`;

function waveRefusals({ budget, room, settling }: RollState, roll: Roll, started: number): readonly Refusal[] {
  if (roll.haltedAt !== undefined) return haltRefusals(roll, budget);
  if (started < room) return none;
  const owner = { kind: 'NodePool', name: roll.pool, index: budget.index };
  const name = nameWave(budget, roll);
  if (settling) return [refuse('WaveSettling', describeSettling(name, settling), { owner, liftsAt: settling.until })];
  const use = [
    `${roll.done} replaced`,
    `${roll.inFlight.length} in flight`,
    ...(started > 0 ? [`${started} chosen in this round`] : []),
  ].join(', ');
  const end = waveEnd(budget, roll);
  return [refuse('WaveFull', `${name} ends after ${end} of ${count(roll.counted, 'node')}; ${use}`, { owner })];
}
