// What must be remembered after this round (G2)? The same object as before where nothing was started or advanced.
import type { Command, Ledger, Turn } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import type { Limits } from '../limits/limits.ts';
import type { Situation } from '../situation.ts';
import type { Started } from './start.ts';

export function nextLedger(situation: Situation, limits: Limits, started: readonly Started[]): Ledger {
  const { ledger, now } = situation;
  const turns = nextTurns(situation, limits, started);
  const backoffs = ledger.backoffs.filter(({ until }) => now < until);
  const sameTurns = turns.length === ledger.turns.length && turns.every((turn, index) => turn === ledger.turns[index]);
  if (started.length === 0 && sameTurns && backoffs.length === ledger.backoffs.length) return ledger;
  return {
    version: 1,
    commands: [...ledger.commands, ...started.map(({ command }) => command)],
    turns,
    backoffs,
  };
}

/** Turns are kept while their pool has a sequential budget over their label, active now or not. */
function nextTurns(situation: Situation, { topology }: Limits, started: readonly Started[]): readonly Turn[] {
  const { ledger, cluster } = situation;
  const open = [...topology.pools.values()].flatMap(({ turn }) => turn ?? []);
  const isOpen = ({ pool, topologyKey }: Turn): boolean =>
    topology.pools.get(pool)?.turn?.budget.topologyKey === topologyKey;
  const isMeant = ({ pool, topologyKey }: Turn): boolean =>
    cluster.pools.get(pool)?.budgets.some((budget) => budget.sequential && budget.topologyKey === topologyKey) ?? false;
  const resting = ledger.turns.filter((turn) => !isOpen(turn) && isMeant(turn));
  const moved = open.flatMap(({ turn }) => (turn ? [withStarts(turn, started, situation)] : []));
  return [...resting, ...moved].sort(
    (a, b) => compareText(a.pool, b.pool) || compareText(a.topologyKey, b.topologyKey),
  );
}

function withStarts(turn: Turn, started: readonly Started[], { cluster, now }: Situation): Turn {
  const mine = started.filter(({ command }) => isOf(turn, command));
  // Once a replacement is Initialized its node is looked at with all others of the domain.
  const awaited = turn.replacements.filter((name) => cluster.claim(name)?.conditions.Initialized?.status !== 'True');
  if (mine.length === 0) return awaited.length === turn.replacements.length ? turn : { ...turn, replacements: awaited };
  const { wellSince: _, ...rest } = turn;
  const launched = mine.flatMap(({ command }) => command.replacements.map(({ name }) => name));
  const leaving = mine.flatMap(({ command }) => command.nodes.map(({ name }) => name));
  return {
    ...rest,
    progressAt: now,
    inFlight: [...turn.inFlight, ...leaving].sort(compareText),
    replacements: [...awaited, ...launched],
  };
}

const isOf = (turn: Turn, { reason, pool, nodes }: Command): boolean =>
  reason === 'Drifted' && pool === turn.pool && nodes.some(({ domain }) => domain === turn.domain);
