// What has happened since the last round? Told from what was written down, not from what was only decided: a commit may be lost to another.
import type { Fault } from '../cluster/fault.ts';
import type { Command, Ledger, Turn } from '../cluster/ledger.ts';
import type { Pool } from '../cluster/model.ts';
import { annotation } from '../cluster/names.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Cluster } from '../cluster/store.ts';
import { lacksSafetyNet, safetyNetOf } from '../engine/limits/safetyNet.ts';
import type { Facts } from '../engine/situation.ts';
import type { Ended, Round } from '../engine/verdict.ts';
import { sayWorth } from '../engine/why/savingsWords.ts';
import { sayNet } from '../lint/words/netWords.ts';
import {
  type ForcedExpiry,
  forcedExpiries,
  type HeldToExpiry,
  heldToExpiry,
  sayForced,
} from '../runtime/forcedExpiry.ts';
import { formatDuration } from '../time/duration.ts';
import { asDuration, between, type Instant, second } from '../time/instant.ts';
import type { Told } from './liveLog.ts';
import { count } from './scene.ts';

interface Before {
  readonly ledger: Ledger;
  readonly ended: ReadonlyMap<string, Ended>;
  readonly marks: ReadonlyMap<string, Told>;
  readonly expiring: HeldToExpiry;
}

/** What it is told with. */
interface Standing {
  readonly role: Settings['role'];
  /** It is not ready before everything is parked that must be. */
  readonly isParking?: boolean;
}

/** More faults than these are no help on a log; `lull lint` has them all. */
const mostMarks = 50;

export class Story {
  #before: Before | undefined;
  /** Whether it was told where everything stands. */
  #isOpened = false;

  /** Whoever leads anew has not seen what happened meanwhile. */
  restart(): void {
    this.#before = undefined;
    this.#isOpened = false;
  }

  /** N1: in observe nobody acts on what may go, so that it is told by itself. */
  next(round: Round, { cluster, ledger }: Facts, { role, isParking = false }: Standing): readonly Told[] {
    const before = this.#before;
    const expiring = heldToExpiry({ round, facts: { cluster, ledger }, role });
    const marks = marksOf(round, cluster, role);
    // Told in the round after it was decided, once it stands in the ledger.
    const ended = new Map(round.ended.map((each) => [each.id, each]));
    this.#before = {
      ledger,
      ended: before?.ledger === ledger ? new Map([...before.ended, ...ended]) : ended,
      marks,
      expiring,
    };
    const news = [...marks].filter(([key]) => !before?.marks.has(key)).map(([, told]) => told);
    const isOpening = !this.#isOpened && !isParking;
    if (isOpening) this.#isOpened = true;
    const opened = isOpening ? [opening(round, ledger, cluster.nodes.length)] : [];
    if (!before) return [...opened, ...news];
    const over = [...before.marks].filter(([key]) => !marks.has(key)).flatMap(([, told]) => lifted(told));
    return [
      ...opened,
      ...turnsBetween(before.ledger, { cluster, ledger }, round),
      ...forcedExpiries(before.expiring, { cluster, ledger }, round.at).map(expiryTold),
      ...commandsBetween(before, { cluster, ledger }, round.at),
      ...over,
      ...news,
    ];
  }
}

function opening({ verdicts, allowances }: Round, { commands }: Ledger, nodes: number): Told {
  const pools = new Set(allowances.map(({ pool }) => pool)).size;
  const held = verdicts.filter(({ outcome }) => outcome === 'held').length;
  const underway = commands.length === 0 ? 'nothing is under way' : `${count(commands.length, 'command')} under way`;
  const text = `${count(nodes, 'node')}, ${count(pools, 'governed pool')}; ${held === 1 ? '1 wish' : `${held} wishes`} held, ${underway}`;
  return { kind: 'ready', text, nodes, pools, held, commands: commands.length };
}

function commandsBetween(
  { ledger: was, ended }: Before,
  { cluster, ledger: is }: Facts,
  now: Instant,
): readonly Told[] {
  if (was === is) return [];
  const known = new Map(was.commands.map((command) => [command.id, command]));
  const moved = is.commands.filter(({ id, step }) => known.get(id)?.step !== step).map((it) => stepOf(it));
  const left = new Set(is.commands.map(({ id }) => id));
  const over = was.commands.filter(({ id }) => !left.has(id));
  // G2: nobody ended these, and their nodes stand as before. Where another Lull did, it has told it.
  const lost = new Set(
    over.filter((it) => isUnderway(it) && !ended.has(it.id) && it.nodes.every(({ name }) => cluster.node(name))),
  );
  const told = over.filter((it) => !lost.has(it)).map((it) => endOf(it, ended.get(it.id), now));
  return [...(lost.size > 0 ? [lostTold(lost.size)] : []), ...told, ...moved];
}

const expiryTold = (forced: ForcedExpiry): Told => ({
  kind: 'expired',
  text: sayForced(forced),
  node: forced.node,
  pool: forced.pool,
  claim: forced.claim,
  codes: forced.refusals.map(({ code }) => code),
});

const isUnderway = ({ step }: Command): boolean => step !== 'withdrawn' && step !== 'released';

const lostTold = (commands: number): Told => ({
  kind: 'ledger',
  text: `${count(commands, 'command')} under way ${commands === 1 ? 'is' : 'are'} no longer in the DisruptionLedger, which someone else has changed or deleted: what the cluster shows of them is taken up again`,
  commands,
});

const stepOf = (command: Command): Told => ({
  kind: command.step,
  text: `${sayNodes(command)}${command.why === undefined ? worth(command) : `: ${command.why}`}`,
  ...fieldsOf(command),
});

function endOf(command: Command, ended: Ended | undefined, now: Instant): Told {
  const took = formatDuration(asDuration(Math.round(between(command.startedAt, now) / second) * second));
  // N3: why it was withdrawn was told then, and may hold no more.
  const why =
    command.step === 'withdrawn'
      ? 'Karpenter has not taken it, and its unit is free again'
      : (ended?.why ?? command.why);
  // Another Lull may have written it: then nobody here knows how it ended.
  const kind = ended?.how ?? (isUnderway(command) ? 'gone' : 'released');
  const text = kind === 'gone' ? `${sayNodes(command)} after ${took}` : `${sayNodes(command)}: ${why ?? 'it stays'}`;
  return { kind, text, ...fieldsOf(command) };
}

const sayNodes = ({ nodes, pool, reason }: Command): string =>
  `${nodes.map(({ name }) => name).join(', ')} of ${pool} (${reason})`;

/** What it is worth is told as it begins. */
function worth(command: Command): string {
  const figures = command.step === 'chosen' || command.step === 'offered' ? sayWorth(command) : '';
  return figures === '' ? '' : `: ${figures}`;
}

const fieldsOf = ({ id, nodes, pool, reason, savings, podsMoved }: Command) => ({
  command: id,
  nodes: nodes.map(({ name }) => name),
  pool,
  reason,
  ...(savings !== undefined && { savings }),
  ...(podsMoved !== undefined && { podsMoved }),
});

function turnsBetween(was: Ledger, { cluster, ledger: is }: Facts, { domains }: Round): readonly Told[] {
  if (was.turns === is.turns) return [];
  const [before, now] = [turnsOf(was), turnsOf(is)];
  const taken = [...now].filter(([key, turn]) => before.get(key)?.domain !== turn.domain || !before.has(key));
  // A turn that is only forgotten (the ledger was lost) is taken again: its pool is not done.
  const going = new Set(
    domains.filter(({ state }) => state === 'turn').map(({ pool, topologyKey }) => `${pool} ${topologyKey}`),
  );
  const over = [...before].filter(([key]) => !now.has(key) && !going.has(key));
  return [
    ...over.map(([, turn]) => {
      const became = cluster.pools.has(turn.pool) ? 'is done' : 'is deleted';
      return turnTold(turn, `pool ${turn.pool} ${became}: no domain has the turn (${turn.topologyKey})`);
    }),
    ...taken.map(([, turn]) =>
      turnTold(turn, `${turn.domain ?? 'nodes without the label'} of pool ${turn.pool} (${turn.topologyKey})`),
    ),
  ];
}

const turnsOf = ({ turns }: Ledger): ReadonlyMap<string, Turn> =>
  new Map(turns.map((turn) => [`${turn.pool} ${turn.topologyKey}`, turn]));

const turnTold = ({ pool, topologyKey, domain }: Turn, text: string): Told => ({
  kind: 'turn',
  text,
  pool,
  topologyKey,
  ...(domain !== undefined && { domain }),
});

/** What holds for a while: told when it begins, and some of it when it ends. */
function marksOf(
  { at, verdicts, faults, windows, allowances, slowClaims = [] }: Round,
  { pools }: Cluster,
  role: Settings['role'],
): ReadonlyMap<string, Told> {
  const isObserving = role === 'observe';
  const marks: [string, Told][] = [];
  for (const { node, pool, reason, outcome, refusals } of verdicts) {
    if (outcome === 'go' && isObserving)
      marks.push([`go ${node}`, { kind: 'may-go', text: `${node} of ${pool} (${reason})`, node, pool, reason }]);
    const hold = refusals.find(({ code }) => code === 'Held');
    if (hold) marks.push([`hold ${node}`, { kind: 'hold', text: `${node}: ${hold.message}`, node }]);
  }
  for (const { kind, name, open } of windows)
    if (open) marks.push([`window ${kind}/${name}`, { kind: 'open', text: `${kind} ${name}`, window: name }]);
  for (const { claim, pool, message } of slowClaims)
    marks.push([`slow ${claim}`, { kind: 'slow', text: `pool ${pool}: ${message}`, claim, pool }]);
  // N1: one line for all the nodes, however many they are.
  const left = isObserving ? faults.find(({ path }) => path === leftPath) : undefined;
  if (left) marks.push(['marks', { kind: 'marks', text: left.message }]);
  for (const fault of faults.filter(({ severity }) => severity !== 'info').slice(0, mostMarks))
    marks.push(faultMark(fault));
  // In observe Lull limits nothing either: what the pool says is what its owner wants.
  for (const name of role === 'guide' ? new Set(allowances.map(({ pool }) => pool)) : []) {
    const pool = pools.get(name);
    if (pool && lacksSafetyNet(pool, at)) marks.push(netMark(pool, at));
  }
  return new Map(marks);
}

const netMark = (pool: Pool, now: Instant): [string, Told] => {
  const limit = sayNet(safetyNetOf(pool, now), now);
  const text = `pool ${pool.name} has no safety net: while Lull is away Karpenter goes by spec.disruption.budgets (${limit}). Write a limit there that holds always, such as 10%`;
  return [`net ${pool.name}`, { kind: 'net', text, pool: pool.name }];
};

const leftPath = `metadata.annotations[${annotation.parked}]`;

const faultMark = ({ object, path, message, severity }: Fault): [string, Told] => [
  `fault ${object} ${path} ${message}`,
  { kind: 'fault', text: `${object} ${path}: ${message}`, object, path, severity },
];

function lifted(told: Told): readonly Told[] {
  switch (told.kind) {
    case 'hold':
      return [{ ...told, text: `${String(told.node)} is no longer held by hand` }];
    case 'open':
      return [{ ...told, kind: 'closed' }];
    case 'slow':
      return [
        {
          ...told,
          kind: 'recovered',
          text: `pool ${String(told.pool)}: NodeClaim ${String(told.claim)} is ready or gone`,
        },
      ];
    case 'marks':
      return [{ ...told, text: 'No node carries marks of a Lull that acts any more.' }];
    case 'net':
      return [{ ...told, text: `pool ${String(told.pool)} has a safety net now` }];
    case 'fault':
      return [{ ...told, kind: 'mended', text: `${String(told.object)} ${String(told.path)}` }];
    default:
      return [];
  }
}
