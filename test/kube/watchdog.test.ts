import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { wallClock } from '../../src/kube/machine.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import { Objects } from '../../src/sim/objects.ts';
import { VirtualClock } from '../../src/sim/virtualClock.ts';
import { machine, type Plain, pool } from '../build.ts';
import { type Front, openFront } from './front.ts';

interface Lease {
  readonly spec: {
    readonly holderIdentity: string;
    readonly renewTime: string;
    readonly leaseTransitions: number;
    readonly leaseDurationSeconds: number;
  };
}

/** By the machine's own clock everything in these tests is old. */
const lasting = (name: string): readonly Plain[] => machine(name, { claim: { spec: { expireAfter: 'Never' } } });
const two = [pool('web', { template: { expireAfter: 'Never' } }), ...lasting('n1'), ...lasting('n2')];

let folder: string;
let front: Front;
let objects: Objects;
const leases: Lease[] = [];
const running: ChildProcess[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lull-watchdog-'));
  objects = new Objects(new VirtualClock(wallClock.now));
  leases.length = 0;
  objects.onChange(({ object }) => {
    if (object.kind === 'Lease') leases.push(object as unknown as Lease);
  });
  put(two);
  const discovery = { code: 200, body: { versions: [{ version: 'v1' }] } };
  front = await openFront(objects, { others: ({ path }) => (path === '/apis/karpenter.sh' ? discovery : undefined) });
  writeFileSync(
    join(folder, 'config'),
    `current-context: here
contexts: [{name: here, context: {cluster: c, namespace: ops}}]
clusters: [{name: c, cluster: {server: "${front.url.href}"}}]
`,
  );
});

afterEach(async () => {
  for (const child of running) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  running.length = 0;
  await front.close();
  rmSync(folder, { recursive: true });
});

const put = (given: readonly Plain[]): void => {
  for (const object of given) objects.create(object as unknown as KubeObject, 'stage');
};

function start(name: string, ...flags: string[]) {
  const [release, blocked] = [join(folder, `${name}-release`), join(folder, `${name}-blocked`)];
  const here = ['--kubeconfig', join(folder, 'config'), '--listen', ':0', '--probes', ':0', '--log', 'json'];
  const child = spawn(process.execPath, [join(import.meta.dirname, 'busyLull.ts'), 'run', ...here, ...flags], {
    env: { ...process.env, RELEASE: release, BLOCKED: blocked },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running.push(child);
  let text = '';
  child.stderr?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  const told = () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { kind: string; text: string; url?: string });
  const of = (kind: string) => told().filter((line) => line.kind === kind);
  return {
    child,
    of,
    said: (kind: string) =>
      until(
        () => of(kind).length > 0,
        () => text,
      ),
    probe: async (path: string) => {
      const reply = await fetch(`${of('probes')[0]?.url}${path}`);
      return { status: reply.status, text: await reply.text() };
    },
    block: async () => {
      child.kill('SIGUSR2');
      await until(
        () => existsSync(blocked),
        () => text,
      );
    },
    unblock: () => writeFileSync(release, ''),
  };
}

/** Polls for an effect of the process; never waits a fixed time. */
async function until(holds: () => boolean | Promise<boolean>, story: () => unknown): Promise<void> {
  const end = performance.now() + 90_000;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`Not reached in time: ${JSON.stringify(story(), null, 1)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const holder = (): string | undefined => leases.at(-1)?.spec.holderIdentity;
const renewedAt = (): number => Date.parse(leases.at(-1)?.spec.renewTime ?? '');
const isParked = (name: string): boolean =>
  'lull.dev/parked' in (objects.get('Node', name)?.metadata.annotations ?? {});
const writes = (from: number): string[] =>
  front.requests.slice(from).filter((it) => !/^GET|leases|events|status$/.test(it));

describe('K6: a busy main thread', () => {
  it('keeps its lease beyond the lease duration, and its probes answer; then it continues', async () => {
    const lull = start('a', '--set', 'role=guide');
    await until(
      () => isParked('n1') && isParked('n2'),
      () => front.requests,
    );
    await until(async () => (await lull.probe('/readyz')).text === 'ok\n', lull.of.bind(undefined, 'ready'));
    await lull.block();
    const [first, since] = [holder(), renewedAt()];
    const from = front.requests.length;
    put(lasting('n3'));
    // Twice the lease duration.
    await until(
      () => renewedAt() >= since + 30_000,
      () => leases.slice(-3),
    );
    expect(new Set(leases.map(({ spec }) => spec.leaseTransitions))).toEqual(new Set([0]));
    expect(holder()).toBe(first);
    expect(longestGap()).toBeLessThan(15_000);
    const late = { status: 200, text: expect.stringMatching(/^ok\nrounds are late: the main thread has been busy/) };
    expect(await lull.probe('/healthz')).toEqual(late);
    expect(await lull.probe('/readyz')).toEqual(late);
    expect(lull.of('late')).toHaveLength(1);
    expect(writes(from)).toEqual([]);
    lull.unblock();
    await until(
      () => isParked('n3'),
      () => front.requests.slice(from),
    );
    await until(
      async () => (await lull.probe('/readyz')).text === 'ok\n',
      () => lull.of('late'),
    );
    expect([lull.of('leading').length, lull.of('lost'), holder()]).toEqual([1, [], first]);
    lull.child.kill('SIGTERM');
    await once(lull.child, 'exit');
    expect([lull.child.exitCode, holder()]).toEqual([0, '']);
  }, 200_000);

  it('beyond --stuck-after loses its lease to another, fails its probes with the reason, and writes nothing afterwards', async () => {
    const stuck = start('a', '--set', 'role=guide', '--stuck-after', '20s');
    await until(
      () => isParked('n1') && isParked('n2'),
      () => front.requests,
    );
    const first = holder();
    const other = start('b');
    await other.said('standby');
    await stuck.block();
    const from = front.requests.length;
    put(lasting('n3'));
    await other.said('leading');
    expect(holder()).not.toBe(first);
    const says = /^stuck: the main thread has been busy for .*longer than --stuck-after 20s/;
    for (const path of ['/healthz', '/readyz'])
      expect(await stuck.probe(path)).toEqual({ status: 503, text: expect.stringMatching(says) });
    expect(stuck.of('stuck')).toMatchObject([{ text: expect.stringMatching(says) }]);
    stuck.unblock();
    await stuck.said('standby');
    expect(stuck.of('lost')).toHaveLength(1);
    await until(
      async () => (await stuck.probe('/healthz')).status === 200,
      () => stuck.of('unstuck'),
    );
    // The other one only observes: everything written is written by the one that lost the lease.
    expect(writes(from)).toEqual([]);
    expect(isParked('n3')).toBe(false);
  }, 200_000);
});

function longestGap(): number {
  const times = leases.map(({ spec }) => Date.parse(spec.renewTime));
  return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)));
}

it('without a lease the probes still answer', async () => {
  const lull = start('a', '--no-lease');
  await lull.said('ready');
  await until(
    async () => (await lull.probe('/readyz')).status === 200,
    () => lull.of('ready'),
  );
  expect(leases).toEqual([]);
});

it('a probe port in use is reported before anything starts', async () => {
  const port = front.url.port;
  const lull = start('a', '--probes', `127.0.0.1:${port}`);
  let text = '';
  lull.child.stderr?.on('data', (piece: Buffer) => {
    text += piece.toString();
  });
  await once(lull.child, 'close');
  expect(lull.child.exitCode).toBe(2);
  expect(text).toContain('Choose another address with --probes.');
  expect(leases).toEqual([]);
});
