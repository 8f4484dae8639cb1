// How is the program tied to this process? The entry of the bundle, and the only file that knows of process and clock.
import { userInfo } from 'node:os';
import { createInterface } from 'node:readline/promises';
import { asInstant } from '../time/instant.ts';
import { wantsColor } from './io.ts';
import { run } from './program.ts';
import { readStream } from './sources.ts';

declare const LULL_VERSION: string;
declare const LULL_BUILT_FROM: string | undefined;

/** Where nobody says how wide the screen is. */
const usualWidth = 100;
const usualHeight = 40;

// `lull decide … | head` closes the pipe early; that is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
process.stderr.on('error', () => process.exit(2));

process.exitCode = await run(process.argv.slice(2), {
  stdin: () => readStream(process.stdin),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  now: () => asInstant(Date.now()),
  localZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  width: process.stdout.columns ?? (Number(process.env.COLUMNS) || usualWidth),
  color: wantsColor(process.env, process.stdout.isTTY === true),
  version: LULL_VERSION,
  // Where the source runs as it is, nobody has said.
  ...(typeof LULL_BUILT_FROM === 'string' && LULL_BUILT_FROM !== '' && { builtFrom: LULL_BUILT_FROM }),
  debug: process.env.LULL_DEBUG === '1',
  ...(process.stderr.isTTY && { progress: (text: string) => process.stderr.write(`\r\x1b[2K${text}`) }),
  wait: (length) => new Promise((resolve) => setTimeout(resolve, length)),
  ...(process.stdin.isTTY && process.stderr.isTTY && { confirm }),
  ...(/^\d{1,5}$/.test(process.env.LULL_PORT ?? '') && { port: Number(process.env.LULL_PORT) }),
  ...userHere(),
  ...(process.env.LULL_CALLED_AS !== undefined && { calledAs: process.env.LULL_CALLED_AS }),
  onInterrupt,
  ...(process.stdout.isTTY && {
    screen: () => ({ rows: process.stdout.rows ?? usualHeight, columns: process.stdout.columns ?? usualWidth }),
  }),
});

/** A container may run under a number that has no name. */
function userHere(): { readonly user?: string } {
  try {
    return { user: userInfo().username };
  } catch {
    return {};
  }
}

async function confirm(question: string): Promise<boolean> {
  const reading = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await reading.question(`${question} [y/N] `);
  reading.close();
  return /^y(es)?$/i.test(answer.trim());
}

function onInterrupt(listener: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listener);
  return () => {
    for (const signal of signals) process.off(signal, listener);
  };
}
