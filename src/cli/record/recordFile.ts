// The file that a recording is written to, compressed as it grows, or stdout, uncompressed.
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Failure } from '../failure.ts';
import type { Io } from '../io.ts';

export interface RecordFile {
  write(line: string): void;
  /** Waits until nearly everything written so far is flushed. */
  drained(): Promise<void>;
  close(): Promise<void>;
}

/** `-` and names that end in .ndjson are written as plain text, all others compressed. */
export async function openRecordFile(file: string, io: Io): Promise<RecordFile> {
  if (file === '-') {
    return {
      write: (line) => io.stdout(`${line}\n`, 'json'),
      drained: async () => undefined,
      close: async () => undefined,
    };
  }
  // It contains names of people and workloads, which other users of a shared machine must not read.
  const target = createWriteStream(file, { mode: 0o600 });
  const failed = (error: Error): never => {
    throw new Failure([{ file, message: `Cannot write this file: ${error.message}` }]);
  };
  await new Promise<void>((resolve, reject) => {
    target.once('open', () => resolve());
    target.once('error', reject);
  }).catch(failed);
  // `done` reports the error; without a listener it would end the process.
  target.on('error', () => undefined);
  const packed = /\.ndjson$/i.test(file) ? undefined : createGzip();
  const sink = packed ?? target;
  packed?.pipe(target);
  const done = finished(target);
  done.catch(() => undefined);
  return {
    write: (line) => sink.write(`${line}\n`),
    drained: async () => {
      if (!sink.writableNeedDrain) return;
      const drain = new Promise<void>((resolve) => {
        sink.once('drain', resolve);
      });
      await Promise.race([drain, done]).catch(failed);
    },
    close: async () => {
      sink.end();
      await done.catch(failed);
    },
  };
}
