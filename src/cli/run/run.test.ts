import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longAgo, machine, type Plain, pod, pool } from '../../../test/build.ts';
import { runInMemory } from '../../../test/inMemory.ts';
import { type Front, openFront } from '../../../test/kube/front.ts';
import { wallClock } from '../../kube/machine.ts';
import { readHistory } from '../../recording/history.ts';
import type { KubeObject } from '../../sim/kubeObject.ts';
import { Objects } from '../../sim/objects.ts';
import { VirtualClock } from '../../sim/virtualClock.ts';
import { asDuration, second } from '../../time/instant.ts';

const size = (type: string, cores: number): string =>
  `karpenter_cloudprovider_instance_type_cpu_cores{instance_type="${type}"} ${cores}
karpenter_cloudprovider_instance_type_memory_bytes{instance_type="${type}"} ${cores * 4 * 2 ** 30}
karpenter_cloudprovider_instance_type_offering_price_estimate{capacity_type="on-demand",instance_type="${type}",zone="a"} ${cores * 0.048}
`;
const prices = size('m5.4xlarge', 16) + size('m5.large', 2);

/** By the machine's clock everything in these tests is old. */
const lasting = (name: string, drifted?: string): readonly Plain[] =>
  machine(name, { claim: { spec: { expireAfter: 'Never' } }, ...(drifted && { drifted }) });
const web = (annotations = {}): Plain => pool('web', { template: { expireAfter: 'Never' }, annotations });
const two = [web(), ...lasting('n1'), ...lasting('n2')];
const drifted = [web(), ...lasting('n1', longAgo)];

interface Here {
  readonly objects: Objects;
  readonly front: Front;
  /** Serves these objects from then on. */
  apis: string[];
}

let folder: string;
let here: Here;
const running: { stop(): void; ended: Promise<unknown> }[] = [];

async function stage(
  objects: readonly Plain[],
  missing = new Set<string>(),
  forbidden = new Set<string>(),
): Promise<void> {
  const kept = new Objects(new VirtualClock(wallClock.now));
  for (const object of objects) kept.create(object as unknown as KubeObject, 'stage');
  const apis = ['v1'];
  const front = await openFront(kept, {
    missing,
    forbidden,
    others: ({ path }) =>
      path === '/apis/karpenter.sh' && apis.length > 0
        ? { code: 200, body: { versions: apis.map((version) => ({ version })) } }
        : undefined,
  });
  here = { objects: kept, front, apis };
  writeFileSync(
    join(folder, 'config'),
    `current-context: here
contexts: [{name: here, context: {cluster: c, namespace: ops}}]
clusters: [{name: c, cluster: {server: "${front.url.href}"}}]
`,
  );
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lull-run-'));
});
afterEach(async () => {
  for (const { stop } of running) stop();
  await Promise.all(running.map(({ ended }) => ended));
  running.length = 0;
  await here.front.close();
  rmSync(folder, { recursive: true });
});

function start(...flags: string[]) {
  const lines: string[] = [];
  let stop = (): void => undefined;
  const argv = ['run', '--kubeconfig', join(folder, 'config'), '--listen', ':0', '--log', 'json', ...flags];
  const ended = runInMemory(argv, {
    onInterrupt: (listener) => {
      stop = listener;
      return () => undefined;
    },
    onStderr: (text) => lines.push(...text.trim().split('\n')),
  });
  const told = () => lines.map((line) => JSON.parse(line) as { kind: string; text: string; url?: string });
  const of = (kind: string) => told().filter((line) => line.kind === kind);
  const process = {
    told,
    of,
    ended,
    stop: () => stop(),
    said: (kind: string) => until(() => of(kind).length > 0, told),
  };
  running.push(process);
  return process;
}

/** `lull run` uses the machine's clock: tests wait for an effect, never for a fixed time. */
async function until(holds: () => boolean, story: () => unknown): Promise<void> {
  const end = performance.now() + 20_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`It did not come to that: ${JSON.stringify(story(), null, 1)}`);
    await new Promise<void>((resolve) => wallClock.in(asDuration(second / 100), resolve));
  }
}

const annotationsOf = (name: string) => here.objects.get('Node', name)?.metadata.annotations ?? {};
const isParked = (name: string): boolean => 'lull.dev/parked' in annotationsOf(name);
const lease = () =>
  here.objects.get('Lease', 'ops/lull') as
    | { spec?: { holderIdentity?: string }; metadata: { annotations?: object } }
    | undefined;
const writes = (): string[] => here.front.requests.filter((it) => !/^GET|leases|events|status$/.test(it));

describe('N1: lull run', () => {
  it('observe, the default: decides, answers queries, and changes nothing', async () => {
    await stage(drifted);
    const lull = start();
    await lull.said('may-go');
    expect(lull.of('may-go')).toMatchObject([{ text: 'n1 of web (Drifted)', node: 'n1' }]);
    const url = lull.of('listening')[0]?.url ?? '';
    expect(await (await fetch(`${url}/readyz`)).text()).toBe('ok\n');
    const round = (await (await fetch(`${url}/api/round`)).json()) as { verdicts: unknown };
    expect(round.verdicts).toContainEqual(expect.objectContaining({ node: 'n1', outcome: 'go' }));
    expect(writes()).toEqual([]);
  });

  it('reports which cluster it runs on, and serves a snapshot of it', async () => {
    await stage(drifted);
    const lull = start();
    await lull.said('may-go');
    const url = lull.of('listening')[0]?.url ?? '';
    const about = await (await fetch(`${url}/api/about`)).json();
    expect(about).toMatchObject({ role: 'observe', cluster: { context: 'here', server: here.front.url.origin } });
    const lines = (await (await fetch(`${url}/api/snapshot`)).text()).trim().split('\n');
    const put = lines
      .map((line) => JSON.parse(line))
      .flatMap((line) => ('put' in line ? [line.put.metadata.name] : []));
    expect(put).toContain('n1');
    expect(readHistory(lines.join('\n')).rounds).toHaveLength(1);
    expect(writes()).toEqual([]);
  });

  it('guide: parks held nodes, offers the others, and logs one line each', async () => {
    await stage(two);
    const lull = start('--set', 'role=guide');
    await lull.said('ready');
    await until(() => isParked('n1') && isParked('n2'), lull.told);
    const [, claim] = lasting('n1', longAgo);
    here.objects.write(
      'NodeClaim',
      'n1-claim',
      'karpenter',
      (was) => ({ ...was, status: claim?.status }) as KubeObject,
    );
    await lull.said('offered');
    await until(() => !isParked('n1'), lull.told);
    expect(isParked('n2')).toBe(true);
    // How long the first lists take depends on the machine.
    const kinds = lull.told().map(({ kind }) => kind);
    // Missing prices are logged once, when that is known (F5).
    expect(kinds.filter((kind) => kind === 'prices').length).toBeLessThanOrEqual(1);
    expect(kinds.filter((kind) => kind !== 'waiting' && kind !== 'prices' && kind !== 'complete')).toEqual([
      'start',
      'listening',
      'leading',
      'karpenter',
      'born-parked',
      'parking',
      'net',
      'parked',
      'ready',
      'offered',
    ]);
  });

  it('ends by request: status 0, the lease released, with the settings in force still on it', async () => {
    await stage(two);
    const lull = start('--set', 'role=guide');
    await lull.said('ready');
    expect(lease()?.metadata.annotations).toMatchObject({
      'lull.dev/settings': '{"role":"guide"}',
      'lull.dev/version': '1.2.3',
    });
    lull.stop();
    expect(await lull.ended).toMatchObject({ status: 0, stdout: '' });
    expect(lease()?.spec?.holderIdentity).toBe('');
    expect(lull.told().slice(-2)).toMatchObject([{ kind: 'stopping' }, { kind: 'stopped' }]);
  });

  it('one of two leads; the other is ready as a standby, and reports who leads', async () => {
    await stage(two);
    const first = start();
    await first.said('ready');
    const other = start();
    await other.said('standby');
    const holder = lease()?.spec?.holderIdentity;
    const url = other.of('listening')[0]?.url ?? '';
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, `standby: ${holder} leads\n`]);
    const asked = await fetch(`${url}/api/round`);
    expect(asked.status).toBe(503);
    expect(await asked.json()).toEqual({ error: `This server cannot answer now: not leading; ${holder} leads.` });
    first.stop();
    await other.said('ready');
    expect(other.of('leading')).toHaveLength(1);
  });

  it('a pause over HTTP wakes it', async () => {
    await stage(drifted);
    const lull = start();
    await lull.said('may-go');
    const url = lull.of('listening')[0]?.url ?? '';
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect((await fetch(`${url}/api/pause`, init)).status).toBe(200);
    await lull.said('open');
    const round = (await (await fetch(`${url}/api/round`)).json()) as { verdicts: unknown };
    expect(round.verdicts).not.toContainEqual(expect.objectContaining({ outcome: 'go' }));
  });

  it("F5, J4: reads Karpenter's prices, consolidates by them, and records them with its rounds", async () => {
    const metrics = createServer((_, response) => void response.end(prices));
    await new Promise<void>((resolve) => metrics.listen(0, '127.0.0.1', resolve));
    const labels = {
      'node.kubernetes.io/instance-type': 'm5.4xlarge',
      'topology.kubernetes.io/zone': 'a',
      'karpenter.sh/capacity-type': 'on-demand',
    };
    const large = machine('n1', { labels, allocatable: { cpu: '15', memory: '60Gi' } });
    await stage([
      pool('web', { consolidateAfter: '0s', template: { expireAfter: 'Never' } }),
      ...large,
      pod('p', 'n1', { cpu: '1' }),
    ]);
    const file = join(folder, 'priced.gz');
    const where = `http://127.0.0.1:${(metrics.address() as AddressInfo).port}`;
    const lull = start('--set', 'role=guide', '--set', `karpenterMetrics=${where}`, '--record', file);
    const saves = () => lull.of('offered').some(({ text }) => text.includes('saves 0.672 an hour'));
    await until(saves, lull.told);
    expect(lull.of('prices').map(({ text }) => text)).toEqual([`2 instance types and prices from ${where}/metrics`]);
    lull.stop();
    await lull.ended;
    metrics.close();
    const replayed = await runInMemory(['replay', file]);
    expect(replayed, replayed.stderr).toMatchObject({ status: 0 });
    expect(gunzipSync(readFileSync(file)).toString()).toContain('"instanceTypes":[{"name":"m5.4xlarge"');
  });

  it('J4: records itself, so that a replay decides every round the same', async () => {
    await stage(two);
    const file = join(folder, 'run.ndjson');
    const lull = start('--set', 'role=guide', '--record', file);
    await until(() => isParked('n1') && isParked('n2'), lull.told);
    lull.stop();
    await lull.ended;
    expect(readFileSync(file, 'utf8')).toContain('"n2"');
    expect((await runInMemory(['replay', file])).stdout).toContain('the same, byte for byte');
  });
});

describe('N11: an unknown version of Karpenter', () => {
  const other = web({ 'karpenter.sh/nodepool-hash-version': 'v4' });

  it('guide offers nothing, keeps nodes parked, logs why, and writes it on the lease', async () => {
    await stage([other, ...lasting('n1', longAgo)]);
    const lull = start('--set', 'role=guide');
    await until(() => isParked('n1'), lull.told);
    expect(lull.of('role')).toMatchObject([
      {
        role: 'guide',
        text: expect.stringMatching(/^guide, but nothing is offered .*NodePool web has a hash of version v4/),
      },
    ]);
    expect(lull.of('may-go')).toEqual([]);
    await until(() => JSON.stringify(lease()?.metadata.annotations).includes('withhold'), lease);
    const url = lull.of('listening')[0]?.url ?? '';
    const round = (await (await fetch(`${url}/api/round`)).json()) as { verdicts: { refusals: { code: string }[] }[] };
    expect(round.verdicts[0]?.refusals[0]?.code).toBe('OffersWithheld');
  });

  it('drive falls back to observe', async () => {
    await stage([other, ...lasting('n1', longAgo)]);
    const lull = start('--set', 'role=drive');
    await lull.said('may-go');
    expect(lull.of('role')).toMatchObject([
      { role: 'observe', text: expect.stringMatching(/^observe instead of drive/) },
    ]);
    expect(writes()).toEqual([]);
  });
});

describe('K3: missing facts', () => {
  it('missing CRDs: names them and how to install them, and decides nothing', async () => {
    await stage(two, new Set(['MaintenanceWindow', 'DisruptionLedger']));
    const lull = start('--set', 'role=guide');
    await until(() => lull.of('waiting').some(({ text }) => text.includes('lull install')), lull.told);
    expect(lull.of('waiting').at(-1)?.text).toContain(
      'the server does not know MaintenanceWindow, DisruptionLedger: `lull install`',
    );
    const url = lull.of('listening')[0]?.url ?? '';
    expect(await (await fetch(`${url}/readyz`)).text()).toMatch(/^no round has been decided yet: .*lull install/);
    expect(writes()).toEqual([]);
  });
});

describe('K5: missing permissions', () => {
  it('guide with the permissions of observe: reports at once what is refused and what to do, on /readyz as well, until it is granted', async () => {
    const ledgers = 'POST /apis/lull.dev/v1alpha1/disruptionledgers';
    const forbidden = new Set([ledgers]);
    await stage(two, new Set(), forbidden);
    const lull = start('--set', 'role=guide');
    await lull.said('refused');
    const says =
      /^The API server refuses to write the ledger, .*403: .*disruptionledgers is forbidden.*lull install .*role=guide/;
    expect(lull.of('refused')).toMatchObject([{ text: expect.stringMatching(says) }]);
    const url = lull.of('listening')[0]?.url ?? '';
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringMatching(says)]);
    expect((await fetch(`${url}/api/round`)).status).toBe(200);
    forbidden.delete(ledgers);
    await lull.said('granted');
    await until(() => isParked('n1') && isParked('n2'), lull.told);
    await lull.said('ready');
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
  });
});

describe('L7: wrong usage of lull run', () => {
  it.each([
    { name: 'no cluster', argv: ['--kubeconfig', '/nope'], says: 'There is no kubeconfig at /nope' },
    {
      name: 'an invalid address to listen on',
      argv: ['--listen', 'here'],
      says: 'Use HOST:PORT such as 127.0.0.1:7727',
    },
    { name: 'an invalid log format', argv: ['--log', 'xml'], says: 'text, json' },
    { name: 'an unknown setting', argv: ['--set', 'rol=guide'], says: 'Did you mean role?' },
  ])('$name', async ({ argv, says }) => {
    await stage([]);
    const { status, stdout, stderr } = await runInMemory(['run', ...argv]);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});
