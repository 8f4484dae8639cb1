import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machine, pool } from '../../../test/build.ts';
import { type Ran, runInMemory } from '../../../test/inMemory.ts';
import { type Front, openFront } from '../../../test/kube/front.ts';
import { kubeconfigOf } from '../../../test/kube/kubeconfigOf.ts';
import { wallClock } from '../../kube/machine.ts';
import type { KubeObject } from '../../sim/kubeObject.ts';
import { Objects } from '../../sim/objects.ts';
import { VirtualClock } from '../../sim/virtualClock.ts';
import { asDuration, second } from '../../time/instant.ts';

interface TestCluster {
  readonly objects: Objects;
  readonly front: Front;
  readonly kubeconfig: string;
}

let folder: string;
let ends: (() => Promise<unknown>)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lull-person-'));
  ends = [];
  // Neither a kubeconfig of this machine nor a pod around it.
  vi.stubEnv('HOME', folder);
  vi.stubEnv('KUBECONFIG', '');
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const end of ends.reverse()) await end();
  rmSync(folder, { recursive: true });
});

/** An API server with one pool and one node, which are called after the cluster. */
async function openCluster(name: string): Promise<TestCluster> {
  const objects = new Objects(new VirtualClock(wallClock.now));
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: `uid-of-${name}` } };
  for (const object of [namespace, pool(name), ...machine(`${name}-1`, { pool: name })])
    objects.create(object as unknown as KubeObject, 'stage');
  const front = await openFront(objects, {
    others: ({ path }) =>
      path === '/apis/karpenter.sh' ? { code: 200, body: { versions: [{ version: 'v1' }] } } : undefined,
  });
  ends.push(() => front.close());
  mkdirSync(join(folder, name));
  return { objects, front, kubeconfig: kubeconfigOf(front, join(folder, name)) };
}

/** A long-running command, and the port it listens on. */
async function start(argv: readonly string[]): Promise<number> {
  let said = '';
  let stop = (): void => undefined;
  const ended = runInMemory([...argv, '--listen', ':0'], {
    onInterrupt: (listener) => {
      stop = listener;
      return () => undefined;
    },
    wait: (length) => new Promise((resolve) => wallClock.in(length, resolve)),
    onStderr: (text) => {
      said += text;
    },
    onStdout: (text) => {
      said += text;
    },
  });
  ends.push(() => {
    stop();
    return ended;
  });
  const port = await until(() => /listening.*http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1]);
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
  return Number(port);
}

const runOn = ({ kubeconfig }: TestCluster): Promise<number> => start(['run', '--kubeconfig', kubeconfig]);

async function until<Seen>(look: () => Seen | Promise<Seen>): Promise<NonNullable<Seen>> {
  const end = performance.now() + 20_000;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    if (performance.now() > end) throw new Error(`Not so within 20 s: ${look}`);
    await new Promise<void>((resolve) => wallClock.in(asDuration(second / 50), resolve));
  }
}

const lull = (port: number, ...argv: string[]): Promise<Ran> => runInMemory(argv, { port });

/** A port on which nothing listens. */
const closedPort = 1;

describe('item 4: which Lull or cluster is asked if no flag names one', () => {
  it('without a kubeconfig: the box on this machine, and the answer says that it is a box', async () => {
    const port = await start(['up', '--speed', '1']);
    const { stdout, status } = await lull(port, 'why', 'ml-1');
    expect(stdout).toMatch(/^ml-1 .*\n[\s\S]*\nin the simulated cluster demo \(lull up\)\n$/);
    expect(status).toBe(0);
    const json = JSON.parse((await lull(port, 'why', 'ml-1', '-o', 'json')).stdout);
    expect(json.cluster).toEqual({ kind: 'box', name: 'demo' });
    expect((await lull(port, 'forecast')).stdout).toMatch(/\nin the simulated cluster demo \(lull up\)\n$/);
    expect((await lull(port, 'pause', '--for', '1h')).stdout).toMatch(
      /^paused until .* in the simulated cluster demo \(lull up\)\n$/,
    );
    expect((await lull(port, 'resume')).stdout).toBe('resumed in the simulated cluster demo (lull up)\n');
  });

  it('with a kubeconfig: its cluster, and one line says that there is a box too', async () => {
    const [shop, port] = [await openCluster('shop'), await start(['up', '--speed', '1'])];
    vi.stubEnv('KUBECONFIG', shop.kubeconfig);
    const { stdout, stderr } = await lull(port, 'why', 'pool/shop');
    expect(stdout).toMatch(/^shop [\s\S]*\nin cluster dev \(http:\/\/127\.0\.0\.1:\d+\)\n$/);
    const url = `http://127.0.0.1:${port}`;
    expect(stderr).toContain(`a box (lull up) is listening on ${url} too; --server ${url} asks it\n`);
    const missed = await lull(port, 'why', 'ml-1');
    expect(missed).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('asks it\n') });
    expect(missed.stderr).toContain('No node, pod or pool is named "ml-1"');
    expect((await lull(port, 'why', 'ml-1', '--server', url)).stdout).toContain(
      'in the simulated cluster demo (lull up)\n',
    );
    const json = await lull(port, 'why', 'pool/shop', '-o', 'json');
    expect(json.stderr).toBe('');
    expect(JSON.parse(json.stdout).cluster).toEqual({
      kind: 'cluster',
      name: 'dev',
      uid: 'uid-of-shop',
      server: shop.front.url.origin,
    });
  });

  it('the Lull of that cluster if it is on this machine, known by the uid of kube-system', async () => {
    const shop = await openCluster('shop');
    const port = await runOn(shop);
    vi.stubEnv('KUBECONFIG', shop.kubeconfig);
    const { stdout, stderr } = await lull(port, 'why', 'pool/shop');
    expect(stderr).toBe(`via the Lull at http://127.0.0.1:${port}\n`);
    expect(stdout).toContain(`\nin cluster dev (${shop.front.url.origin})\n`);
    const json = JSON.parse((await lull(port, 'why', 'pool/shop', '-o', 'json')).stdout);
    expect(json).toMatchObject({ name: 'shop', cluster: { name: 'dev', uid: 'uid-of-shop' } });
  });

  it('K7: with a kubeconfig that impersonates a user: the cluster itself, since its Lull has rights of its own', async () => {
    const shop = await openCluster('shop');
    const port = await runOn(shop);
    const config = JSON.parse(readFileSync(shop.kubeconfig, 'utf8'));
    const impersonating = join(folder, 'impersonating');
    const user = { as: 'jane', 'as-groups': ['ops', 'dev'] };
    writeFileSync(impersonating, JSON.stringify({ ...config, users: [{ name: 'u', user }] }));
    vi.stubEnv('KUBECONFIG', impersonating);
    const begun = shop.front.actors.length;
    const { stdout, stderr } = await lull(port, 'pause');
    expect(stderr).toBe('');
    expect(stdout).toBe(
      `paused until \`lull resume\` in cluster dev (${shop.front.url.origin}), acting as jane (groups ops, dev)\n`,
    );
    const { stdout: why, stderr: asked } = await lull(port, 'why', 'pool/shop', '-o', 'json');
    expect(asked).toBe('');
    expect(JSON.parse(why).cluster).toMatchObject({ uid: 'uid-of-shop', as: { user: 'jane', groups: ['ops', 'dev'] } });
    expect(shop.front.actors.slice(begun).filter((actor) => actor === 'jane').length).toBeGreaterThan(10);
    // The Lull that runs there asks as itself all the while.
    expect(new Set(shop.front.actors)).toEqual(new Set([undefined, 'jane']));
    expect(shop.front.requests.filter((_, at) => shop.front.actors[at] === 'jane')).toContainEqual(
      expect.stringMatching(/^POST .*maintenancewindows/),
    );
  });

  it('never the Lull of another cluster: two clusters, each with its Lull', async () => {
    const [shop, bank] = [await openCluster('shop'), await openCluster('bank')];
    const [shopPort, bankPort] = [await runOn(shop), await runOn(bank)];
    for (const [meant, name, port] of [
      [shop, 'shop', bankPort],
      [bank, 'bank', shopPort],
    ] as const) {
      vi.stubEnv('KUBECONFIG', meant.kubeconfig);
      for (const argv of [['why', `pool/${name}`], ['decide']]) {
        const { stdout, stderr } = await lull(port, ...argv, '-o', 'json');
        expect(JSON.parse(stdout || stderr), argv.join(' ')).toMatchObject({ cluster: { uid: `uid-of-${name}` } });
      }
      const { status, stderr } = await lull(port, 'pause');
      expect(stderr).toMatch(
        /^lull: Two clusters are possible: the current context is dev, and a Lull for cluster dev/,
      );
      expect(status).toBe(2);
      expect(shop.objects.get('MaintenanceWindow', 'lull-pause')).toBeUndefined();
      expect(bank.objects.get('MaintenanceWindow', 'lull-pause')).toBeUndefined();
    }
    vi.stubEnv('KUBECONFIG', bank.kubeconfig);
    const { stdout } = await lull(shopPort, 'pause', '--context', 'dev');
    expect(stdout).toBe(`paused until \`lull resume\` in cluster dev (${bank.front.url.origin})\n`);
    expect(bank.objects.get('MaintenanceWindow', 'lull-pause')).toBeDefined();
    expect(shop.objects.get('MaintenanceWindow', 'lull-pause')).toBeUndefined();
    // Last: the forecast simulates in this process, whose servers cannot answer meanwhile.
    const { stdout: forecast } = await lull(shopPort, 'forecast', '-o', 'json');
    expect(JSON.parse(forecast)).toMatchObject({ cluster: { uid: 'uid-of-bank' } });
  });

  it('not a Lull that does not report its cluster, unless --server names it', async () => {
    const [shop, port] = [await openCluster('shop'), await openOld()];
    vi.stubEnv('KUBECONFIG', shop.kubeconfig);
    const { stdout, stderr } = await lull(port, 'why', 'pool/shop');
    expect(stdout).toContain('in cluster dev (');
    expect(stderr).toContain(`a Lull for a cluster it does not name is listening on http://127.0.0.1:${port} too`);
    const named = await lull(port, 'why', 'pool/old', '--server', `http://127.0.0.1:${port}`);
    expect(named.stdout).toMatch(/^old is at rest[\s\S]*\nin an unnamed cluster\n$/);
    expect(await lull(port, 'resume')).toMatchObject({ status: 2, stderr: expect.stringContaining('Two clusters') });
  });

  it('not the box if the kubeconfig that is named is missing, or its cluster does not answer', async () => {
    const [shop, port] = [await openCluster('shop'), await start(['up', '--speed', '1'])];
    vi.stubEnv('KUBECONFIG', join(folder, 'missing'));
    const missing = await lull(port, 'why', 'ml-1');
    expect(missing).toMatchObject({
      status: 2,
      stdout: '',
      stderr: expect.stringContaining('There is no kubeconfig at'),
    });
    vi.stubEnv('KUBECONFIG', shop.kubeconfig);
    shop.front.cutOff(true);
    const away = await lull(port, 'why', 'ml-1');
    expect(away).toMatchObject({ status: 2, stdout: '' });
    expect(away.stderr).toMatch(
      /a box \(lull up\) is listening on [\s\S]*Check that `kubectl --context dev get nodes` works/,
    );
  });

  it('reports what to start or name if there is neither a kubeconfig nor a box', async () => {
    const { stderr, status } = await lull(closedPort, 'why', 'x');
    expect(stderr).toMatch(
      /^lull: No Lull answers at http:\/\/127\.0\.0\.1:1 \(.*\)\. Start one with `lull up`, or name/,
    );
    expect(status).toBe(2);
  });
});

/** A Lull of an older version, which does not report its cluster. */
async function openOld(): Promise<number> {
  const lists = { budgets: [], allowances: [], domains: [], turns: [], commands: [], mayGo: [], held: [] };
  const why = {
    kind: 'pool',
    name: 'old',
    at: '2026-11-16T09:00:00Z',
    headline: 'old is at rest',
    counted: 0,
    ...lists,
  };
  const server: Server = createServer((request, response) => {
    if (request.url === '/readyz') response.end('ok\n');
    else if (request.url?.startsWith('/api/why')) response.end(JSON.stringify(why));
    else response.writeHead(404).end('{"error":"There is no such thing here."}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => new Promise((resolve) => server.close(resolve)));
  return (server.address() as AddressInfo).port;
}
