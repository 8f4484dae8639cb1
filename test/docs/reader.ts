// The environment of a page's reader: an empty folder with a checkout beside it, a shell, and no cluster.
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { root } from '../architecture/sources.ts';
import { firstMissing } from '../e2e/guide/page.ts';
import { type Running, Terminal, type Typed } from '../e2e/guide/terminal.ts';
import { bundle } from './bundle.ts';

/** Files of a checkout that pages refer to. */
const checkout = ['scenarios', 'docs', 'deploy', 'node_modules', 'package.json'];
/** How long a started program may take to print what the page shows. */
const startSeconds = 30;
/** How long to watch a command that does not end. */
const typeSeconds = 60;

export class Reader {
  readonly #folder = mkdtempSync(join(tmpdir(), 'lull-docs-'));
  readonly #terminal: Terminal;
  readonly #others = new Map<string, Running>();
  readonly #port: number;

  private constructor(port: number, program: Awaited<ReturnType<typeof bundle>>) {
    this.#port = port;
    cpSync(join(root, 'bin'), join(this.#folder, 'bin'), { recursive: true });
    for (const [path, text] of program) this.write(`dist/${path}`, text);
    for (const name of checkout) symlinkSync(join(root, name), join(this.#folder, name));
    const env = {
      PATH: `${join(this.#folder, 'bin')}:${join(root, 'node_modules/.bin')}:${process.env.PATH}`,
      HOME: this.#folder,
      TZ: 'UTC',
      // Commands print as on a terminal of this width, although their output is a pipe.
      LULL_COLUMNS: '100',
    };
    this.#terminal = new Terminal({ cwd: this.#folder, env });
  }

  static async sit(): Promise<Reader> {
    return new Reader(await freePort(), await bundle());
  }

  write(file: string, text: string): void {
    const path = join(this.#folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** Commands that do not end belong in a separate terminal. */
  async type(script: string): Promise<Typed> {
    const stopped = new AbortController();
    const late = setTimeout(typeSeconds * 1000, undefined, { signal: stopped.signal }).then(() => {
      throw new Error(`still running after ${typeSeconds} s: ${script}`);
    });
    try {
      return await Promise.race([this.#terminal.type(this.#asTyped(script)), late]);
    } finally {
      stopped.abort();
      late.catch(() => {});
    }
  }

  async open(name: string, script: string, shown: readonly string[]): Promise<void> {
    const running = await this.#terminal.open(this.#asTyped(script));
    this.#others.set(name, running);
    await until(() => running.printed, shown, startSeconds);
  }

  async typeUntil(script: string, shown: readonly string[], seconds: number): Promise<void> {
    await until(async () => (await this.type(script)).printed, shown, seconds);
  }

  async interrupt(name: string): Promise<Typed> {
    const running = this.#others.get(name);
    if (!running) throw new Error(`No command is running in the terminal ${name}`);
    this.#others.delete(name);
    return running.interrupt();
  }

  leave(): void {
    for (const running of this.#others.values()) running.kill();
    this.#terminal.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Another demo on this machine may use the default port; this one has its own. */
  #asTyped(script: string): string {
    const asks = /\blull (?:why|pause|resume|turn pass|forecast|record)\b(?!.*(?: -f |\.yaml))/;
    return script
      .split('\n')
      .map((line) => {
        if (/\blull up\b/.test(line)) return line.replace(/\blull up\b/, `lull up --listen 127.0.0.1:${this.#port}`);
        return line.replace(asks, (command) => `${command} --server http://127.0.0.1:${this.#port}`);
      })
      .join('\n')
      .replaceAll('127.0.0.1:7727', `127.0.0.1:${this.#port}`);
  }
}

async function until(look: () => Promise<string> | string, shown: readonly string[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const printed = await look();
    const missing = firstMissing(shown, printed);
    if (missing === undefined) return;
    if (performance.now() > end) throw new Error(`Not within ${seconds} s: ${missing}\n\n${printed}`);
    await setTimeout(200);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
