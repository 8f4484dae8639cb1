// `lull run` in its own process, whose main thread can be kept busy: SIGUSR2 blocks it until the file RELEASE exists.
import { existsSync, writeFileSync } from 'node:fs';
import { runInMemory } from '../inMemory.ts';

const { RELEASE: release = '', BLOCKED: blocked = '' } = process.env;
const cell = new Int32Array(new SharedArrayBuffer(4));
/** In milliseconds. */
const lookEvery = 20;

process.on('SIGUSR2', () => {
  writeFileSync(blocked, '');
  while (!existsSync(release)) Atomics.wait(cell, 0, 0, lookEvery);
});

const { status } = await runInMemory(process.argv.slice(2), {
  onStderr: (text) => process.stderr.write(text),
  onInterrupt: (listener) => {
    process.on('SIGTERM', listener);
    return () => process.off('SIGTERM', listener);
  },
});
process.exitCode = status;
