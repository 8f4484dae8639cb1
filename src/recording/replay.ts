// Replays a recording (J4): decides every round again from the recorded facts and compares the output byte by byte.
import { defined } from '../cluster/defined.ts';
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import { ClusterStore } from '../cluster/store.ts';
import { decideRound } from '../engine/round.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/read/reader.ts';
import { applyGone, applyRead, readObject } from '../kinds/readObject.ts';
import { readSettings } from '../kinds/readSettings.ts';
import { type Instant, latest } from '../time/instant.ts';
import { type GoneObject, RecordingError, readLines } from './recordingLine.ts';
import { RoundReader } from './roundDelta.ts';

/** One recorded round with its input. */
export interface RecordedRound {
  readonly line: number;
  readonly at: Instant;
  readonly facts: Facts;
  readonly settings: Settings;
  /** The round as recorded. */
  readonly printed: string;
}

/** All rounds share one store: use each before requesting the next. Returns the end of the recording. */
export function* replayRounds(text: string): Generator<RecordedRound, Instant | undefined> {
  const rounds = new RoundReader();
  let cluster = new ClusterStore();
  let settings: Settings | undefined;
  let ledger: Ledger = emptyLedger;
  let proposals: Facts['proposals'];
  let instanceTypes: Facts['instanceTypes'];
  let end: Instant | undefined;
  for (const { number, line } of readLines(text)) {
    if ('header' in line) settings = settingsOf(line.header.settings, number);
    else if ('keyframe' in line) cluster = new ClusterStore();
    else if ('put' in line) put(cluster, line.put);
    else if ('gone' in line) remove(cluster, line.gone);
    else if ('end' in line) end = line.end.at;
    else if ('round' in line && settings) {
      const { at, podsBehind, typesAwaited } = line.round;
      if (line.round.ledger) ledger = ledgerOf(line.round.ledger, number);
      proposals = line.round.proposals ?? proposals;
      instanceTypes = line.round.instanceTypes ?? instanceTypes;
      const printed = rounds.read(line.round);
      if ('wrong' in printed) throw new RecordingError(number, printed.wrong);
      const facts = { cluster, ledger, ...defined({ proposals, instanceTypes, podsBehind, typesAwaited }) };
      yield { line: number, at, facts, settings, printed: printed.text };
    }
  }
  return end;
}

export const put = (cluster: ClusterStore, object: Json): void => applyRead(cluster, readObject(object));

export const remove = (cluster: ClusterStore, { kind, namespace, name }: GoneObject): void =>
  applyGone(cluster, kind, namespace === undefined ? name : `${namespace}/${name}`);

export function settingsOf(values: Json, line: number): Settings {
  const { settings, faults } = readSettings(values);
  const [fault] = faults;
  if (fault) throw new RecordingError(line, `The settings of this recording: ${fault.message}`);
  return settings;
}

export function ledgerOf(object: Json, line: number): Ledger {
  const read = readObject(object);
  if (read.kind !== 'DisruptionLedger') throw new RecordingError(line, 'This is not a DisruptionLedger.');
  const [fault] = read.faults;
  if (fault) throw new RecordingError(line, `The ledger cannot be read: ${fault.path}: ${fault.message}`);
  return read.record;
}

export interface Replay {
  /** The number of rounds decided again, including the mismatch. */
  readonly rounds: number;
  readonly from?: Instant;
  readonly to?: Instant;
  readonly differs?: RoundMismatch;
}

/** The first round that differs. */
export interface RoundMismatch {
  readonly line: number;
  readonly at: Instant;
  readonly recorded: Json;
  readonly decided: Json;
}

/** `print` must be the function the recorder used. */
export function decideAgain(text: string, print: (round: Round, before: Ledger) => unknown): Replay {
  let soFar: Replay = { rounds: 0 };
  const moments = replayRounds(text);
  let step = moments.next();
  for (; !step.done; step = moments.next()) {
    const { at, facts, settings, printed, line } = step.value;
    soFar = { rounds: soFar.rounds + 1, from: soFar.from ?? at, to: at };
    const again = JSON.stringify(print(decideRound(facts, at, settings), facts.ledger));
    if (again === printed) continue;
    const [recorded, decided]: [Json, Json] = [JSON.parse(printed), JSON.parse(again)];
    return { ...soFar, differs: { line, at, recorded, decided } };
  }
  // The recording may be longer than its last round.
  const to = latest(soFar.to, step.value);
  return to === undefined ? soFar : { ...soFar, to };
}
