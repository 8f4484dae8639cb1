// Recordings of a running Lull, with a new file when its settings change (N11), and snapshots of the cluster.
import type { Settings } from '../../cluster/settings.ts';
import { decideRound } from '../../engine/round.ts';
import { mapIn } from '../../kinds/read/reader.ts';
import { readObject } from '../../kinds/readObject.ts';
import { ledgerKind } from '../../kube/apiKind.ts';
import type { Connection } from '../../kube/connection.ts';
import { listObjects } from '../../kube/listing.ts';
import { ObservedObjects } from '../../recording/recorder.ts';
import { snapshotLines } from '../../recording/snapshot.ts';
import type { Instant } from '../../time/instant.ts';
import { roundAsJson } from '../decide/roundJson.ts';
import { factsOf, gatherReads } from '../input.ts';
import type { Io } from '../io.ts';
import { openRecordFile, type RecordFile } from '../record/recordFile.ts';
import { slimmed } from '../snapshot/slim.ts';
import type { Log } from './liveLog.ts';
import type { LiveSource } from './liveSource.ts';

interface RecordingWriter {
  /** Rounds are decided with these settings from now on. */
  goOnWith(settings: Settings): void;
  close(): Promise<void>;
}

interface RecordingOptions {
  readonly file: string;
  readonly source: LiveSource;
  readonly log: Log;
}

/** Opens the first file at once, so that a file that cannot be written is reported before anything runs. */
export async function openRecording({ file, source, log }: RecordingOptions, io: Io): Promise<RecordingWriter> {
  let target = await openRecordFile(file, io);
  let last: Settings | undefined;
  let number = 1;
  let opening: Promise<void> = Promise.resolve();
  let stop = (): void => undefined;

  const begin = (to: RecordFile): void => {
    stop = source.record?.(to.write) ?? stop;
  };
  const renew = async (): Promise<void> => {
    const name = nth(file, ++number);
    const before = target;
    await before.close();
    target = await openRecordFile(name, io);
    log({ kind: 'recording', text: `continues in ${name}, since the settings changed`, file: name });
    begin(target);
  };
  return {
    goOnWith: (settings) => {
      // A process that leads again with the same settings continues the recording.
      if (settings === last) return;
      const isFirst = last === undefined;
      last = settings;
      if (isFirst) begin(target);
      else opening = opening.then(renew).catch((error: unknown) => log({ kind: 'recording', text: String(error) }));
    },
    close: async () => {
      await opening;
      stop();
      await target.close();
    },
  };
}

/** `week.gz` → `week-2.gz` */
function nth(file: string, number: number): string {
  if (file === '-') return file;
  const [, stem = file, ending = ''] = /^(.*?)((?:\.[A-Za-z]+)+)?$/.exec(file) ?? [];
  return `${stem}-${number}${ending}`;
}

interface SnapshotOptions {
  readonly connection: Connection;
  readonly settings: Settings;
  /** Lull's version. */
  readonly version: string;
  readonly now: () => Instant;
}

/** A recording of one round, decided on the objects just listed. */
export async function* snapshotNow({ connection, settings, version, now }: SnapshotOptions): AsyncGenerator<string> {
  const { objects } = await listObjects({ client: connection.client, keep: (object) => slimmed(object) });
  const facts = factsOf(gatherReads(objects.map((object) => ({ read: readObject(object) }))), settings);
  const observed = new ObservedObjects();
  // The ledger is written with the round that was decided from it.
  for (const object of objects) if (object.kind !== ledgerKind) observed.read(object, false);
  const at = now();
  const printed = mapIn(roundAsJson(decideRound(facts, at, settings), facts.ledger));
  yield* snapshotLines({ program: version, settings, observed, last: { at, ledger: facts.ledger, printed } });
}
