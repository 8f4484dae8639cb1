import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';
import { openServer, type RunningServer } from '../../server/server.ts';
import { after, asDuration, asInstant, minute, parseInstant } from '../../time/instant.ts';
import { scenarioIn } from '../scenarioInput.ts';
import { openBox, type SimulatedBox } from '../up/upBox.ts';

const io = { stdin: async () => new Uint8Array() };

let listening: RunningServer | undefined;
afterEach(async () => {
  await listening?.close();
  listening = undefined;
});

/** The demo some minutes after its start, served over a socket. */
async function live(
  minutes: number,
  scenario = 'demo',
): Promise<{ box: SimulatedBox; ask: (...argv: string[]) => ReturnType<typeof runInMemory> }> {
  const box = openBox(await scenarioIn(`scenarios/${scenario}.yaml`, io as never), { version: 'test' });
  run(box, minutes);
  listening = await openServer(box, { port: 0, run: 'test' });
  const { url } = listening;
  return { box, ask: (...argv) => runInMemory([...argv, '--server', url]) };
}

const run = ({ simulation }: SimulatedBox, minutes: number): void =>
  simulation.runUntil(after(asInstant(Math.max(simulation.now, simulation.from)), asDuration(minutes * minute)));

describe('A running Lull', () => {
  it('explains a node that is held by its pod', async () => {
    const { ask } = await live(2);
    const { stdout, status } = await ask('why', 'ml-1');
    expect(stdout).toMatch(
      /^ml-1 is held until 22:00 UTC: pod ml\/trainer-0 may be moved only in its\s+window\s+\(Saturdays\s22:00–02:00\sUTC\)\n/,
    );
    expect(status).toBe(0);
  });

  it('explains a node that is being disrupted, with the steps', async () => {
    const { ask } = await live(0.5);
    const { stdout } = await ask('why', 'node/web-1');
    expect(stdout).toMatch(/^web-1 waits for its replacement \(Drifted\) since 21:50:15 UTC/);
    expect(stdout).toContain('steps        tainted > [replacing] > draining > terminating > gone');
  });

  it('reports an unknown name, with similar ones', async () => {
    const { ask } = await live(1);
    expect(await ask('why', 'trainer')).toEqual({
      status: 2,
      stdout: '',
      stderr: 'lull: No node, pod or pool is named "trainer". Similar: pod/ml/trainer-0, pod/ml/trainer-1.\n',
    });
  });

  it('pauses and resumes: nothing is chosen meanwhile', async () => {
    const { box, ask } = await live(0);
    expect((await ask('pause', '--for', '5m', '--note', 'Ann looks')).stdout).toBe(
      'paused until 2026-11-21T21:55:00Z in the simulated cluster demo (lull up)\n',
    );
    run(box, 4);
    const chosen = (): number => box.simulation.events.filter(({ kind }) => kind === 'NodeChosen').length;
    expect(chosen()).toBe(0);
    expect((await ask('why', 'web-1')).stdout).toContain('MaintenanceWindow lull-pause blocks it now (Ann looks)');
    expect((await ask('resume')).stdout).toBe('resumed in the simulated cluster demo (lull up)\n');
    expect((await ask('resume')).stdout).toBe('there was no pause in the simulated cluster demo (lull up)\n');
    run(box, 0.1);
    expect(chosen()).toBeGreaterThan(0);
  });

  it('a pause ends by itself, and can be prolonged', async () => {
    const { box, ask } = await live(0);
    await ask('pause', '--for', '1m');
    const { stdout } = await ask('pause', '--until', '2026-11-21T21:53:00Z', '-o', 'json');
    expect(JSON.parse(stdout).spec).toMatchObject({ notAfter: '2026-11-21T21:53:00Z' });
    run(box, 5);
    const first = box.simulation.events.find(({ kind }) => kind === 'NodeChosen');
    expect(first?.at).toBeGreaterThanOrEqual(parseInstant('2026-11-21T21:53:00Z') ?? 0);
  });

  it('C12: passes a turn that would not pass by itself', async () => {
    // The bad image stops the roll in zone a.
    const { box, ask } = await live(60, 'bad-image');
    expect((await ask('why', 'pool/web')).stdout).toMatch(/settling .*zone a is not healthy \(SettleStuck\)/);
    expect((await ask('turn', 'pass', 'web')).stdout).toBe(
      'web: a will pass the turn, in the simulated cluster bad-image (lull up)\n',
    );
    run(box, 1);
    expect((await ask('why', 'pool/web')).stdout).toMatch(/turn {2}topology.kubernetes.io\/zone: (b|c)/);
  });

  it('C12: has no turn to pass if nothing is rolling', async () => {
    const { ask } = await live(1);
    expect(await ask('turn', 'pass', 'ml')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no turn to pass'),
    });
  });

  it('is recorded from the middle on, and decided again', async () => {
    const { box, ask } = await live(1);
    const folder = mkdtempSync(join(tmpdir(), 'lull-live-'));
    const file = join(folder, 'live.gz');
    const recording = ask('record', '--to', file, '--for', '2m');
    const began = box.simulation.now;
    // As `up` does: a little at a time, so that clients are served in between.
    while (box.simulation.now < after(began, asDuration(4 * minute))) {
      run(box, 0.1);
      await new Promise((resolve) => setImmediate(resolve));
      await fetch(`${listening?.url}/healthz`);
    }
    expect((await recording).stderr).toMatch(/^recorded \d+ rounds over 2m/);
    expect((await runInMemory(['replay', file])).stdout).toMatch(/decided again: the same/);
    rmSync(folder, { recursive: true });
  });
});

describe('lull pause', () => {
  it('--dry-run prints the window, for kubectl', async () => {
    const { stdout } = await runInMemory(['pause', '--for', '1h', '--note', 'x', '--dry-run']);
    expect(stdout).toBe(`\
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata:
  name: lull-pause
spec:
  mode: Block
  notAfter: "2026-11-17T11:20:00Z"
  note: x
`);
  });

  it('its output is read as a window that blocks everything', async () => {
    const { stdout } = await runInMemory(['pause', '--dry-run']);
    const look = await runInMemory(['lint', '-f', '-', '-o', 'json'], { stdin: stdout });
    expect(JSON.parse(look.stdout).filter((it: { severity: string }) => it.severity === 'error')).toEqual([]);
  });

  it.each([
    [['pause', '--for', '1h', '--until', '2026-11-27T08:00:00Z'], /not both/],
    [['pause', '--for', 'long'], /Go duration/],
    [['pause', '--server', 'http://127.0.0.1:1'], /No Lull answers/],
    [['resume', '--server', 'http://127.0.0.1:1'], /No Lull answers/],
    [['turn', 'pass'], /missing required argument/],
    [['turn', 'pass', 'web', '--server', 'http://127.0.0.1:1'], /No Lull answers/],
  ])('%j is wrong usage', async (argv, message) => {
    const { status, stderr } = await runInMemory(argv);
    expect(stderr).toMatch(message);
    expect(status).toBe(2);
  });
});

describe('K1: anything may answer at the address', () => {
  it.each([
    ['no JSON', 200, '<html>', /answered with status 200, which Lull does not do/],
    ['JSON of something else', 200, '{"hello":"world"}', /did not answer as a Lull of this version does/],
    ['an error without a word', 500, '', /answered with status 500/],
    ['an error', 404, '{"error":"not here"}', /^lull: not here/],
  ])('%s', async (_, status, body, message) => {
    const server = createServer((__, response) => response.writeHead(status).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const ran = await runInMemory(['why', 'x', '--server', url]);
    expect(ran.stderr).toMatch(message);
    expect(ran.status).toBe(2);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});
