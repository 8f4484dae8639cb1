// The entry point: connects the program to this process. The only file that uses the process and its clock.
import { userInfo } from 'node:os';
import { asDuration, asInstant, minute } from '../time/instant.ts';
import { outputWidth, wantsColor } from './io.ts';
import { run } from './program.ts';

declare const LULL_VERSION: string;
declare const LULL_BUILT_FROM: string | undefined;

/** For a terminal that does not report its size. */
const usualScreen = { rows: 40, columns: 80 };

// `lull decide … | head` closes the pipe early, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 2));
process.stderr.on('error', () => process.exit(2));

process.exitCode = await run(process.argv.slice(2), {
  stdin: async () => (await import('./sources.ts')).readStream(process.stdin),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  now: () => asInstant(Date.now()),
  localOffset: (at) => asDuration(-new Date(at).getTimezoneOffset() * minute),
  localZone: () => Intl.DateTimeFormat().resolvedOptions().timeZone,
  width: outputWidth(process.env, process.stdout.isTTY ? process.stdout : undefined),
  color: wantsColor(process.env, process.stdout.isTTY === true),
  version: LULL_VERSION,
  // The build defines it; source that runs unbuilt has none.
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
    screen: () => ({
      rows: process.stdout.rows || usualScreen.rows,
      columns: process.stdout.columns || usualScreen.columns,
    }),
  }),
});

/** A container may run under a user ID without a name. */
function userHere(): { readonly user?: string } {
  try {
    return { user: userInfo().username };
  } catch {
    return {};
  }
}

async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
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
