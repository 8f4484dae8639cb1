// How is the program tied to this process? The entry of the bundle, and the only file that knows of process and clock.
import { asInstant } from '../time/instant.ts';
import { wantsColor } from './io.ts';
import { run } from './run.ts';

declare const LULL_VERSION: string;

/** Where nobody says how wide the screen is. */
const usualWidth = 100;

// `lull decide … | head` closes the pipe early; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
process.stderr.on('error', () => process.exit(2));

process.exitCode = await run(process.argv.slice(2), {
  stdin: readStdin,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  now: () => asInstant(Date.now()),
  localZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  width: process.stdout.columns ?? (Number(process.env.COLUMNS) || usualWidth),
  color: wantsColor(process.env, process.stdout.isTTY === true),
  version: LULL_VERSION,
  debug: process.env.LULL_DEBUG === '1',
});

async function readStdin(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}
