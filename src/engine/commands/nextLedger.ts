// The ledger after a round (G2): commands, turns and waves with the pods they wait for (C13, P3), back-offs (F4), declined offers (N3),
// templates (P7), starts (P1).
import {
  type Backoff,
  type Command,
  type Ledger,
  maxCommands,
  type Roll,
  type Settlement,
  type Turn,
} from '../../cluster/ledger.ts';
import type { Pod } from '../../cluster/model.ts';
import { compareText, type NodeView } from '../../cluster/nodeView.ts';
import type { Settings } from '../../cluster/settings.ts';
import type { Cluster } from '../../cluster/store.ts';
import { countRunning, nameOfWorkload, workloadOf } from '../../cluster/workload.ts';
import { after, asDuration, type Duration, hour, type Instant, minute } from '../../time/instant.ts';
import { domainOfTaken } from '../limits/domains.ts';
import type { Limits } from '../limits/limits.ts';
import { hasLaunched, startOf } from '../shortage.ts';
import type { Situation } from '../situation.ts';
import { nextTemplates } from '../wishes/driftAge.ts';
import type { StartedCommand } from '../wishOutcome.ts';
import type { AdvancedCommands } from './advance.ts';

/** The commands that this round advanced and started. */
export interface RoundActivity {
  readonly advanced: AdvancedCommands;
  readonly started: readonly StartedCommand[];
}

export function nextLedger(situation: Situation, limits: Limits, done: RoundActivity): Ledger {
  const { ledger } = situation;
  const { advanced, started } = done;
  const turns = nextTurns(situation, limits, done);
  const backoffs = nextBackoffs(situation, advanced);
  const declined = nextDeclined(situation, advanced);
  const templates = nextTemplates(situation);
  // Observe writes no ledger.
  const starts = situation.settings.role === 'observe' ? ledger.starts : limits.starts.records;
  const rolls = nextRolls(situation, limits, done);
  const sameTurns = turns.length === ledger.turns.length && turns.every((turn, index) => turn === ledger.turns[index]);
  const sameCommands = started.length === 0 && advanced.commands === ledger.commands;
  const sameMemory =
    backoffs === ledger.backoffs &&
    declined === ledger.declined &&
    templates === ledger.templates &&
    starts === ledger.starts &&
    rolls === ledger.rolls;
  if (sameCommands && sameTurns && sameMemory) return ledger;
  return {
    ...ledger,
    commands: [...advanced.commands, ...started.map(({ command }) => command)],
    turns,
    backoffs,
    ...(declined && { declined }),
    ...(templates && { templates }),
    ...(starts && { starts }),
    ...(rolls && { rolls }),
  };
}

/** After this time a declined node is ordered like any other. */
const longestMemory = hour;

/** Nodes that Karpenter declined, the latest last (N3). The same list if nothing changes. */
function nextDeclined({ ledger, cluster, now }: Situation, { declined }: AdvancedCommands): Ledger['declined'] {
  if (declined.length === 0) return ledger.declined;
  const others = (ledger.declined ?? []).filter(
    ({ node, at }) => !declined.includes(node) && cluster.node(node) && now < after(at, longestMemory),
  );
  return [...others, ...declined.map((node) => ({ node, at: now }))].slice(-maxCommands);
}

/** A turn is kept as long as its pool has a sequential budget for its label, active or not. */
function nextTurns(situation: Situation, { topology }: Limits, done: RoundActivity): readonly Turn[] {
  const { ledger, cluster } = situation;
  const open = [...topology.pools.values()].flatMap(({ turn }) => turn ?? []);
  const isOpen = ({ pool, topologyKey }: Turn): boolean =>
    topology.pools.get(pool)?.turn?.budget.topologyKey === topologyKey;
  const isMeant = ({ pool, topologyKey }: Turn): boolean =>
    cluster.pools.get(pool)?.budgets.some((budget) => budget.sequential && budget.topologyKey === topologyKey) ?? false;
  const resting = ledger.turns.filter((turn) => !isOpen(turn) && isMeant(turn));
  // Commands that start while the turn's own budget is inactive count for the turn as well (C12, C13).
  return [...resting, ...open.flatMap(({ turn }) => turn ?? [])]
    .map((turn) => {
      const isMine = (command: Command): boolean => isOf(turn, command, cluster);
      return withExpected(withStarts(turn, done, situation), emptying(isMine, done), cluster);
    })
    .sort((a, b) => compareText(a.pool, b.pool) || compareText(a.topologyKey, b.topologyKey));
}

/** A roll is kept until its last wave has settled; the same list if nothing changes (P4). */
function nextRolls({ ledger, cluster }: Situation, { rolls }: Limits, done: RoundActivity): Ledger['rolls'] {
  const known = ledger.rolls ?? [];
  const next = [...rolls.pools.values()]
    .flatMap(({ roll }) => roll ?? [])
    .map((roll) => {
      const isOfRoll = ({ reason, pool }: Command): boolean => reason === 'Drifted' && pool === roll.pool;
      return withExpected(withRollStarts(roll, done, { isOfRoll, cluster }), emptying(isOfRoll, done), cluster);
    })
    .sort((a, b) => compareText(a.pool, b.pool));
  const isSame = next.length === known.length && next.every((roll, index) => roll === known[index]);
  return isSame ? ledger.rolls : next;
}

function withRollStarts(
  roll: Roll,
  { started, advanced }: RoundActivity,
  { isOfRoll, cluster }: { isOfRoll: (command: Command) => boolean; cluster: Cluster },
): Roll {
  const mine = started.map(({ command }) => command).filter(isOfRoll);
  const awaited = awaitedOf(roll, advanced, cluster);
  const failures = advanced.driftFailures.get(roll.pool) ?? 0;
  const known = failures > 0 ? { ...roll, failures: (roll.failures ?? 0) + failures } : roll;
  if (mine.length === 0)
    return awaited.length === roll.replacements.length ? known : { ...known, replacements: awaited };
  const { wellSince: _, ...rest } = known;
  const leaving = mine.flatMap(({ nodes }) => nodes.map(({ name }) => name));
  return {
    ...rest,
    inFlight: [...new Set([...roll.inFlight, ...leaving])].sort(compareText),
    replacements: [...awaited, ...mine.flatMap(({ replacements }) => replacements.map(({ name }) => name))],
  };
}

/** Once a replacement is Initialized, its node is checked with all others. */
const awaitedOf = ({ replacements }: Settlement, { undone }: AdvancedCommands, cluster: Cluster): readonly string[] =>
  replacements.filter((name) => cluster.claim(name)?.conditions.Initialized?.status !== 'True' && !undone.has(name));

/** In guide Lull does not know when Karpenter evicts the first pod, so pods are counted when the node is offered. */
function emptying(isMine: (command: Command) => boolean, { advanced, started }: RoundActivity): readonly Command[] {
  const offered = started.flatMap(({ command }) => (command.hands === 'karpenter' ? [command] : []));
  return [...advanced.emptying, ...offered].filter(isMine);
}

function withStarts(turn: Turn, { started, advanced }: RoundActivity, { cluster, now }: Situation): Turn {
  const mine = started.filter(({ command }) => isOf(turn, command, cluster));
  const awaited = awaitedOf(turn, advanced, cluster);
  if (mine.length === 0) return awaited.length === turn.replacements.length ? turn : { ...turn, replacements: awaited };
  const { wellSince: _, ...rest } = turn;
  // An offer is not progress until Karpenter takes it (C12).
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

// Pods that must run again before the turn or the wave passes (C13): for each workload that loses pods, as many as ran before.

/** The same record if no workload is new. */
export function withExpected<Kept extends Settlement>(
  record: Kept,
  emptying: readonly Command[],
  cluster: Cluster,
): Kept {
  const known = new Set(record.expected.map(({ owner }) => owner));
  const fresh = new Map<string, string | undefined>();
  for (const { nodes } of emptying) {
    for (const { name } of nodes) {
      const view = cluster.node(name);
      for (const pod of view?.reschedulable ?? []) {
        const workload = workloadOf(pod);
        if (workload !== undefined && !known.has(workload)) fresh.set(workload, view && pdbOver(pod, view));
      }
    }
  }
  if (fresh.size === 0) return record;
  const counted = [...fresh.keys()].sort(compareText).map((owner) => {
    const pdb = fresh.get(owner);
    return { owner, name: nameOfWorkload(owner), running: countRunning(owner, cluster.nodes), ...(pdb && { pdb }) };
  });
  return { ...record, expected: [...record.expected, ...counted] };
}

function pdbOver(pod: Pod, { guarded }: NodeView): string | undefined {
  const mine = guarded.find(({ pods }) => pods.includes(pod))?.box.pdb;
  return mine && `${mine.namespace}/${mine.name}`;
}

// The back-off of a pool whose replacements keep failing (F4): one minute, doubled each time, at most ten.

const firstDelay = minute;
const longestDelay = asDuration(10 * minute);

const quietTime = asDuration(10 * minute);

export interface ReplacementResults {
  readonly failed: ReadonlySet<string>;
  readonly arrived: ReadonlySet<string>;
}

/** Ten quiet minutes after the time in which another attempt would have failed. */
export const forgottenAt = ({ until }: Backoff, { replacementTimeout }: Settings): Instant =>
  after(until, asDuration(replacementTimeout + quietTime));

/** The same list if nothing changes. */
export function nextBackoffs(
  { ledger, now, settings, cluster }: Situation,
  { failed, arrived }: ReplacementResults,
): readonly Backoff[] {
  const known = ledger.backoffs;
  // In guide Karpenter launches: a node of the pool that has come up since shows that it can again.
  const isOver = (it: Backoff): boolean =>
    arrived.has(it.pool) ||
    (settings.role === 'guide' &&
      hasLaunched(it.pool, { since: startOf(it), zones: [], stage: 'Initialized' }, cluster));
  const kept = known.filter((it) => !failed.has(it.pool) && !isOver(it) && now < forgottenAt(it, settings));
  if (kept.length === known.length && failed.size === 0) return known;
  const lastOf = (pool: string): Backoff | undefined =>
    known.find((it) => it.pool === pool && now < forgottenAt(it, settings));
  return [...kept, ...[...failed].sort().map((pool) => failedAgain(pool, lastOf(pool), now))];
}

function failedAgain(pool: string, last: Backoff | undefined, now: Instant): Backoff {
  const delay = nextDelay(last, now);
  return { pool, delay, until: after(now, delay) };
}

/** An attempt that fails during the back-off started before it: it is the same failure and does not double the delay. */
function nextDelay(last: Backoff | undefined, now: Instant): Duration {
  if (!last) return firstDelay;
  return now < last.until ? last.delay : asDuration(Math.min(2 * last.delay, longestDelay));
}
