// The disruptions in a recording: when each node was chosen and why, and when it was gone. Input of a what-if.
import { isMap, type Json } from '../kinds/read/reader.ts';
import {
  asDuration,
  type Duration,
  formatInstant,
  type Instant,
  latest,
  minute,
  parseInstant,
} from '../time/instant.ts';
import { goneOf, RecordingError, type RecordingLine, readLines } from './recordingLine.ts';
import { RoundReader } from './roundDelta.ts';

/** A node that the recorded policy chose. */
export interface NodeDisruption {
  readonly node: string;
  readonly pool: string;
  readonly reason: string;
  readonly at: Instant;
  /** Absent together with `releasedAt`: still in progress at the end. */
  readonly goneAt?: Instant;
  /** When it was released again. */
  readonly releasedAt?: Instant;
  /** The claims that replaced it. */
  readonly replacements: readonly string[];
}

export interface History {
  readonly from: Instant;
  /** When the recording ended, which may be later than the last round. */
  readonly to: Instant;
  /** The instants of all rounds. */
  readonly rounds: readonly Instant[];
  /** By node: a node may be chosen several times if it is released in between. */
  readonly takings: ReadonlyMap<string, readonly NodeDisruption[]>;
  /** The median time from the choice of a node until it was gone. */
  readonly usual: Duration;
}

/** The disruption that removed the node, or that is in progress at the end. */
export const lastDisruption = ({ takings }: History, node: string): NodeDisruption | undefined =>
  takings.get(node)?.findLast(({ releasedAt }) => releasedAt === undefined);

interface RecordedCommand {
  readonly nodes: readonly string[];
  readonly taking: Omit<NodeDisruption, 'node' | 'goneAt' | 'releasedAt'>;
  /** When it was no longer in the ledger. */
  endedAt?: Instant;
}

/** Instants closer than this count as the same: waiting for pods takes slightly different times. */
const sameMoment = minute;

export const isSameMoment = (a: Instant, b: Instant): boolean => Math.abs(a - b) <= sameMoment;

/** If no node was ever disrupted. */
const guess = asDuration(5 * minute);

export function readHistory(text: string): History {
  const reader = new RoundReader();
  const rounds: Instant[] = [];
  const commands = new Map<string, RecordedCommand>();
  const gone = new Map<string, Instant>();
  let end: Instant | undefined;
  let [nodes, before] = [new Set<string>(), new Set<string>()];
  for (const { number, line } of readLines(text)) {
    if ('keyframe' in line) nodes = new Set();
    if ('put' in line && line.put.kind === 'Node') nodes.add(goneOf(line.put).name);
    if ('gone' in line && line.gone.kind === 'Node') nodes.delete(line.gone.name);
    if ('end' in line) end = line.end.at;
    if (!('round' in line)) continue;
    // Objects deleted while the controller was down have no event: they are only missing.
    for (const node of before) if (!nodes.has(node)) gone.set(node, line.round.at);
    before = new Set(nodes);
    rounds.push(line.round.at);
    note(commands, printedOf(reader, line, number), rounds);
  }
  const [from, last] = [rounds[0], rounds.at(-1)];
  if (from === undefined || last === undefined) throw new RecordingError(1, 'This recording has no round.');
  const to = latest(last, end) ?? last;
  const takings = takingsOf(commands, gone);
  return { from, to, rounds, takings, usual: middleOf(takings) };
}

function printedOf(reader: RoundReader, { round }: Extract<RecordingLine, { round: unknown }>, number: number): Json {
  const printed = reader.read(round);
  if ('wrong' in printed) throw new RecordingError(number, printed.wrong);
  return JSON.parse(printed.text);
}

/** A command that is no longer listed has ended: its node is gone, or it was released. */
function note(commands: Map<string, RecordedCommand>, { commands: listed }: Json, rounds: readonly Instant[]): void {
  const now = rounds.at(-1) as Instant;
  const here = new Set<RecordedCommand>();
  for (const it of Array.isArray(listed) ? listed : []) {
    if (!isMap(it) || typeof it.id !== 'string') continue;
    const known = commands.get(it.id) ?? commandOf(it, now, rounds.length === 1);
    if (!known) continue;
    commands.set(it.id, known);
    here.add(known);
  }
  for (const command of commands.values()) if (!here.has(command)) command.endedAt ??= now;
}

/** Commands in the first round started before the recording. */
function commandOf(it: Json, now: Instant, isFirst: boolean): RecordedCommand | undefined {
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

function takingsOf(
  commands: ReadonlyMap<string, RecordedCommand>,
  gone: ReadonlyMap<string, Instant>,
): Map<string, NodeDisruption[]> {
  const takings = new Map<string, NodeDisruption[]>();
  for (const { nodes, taking, endedAt } of commands.values()) {
    for (const node of nodes) {
      const goneAt = gone.get(node);
      // The node may disappear shortly before its command does.
      const isGone = goneAt !== undefined && goneAt >= taking.at && (endedAt === undefined || goneAt <= endedAt);
      const end = isGone ? { goneAt } : endedAt === undefined ? {} : { releasedAt: endedAt };
      takings.set(node, [...(takings.get(node) ?? []), { node, ...taking, ...end }]);
    }
  }
  for (const its of takings.values()) its.sort((a, b) => a.at - b.at);
  return takings;
}

function middleOf(takings: ReadonlyMap<string, readonly NodeDisruption[]>): Duration {
  const all = [...takings.values()].flat();
  const lengths = all.flatMap(({ at, goneAt }) => (goneAt === undefined ? [] : [goneAt - at]));
  const middle = lengths.sort((a, b) => a - b)[Math.floor(lengths.length / 2)];
  return middle === undefined ? guess : asDuration(middle);
}
