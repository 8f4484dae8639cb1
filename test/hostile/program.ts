// The program in a process of its own, with little memory: asked by messages, one command line after another.
import { runInMemory } from '../inMemory.ts';

export interface Told {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Seconds of processor time: a busy machine does not change them much. */
  readonly seconds: number;
}

process.on('message', async (argv: string[]) => {
  const start = process.cpuUsage();
  const ran = await runInMemory(argv);
  const { user, system } = process.cpuUsage(start);
  process.send?.({ ...ran, seconds: (user + system) / 1e6 } satisfies Told);
});
