// Where does a running Lull record itself? In the file that was named; where its settings change (N11), in one more beside it.
import type { Settings } from '../cluster/settings.ts';
import type { Io } from './io.ts';
import type { Log } from './liveLog.ts';
import type { LiveSource } from './liveSource.ts';
import { openRecordFile, type RecordFile } from './recordFile.ts';

export interface Recording {
  /** From here on rounds are decided with these. */
  goOnWith(settings: Settings): void;
  close(): Promise<void>;
}

interface Options {
  readonly file: string;
  readonly source: LiveSource;
  readonly log: Log;
}

/** The first file is opened at once, so that one that cannot be written is told before anything runs. */
export async function openRecording({ file, source, log }: Options, io: Io): Promise<Recording> {
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
    log({ kind: 'recording', text: `goes on in ${name}, since the settings are others`, file: name });
    begin(target);
  };
  return {
    goOnWith: (settings) => {
      // Whoever leads again decides as before: the recording goes on.
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
