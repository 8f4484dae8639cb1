import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';
import { usualPort } from '../flags.ts';

const folder = mkdtempSync(join(tmpdir(), 'lull-up-'));
afterAll(() => rmSync(folder, { recursive: true }));

const children: ChildProcess[] = [];
const servers: Server[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const server of servers.splice(0)) server.close();
});

/** The program as a process of its own. */
function start(...argv: string[]): {
  child: ChildProcess;
  out: () => string;
  err: () => string;
  until: (text: RegExp) => Promise<RegExpExecArray>;
} {
  const version = 'data:text/javascript,globalThis.LULL_VERSION="test"';
  const { FORCE_COLOR: _, ...env } = process.env;
  const child = spawn(process.execPath, ['--import', version, 'src/cli/main.ts', 'up', ...argv], {
    env: { ...env, NO_COLOR: '1' },
  });
  children.push(child);
  const said = { out: '', err: '' };
  child.stdout?.on('data', (chunk) => {
    said.out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    said.err += chunk;
  });
  const until = async (text: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = text.exec(said.out);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`it ended: ${said.out}${said.err}`);
      await Promise.race([once(child.stdout as NonNullable<typeof child.stdout>, 'data'), once(child, 'exit')]);
    }
  };
  return { child, out: () => said.out, err: () => said.err, until };
}

const isAnswering = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe('lull up', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends it at once and leaves nothing behind', async (signal) => {
    const file = join(folder, `${signal}.gz`);
    const { child, until, out, err } = start('--listen', ':0', '--record', file);
    const [, url = ''] = await until(/listening on (\S+)/);
    await until(/web-1 is chosen/);
    expect(await isAnswering(url)).toBe(true);
    // A viewer that stays connected does not delay the exit.
    const viewer = await fetch(`${url}/api/events`);
    child.kill(signal);
    const [code] = await once(child, 'exit');
    expect(code).toBe(0);
    expect(out()).toMatch(/demo: \d+ nodes? disrupted, .*; recorded in .*gz\n$/);
    expect(err()).toBe('');
    expect(await isAnswering(url)).toBe(false);
    await viewer.text().catch(() => undefined);
    expect(existsSync(file)).toBe(true);
    expect((await runInMemory(['replay', file])).stdout).toMatch(/decided again: the same/);
  });

  it('takes a free port if the default one is in use, and reports it', async () => {
    const other = createServer().on('error', () => undefined);
    servers.push(other);
    // Another Lull on this machine may have it already; the port is in use in either case.
    other.listen(usualPort, '127.0.0.1');
    await Promise.race([once(other, 'listening'), once(other, 'error').catch(() => undefined)]);
    const { until, err, child } = start();
    const [, url = ''] = await until(/listening on (\S+)/);
    expect(url).not.toContain(String(usualPort));
    await until(/chosen/);
    expect(err()).toContain(`Port ${usualPort} is in use; listening on ${new URL(url).port}`);
    child.kill('SIGINT');
    await once(child, 'exit');
  });

  it('fails if the requested port is in use', async () => {
    const other = createServer();
    servers.push(other);
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    const { status, stderr } = await runInMemory(['up', '--listen', `:${port}`]);
    expect(stderr).toBe(`lull: Port ${port} is in use. Choose another with --listen.\n`);
    expect(status).toBe(2);
  });

  it.each([
    [['up', '--listen', '0.0.0.0:0'], /requires a token/],
    [['up', '--speed', 'max'], /Use `lull simulate`/],
    [['up', '--speed', '0'], /number above 0/],
    [['up', '--scenario', 'scenarios/first-look.yaml'], /There is no Scenario here/],
    [['up', '--scenario', 'nowhere.yaml'], /No such file/],
    [['up', '--record', '/nowhere/x', '--listen', ':0'], /Cannot write this file/],
  ])('%j is wrong usage', async (argv, message) => {
    const { status, stderr } = await runInMemory(argv);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });

  it('ends with the scenario if it cannot be interrupted', async () => {
    const { stdout, status } = await runInMemory(['up', '--listen', ':0', '--speed', '100000'], {
      wait: async () => undefined,
    });
    expect(stdout).toMatch(/the scenario is over/);
    expect(stdout).toMatch(/demo: \d+ nodes disrupted, every limit kept\n$/);
    expect(status).toBe(0);
  });
});

describe('lull up on a terminal', () => {
  /** The frames drawn on a screen of 80 columns and 24 rows, interrupted after `count` of them. */
  async function frames(count: number, speed: string): Promise<{ all: string; pictures: string[] }> {
    let listener: (() => void) | undefined;
    let shown = 0;
    const { stdout } = await runInMemory(['up', '--listen', ':0', '--speed', speed], {
      screen: () => ({ rows: 24, columns: 80 }),
      onInterrupt: (it) => {
        listener = it;
        return () => undefined;
      },
      wait: async () => {
        if (++shown >= count) listener?.();
      },
    });
    return { all: stdout, pictures: stdout.split('\x1b[H').slice(1) };
  }

  it('draws in place, and restores the screen', async () => {
    const { all, pictures } = await frames(30, '20');
    expect(all.startsWith('\x1b[?1049h\x1b[?25l')).toBe(true);
    const restored = '\x1b[?25h\x1b[?1049l';
    expect(all.split(restored)).toEqual([expect.any(String), expect.stringMatching(/^demo: /)]);
    expect(pictures.length).toBeGreaterThan(10);
    for (const picture of pictures) {
      const [shown = ''] = picture.split('\x1b[J');
      const lines = shown.replaceAll('\x1b[K', '').split('\r\n');
      expect(lines.length).toBeLessThanOrEqual(24);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    }
  });

  it('shows within its first minute a roll, a node that is held and why, and a window that opens', async () => {
    const { pictures } = await frames(600, '20');
    const all = pictures.join('\n');
    expect(all).toMatch(/turn +web: a, then b, c/);
    expect(all).toMatch(/turn +web: c/);
    expect(all).toMatch(/held \d+ +ml-1 is held until 22:00 UTC: pod ml\/trainer-0 may be moved/);
    expect(all).toContain('From now on the pods of ml/trainer may be moved.');
    expect(all).toMatch(/under way +ml-1 waits for its replacement \(Drifted\)/);
  });
});
