// Runs the program in its own process with limits on time and memory, in case it hangs.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Told } from './program.ts';

/** A quarter of Node's default on a machine with 4 GB. */
const megabytes = 768;
/** Wall-clock time, on a loaded machine: a program that takes longer hangs. */
const patience = 90_000;

export class Apart {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lull-hostile-'));
  #child: ChildProcess | undefined;
  #files = 0;

  /** Runs `lull COMMAND -f FILE …` with this content in the file. */
  async read(content: string | Uint8Array, command: readonly string[] = ['decide', '-o', 'json']): Promise<Told> {
    return this.run([...command, '-f', this.write(content)]);
  }

  write(content: string | Uint8Array): string {
    const file = join(this.#folder, `${++this.#files}.yaml`);
    writeFileSync(file, content);
    return file;
  }

  async run(argv: readonly string[]): Promise<Told> {
    const child = this.#started();
    child.send(argv);
    const done = new AbortController();
    const signal = AbortSignal.any([done.signal, AbortSignal.timeout(patience)]);
    const answer = once(child, 'message', { signal }).then(([told]) => told as Told);
    const death = once(child, 'exit', { signal }).then(([code, by]) => {
      throw new Error(`The program died (${code ?? by}).`);
    });
    try {
      return await Promise.race([answer, death]);
    } catch (error) {
      this.#stop();
      throw error;
    } finally {
      // The other promise has no effect any more.
      for (const unheard of [answer, death]) unheard.catch(() => undefined);
      done.abort();
    }
  }

  end(): void {
    this.#stop();
    rmSync(this.#folder, { recursive: true });
  }

  #started(): ChildProcess {
    this.#child ??= fork(join(import.meta.dirname, 'program.ts'), {
      execArgv: [`--max-old-space-size=${megabytes}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    });
    return this.#child;
  }

  #stop(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }
}
