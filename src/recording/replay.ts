// Is the same decided again (J4)? The facts of a recording, round by round, just as they were.
import { emptyLedger, type Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import { type Change, ClusterStore } from '../cluster/store.ts';
import type { Facts } from '../engine/situation.ts';
import type { Json } from '../kinds/reader.ts';
import { readObject } from '../kinds/readObject.ts';
import { readSettings } from '../kinds/settings.ts';
import type { Instant } from '../time/instant.ts';
import { type Gone, RecordingError, readLines } from './line.ts';
import { RoundReader } from './roundDelta.ts';

/** One recorded round, with what it was decided from. */
export interface Moment {
  readonly line: number;
  readonly at: Instant;
  readonly facts: Facts;
  readonly settings: Settings;
  /** The round as it was printed then. */
  readonly printed: string;
}

/** The store is the same one for all moments: look at each before asking for the next. Returns until when was recorded. */
export function* replayMoments(text: string): Generator<Moment, Instant | undefined> {
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
      const hints = { ...(proposals && { proposals }), ...(instanceTypes && { instanceTypes }) };
      const late = { ...(podsBehind && { podsBehind }), ...(typesAwaited && { typesAwaited }) };
      const facts = { cluster, ledger, ...hints, ...late };
      yield { line: number, at, facts, settings, printed: printed.text };
    }
  }
  return end;
}

export function put(cluster: ClusterStore, object: Json): void {
  const read = readObject(object);
  if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') return;
  cluster.apply({ kind: read.kind, put: read.record, faults: read.faults } as Change);
}

export function remove(cluster: ClusterStore, { kind, namespace, name }: Gone): void {
  cluster.apply({ kind, gone: namespace === undefined ? name : `${namespace}/${name}` } as Change);
}

export function settingsOf(values: Json, line: number): Settings {
  const { settings, faults } = readSettings(values);
  const [fault] = faults;
  if (fault) throw new RecordingError(line, `The settings of this recording: ${fault.message}`);
  return settings;
}

export function ledgerOf(object: Json, line: number): Ledger {
  const read = readObject(object);
  if (read.kind !== 'DisruptionLedger') throw new RecordingError(line, 'This is no ledger.');
  const [fault] = read.faults;
  if (fault) throw new RecordingError(line, `The ledger cannot be read: ${fault.path}: ${fault.message}`);
  return read.record;
}
