// What stands on a line of a recording (J4)? One JSON object: the header, a keyframe, an object that came, changed or went, a round, or the end.

import type { InstanceType } from '../cluster/settings.ts';
import type { Proposal } from '../engine/consolidation/proposal.ts';
import { readTypes } from '../kinds/catalogue.ts';
import type { Json } from '../kinds/reader.ts';
import { isMap } from '../kinds/reader.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { readProposals } from './proposals.ts';

export const recordingVersion = 1;

export interface Header {
  readonly version: typeof recordingVersion;
  /** Which Lull decided. */
  readonly program: string;
  /** As a settings file says them. */
  readonly settings: Json;
}

/** All that was known before is forgotten; so many objects follow. */
export interface Keyframe {
  readonly at: Instant;
  readonly objects: number;
}

export interface Gone {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface RoundLine {
  readonly at: Instant;
  /** The ledger it was decided from; absent = the one of the round before. */
  readonly ledger?: Json;
  /** What searches had found by then; absent = as in the round before. */
  readonly proposals?: readonly Proposal[];
  /** Pods were seen less far than nodes; absent = they were not. */
  readonly podsBehind?: true;
  /** The first answer of Karpenter's metrics was not there yet; absent = it was, or none was asked for. */
  readonly typesAwaited?: true;
  /** F5: what Karpenter's metrics said of instance types by then; absent = as in the round before. */
  readonly instanceTypes?: readonly InstanceType[];
  /** The fields of the printed round in their order; absent = those of the round before. */
  readonly keys?: readonly string[];
  /** By field: what differs from the round before. */
  readonly changed: Json;
  /** Of the printed round: whether this recording is whole. */
  readonly fingerprint: string;
}

export interface End {
  readonly rounds: number;
  /** Until when was recorded: later than the last round where nothing happened after it. Absent in older recordings. */
  readonly at?: Instant;
}

export type Line =
  | { readonly header: Header }
  | { readonly keyframe: Keyframe }
  | { readonly put: Json }
  | { readonly gone: Gone }
  | { readonly round: RoundLine }
  | { readonly end: End };

/** What cannot be a recording, and where that shows. */
export class RecordingError extends Error {
  readonly line: number;

  constructor(line: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.line = line;
  }
}

export interface Numbered {
  /** Counted from 1, as editors do. */
  readonly number: number;
  readonly line: Line;
}

/** Line by line, in the order in which they may stand. A recording that breaks off is told at the place where it does. */
export function* readLines(text: string): Generator<Numbered, void> {
  const state = { header: false, keyframe: false, rounds: 0, ended: false };
  let number = 0;
  for (const part of partsOf(text)) {
    number++;
    const fail = (message: string): never => {
      throw new RecordingError(number, message);
    };
    if (state.ended) fail('Something stands after the end of this recording.');
    const line = readLine(part, fail);
    if ('header' in line === state.header)
      fail(
        state.header ? 'This is a second header.' : 'A recording begins with its header. Make one with `lull record`.',
      );
    if ('header' in line) state.header = true;
    else if ('keyframe' in line) state.keyframe = true;
    else if (!state.keyframe) fail('A keyframe has to stand before this.');
    if ('round' in line) state.rounds++;
    if ('end' in line) {
      if (line.end.rounds !== state.rounds)
        fail(`It ends after ${line.end.rounds} rounds, but ${state.rounds} stand here.`);
      state.ended = true;
    }
    yield { number, line };
  }
  if (!state.ended)
    throw new RecordingError(Math.max(1, number), 'This recording breaks off here: its end is missing.');
}

function* partsOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start);
    yield end < 0 ? text.slice(start) : text.slice(start, end);
    start = end < 0 ? text.length : end + 1;
  }
}

type Fail = (message: string) => never;

function readLine(text: string, fail: Fail): Line {
  const value = parse(text, fail);
  const [key = '', ...others] = Object.keys(value);
  const inside = value[key];
  if (others.length > 0 || !isMap(inside)) return fail(`A line holds one of ${forms.join(', ')}.`);
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
        end: {
          rounds: readCount(inside.rounds, 'rounds', fail),
          ...(inside.at !== undefined && { at: readAt(inside, fail) }),
        },
      };
    default:
      return fail(`A line holds one of ${forms.join(', ')}.`);
  }
}

const forms = ['header', 'keyframe', 'put', 'gone', 'round', 'end'];

function parse(text: string, fail: Fail): Json {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail('This is no JSON. A recording may have been cut, or changed by hand.');
  }
  return isMap(value) ? value : fail('This is no JSON object.');
}

function readHeader({ version, program, settings }: Json, fail: Fail): Header {
  if (version !== recordingVersion)
    return fail(`This recording is of version ${JSON.stringify(version)}; this Lull reads ${recordingVersion}.`);
  if (typeof program !== 'string' || !isMap(settings)) return fail('The header needs program and settings.');
  return { version, program, settings };
}

function readAt({ at }: Json, fail: Fail): Instant {
  const instant = typeof at === 'string' ? parseInstant(at) : undefined;
  return instant ?? fail('at is no RFC 3339 instant.');
}

const readCount = (value: unknown, name: string, fail: Fail): number =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : fail(`${name} is no number of something.`);

function readGone({ kind, namespace, name }: Json, fail: Fail): Gone {
  if (
    typeof kind !== 'string' ||
    typeof name !== 'string' ||
    (namespace !== undefined && typeof namespace !== 'string')
  )
    return fail('What is gone needs kind and name.');
  return { kind, name, ...(namespace !== undefined && { namespace }) };
}

function readRound(inside: Json, fail: Fail): RoundLine {
  const { ledger, keys, changed, fingerprint, podsBehind, typesAwaited } = inside;
  const isKeys = (value: unknown): value is string[] =>
    Array.isArray(value) && value.every((it) => typeof it === 'string');
  if (ledger !== undefined && !isMap(ledger)) return fail('The ledger of this round is no object.');
  if (keys !== undefined && !isKeys(keys)) return fail('The keys of this round are no list of texts.');
  if (!isMap(changed) || typeof fingerprint !== 'string') return fail('A round needs changed and fingerprint.');
  const proposals = inside.proposals === undefined ? undefined : readProposals(inside.proposals);
  if (inside.proposals !== undefined && !proposals)
    return fail('The proposals of this round are no list of proposals.');
  const types = inside.instanceTypes === undefined ? undefined : readTypes(inside.instanceTypes);
  if (inside.instanceTypes !== undefined && !types) return fail('The instance types of this round cannot be read.');
  return {
    at: readAt(inside, fail),
    changed,
    fingerprint,
    ...(ledger && { ledger }),
    ...(proposals && { proposals }),
    ...(podsBehind === true && { podsBehind }),
    ...(typesAwaited === true && { typesAwaited }),
    ...(types && { instanceTypes: types }),
    ...(keys && { keys }),
  };
}
