// The differences between two rounds: what began, changed or ended. Events, log lines and counters are made from them.
// An entry has changed if its code, owner or step has, never because a number or an instant in a message has.
import type { Fault } from '../../cluster/fault.ts';
import type { Backoff, Command, Roll, Turn } from '../../cluster/ledger.ts';
import type { Pool } from '../../cluster/model.ts';
import { annotation } from '../../cluster/names.ts';
import type { Interruption } from '../interruptions.ts';
import type { Refusal } from '../refusal.ts';
import { lacksSafetyNet } from '../rules/safetyNet.ts';
import type { SlowClaim } from '../slowClaims.ts';
import type { CommandReport, EndedCommand, GateReport, PodReport, Verdict, WindowReport } from '../verdict.ts';
import { type DiffEntry, differencesOf, type EntryDifference } from './difference.ts';
import { type ForcedExpiry, forcedExpiries, type HeldToExpiry, heldToExpiry } from './forcedExpiry.ts';
import { codesIn, deferredPods, holdOf, isStuck, scheduleRefusals, waitingDrains } from './holds.ts';
import type { RoundWithFacts } from './roundWithFacts.ts';
import { type TurnProgress, turnOf } from './turnProgress.ts';

/** The kinds of entries of a round. */
interface Entries {
  fault: Fault;
  backoff: Backoff;
  slowClaim: SlowClaim;
  turn: Turn;
  /** A roll that is halted (P5). */
  halt: Roll;
  /** A domain that does not become healthy (C13). */
  stuckTurn: TurnProgress;
  /** A held node that Karpenter deleted at its expireAfter since the round before (N7). */
  forcedExpiry: ForcedExpiry;
  /** A node that Karpenter removes because of an interruption (N3). */
  interruption: Interruption;
  command: Command;
  window: WindowReport;
  gate: GateReport;
  /** A drain that waits (G7). */
  drain: CommandReport;
  /** A pod whose schedule keeps it on a node that is being drained (E9). */
  deferredPod: PodReport;
  /** A wish that is held; in observe also one that may go. */
  wish: Verdict;
  /** A node that may go in observe, or that a person holds (`hold`). */
  singled: { readonly verdict: Verdict; readonly hold?: Refusal };
  /** Marks of a Lull in guide or drive mode, seen in observe (N1). */
  leftMarks: Fault;
  /** A pool without a limit of Karpenter's own, in guide (C17). */
  noSafetyNet: Pool;
}

export type ChangeKind = keyof Entries;

/** An entry: its ID, the text that is compared, and its value in that round. */
type EntryRow<Kind extends ChangeKind> = readonly [id: string, says: string, value: Entries[Kind]];

/** An entry of some kind that began, ended or changed. */
export type RoundChange<Kind extends ChangeKind = ChangeKind> = {
  [Each in Kind]: EntryDifference<Entries[Each]> & { readonly kind: Each };
}[Kind];

/** The entries of a round, which the next round is compared with. */
export interface RoundSnapshot {
  readonly seen: RoundWithFacts;
  readonly entries: { readonly [Kind in ChangeKind]?: ReadonlyMap<string, DiffEntry<Entries[Kind]>> };
  /** By command ID: how commands ended that the ledger of this round still contains. */
  readonly ended: ReadonlyMap<string, EndedCommand>;
  /** Held nodes whose hard expiry approaches. */
  readonly expiring: HeldToExpiry;
}

type Collector<Kind extends ChangeKind> = (
  seen: RoundWithFacts,
  before: RoundSnapshot | undefined,
) => Iterable<EntryRow<Kind>>;

const leftMarksPath = `metadata.annotations[${annotation.parked}]`;

const collectors: { readonly [Kind in ChangeKind]: Collector<Kind> } = {
  fault: ({ round }) =>
    round.faults
      .filter(({ severity }) => severity !== 'info')
      .map((it) => [`${it.object} ${it.path} ${it.message}`, '', it]),
  backoff: ({ facts, now }) =>
    facts.ledger.backoffs.filter(({ until }) => now < until).map((it) => [it.pool, String(it.until), it]),
  slowClaim: ({ round }) =>
    (round.slowClaims ?? []).map((it) => {
      const stage = it.conditions.find(({ status }) => status !== 'True');
      return [it.claim, `${it.claim} ${stage?.type ?? ''} ${stage?.reason ?? ''}`, it];
    }),
  turn: ({ facts }) => facts.ledger.turns.map((it) => [`${it.pool} ${it.topologyKey}`, identifyTurn(it), it]),
  halt: ({ facts }) =>
    (facts.ledger.rolls ?? []).flatMap((it) => (it.haltedAt === undefined ? [] : [[it.pool, String(it.haltedAt), it]])),
  *stuckTurn(seen) {
    // Compute the turn only for pools with an unhealthy domain: they are few.
    const unwell = new Set(seen.round.domains.filter((it) => it.unwell).map(({ pool }) => pool));
    for (const name of unwell) {
      const pool = seen.facts.cluster.pools.get(name);
      const turn = pool && turnOf(pool, seen);
      if (turn?.state === 'SettleStuck' && turn.holder) yield [name, identifyTurn(turn.holder), turn];
    }
  },
  forcedExpiry: ({ round, facts }, before) =>
    before ? forcedExpiries(before.expiring, facts, round.at).map((it) => [it.claim, '', it]) : [],
  interruption: ({ round }) => (round.interruptions ?? []).map((it) => [it.node, it.message, it]),
  command: ({ facts }) => facts.ledger.commands.map((it) => [it.id, it.step, it]),
  window: ({ round }) => round.windows.map((it) => [`${it.kind} ${it.name}`, String(it.open), it]),
  // Recovering is closed still: it is not another event.
  gate: ({ round }) => (round.gates ?? []).map((it) => [it.name, it.state === 'recovering' ? 'closed' : it.state, it]),
  drain: ({ round }) => waitingDrains(round).map((it) => [it.id, `${isStuck(it)} ${codesIn(it.waitingFor ?? [])}`, it]),
  deferredPod: ({ round }) =>
    deferredPods(round).map((pod) => [`${pod.namespace}/${pod.name}`, codesIn(scheduleRefusals(pod)), pod]),
  *wish({ round, settings }) {
    for (const verdict of round.verdicts) {
      const says = holdOf(verdict, settings.role === 'observe');
      if (says !== undefined) yield [`${verdict.node} ${verdict.reason}`, says, verdict];
    }
  },
  *singled({ round, settings }) {
    for (const verdict of round.verdicts) {
      if (verdict.outcome === 'go' && settings.role === 'observe') yield [`go ${verdict.node}`, '', { verdict }];
      const hold = verdict.refusals.find(({ code }) => code === 'Held');
      if (hold) yield [`hold ${verdict.node}`, '', { verdict, hold }];
    }
  },
  leftMarks({ round, settings }) {
    const left = settings.role === 'observe' ? round.faults.find(({ path }) => path === leftMarksPath) : undefined;
    return left ? [['', '', left]] : [];
  },
  *noSafetyNet({ round, facts, settings }) {
    // In observe Lull limits nothing either: without a limit the pool behaves as its owner configured it.
    if (settings.role !== 'guide') return;
    for (const name of new Set(round.allowances.map(({ pool }) => pool))) {
      const pool = facts.cluster.pools.get(name);
      if (pool && lacksSafetyNet(pool, round.at)) yield [name, '', pool];
    }
  },
};

const identifyTurn = ({ topologyKey, domain, takenAt }: Turn): string => `${topologyKey} ${domain ?? ''} ${takenAt}`;

export interface RoundSnapshotOptions {
  readonly kinds: readonly ChangeKind[];
  /** Absent = all of them. */
  readonly mostFaults?: number;
}

/** The entries of a round, of the requested kinds. */
export function snapshotOf(
  before: RoundSnapshot | undefined,
  seen: RoundWithFacts,
  wanted: RoundSnapshotOptions,
): RoundSnapshot {
  const entries: RoundSnapshot['entries'] = Object.assign(
    {},
    ...wanted.kinds.map((kind) => ({ [kind]: entriesOf(kind, before, seen, wanted) })),
  );
  const ended = new Map(seen.round.ended.map((each) => [each.id, each]));
  return {
    seen,
    entries,
    // A command that ended disappears with the next ledger that is written.
    ended: before?.seen.facts.ledger === seen.facts.ledger ? new Map([...before.ended, ...ended]) : ended,
    expiring: wanted.kinds.includes('forcedExpiry') ? heldToExpiry(seen) : new Map(),
  };
}

function entriesOf<Kind extends ChangeKind>(
  kind: Kind,
  before: RoundSnapshot | undefined,
  seen: RoundWithFacts,
  { mostFaults = Number.POSITIVE_INFINITY }: RoundSnapshotOptions,
): ReadonlyMap<string, DiffEntry<Entries[Kind]>> | undefined {
  const isOfLedger = kind === 'command' || kind === 'turn';
  if (isOfLedger && before?.seen.facts.ledger === seen.facts.ledger) return before.entries[kind];
  const collect: Collector<Kind> = collectors[kind];
  const entries = new Map<string, DiffEntry<Entries[Kind]>>();
  for (const [id, says, value] of collect(seen, before)) {
    if (kind === 'fault' && entries.size >= mostFaults) break;
    entries.set(id, { says, value });
  }
  return entries;
}

/** In the order of the kinds, ended entries of a kind first. Without a previous round every entry begins. */
export function changesBetween(before: RoundSnapshot | undefined, after: RoundSnapshot): RoundChange[] {
  const kinds = Object.keys(collectors) as ChangeKind[];
  return kinds.flatMap((kind) => changesOf(kind, before, after));
}

function changesOf<Kind extends ChangeKind>(
  kind: Kind,
  before: RoundSnapshot | undefined,
  after: RoundSnapshot,
): RoundChange<Kind>[] {
  const are = after.entries[kind];
  return are ? differencesOf(before?.entries[kind], are).map((difference) => ({ ...difference, kind })) : [];
}

/** For each kind of change, how one output (events, log lines, counters) formats it. The order of the keys is the order of the output. */
export type ChangeFormatters<Said, Context> = {
  readonly [Kind in ChangeKind]?: (change: RoundChange<Kind>, context: Context) => readonly Said[];
};

export function formatChanges<Said, Context>(
  changes: readonly RoundChange[],
  words: ChangeFormatters<Said, Context>,
  context: Context,
): Said[] {
  const byKind = Map.groupBy(changes, ({ kind }) => kind);
  return kindsOf(words).flatMap((kind) =>
    (byKind.get(kind) ?? []).flatMap((change) => formatChange(change, words, context)),
  );
}

const formatChange = <Kind extends ChangeKind, Said, Context>(
  change: RoundChange<Kind>,
  words: ChangeFormatters<Said, Context>,
  context: Context,
): readonly Said[] => words[change.kind]?.(change, context) ?? [];

/** The kinds that an output formats. */
export const kindsOf = <Said, Context>(words: ChangeFormatters<Said, Context>): ChangeKind[] =>
  Object.keys(words) as ChangeKind[];
