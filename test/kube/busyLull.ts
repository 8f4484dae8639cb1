// `lull run` in a process of its own whose main thread can be kept busy: SIGUSR2 blocks it until the file RELEASE exists.
import { existsSync, writeFileSync } from 'node:fs';
import { runInMemory } from '../inMemory.ts';

const { RELEASE: release = '', BLOCKED: blocked = '' } = process.env;
const nobody = new Int32Array(new SharedArrayBuffer(4));
/** In milliseconds. */
const lookEvery = 20;

process.on('SIGUSR2', () => {
  writeFileSync(blocked, '');
  while (!existsSync(release)) Atomics.wait(nobody, 0, 0, lookEvery);
});

const { status } = await runInMemory(process.argv.slice(2), {
  onStderr: (text) => process.stderr.write(text),
  onInterrupt: (listener) => {
    process.on('SIGTERM', listener);
    return () => process.off('SIGTERM', listener);
  },
});
process.exitCode = status;
