// Kubernetes events: which event on which object reports each change between two rounds (J5, E6). Nothing is sent here.
// Past 300 lines: one row for each kind of change, so that all events are in one place.

import { defined } from '../cluster/defined.ts';
import type { Fault } from '../cluster/fault.ts';
import type { Command, Step, Turn } from '../cluster/ledger.ts';
import type { Pool } from '../cluster/model.ts';
import { rollRuleOf } from '../cluster/pool.ts';
import type { Cluster } from '../cluster/store.ts';
import {
  type ChangeFormatters,
  changesBetween,
  formatChanges,
  kindsOf,
  type RoundChange,
  type RoundSnapshot,
  snapshotOf,
} from '../engine/changes/changes.ts';
import { describeForcedExpiry } from '../engine/changes/forcedExpiry.ts';
import { isStuck, scheduleRefusals } from '../engine/changes/holds.ts';
import type { RoundWithFacts } from '../engine/changes/roundWithFacts.ts';
import { describeHalt } from '../engine/limits/rollHalts.ts';
import type { Refusal } from '../engine/refusal.ts';
import type { EndedCommand, GateReport, Verdict, WindowReport } from '../engine/verdict.ts';
import { describeSavings, trialReason } from '../engine/why/commandWhy.ts';
import { describeNever } from '../engine/why/wishWhy.ts';
import { formatDuration } from '../time/duration.ts';
import { asDuration, between, formatInstant, second } from '../time/instant.ts';
import { sayDomain, sayTurn } from './turnStatus.ts';

export interface Notice {
  readonly about: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** The event's reason: one word. */
  readonly reason: string;
  readonly message: string;
  /** Identifies the notice, with object and reason. A notice with the same key is a repetition. */
  readonly key: string;
  /** If not all events can be sent, those with the lowest weight are dropped first. */
  readonly weight: 0 | 1 | 2 | 3;
  /** A newer notice with the same topic replaces this one while it waits to be sent. */
  readonly topic?: string;
  /** True for a state that existed before this process started: it is not reported again if the event exists already. */
  readonly standing?: true;
}

export interface ObjectReference {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
  readonly uid?: string;
}

/** Returns a function that gives each round's notices. The first round is compared with nothing. */
export function openNotices(): (seen: RoundWithFacts) => Notice[] {
  let before: RoundSnapshot | undefined;
  return (seen) => {
    const after = snapshotOf(before, seen, { kinds: kindsOf(words) });
    const notices = formatChanges(changesBetween(before, after), words, { seen, before });
    before = after;
    return notices;
  };
}

interface NoticeContext {
  readonly seen: RoundWithFacts;
  /** Undefined = this process has just started: it cannot know what was reported already. */
  readonly before: RoundSnapshot | undefined;
}

const words: ChangeFormatters<Notice, NoticeContext> = {
  fault: ({ is }, { before }) => (is ? faultNotices(is, before) : []),
  backoff({ is }, { seen, before }) {
    const pool = is && seen.facts.cluster.pools.get(is.pool);
    if (!pool || !before) return [];
    const message = `Replacements keep failing. Lull tries again at ${formatInstant(is.until)}.`;
    return [{ about: aboutPool(pool), type: 'Warning', reason: 'BackingOff', message, key: '', weight: 3 }];
  },
  slowClaim: slowNotices,
  turn: ({ was, is }, { seen, before }) => (before ? turnNotices(was, is, seen) : []),
  halt({ id, is, says }, { seen }) {
    const pool = seen.facts.cluster.pools.get(id);
    if (!is || !pool) return [];
    const message = `No further drifted node is replaced: ${describeHalt(is, rollRuleOf(pool)?.haltAfter?.failures)}. To continue: lull turn pass ${id}.`;
    return [{ about: aboutPool(pool), type: 'Warning', reason: 'RollHalted', message, key: says, weight: 3 }];
  },
  stuckTurn({ id, is, says }, { seen, before }) {
    const pool = seen.facts.cluster.pools.get(id);
    if (!is || !pool) return [];
    const shared = { message: `The roll is stuck. ${sayTurn(is)}`, key: says, ...standing(before) };
    return [{ about: aboutPool(pool), type: 'Warning', reason: 'SettleStuck', weight: 3, ...shared }];
  },
  forcedExpiry({ is }, { seen }) {
    if (!is) return [];
    const pool = aboutPool(seen.facts.cluster.pools.get(is.pool) ?? { name: is.pool });
    const shared = {
      reason: 'ForcedExpiry',
      message: `${describeForcedExpiry(is)}.`,
      key: is.claim,
      weight: 3,
    } as const;
    return [{ kind: 'Node', name: is.node, uid: is.uid }, pool].map((about) => ({ about, type: 'Warning', ...shared }));
  },
  command({ was, is }, { seen, before }) {
    // After a restart, Lull continues from the ledger: its commands were reported when they were written.
    if (!before) return [];
    if (is) return stepNotices(is, seen.facts.cluster);
    return was ? endNotices(was, before, seen.facts.cluster) : [];
  },
  // A window that is new, or existed when this process started, has not just opened or closed.
  window: ({ was, is }) => (was && is ? [windowNotice(is)] : []),
  // As for windows; a gate that is deleted has not opened.
  gate: ({ was, is, says }) => (was && is ? [gateNotice(is, says)] : []),
  drain({ is, says }, { seen }) {
    if (!is) return [];
    const message = `Its drain is waiting: ${sentences(is.waitingFor ?? [])}.`;
    const shared = { message, key: `${is.id} ${says}`, topic: 'drain' };
    const how = isStuck(is)
      ? ({ type: 'Warning', reason: 'DrainStuck', weight: 3 } as const)
      : ({ type: 'Normal', reason: 'DrainWaits', weight: 1 } as const);
    return is.nodes.map(({ name }) => ({ about: aboutNode(name, seen.facts.cluster), ...how, ...shared }));
  },
  deferredPod({ is, says }, { seen }) {
    if (!is) return [];
    const { namespace, name, node } = is;
    const pods = seen.facts.cluster.node(node)?.pods;
    const uid = pods?.find((it) => it.namespace === namespace && it.name === name)?.uid;
    const about = defined({ kind: 'Pod', namespace, name, uid });
    const message = `Not evicted yet, though ${node} is being drained: ${sentences(scheduleRefusals(is))}.`;
    return [{ about, type: 'Normal', reason: 'EvictionDeferred', message, key: says, topic: 'deferred', weight: 1 }];
  },
  wish({ is, says }, { seen, before }) {
    if (!is) return [];
    const { node, reason, outcome } = is;
    const [eventReason, message] =
      outcome === 'go' ? ['MayGo', `${reason}: may be disrupted now. Lull only observes.`] : ['Held', sayHeld(is)];
    return [
      {
        about: aboutNode(node, seen.facts.cluster),
        type: 'Normal',
        reason: eventReason,
        message,
        key: `${reason} ${says}`,
        weight: before ? 1 : 0,
        topic: `held ${reason}`,
        ...standing(before),
      },
    ];
  },
};

/** Whether a state that existed when this process started was reported already is not known. */
const standing = (before: RoundSnapshot | undefined): { standing?: true } => (before ? {} : { standing: true });

const aboutPool = ({ name, uid }: Pick<Pool, 'name' | 'uid'>): ObjectReference =>
  defined({ kind: 'NodePool', name, uid });

const aboutNode = (name: string, cluster: Cluster): ObjectReference =>
  defined({ kind: 'Node', name, uid: cluster.node(name)?.node.uid });

/** Event reasons of faults, by kind. Lull does not watch objects of other kinds. */
const faultReasons: Readonly<Record<string, string>> = {
  Pod: 'BadDisruptionRule',
  Node: 'BadDisruptionRule',
  NodePool: 'PolicyFault',
  MaintenanceWindow: 'PolicyFault',
  PodDisruptionSchedule: 'PolicyFault',
  HealthGate: 'PolicyFault',
  PodDisruptionBudget: 'PolicyFault',
};

/** `object` is `Kind/name` or `Kind/namespace/name`. */
function faultNotices({ object, path, message }: Fault, before: RoundSnapshot | undefined): Notice[] {
  const [kind = '', first = '', second] = object.split('/');
  const reason = faultReasons[kind];
  if (reason === undefined) return [];
  const about = second === undefined ? { kind, name: first } : { kind, namespace: first, name: second };
  const shared = { message: `${path}: ${message}`, key: `${path} ${message}`, ...standing(before) };
  return [{ about, type: 'Warning', reason, weight: 3, ...shared }];
}

/** On the claim and on the pool (F7). Another condition is another event; a claim that is no longer slow needs none. */
function slowNotices({ is, says }: RoundChange<'slowClaim'>, { seen, before }: NoticeContext): Notice[] {
  const pool = is && seen.facts.cluster.pools.get(is.pool);
  if (!pool) return [];
  const uid = seen.facts.cluster.claim(is.claim)?.uid;
  const then = seen.settings.role === 'guide' ? ` No more nodes of pool ${pool.name} are offered meanwhile.` : '';
  const shared = { reason: 'ReplacementSlow', message: `${is.message}.${then}`, key: says, ...standing(before) };
  return [aboutPool(pool), defined({ kind: 'NodeClaim', name: is.claim, uid })].map((about) => ({
    about,
    type: 'Warning',
    weight: 3,
    ...shared,
  }));
}

function turnNotices(was: Turn | undefined, is: Turn | undefined, { facts }: RoundWithFacts): Notice[] {
  const pool = facts.cluster.pools.get((is ?? was)?.pool ?? '');
  if (!pool) return [];
  const about = aboutPool(pool);
  const keyOf = ({ topologyKey, domain, takenAt }: Turn): string => `${topologyKey} ${domain ?? ''} ${takenAt}`;
  const notices: Notice[] = [];
  if (was) {
    const where = sayDomain(was.topologyKey, was.domain);
    // Nodes that are left behind deserve a warning (C12).
    const how = is?.passedOver.includes(was.domain ?? null)
      ? ({
          type: 'Warning',
          weight: 3,
          message: `${where} passes the turn and leaves drifted nodes behind.`,
        } as const)
      : ({ type: 'Normal', weight: 2, message: `${where} is done and passes the turn.` } as const);
    notices.push({ about, reason: 'TurnPassed', key: keyOf(was), ...how });
  }
  if (is) {
    const message = `${sayDomain(is.topologyKey, is.domain)} has the turn now.`;
    notices.push({ about, type: 'Normal', reason: 'TurnTaken', message, key: keyOf(is), weight: 2 });
  }
  return notices;
}

type StepWords = (command: Command) => string;

const steps: Readonly<Record<Step, readonly [reason: string, words: StepWords]>> = {
  chosen: ['Chosen', (command) => `Chosen to be disrupted: ${command.reason}${worth(command)}.`],
  tainted: ['Tainted', ({ reason }) => `Tainted, so that no new pod is scheduled here: ${reason}.`],
  replacing: [
    'Replacing',
    ({ replacements }) => `Waiting for its replacement ${replacements.map(({ name }) => name).join(', ')}.`,
  ],
  draining: ['Draining', ({ reason }) => `Its pods are being evicted: ${reason}.`],
  terminating: ['Terminating', () => 'Drained; its NodeClaim is being deleted.'],
  released: ['Released', ({ why }) => `No longer to be disrupted: ${why ?? 'the reason was not recorded'}.`],
  offered: ['Offered', (command) => `Offered to Karpenter: ${command.reason}${worth(command)}.`],
  taken: ['Taken', ({ reason }) => `Karpenter is disrupting it: ${reason}.`],
  withdrawn: ['Withdrawn', ({ why }) => `No longer offered to Karpenter: ${why ?? 'the reason was not recorded'}.`],
};

/** `; saves 0.192 an hour, moves 3 pods` */
function worth(command: Command): string {
  const figures = describeSavings(command);
  const aim = command.trial ? `, ${trialReason}` : '';
  return `${aim}${figures === '' ? '' : `; ${figures}`}`;
}

/** On the command's nodes and their claims, if they still exist. */
function stepNotices(command: Command, cluster: Cluster): Notice[] {
  const [reason, say] = steps[command.step];
  const isBack = command.step === 'released' || command.step === 'withdrawn';
  const shared = { reason, message: say(command), key: command.id, weight: isBack ? 3 : 2 } as const;
  const places = command.nodes.flatMap(({ name, claim: claimName }): ObjectReference[] => {
    const view = cluster.node(name);
    const claim = claimName === undefined ? view?.claim : cluster.claim(claimName);
    return [
      ...(view ? [{ kind: 'Node', name, uid: view.node.uid }] : []),
      ...(claim ? [{ kind: 'NodeClaim', name: claim.name, uid: claim.uid }] : []),
    ];
  });
  return places.map((about) => ({ about, type: isBack ? 'Warning' : 'Normal', ...shared }));
}

/** On the pool. For a released command: on its nodes, unless its last step was reported there already. */
function endNotices(command: Command, { ended, seen }: RoundSnapshot, cluster: Cluster): Notice[] {
  const how: EndedCommand | undefined = ended.get(command.id);
  const { id, pool, reason, nodes, step, startedAt, replacements } = command;
  if (!how) return [];
  if (how.how === 'released') {
    const isTold = step === 'released' || step === 'withdrawn';
    return isTold ? [] : stepNotices({ ...command, step: 'released', ...(how.why && { why: how.why }) }, cluster);
  }
  const took = formatDuration(asDuration(Math.round(between(startedAt, seen.round.at) / second) * second));
  const instead = replacements.length > 0 ? `; replaced by ${replacements.map(({ name }) => name).join(', ')}` : '';
  return nodes.map(({ name }) => ({
    about: aboutPool(cluster.pools.get(pool) ?? { name: pool }),
    type: 'Normal',
    reason: 'NodeGone',
    message: `${name} is gone, ${took} after it was chosen: ${reason}${instead}.`,
    key: `${id}/${name}`,
    weight: 2,
  }));
}

function windowNotice({ kind, name, open, nextChange, selected, holding }: WindowReport): Notice {
  const what = kind === 'MaintenanceWindow' ? 'nodes' : 'pods';
  const until = nextChange === undefined ? '' : ` until ${formatInstant(nextChange)}`;
  const message = `${open ? 'Open' : 'Closed'}${until}. Selects ${selected} ${what} and holds ${holding}.`;
  return { about: { kind, name }, type: 'Normal', reason: open ? 'Opened' : 'Closed', message, key: '', weight: 2 };
}

function gateNotice({ name, message, selected, holding }: GateReport, says: string): Notice {
  const [reason, type] = gateReasons[says] ?? gateReasons.unknown;
  const counts = `Selects ${selected} nodes and holds ${holding}.`;
  const about = { kind: 'HealthGate', name };
  return { about, type, reason, message: `${message}. ${counts}`, key: '', weight: type === 'Warning' ? 3 : 2 };
}

const gateReasons: Readonly<Record<string, readonly [string, Notice['type']]>> & {
  readonly unknown: readonly [string, Notice['type']];
} = {
  open: ['GateOpened', 'Normal'],
  closed: ['GateClosed', 'Warning'],
  unknown: ['GateUnknown', 'Warning'],
};

/** If rules can never permit the wish together, only those are named: a person must change one of them. */
function sayHeld({ reason, refusals, neverMeet }: Verdict): string {
  if (neverMeet) return `${reason}: can never be disrupted under its current rules: ${describeNever(neverMeet)}.`;
  return `${reason} is held: ${sentences(refusals)}.`;
}

/** An event is a sentence, not a report: `lull why` prints all refusals. */
const mostSaid = 3;

function sentences(refusals: readonly Refusal[]): string {
  const all = [...new Set(refusals.map(({ message }) => message))];
  const more = all.length > mostSaid ? [`and ${all.length - mostSaid} more`] : [];
  return [...all.slice(0, mostSaid), ...more].join('; ');
}
