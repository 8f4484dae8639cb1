// A reader's terminals: a shell that keeps exported variables, and another for commands that keep running.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from '../../cluster/places.ts';

export interface Typed {
  /** The exit code of the first command that failed; 0 = none. */
  readonly code: number;
  readonly printed: string;
}

/** The working directory, and the exported variables. */
export interface Place {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The reader's first terminal: variables that a script exports are set in the next one. */
export class Terminal {
  readonly #shell: ChildProcess;
  readonly #cwd: string;
  #printed = '';
  #typed = 0;

  constructor({ cwd = root, env = {} }: Place = {}) {
    this.#cwd = cwd;
    this.#shell = spawn('bash', ['--noprofile', '--norc'], { cwd, env: { ...plainEnvironment(), ...env } });
    for (const stream of [this.#shell.stdout, this.#shell.stderr])
      stream?.on('data', (piece: Buffer) => {
        this.#printed += piece;
      });
    this.#shell.stdin?.write("set -E; trap 'failed=$?' ERR\n");
  }

  async type(script: string): Promise<Typed> {
    const mark = `typed-${++this.#typed}`;
    this.#printed = '';
    // The program must not read the commands typed next.
    this.#shell.stdin?.write(`failed=0; {\n${script}\n} </dev/null 2>&1; echo "${mark} $failed"\n`);
    const end = new RegExp(`^${mark} (\\d+)\\n`, 'm');
    for (;;) {
      const found = end.exec(this.#printed);
      if (found) return { code: Number(found[1]), printed: this.#printed.slice(0, found.index) };
      if (this.#shell.exitCode !== null) throw new Error(`The shell has ended:\n${this.#printed}`);
      await once(this.#shell.stdout as NodeJS.ReadableStream, 'data');
    }
  }

  /** Another terminal, with the same exported variables. */
  async open(script: string): Promise<Running> {
    const { printed } = await this.type('env -0 | tr "\\n\\0" " \\n"');
    const pairs = printed.split('\n').flatMap((line) => (line.includes('=') ? [line] : []));
    const env = Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    );
    return new Running(script, { cwd: this.#cwd, env });
  }

  close(): void {
    this.#shell.kill();
  }
}

/** A program that runs until Ctrl-C. */
export class Running {
  readonly #process: ChildProcess;
  #printed = '';

  constructor(script: string, { cwd, env }: Required<Place>) {
    // Its own process group, as a terminal gives to the program in the foreground.
    this.#process = spawn('bash', ['--noprofile', '--norc', '-c', `exec ${script}`], { cwd, env, detached: true });
    for (const stream of [this.#process.stdout, this.#process.stderr])
      stream?.on('data', (piece: Buffer) => {
        this.#printed += piece;
      });
  }

  get printed(): string {
    return this.#printed;
  }

  get hasEnded(): boolean {
    return this.#process.exitCode !== null;
  }

  async interrupt(): Promise<Typed> {
    if (!this.hasEnded) {
      const ended = once(this.#process, 'exit');
      process.kill(-(this.#process.pid ?? 0), 'SIGINT');
      await ended;
    }
    return { code: this.#process.exitCode ?? -1, printed: this.#printed };
  }

  kill(): void {
    if (!this.hasEnded) this.#process.kill('SIGKILL');
  }
}

/** Without variables that point to another cluster. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { KUBECONFIG: _, ...rest } = process.env;
  return { ...rest, NO_COLOR: '1' };
}
