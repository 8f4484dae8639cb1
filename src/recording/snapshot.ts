// The objects of a recording at one instant, and snapshots: recordings of a single round (J4).
import type { Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Json } from '../kinds/read/reader.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import type { ObservedObjects } from './recorder.ts';
import { RoundRecorder } from './recorder.ts';
import { goneOf, keyOf, RecordingError, type RecordingLine, readLines } from './recordingLine.ts';
import { ledgerOf, settingsOf } from './replay.ts';

export interface MomentObjects {
  /** The instant of the round. */
  readonly at: Instant;
  readonly objects: readonly Json[];
}

/** Without `until`: at the last round. */
export function objectsAt(text: string, until?: Instant): MomentObjects {
  const objects = new Map<string, Json>();
  let ledger: Json | undefined;
  let at: Instant | undefined;
  let sinceRound: RecordingLine[] = [];
  let last = 1;
  for (const { number, line } of readLines(text)) {
    last = number;
    if (!('round' in line)) {
      sinceRound.push(line);
      continue;
    }
    if (until !== undefined && line.round.at > until) break;
    for (const change of sinceRound) apply(objects, change);
    sinceRound = [];
    at = line.round.at;
    ledger = line.round.ledger ?? ledger;
  }
  if (at !== undefined) return { at, objects: [...objects.values(), ...(ledger ? [ledger] : [])] };
  const when = until === undefined ? '' : ` at or before ${formatInstant(until)}`;
  throw new RecordingError(last, `This recording has no round${when}.`);
}

function apply(objects: Map<string, Json>, change: RecordingLine): void {
  if ('keyframe' in change) objects.clear();
  else if ('put' in change) objects.set(keyOf(goneOf(change.put)), change.put);
  else if ('gone' in change) objects.delete(keyOf(change.gone));
}

export interface SnapshotRead {
  readonly at: Instant;
  readonly objects: readonly Json[];
  readonly ledger: Ledger;
  readonly settings: Settings;
}

export function readSnapshot(text: string): SnapshotRead {
  const objects: Json[] = [];
  let [at, ledger, settings]: [Instant?, Ledger?, Settings?] = [];
  let last = 1;
  for (const { number, line } of readLines(text)) {
    last = number;
    if ('header' in line) settings = settingsOf(line.header.settings, number);
    else if ('put' in line) objects.push(line.put);
    else if ('round' in line) {
      at = line.round.at;
      if (line.round.ledger) ledger = ledgerOf(line.round.ledger, number);
    }
  }
  if (at === undefined || !ledger || !settings)
    throw new RecordingError(last, 'This snapshot has no settings, no round or no ledger. Ask for it again.');
  return { at, objects, ledger, settings };
}

export interface SnapshotParts {
  readonly program: string;
  readonly settings: Settings;
  readonly observed: ObservedObjects;
  /** The last round; absent: there was none. */
  readonly last?: { readonly at: Instant; readonly ledger: Ledger; readonly printed: Json } | undefined;
}

/** The lines of objects are generated lazily, from the current objects. */
export function snapshotLines({ last, ...parts }: SnapshotParts): Iterable<string> {
  const lots: Iterable<string>[] = [];
  const writeLater = (lines: Iterable<string>): void => void lots.push(lines);
  const recorder = new RoundRecorder({ ...parts, write: (line) => writeLater([line]), writeLater });
  if (last) recorder.round(last);
  recorder.end();
  return joined(lots);
}

function* joined(lots: Iterable<Iterable<string>>): Generator<string> {
  for (const lines of lots) yield* lines;
}
