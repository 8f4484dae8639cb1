// The log lines of `lull run`: how each change between two rounds is reported.
// Commands and turns are reported from the committed ledger, not from what was only decided: another controller may win the commit.

import { defined } from '../../cluster/defined.ts';
import type { Fault } from '../../cluster/fault.ts';
import type { Command, Ledger, Turn } from '../../cluster/ledger.ts';
import type { Settings } from '../../cluster/settings.ts';
import {
  type ChangeFormatters,
  changesBetween,
  formatChanges,
  kindsOf,
  type RoundChange,
  type RoundSnapshot,
  snapshotOf,
} from '../../engine/changes/changes.ts';
import { describeForcedExpiry } from '../../engine/changes/forcedExpiry.ts';
import type { RoundWithFacts } from '../../engine/changes/roundWithFacts.ts';
import { describeHalt } from '../../engine/limits/rollHalts.ts';
import { safetyNetOf } from '../../engine/rules/safetyNet.ts';
import type { SlowClaim } from '../../engine/slowClaims.ts';
import type { EndedCommand, GateReport, Round, WindowReport } from '../../engine/verdict.ts';
import { describeWorth } from '../../engine/why/commandWhy.ts';
import { describeSafetyNet } from '../../explain/describeLimit.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, between, type Instant, second } from '../../time/instant.ts';
import { count } from '../span.ts';
import type { LogEntry } from './liveLog.ts';

interface RoundLogOptions {
  readonly role: Settings['role'];
  /** Lull is not ready until everything that must be parked is parked. */
  readonly isParking?: boolean;
}

/** A log with more faults does not help; `lull lint` prints them all. */
const mostFaults = 50;

export class RoundLog {
  #before: RoundSnapshot | undefined;
  /** Whether the summary of the first round was logged. */
  #isOpened = false;

  /** A process that leads again has not seen what happened meanwhile. */
  restart(): void {
    this.#before = undefined;
    this.#isOpened = false;
  }

  next(
    round: Round,
    facts: RoundWithFacts['facts'],
    { role, isParking = false }: RoundLogOptions,
  ): readonly LogEntry[] {
    const before = this.#before;
    const seen = { round, facts, settings: { role }, now: round.at };
    const after = snapshotOf(before, seen, { kinds, mostFaults });
    this.#before = after;
    const isFirst = !this.#isOpened && !isParking;
    if (isFirst) this.#isOpened = true;
    const summary = isFirst ? [summaryOf(round, facts.ledger, facts.cluster.nodes.length)] : [];
    const changes = changesBetween(before, after);
    if (!before) return [...summary, ...formatChanges(changes, begun, seen)];
    const lost = changes.filter((it) => isLost(it, before, facts));
    const reported = changes.filter((it) => !lost.includes(it));
    return [
      ...summary,
      ...formatChanges(reported, { turn: turnWords, forcedExpiry: expiryWords, interruption: interruptionWords }, seen),
      ...(lost.length > 0 ? [lostEntry(lost.length)] : []),
      ...formatChanges(reported, { command: commandWords }, { seen, before }),
      ...formatChanges(changes, ended, seen),
      ...formatChanges(changes, begun, seen),
    ];
  }
}

function summaryOf({ verdicts, allowances }: Round, { commands }: Ledger, nodes: number): LogEntry {
  const pools = new Set(allowances.map(({ pool }) => pool)).size;
  const held = verdicts.filter(({ outcome }) => outcome === 'held').length;
  const underway = commands.length === 0 ? 'no command under way' : `${count(commands.length, 'command')} under way`;
  const text = `${count(nodes, 'node')}, ${count(pools, 'governed pool')}; ${held === 1 ? '1 wish' : `${held} wishes`} held, ${underway}`;
  return { kind: 'ready', text, nodes, pools, held, commands: commands.length };
}

/** Whether a command disappeared though nothing ended it and its nodes still exist (G2). If another Lull ended it, that one reported it. */
const isLost = ({ kind, was, is }: RoundChange, before: RoundSnapshot, { cluster }: RoundWithFacts['facts']): boolean =>
  kind === 'command' &&
  was !== undefined &&
  is === undefined &&
  isUnderway(was) &&
  !before.ended.has(was.id) &&
  was.nodes.every(({ name }) => cluster.node(name));

const commandWords = (
  { was, is }: RoundChange<'command'>,
  { seen, before }: { readonly seen: RoundWithFacts; readonly before: RoundSnapshot },
): LogEntry[] => {
  if (is) return [stepOf(is)];
  return was ? [endOf(was, before.ended.get(was.id), seen.round.at)] : [];
};

const expiryWords = ({ is }: RoundChange<'forcedExpiry'>): LogEntry[] =>
  is
    ? [
        {
          kind: 'expired',
          text: describeForcedExpiry(is),
          node: is.node,
          pool: is.pool,
          claim: is.claim,
          codes: is.refusals.map(({ code }) => code),
        },
      ]
    : [];

const interruptionWords = ({ is }: RoundChange<'interruption'>): LogEntry[] =>
  is
    ? [
        {
          kind: 'interrupted',
          text: `${is.node} of ${is.pool}: Karpenter removes it because of an interruption: ${is.message}`,
          node: is.node,
          pool: is.pool,
        },
      ]
    : [];

const isUnderway = ({ step }: Command): boolean => step !== 'withdrawn' && step !== 'released';

const lostEntry = (commands: number): LogEntry => ({
  kind: 'ledger',
  text: `${count(commands, 'command')} under way ${commands === 1 ? 'is' : 'are'} no longer in the DisruptionLedger, which someone else changed or deleted: Lull resumes what the cluster still shows of them`,
  commands,
});

const stepOf = (command: Command): LogEntry => ({
  kind: command.step,
  text: `${sayNodes(command)}${command.why === undefined ? worth(command) : `: ${command.why}`}`,
  ...fieldsOf(command),
});

function endOf(command: Command, ended: EndedCommand | undefined, now: Instant): LogEntry {
  const took = formatDuration(asDuration(Math.round(between(command.startedAt, now) / second) * second));
  // The reason was logged when it was withdrawn, and may no longer apply (N3).
  const why =
    command.step === 'withdrawn'
      ? 'Karpenter did not take it; it no longer counts against the limits'
      : (ended?.why ?? command.why);
  // If another Lull wrote the ledger, how the command ended is not known here.
  const kind = ended?.how ?? (isUnderway(command) ? 'gone' : 'released');
  const text =
    kind === 'gone'
      ? `${sayNodes(command)} after ${took}`
      : `${sayNodes(command)}: ${why ?? 'no longer to be disrupted'}`;
  return { kind, text, ...fieldsOf(command) };
}

const sayNodes = ({ nodes, pool, reason }: Command): string =>
  `${nodes.map(({ name }) => name).join(', ')} of ${pool} (${reason})`;

/** Savings are logged when a command begins. */
function worth(command: Command): string {
  const figures = command.step === 'chosen' || command.step === 'offered' ? describeWorth(command) : '';
  return figures === '' ? '' : `: ${figures}`;
}

const fieldsOf = ({ id, nodes, pool, reason, savings, podsMoved }: Command) => ({
  command: id,
  nodes: nodes.map(({ name }) => name),
  pool,
  reason,
  ...defined({ savings, podsMoved }),
});

function turnWords({ was, is }: RoundChange<'turn'>, { round, facts }: RoundWithFacts): LogEntry[] {
  if (is) {
    if (was && was.domain === is.domain) return [];
    return [turnEntry(is, `${is.domain ?? 'nodes without the label'} of pool ${is.pool} (${is.topologyKey})`)];
  }
  // A turn that was only forgotten (the ledger was lost) is taken again: its pool is not done.
  const isGoing = round.domains.some(
    ({ state, pool, topologyKey }) => state === 'turn' && pool === was?.pool && topologyKey === was.topologyKey,
  );
  if (!was || isGoing) return [];
  const became = facts.cluster.pools.has(was.pool) ? 'is done' : 'is deleted';
  return [turnEntry(was, `pool ${was.pool} ${became}: no domain has the turn (${was.topologyKey})`)];
}

const turnEntry = ({ pool, topologyKey, domain }: Turn, text: string): LogEntry =>
  defined({ kind: 'turn', text, pool, topologyKey, domain });

/** Log lines for the beginning of a state. */
const begun: ChangeFormatters<LogEntry, RoundWithFacts> = {
  singled({ is }) {
    if (!is) return [];
    const { node, pool, reason } = is.verdict;
    return is.hold
      ? [{ kind: 'hold', text: `${node}: ${is.hold.message}`, node }]
      : [{ kind: 'may-go', text: `${node} of ${pool} (${reason})`, node, pool, reason }];
  },
  window: ({ is }) => (is?.open ? [windowEntry('open', is)] : []),
  gate: ({ is, says }) => (is && says !== 'open' ? [gateEntry(says, is)] : []),
  slowClaim: ({ was, is }) => (is && !was ? [slowEntry('slow', is, is.message)] : []),
  halt: ({ is }) => (is ? [{ kind: 'halted', text: describeHalt(is, undefined), pool: is.pool }] : []),
  // One line for all nodes, however many there are (N1).
  leftMarks: ({ is }) => (is ? [{ kind: 'marks', text: is.message }] : []),
  fault: ({ is }) => (is ? [faultEntry('fault', is, `: ${is.message}`)] : []),
  noSafetyNet({ is }, { round: { at } }) {
    if (!is) return [];
    const limit = describeSafetyNet(safetyNetOf(is, at), at);
    const text = `pool ${is.name} has no safety net: while Lull is not running, Karpenter follows spec.disruption.budgets (${limit}). Add a limit there that always applies, such as 10%`;
    return [{ kind: 'net', text, pool: is.name }];
  },
};

/** Log lines for the end of a state. */
const ended: ChangeFormatters<LogEntry, RoundWithFacts> = {
  singled({ was }) {
    const node = was?.hold && was.verdict.node;
    return node === undefined ? [] : [{ kind: 'hold', text: `${node} is no longer held by hand`, node }];
  },
  window: ({ was }) => (was?.open ? [windowEntry('closed', was)] : []),
  gate: ({ was, is }) => (was && was.state !== 'open' && is?.state === 'open' ? [gateEntry('open', is)] : []),
  slowClaim: ({ was, is }) =>
    was && !is ? [slowEntry('recovered', was, `NodeClaim ${was.claim} is ready or gone`)] : [],
  halt: ({ was, is }) =>
    was && !is
      ? [{ kind: 'resumed', text: `the roll of pool ${was.pool} is not halted any more`, pool: was.pool }]
      : [],
  leftMarks: ({ is }) =>
    is ? [] : [{ kind: 'marks', text: 'No node carries marks of an earlier role guide or drive any more.' }],
  fault: ({ was }) => (was ? [faultEntry('mended', was, '')] : []),
  noSafetyNet: ({ was }) =>
    was ? [{ kind: 'net', text: `pool ${was.name} has a safety net now`, pool: was.name }] : [],
};

const kinds = [...kindsOf(begun), 'turn', 'forcedExpiry', 'interruption', 'command'] as const;

const windowEntry = (told: string, { kind, name }: WindowReport): LogEntry => ({
  kind: told,
  text: `${kind} ${name}`,
  window: name,
});

const gateEntry = (told: string, { name, message }: GateReport): LogEntry => ({
  kind: told,
  text: `HealthGate ${name}: ${message}`,
  gate: name,
});

const slowEntry = (kind: string, { claim, pool }: SlowClaim, what: string): LogEntry => ({
  kind,
  text: `pool ${pool}: ${what}`,
  claim,
  pool,
});

const faultEntry = (kind: string, { object, path, severity }: Fault, what: string): LogEntry => ({
  kind,
  text: `${object} ${path}${what}`,
  object,
  path,
  severity,
});
