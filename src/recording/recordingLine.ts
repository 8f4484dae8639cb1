// The lines of a recording (J4), one JSON object each: header, keyframe, changed or deleted object, round, or end.
import { defined } from '../cluster/defined.ts';
import type { InstanceType } from '../cluster/settings.ts';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import { readTypes } from '../kinds/catalogue.ts';
import { isMap, type Json, mapIn } from '../kinds/read/reader.ts';
import { type Instant, parseInstant } from '../time/instant.ts';

export const recordingVersion = 1;

export interface Header {
  readonly version: typeof recordingVersion;
  /** The version of Lull that decided. */
  readonly program: string;
  /** As in a settings file. */
  readonly settings: Json;
}

/** Discards all objects; this many objects follow. */
interface Keyframe {
  readonly at: Instant;
  readonly objects: number;
}

export interface GoneObject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** The identity of an object. */
export function goneOf({ kind, metadata }: Json): GoneObject {
  const { namespace, name } = mapIn(metadata);
  return defined({
    kind: String(kind),
    name: String(name),
    namespace: typeof namespace === 'string' ? namespace : undefined,
  });
}

export const keyOf = ({ kind, namespace, name }: GoneObject): string =>
  `${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;

export interface RoundLine {
  readonly at: Instant;
  /** The ledger before the round; absent: the same as in the previous round. */
  readonly ledger?: Json;
  /** The results of searches so far; absent: as in the previous round. */
  readonly proposals?: readonly Proposal[];
  /** The pods in the view were older than the nodes; absent: they were not. */
  readonly podsBehind?: true;
  /** Karpenter's metrics had not been read yet; absent: they had, or are not used. */
  readonly typesAwaited?: true;
  /** The instance types from Karpenter's metrics (F5); absent: as in the previous round. */
  readonly instanceTypes?: readonly InstanceType[];
  /** The fields of the printed round in order; absent: those of the previous round. */
  readonly keys?: readonly string[];
  /** The difference to the previous round, by field. */
  readonly changed: Json;
  /** The fingerprint of the printed round, to verify the recording. */
  readonly fingerprint: string;
}

interface EndLine {
  readonly rounds: number;
  /** The end of the recording, which may be later than the last round. Absent in older recordings. */
  readonly at?: Instant;
}

export type RecordingLine =
  | { readonly header: Header }
  | { readonly keyframe: Keyframe }
  | { readonly put: Json }
  | { readonly gone: GoneObject }
  | { readonly round: RoundLine }
  | { readonly end: EndLine };

/** An invalid recording, with the line of the error. */
export class RecordingError extends Error {
  readonly line: number;

  constructor(line: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}

export interface NumberedLine {
  /** From 1. */
  readonly number: number;
  readonly line: RecordingLine;
}

/** Reads the lines and checks their order. A truncated recording is an error at the line where it ends. */
export function* readLines(text: string): Generator<NumberedLine, void> {
  const state = { header: false, keyframe: false, rounds: 0, ended: false };
  let number = 0;
  for (const part of partsOf(text)) {
    number++;
    const fail = (message: string): never => {
      throw new RecordingError(number, message);
    };
    if (state.ended) fail('There is a line after the end of this recording.');
    const line = readLine(part, fail);
    if ('header' in line === state.header)
      fail(
        state.header
          ? 'This is a second header.'
          : 'A recording starts with its header. Create one with `lull record`.',
      );
    if ('header' in line) state.header = true;
    else if ('keyframe' in line) state.keyframe = true;
    else if (!state.keyframe) fail('A keyframe must come before this line.');
    if ('round' in line) state.rounds++;
    if ('end' in line) {
      if (line.end.rounds !== state.rounds)
        fail(`The end line says ${line.end.rounds} rounds, but the recording has ${state.rounds}.`);
      state.ended = true;
    }
    yield { number, line };
  }
  if (!state.ended)
    throw new RecordingError(Math.max(1, number), 'The recording is truncated: its end line is missing.');
}

function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    yield end < 0 ? text.slice(start) : text.slice(start, end);
    start = end < 0 ? text.length : end + 1;
  }
}

/** Receives the lines of a recording, with the line numbers of some. */
export interface LineReader {
  header?(header: Header, number: number): void;
  keyframe?(): void;
  put?(object: Json): void;
  gone?(which: GoneObject): void;
  round?(round: RoundLine, number: number): void;
  end?(end: EndLine): void;
}

export function readInto(reader: LineReader, text: string): void {
  for (const { number, line } of readLines(text)) {
    if ('header' in line) reader.header?.(line.header, number);
    else if ('keyframe' in line) reader.keyframe?.();
    else if ('put' in line) reader.put?.(line.put);
    else if ('gone' in line) reader.gone?.(line.gone);
    else if ('round' in line) reader.round?.(line.round, number);
    else reader.end?.(line.end);
  }
}

type FailLine = (message: string) => never;

function readLine(text: string, fail: FailLine): RecordingLine {
  const value = parse(text, fail);
  const [key = '', ...others] = Object.keys(value);
  const inside = value[key];
  if (others.length > 0 || !isMap(inside)) return fail(`A line has exactly one of ${forms.join(', ')}.`);
  switch (key) {
    case 'header':
      return { header: readHeader(inside, fail) };
    case 'keyframe':
      return { keyframe: { at: readAt(inside, fail), objects: readCount(inside.objects, 'objects', fail) } };
    case 'put':
      if (typeof inside.kind !== 'string' || !isMap(inside.metadata)) fail('This object has no kind, or no metadata.');
      return { put: inside };
    case 'gone':
      return { gone: readGone(inside, fail) };
    case 'round':
      return { round: readRound(inside, fail) };
    case 'end':
      return {
        end: defined({
          rounds: readCount(inside.rounds, 'rounds', fail),
          at: inside.at === undefined ? undefined : readAt(inside, fail),
        }),
      };
    default:
      return fail(`A line has exactly one of ${forms.join(', ')}.`);
  }
}

const forms = ['header', 'keyframe', 'put', 'gone', 'round', 'end'];

function parse(text: string, fail: FailLine): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail('Not valid JSON. The recording may be truncated or edited by hand.');
  }
  return isMap(value) ? value : fail('Not a JSON object.');
}

function readHeader({ version, program, settings }: Json, fail: FailLine): Header {
  if (version !== recordingVersion)
    return fail(
      `The recording has version ${JSON.stringify(version)}; this version of Lull reads version ${recordingVersion}.`,
    );
  if (typeof program !== 'string' || !isMap(settings)) return fail('The header needs program and settings.');
  return { version, program, settings };
}

function readAt({ at }: Json, fail: FailLine): Instant {
  const instant = typeof at === 'string' ? parseInstant(at) : undefined;
  return instant ?? fail('at is not an RFC 3339 timestamp.');
}

const readCount = (value: unknown, name: string, fail: FailLine): number =>
  isCount(value) ? value : fail(`${name} is not a valid count.`);

export const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

function readGone({ kind, namespace, name }: Json, fail: FailLine): GoneObject {
  if (
    typeof kind !== 'string' ||
    typeof name !== 'string' ||
    (namespace !== undefined && typeof namespace !== 'string')
  )
    return fail('gone needs kind and name.');
  return { kind, name, ...(namespace !== undefined && { namespace }) };
}

function readRound(inside: Json, fail: FailLine): RoundLine {
  const { ledger, keys, changed, fingerprint, podsBehind, typesAwaited } = inside;
  if (ledger !== undefined && !isMap(ledger)) return fail('The ledger of this round is not an object.');
  if (keys !== undefined && !isTexts(keys)) return fail('The keys of this round are not a list of strings.');
  if (!isMap(changed) || typeof fingerprint !== 'string') return fail('A round needs changed and fingerprint.');
  const proposals = inside.proposals === undefined ? undefined : readProposals(inside.proposals);
  if (inside.proposals !== undefined && !proposals)
    return fail('The proposals of this round are not a list of proposals.');
  const instanceTypes = inside.instanceTypes === undefined ? undefined : readTypes(inside.instanceTypes);
  if (inside.instanceTypes !== undefined && !instanceTypes)
    return fail('The instance types of this round cannot be read.');
  return defined({
    at: readAt(inside, fail),
    changed,
    fingerprint,
    ledger,
    proposals,
    podsBehind: podsBehind === true || undefined,
    typesAwaited: typesAwaited === true || undefined,
    instanceTypes,
    keys,
  });
}

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((it) => typeof it === 'string');

/** Undefined if the value is not a list of proposals. */
function readProposals(value: unknown): readonly Proposal[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const proposals = value.flatMap((it) => (isMap(it) ? (readProposal(it) ?? []) : []));
  return proposals.length === value.length ? proposals : undefined;
}

function readProposal({ nodes, isReplaced, savings, podsMoved }: Json): Proposal | undefined {
  const areFigures = typeof savings === 'number' && typeof podsMoved === 'number';
  return isTexts(nodes) && typeof isReplaced === 'boolean' && areFigures
    ? { version: recorded, nodes, isReplaced, savings, podsMoved }
    : undefined;
}

/** A placeholder for the search state, which exists only in the process that searched. No round reads it. */
const recorded = 'recorded';

export const writeProposals = (proposals: readonly Proposal[]): unknown[] =>
  proposals.map(({ version: _, ...rest }) => rest);
