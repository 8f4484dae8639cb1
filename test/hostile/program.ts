// The program in its own process, with little memory: receives one command line after another as messages.
import { runInMemory } from '../inMemory.ts';

export interface Told {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Seconds of processor time, which a busy machine changes little. */
  readonly seconds: number;
}

process.on('message', async (argv: string[]) => {
  const start = process.cpuUsage();
  const ran = await runInMemory(argv);
  const { user, system } = process.cpuUsage(start);
  process.send?.({ ...ran, seconds: (user + system) / 1e6 } satisfies Told);
});
