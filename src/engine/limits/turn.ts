// Whose domain is it (C11)? One domain at a time is rolled for drift; the turn is recorded until it passes (C12, C13).
import type { Turn } from '../../cluster/ledger.ts';
import type { Budget } from '../../cluster/model.ts';
import { compareText } from '../../cluster/nodeView.ts';
import { after, type Instant } from '../../time/instant.ts';
import type { InFlight } from '../situation.ts';
import type { Wish } from '../wish.ts';
import { compareDomains, domainOf, domainOfTaken } from './domains.ts';
import { patienceEndsAt } from './patience.ts';
import { openByBudgets } from './poolHours.ts';
import type { Roll } from './roll.ts';
import { findUnwell } from './wellness.ts';

export interface TurnState {
  readonly budget: Budget;
  /** Whose turn it is; absent = nobody's, since nothing could go. */
  readonly holder?: { readonly domain: string | undefined };
  /** The record to keep; absent where there is nothing to remember. */
  readonly turn?: Turn;
  /** C13: the holder has had its turn, but is not well yet, or not for long enough. */
  readonly settling?: Settling;
  /** Domains with drift in flight, the one begun first at the front. */
  readonly inFlight: readonly (string | undefined)[];
  /** The next instant at which time alone moves the turn on. */
  readonly changesAt?: Instant;
}

export interface Settling {
  /** What is not well, in sentences. Empty = it is well, and `settle` runs. */
  readonly unwell: readonly string[];
  readonly until?: Instant;
}

export function openTurn(roll: Roll): TurnState {
  const flights = findFlights(roll);
  const { pool } = roll.tally;
  const topologyKey = roll.budget.topologyKey as string;
  const recorded = roll.situation.ledger.turns.find((it) => it.pool === pool.name && it.topologyKey === topologyKey);
  const turn = recorded && withProgress(recorded, flights, roll.situation.now);
  return (turn && continueTurn(turn, flights, roll)) ?? nextTurn(turn, flights, roll);
}

/** Drift on its way out, by domain: the one begun first at the front. C12: what is only offered is no progress yet. */
type Flights = ReadonlyMap<string | undefined, { readonly since: Instant; readonly nodes: readonly string[] }>;

/** C12: a node that was started or is finished, by whomever, is progress. */
function withProgress(turn: Turn, flights: Flights, now: Instant): Turn {
  const inFlight = flights.get(turn.domain)?.nodes ?? [];
  const isSame = inFlight.length === turn.inFlight.length && inFlight.every((name) => turn.inFlight.includes(name));
  return isSame ? turn : { ...turn, inFlight, progressAt: now };
}

/** C12, C13: the recorded turn goes on or settles; undefined = it passes. */
function continueTurn(turn: Turn, flights: Flights, roll: Roll): TurnState | undefined {
  const { budget, situation } = roll;
  const state = { budget, inFlight: [...flights.keys()], holder: { domain: turn.domain } };
  if (flights.has(turn.domain)) return { ...state, turn: markWell(turn, undefined) };
  // C12: passed by hand, well or not.
  if (turn.passAsked !== undefined) return undefined;
  const patience = patienceEndsAt(turn, roll);
  if (isLeft(turn, roll) && (patience === undefined || situation.now < patience)) {
    return { ...state, turn: markWell(turn, undefined), ...(patience !== undefined && { changesAt: patience }) };
  }
  const unwell = findUnwell(turn, roll);
  if (unwell.length > 0) return { ...state, turn: markWell(turn, undefined), settling: { unwell } };
  const wellSince = turn.wellSince ?? situation.now;
  const until = after(wellSince, budget.settle);
  if (situation.now >= until) return undefined;
  // Only what is recorded can be promised: until it is, the next look begins to count anew.
  const settling = { unwell, ...(turn.wellSince !== undefined && { until }) };
  return { ...state, turn: markWell(turn, wellSince), settling, changesAt: until };
}

/** The same record where nothing changes, so that nothing is written. */
function markWell(turn: Turn, wellSince: Instant | undefined): Turn {
  if (turn.wellSince === wellSince) return turn;
  const { wellSince: _, ...rest } = turn;
  return wellSince === undefined ? rest : { ...rest, wellSince };
}

const isLeft = ({ topologyKey, domain }: Turn, { drifted }: Roll): boolean =>
  drifted.some(({ view }) => domainOf(view, topologyKey) === domain);

/** C11 (2) and (3). */
function nextTurn(passed: Turn | undefined, flights: Flights, roll: Roll): TurnState {
  const { budget, tally, situation, drifted } = roll;
  const inFlight = [...flights.keys()];
  const passedOver = passed ? withLeftBehind(passed, roll) : [];
  const holder = inFlight.length > 0 ? { domain: inFlight[0] } : oldestCandidate(roll, passedOver);
  const isOpen = inFlight.length > 0 || openByBudgets(tally.pool, 'Drifted').isOpen(situation.now);
  if (holder && isOpen)
    return { budget, inFlight, holder, turn: takeTurn(holder.domain, passedOver, { roll, flights }) };
  // Nobody to pass it to now: it is kept, with what it remembers, as long as there is something to roll.
  if (passed && drifted.length > 0) return { budget, inFlight, holder: { domain: passed.domain }, turn: passed };
  // While the pool is frozen the choice is only shown: it may be another one when the freeze ends.
  return { budget, inFlight, ...(holder && { holder }) };
}

const withLeftBehind = (turn: Turn, roll: Roll): readonly (string | null)[] =>
  isLeft(turn, roll) ? [...new Set([...turn.passedOver, turn.domain ?? null])] : turn.passedOver;

function takeTurn(
  domain: string | undefined,
  passedOver: Turn['passedOver'],
  { roll: { tally, budget, situation }, flights }: { roll: Roll; flights: Flights },
): Turn {
  const topologyKey = budget.topologyKey as string;
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

/** C11: drift commands and deleting drifted nodes; other reasons only consume. */
function findFlights({ tally, budget, drifted, situation }: Roll): Flights {
  const topologyKey = budget.topologyKey as string;
  const flights = new Map<string | undefined, { since: Instant; nodes: string[] }>();
  const note = (domain: string | undefined, name: string, { since, command }: InFlight) => {
    const known = flights.get(domain) ?? { since, nodes: [] };
    const begun = command?.step === 'offered' || command?.step === 'withdrawn' ? [] : [name];
    flights.set(domain, { since: since < known.since ? since : known.since, nodes: [...known.nodes, ...begun] });
  };
  const isDrifted = new Set(drifted.map(({ view }) => view.node.name));
  for (const view of tally.nodes) {
    const { name } = view.node;
    const leaving = situation.inFlight.get(name);
    if (leaving && (leaving.reason ? leaving.reason === 'Drifted' : isDrifted.has(name))) {
      note(domainOf(view, topologyKey), name, leaving);
    }
  }
  const present = new Set(tally.nodes.map(({ node }) => node.name));
  for (const command of situation.ledger.commands) {
    if (command.reason !== 'Drifted' || command.pool !== tally.pool.name) continue;
    for (const node of command.nodes) {
      if (present.has(node.name)) continue;
      note(domainOfTaken(node, topologyKey, situation), node.name, { since: command.startedAt, command });
    }
  }
  return new Map([...flights].sort(([a, first], [b, second]) => first.since - second.since || compareDomains(a, b)));
}

/** C11 (3). The unlabelled domain comes last (C14), and what was passed over waits until the others are done. */
function oldestCandidate({ candidates, budget }: Roll, passedOver: Turn['passedOver']): TurnState['holder'] {
  const topologyKey = budget.topologyKey as string;
  const rank = ({ view }: Wish): number => {
    const domain = domainOf(view, topologyKey);
    return (passedOver.includes(domain ?? null) ? 2 : 0) + (domain === undefined ? 1 : 0);
  };
  const [oldest] = [...candidates].sort(
    (a, b) => rank(a) - rank(b) || a.since - b.since || compareText(a.view.node.name, b.view.node.name),
  );
  return oldest && { domain: domainOf(oldest.view, topologyKey) };
}
