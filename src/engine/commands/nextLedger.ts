// What must be remembered after this round (G2)? The same object as before where nothing was started or advanced.
import { type Command, type Ledger, maxCommands, type Turn } from '../../cluster/ledger.ts';
import { compareText } from '../../cluster/nodeView.ts';
import type { Cluster } from '../../cluster/store.ts';
import { after, hour } from '../../time/instant.ts';
import { domainOfTaken } from '../limits/domains.ts';
import type { Limits } from '../limits/limits.ts';
import type { Situation } from '../situation.ts';
import type { Advanced } from './advance.ts';
import { nextBackoffs } from './backoffs.ts';
import { withExpected } from './expected.ts';
import type { Started } from './start.ts';

/** What was done in this round. */
export interface Done {
  readonly advanced: Advanced;
  readonly started: readonly Started[];
}

export function nextLedger(situation: Situation, limits: Limits, done: Done): Ledger {
  const { ledger } = situation;
  const { advanced, started } = done;
  const turns = nextTurns(situation, limits, done);
  const backoffs = nextBackoffs(situation, advanced);
  const declined = nextDeclined(situation, advanced);
  const sameTurns = turns.length === ledger.turns.length && turns.every((turn, index) => turn === ledger.turns[index]);
  const sameCommands = started.length === 0 && advanced.commands === ledger.commands;
  if (sameCommands && sameTurns && backoffs === ledger.backoffs && declined === ledger.declined) return ledger;
  return {
    ...ledger,
    commands: [...advanced.commands, ...started.map(({ command }) => command)],
    turns,
    backoffs,
    ...(declined && { declined }),
  };
}

/** Old enough to be tried again like any other. */
const longestMemory = hour;

/** N3: those that Karpenter passed by, the last at the end. The same list where nothing changes. */
function nextDeclined({ ledger, cluster, now }: Situation, { declined }: Advanced): Ledger['declined'] {
  if (declined.length === 0) return ledger.declined;
  const others = (ledger.declined ?? []).filter(
    ({ node, at }) => !declined.includes(node) && cluster.node(node) && now < after(at, longestMemory),
  );
  return [...others, ...declined.map((node) => ({ node, at: now }))].slice(-maxCommands);
}

/** Turns are kept while their pool has a sequential budget over their label, active now or not. */
function nextTurns(situation: Situation, { topology }: Limits, done: Done): readonly Turn[] {
  const { ledger, cluster } = situation;
  const open = [...topology.pools.values()].flatMap(({ turn }) => turn ?? []);
  const isOpen = ({ pool, topologyKey }: Turn): boolean =>
    topology.pools.get(pool)?.turn?.budget.topologyKey === topologyKey;
  const isMeant = ({ pool, topologyKey }: Turn): boolean =>
    cluster.pools.get(pool)?.budgets.some((budget) => budget.sequential && budget.topologyKey === topologyKey) ?? false;
  const resting = ledger.turns.filter((turn) => !isOpen(turn) && isMeant(turn));
  // C12, C13: what is begun under other budgets, while its own is off, counts for a turn all the same.
  return [...resting, ...open.flatMap(({ turn }) => turn ?? [])]
    .map((turn) => withExpected(withStarts(turn, done, situation), emptying(turn, done, cluster), cluster))
    .sort((a, b) => compareText(a.pool, b.pool) || compareText(a.topologyKey, b.topologyKey));
}

/** In guide nobody tells when Karpenter evicts the first pod: what it may take is counted when it is offered. */
function emptying(turn: Turn, { advanced, started }: Done, cluster: Cluster): readonly Command[] {
  const offered = started.flatMap(({ command }) => (command.hands === 'karpenter' ? [command] : []));
  return [...advanced.emptying, ...offered].filter((command) => isOf(turn, command, cluster));
}

function withStarts(turn: Turn, { started, advanced }: Done, { cluster, now }: Situation): Turn {
  const mine = started.filter(({ command }) => isOf(turn, command, cluster));
  // Once a replacement is Initialized its node is looked at with all others of the domain.
  const awaited = turn.replacements.filter(
    (name) => cluster.claim(name)?.conditions.Initialized?.status !== 'True' && !advanced.undone.has(name),
  );
  if (mine.length === 0) return awaited.length === turn.replacements.length ? turn : { ...turn, replacements: awaited };
  const { wellSince: _, ...rest } = turn;
  // C12: an offer is no progress before it is taken.
  if (mine.every(({ command }) => command.hands === 'karpenter')) return { ...rest, replacements: awaited };
  const launched = mine.flatMap(({ command }) => command.replacements.map(({ name }) => name));
  const leaving = mine.flatMap(({ command }) => command.nodes.map(({ name }) => name));
  return {
    ...rest,
    progressAt: now,
    inFlight: [...turn.inFlight, ...leaving].sort(compareText),
    replacements: [...awaited, ...launched],
  };
}

const isOf = (turn: Turn, { reason, pool, nodes }: Command, cluster: Cluster): boolean =>
  reason === 'Drifted' &&
  pool === turn.pool &&
  nodes.some((node) => domainOfTaken(node, turn.topologyKey, { cluster }) === turn.domain);
