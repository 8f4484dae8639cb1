// What came of each node in a recording? When it was taken and why, and when it was gone: read once, before anything is asked what if.
import { isMap, type Json } from '../kinds/reader.ts';
import {
  asDuration,
  type Duration,
  formatInstant,
  type Instant,
  latest,
  minute,
  parseInstant,
} from '../time/instant.ts';
import { type Line, RecordingError, readLines } from './line.ts';
import { goneOf } from './observed.ts';
import { RoundReader } from './roundDelta.ts';

/** A node that was chosen by the recorded policy. */
export interface Taking {
  readonly node: string;
  readonly pool: string;
  readonly reason: string;
  readonly at: Instant;
  /** Neither this nor the next = it was under way still at the end. */
  readonly goneAt?: Instant;
  /** It was begun and given up again. */
  readonly releasedAt?: Instant;
  /** The claims that replaced it. */
  readonly replacements: readonly string[];
}

export interface History {
  readonly from: Instant;
  /** When recording ended; nothing may have happened since the last round. */
  readonly to: Instant;
  /** The instants at which was decided. */
  readonly rounds: readonly Instant[];
  /** By node: a few may be chosen more than once, and released in between. */
  readonly takings: ReadonlyMap<string, readonly Taking[]>;
  /** How long it took from the choice of a node until it was gone: the middle one of all. */
  readonly usual: Duration;
}

/** The one that it is gone by, or under way at the end. */
export const lastTaking = ({ takings }: History, node: string): Taking | undefined =>
  takings.get(node)?.findLast(({ releasedAt }) => releasedAt === undefined);

interface Command {
  readonly nodes: readonly string[];
  readonly taking: Omit<Taking, 'node' | 'goneAt' | 'releasedAt'>;
  /** When it was there no more. */
  endedAt?: Instant;
}

/** Two moments that nobody would tell apart: what waits for pods to run again waits a little longer in the one. */
const sameMoment = minute;

export const isSameMoment = (a: Instant, b: Instant): boolean => Math.abs(a - b) <= sameMoment;

/** Where nothing was ever taken. */
const guess = asDuration(5 * minute);

export function readHistory(text: string): History {
  const reader = new RoundReader();
  const rounds: Instant[] = [];
  const commands = new Map<string, Command>();
  const gone = new Map<string, Instant>();
  let end: Instant | undefined;
  let [nodes, before] = [new Set<string>(), new Set<string>()];
  for (const { number, line } of readLines(text)) {
    if ('keyframe' in line) nodes = new Set();
    if ('put' in line && line.put.kind === 'Node') nodes.add(goneOf(line.put).name);
    if ('gone' in line && line.gone.kind === 'Node') nodes.delete(line.gone.name);
    if ('end' in line) end = line.end.at;
    if (!('round' in line)) continue;
    // What went while the controller was down is not told: it is only there no more.
    for (const node of before) if (!nodes.has(node)) gone.set(node, line.round.at);
    before = new Set(nodes);
    rounds.push(line.round.at);
    note(commands, printedOf(reader, line, number), rounds);
  }
  const [from, last] = [rounds[0], rounds.at(-1)];
  if (from === undefined || last === undefined) throw new RecordingError(1, 'There is no round in this recording.');
  const to = latest(last, end) ?? last;
  const takings = takingsOf(commands, gone);
  return { from, to, rounds, takings, usual: middleOf(takings) };
}

function printedOf(reader: RoundReader, { round }: Extract<Line, { round: unknown }>, number: number): Json {
  const printed = reader.read(round);
  if ('wrong' in printed) throw new RecordingError(number, printed.wrong);
  return JSON.parse(printed.text) as Json;
}

/** A command that is no longer there is over: its node is gone, or it was released. */
function note(commands: Map<string, Command>, { commands: listed }: Json, rounds: readonly Instant[]): void {
  const now = rounds.at(-1) as Instant;
  const here = new Set<Command>();
  for (const it of Array.isArray(listed) ? listed : []) {
    if (!isMap(it) || typeof it.id !== 'string') continue;
    const known = commands.get(it.id) ?? commandOf(it, now, rounds.length === 1);
    if (!known) continue;
    commands.set(it.id, known);
    here.add(known);
  }
  for (const command of commands.values()) if (!here.has(command)) command.endedAt ??= now;
}

/** What is under way already in the first round was begun before it. */
function commandOf(it: Json, now: Instant, isFirst: boolean): Command | undefined {
  const { nodes, pool, reason, startedAt, replacements } = it;
  const printed = typeof startedAt === 'string' ? parseInstant(startedAt) : undefined;
  const at = isFirst && startedAt !== formatInstant(now) ? printed : now;
  if (at === undefined || !Array.isArray(nodes)) return undefined;
  const names = (Array.isArray(replacements) ? replacements : []).map((it) =>
    isMap(it) ? String(it.name) : String(it),
  );
  const taking = { pool: String(pool ?? ''), reason: String(reason), at, replacements: names };
  return { nodes: nodes.map(String), taking };
}

function takingsOf(commands: ReadonlyMap<string, Command>, gone: ReadonlyMap<string, Instant>): Map<string, Taking[]> {
  const takings = new Map<string, Taking[]>();
  for (const { nodes, taking, endedAt } of commands.values()) {
    for (const node of nodes) {
      const goneAt = gone.get(node);
      // It may be seen to be gone a little before its command is.
      const isGone = goneAt !== undefined && goneAt >= taking.at && (endedAt === undefined || goneAt <= endedAt);
      const end = isGone ? { goneAt } : endedAt === undefined ? {} : { releasedAt: endedAt };
      takings.set(node, [...(takings.get(node) ?? []), { node, ...taking, ...end }]);
    }
  }
  for (const its of takings.values()) its.sort((a, b) => a.at - b.at);
  return takings;
}

function middleOf(takings: ReadonlyMap<string, readonly Taking[]>): Duration {
  const all = [...takings.values()].flat();
  const lengths = all.flatMap(({ at, goneAt }) => (goneAt === undefined ? [] : [goneAt - at]));
  const middle = lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)];
  return middle === undefined ? guess : asDuration(middle);
}
