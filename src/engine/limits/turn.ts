// The turn of a sequential roll: one domain at a time (C11). It passes when patience runs out (C12) or the domain is healthy (C13).
import { defined } from '../../cluster/defined.ts';
import type { Turn } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { Budget, TopologyBudget } from '../../cluster/model.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { after, asDuration, asInstant, type Instant, latest } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';
import { openByBudgets, openHours } from '../rules/openHours.ts';
import type { PoolTally, Situation } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { compareDomains, type Domain, domainOf, domainOfTaken } from './domains.ts';
import type { RollState } from './rolls.ts';
import { closedGates, findDriftFlights, type Settling, settle } from './settling.ts';

/** The roll of one pool at the start of the round. */
interface TurnQuery {
  readonly tally: PoolTally;
  readonly budget: TopologyBudget;
  readonly domains: readonly Domain[];
  /** All drifted nodes of the pool, in flight or not. */
  readonly drifted: readonly Wish[];
  /** Drifted nodes that no gate refuses. */
  readonly candidates: readonly Wish[];
  readonly situation: Situation;
  /** The pool's waves, if it has any (P3). */
  readonly waves: RollState | undefined;
}

export interface TurnState {
  readonly budget: TopologyBudget;
  /** The domain that has the turn; absent = none, since no node could go. */
  readonly holder?: { readonly domain: string | undefined };
  /** The ledger record; absent if there is nothing to record. */
  readonly turn?: Turn;
  /** Set while the holder is done but not healthy yet, or not for long enough (C13). */
  readonly settling?: Settling;
  /** Domains with drifted nodes in flight, the one that started first at the front. */
  readonly inFlight: readonly (string | undefined)[];
  /** The next instant at which time alone changes the turn. */
  readonly changesAt?: Instant;
}

export function openTurn(roll: TurnQuery): TurnState {
  const flights = findFlights(roll);
  const { pool } = roll.tally;
  const topologyKey = roll.budget.topologyKey;
  const recorded = roll.situation.ledger.turns.find((it) => it.pool === pool.name && it.topologyKey === topologyKey);
  const turn = recorded && afterWave(withProgress(recorded, flights, roll.situation.now), roll.waves);
  return (turn && continueTurn(turn, flights, roll)) ?? nextTurn(turn, flights, roll);
}

/** Drifted nodes in flight, by domain, the one that started first at the front. An offer is not progress yet (C12). */
type Flights = ReadonlyMap<string | undefined, { readonly since: Instant; readonly nodes: readonly string[] }>;

/** A node started or finished by any actor is progress (C12). */
function withProgress(turn: Turn, flights: Flights, now: Instant): Turn {
  const inFlight = flights.get(turn.domain)?.nodes ?? [];
  const isSame = inFlight.length === turn.inFlight.length && inFlight.every((name) => turn.inFlight.includes(name));
  return isSame ? turn : { ...turn, inFlight, progressAt: now };
}

/** A wave or a halt that held the pool did not use patience: it counts from then on (C12, P3, P5). */
function afterWave(turn: Turn, waves: RollState | undefined): Turn {
  if (!waves?.roll) return turn;
  const { waveAt, resumedAt = waveAt } = waves.roll;
  const since = latest(waveAt, resumedAt);
  return since > turn.progressAt ? { ...turn, progressAt: since } : turn;
}

/** The recorded turn continues or settles; undefined = it passes (C12, C13). */
function continueTurn(recorded: Turn, flights: Flights, roll: TurnQuery): TurnState | undefined {
  const { budget, situation } = roll;
  const nodes = roll.tally.nodes.filter((view) => domainOf(view, recorded.topologyKey) === recorded.domain);
  const isGated = closedGates(nodes, situation.now).length > 0;
  const turn = markGated(recorded, isGated, situation.now);
  const state = { budget, inFlight: [...flights.keys()], holder: { domain: turn.domain } };
  if (flights.has(turn.domain)) return { ...state, turn: markWell(turn, undefined) };
  // Passed by `lull turn pass`, healthy or not (C12).
  if (turn.passAsked !== undefined) return undefined;
  const patience = roll.waves?.isFull ? undefined : patienceEndsAt(turn, roll);
  if (isLeft(turn, roll) && (isGated || patience === undefined || situation.now < patience)) {
    return { ...state, turn: markWell(turn, undefined), ...defined({ changesAt: isGated ? undefined : patience }) };
  }
  const { wellSince, settling, changesAt } = settle(turn, budget.settle, { nodes, since: turn.takenAt, situation });
  if (!settling) return undefined;
  return { ...state, turn: markWell(turn, wellSince), settling, ...defined({ changesAt }) };
}

/** The same record if nothing changes, so that the ledger is not written. */
function markWell(turn: Turn, wellSince: Instant | undefined): Turn {
  if (turn.wellSince === wellSince) return turn;
  const { wellSince: _, ...rest } = turn;
  return wellSince === undefined ? rest : { ...rest, wellSince };
}

/** Patience does not run while a gate holds the domain, and starts again when it opens (C12, O4). */
function markGated(turn: Turn, isGated: boolean, now: Instant): Turn {
  if (isGated === (turn.gatedSince !== undefined)) return turn;
  const { gatedSince: _, ...rest } = turn;
  return isGated ? { ...rest, gatedSince: now } : { ...rest, progressAt: now };
}

const isLeft = ({ topologyKey, domain }: Turn, { drifted }: TurnQuery): boolean =>
  drifted.some(({ view }) => domainOf(view, topologyKey) === domain);

/** The next domain: one with drift in flight, else that of the oldest candidate (C11 (2) and (3)). */
function nextTurn(passed: Turn | undefined, flights: Flights, roll: TurnQuery): TurnState {
  const { budget, tally, situation, drifted } = roll;
  const inFlight = [...flights.keys()];
  const passedOver = passed ? withLeftBehind(passed, roll) : [];
  const holder = inFlight.length > 0 ? { domain: inFlight[0] } : oldestCandidate(roll, passedOver);
  const isOpen = inFlight.length > 0 || openByBudgets(tally.pool, 'Drifted').isOpen(situation.now);
  if (holder && isOpen)
    return { budget, inFlight, holder, turn: takeTurn(holder.domain, passedOver, { roll, flights }) };
  // No domain can take the turn now: keep it with its record while there are drifted nodes.
  if (passed && drifted.length > 0) return { budget, inFlight, holder: { domain: passed.domain }, turn: passed };
  // While the pool is frozen the choice is only shown: it may differ when the freeze ends.
  return { budget, inFlight, ...(holder && { holder }) };
}

const withLeftBehind = (turn: Turn, roll: TurnQuery): readonly (string | null)[] =>
  isLeft(turn, roll) ? [...new Set([...turn.passedOver, turn.domain ?? null])] : turn.passedOver;

function takeTurn(
  domain: string | undefined,
  passedOver: Turn['passedOver'],
  { roll: { tally, budget, situation }, flights }: { roll: TurnQuery; flights: Flights },
): Turn {
  const topologyKey = budget.topologyKey;
  const unready = tally.nodes.filter((view) => domainOf(view, topologyKey) === domain && !view.state.ready);
  return {
    pool: tally.pool.name,
    topologyKey,
    ...(domain !== undefined && { domain }),
    takenAt: situation.now,
    progressAt: situation.now,
    inFlight: flights.get(domain)?.nodes ?? [],
    unreadyAtStart: unready.map(({ node }) => node.name),
    replacements: [],
    expected: [],
    passedOver,
  };
}

/** By domain: drift commands and drifted nodes being deleted (C11). */
function findFlights({ tally, budget, drifted, situation }: TurnQuery): Flights {
  const topologyKey = budget.topologyKey;
  const flights = new Map<string | undefined, { since: Instant; nodes: string[] }>();
  for (const { name, view, since, command } of findDriftFlights(tally, drifted, situation)) {
    const taken = command?.nodes.find((node) => node.name === name) ?? { name };
    const domain = view ? domainOf(view, topologyKey) : domainOfTaken(taken, topologyKey, situation);
    const known = flights.get(domain) ?? { since, nodes: [] };
    const begun = command?.step === 'offered' || command?.step === 'withdrawn' ? [] : [name];
    flights.set(domain, { since: asInstant(Math.min(since, known.since)), nodes: [...known.nodes, ...begun] });
  }
  return new Map([...flights].sort(([a, first], [b, second]) => first.since - second.since || compareDomains(a, b)));
}

/** The domain of the oldest candidate (C11 (3)). Nodes without the label come after others (C14), domains that were passed over last. */
function oldestCandidate({ candidates, budget }: TurnQuery, passedOver: Turn['passedOver']): TurnState['holder'] {
  const topologyKey = budget.topologyKey;
  const rank = ({ view }: Wish): number => {
    const domain = domainOf(view, topologyKey);
    return (passedOver.includes(domain ?? null) ? 2 : 0) + (domain === undefined ? 1 : 0);
  };
  const [oldest] = [...candidates].sort(
    (a, b) => rank(a) - rank(b) || a.since - b.since || compareText(a.view.node.name, b.view.node.name),
  );
  return oldest && { domain: domainOf(oldest.view, topologyKey) };
}

/** A pool that opens for one minute a day uses an hour of patience in 60 openings; more openings than this are not followed. */
const maxOpenings = 1000;

/** The budget whose patience is measured, and the pool's hours. */
interface PatienceQuery {
  readonly budget: Budget;
  readonly tally: Pick<PoolTally, 'pool' | 'nodes'>;
}

/** When patience runs out; undefined = not while the pool stays closed. */
export const patienceEndsAt = (turn: Turn, { budget, tally }: PatienceQuery): Instant | undefined =>
  walk(turn, budget, openHours(tally.pool, tally.nodes, 'Drifted'));

/** Independent of the current instant, so it is computed once per recorded turn. */
const walk = memo((turn: Turn, budget: Budget, hours: Window): Instant | undefined => {
  let left = budget.patience;
  let at: Instant | undefined = turn.progressAt;
  for (let openings = 0; at !== undefined && openings < maxOpenings; openings++) {
    if (!hours.isOpen(at)) at = hours.nextChange(at);
    if (at === undefined) return undefined;
    const closes: Instant | undefined = hours.nextChange(at);
    if (closes === undefined || closes - at >= left) return after(at, left);
    left = asDuration(left - (closes - at));
    at = closes;
  }
  return undefined;
});
