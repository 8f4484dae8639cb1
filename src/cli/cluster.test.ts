// Tests of commands that read and change a cluster of the kubeconfig.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machine, pod } from '../../test/build.ts';
import { type Ran, runInMemory, type World } from '../../test/inMemory.ts';
import { type Front, type FrontOptions, openFront } from '../../test/kube/front.ts';
import { kubeconfigOf } from '../../test/kube/kubeconfigOf.ts';
import { rawNode } from '../../test/rawObjects.ts';
import type { KubeObject } from '../sim/kubeObject.ts';
import { Objects } from '../sim/objects.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { type Instant, parseInstant } from '../time/instant.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;

let folder: string;
let objects: Objects;
let front: Front;
let kubeconfig: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lull-cluster-'));
  objects = new Objects(new VirtualClock(noon));
  await open();
  // Whatever this machine has is not asked.
  vi.stubEnv('KUBECONFIG', join(folder, 'none'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await front.close();
  rmSync(folder, { recursive: true });
});

async function open(options: FrontOptions = {}): Promise<void> {
  front = await openFront(objects, options);
  kubeconfig = kubeconfigOf(front, folder);
}

const lull = (argv: readonly string[], world: World = {}): Promise<Ran> =>
  runInMemory([...argv, '--kubeconfig', kubeconfig], { now: '2026-03-10T12:00:00Z', ...world });

/** Every answer names its cluster. */
const where = (): string => `cluster dev (${front.url.origin})`;

const make = (...all: readonly unknown[]): void => {
  for (const object of all) objects.create(object as KubeObject, 'stage');
};

const pool = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'web' }, spec: {} };

const lease = (spec: object, settings = '{"role":"guide"}') => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'lull', namespace: 'lull-system', annotations: { 'lull.dev/settings': settings } },
  spec: { leaseDurationSeconds: 15, ...spec },
});

describe('L1: a cluster instead of files', () => {
  it('is listed and decided, and the answer names it', async () => {
    const quiet = { ...pool, spec: { disruption: { consolidateAfter: 'Never' } } };
    make(quiet, ...machine('n1'), pod('p1', 'n1'));
    const { status, stdout, stderr } = await lull(['decide']);
    expect(stdout).toMatch(/^1 node in 1 pool at 2026-03-10 12:00Z, role observe/);
    expect(stderr).toBe(`via context dev (${front.url.origin}); default settings, since no Lull has run there\n`);
    expect(status).toBe(0);
  });

  it('prints nothing but the answer in JSON', async () => {
    make(pool);
    const { stdout, stderr } = await lull(['decide', '-o', 'json']);
    expect(JSON.parse(stdout).allowances.length).toBeGreaterThan(0);
    expect(stderr).toBe('');
  });

  it('is decided with the settings of its leader, overridden by --set', async () => {
    make(pool, lease({ holderIdentity: 'a' }, '{"role":"guide","windowMargin":"5m"}'));
    expect((await lull(['decide'])).stdout).toContain('role guide');
    const { stderr, stdout } = await lull(['decide', '--set', 'role=drive']);
    expect(stdout).toContain('role drive');
    expect(stderr).toContain('settings of a, the leader, overridden by --set');
  });

  it('is overridden by files', async () => {
    make(pool, rawNode('n1'));
    const file = join(folder, 'pool.json');
    writeFileSync(file, JSON.stringify({ ...pool, spec: { disruption: { budgets: [{ nodes: '0' }] } } }));
    const { stdout } = await lull(['decide', '-f', file, '-o', 'json']);
    expect(JSON.parse(stdout).allowances[0]).toMatchObject({ pool: 'web', limit: 0 });
    expect(JSON.parse(stdout).faults).toContainEqual(
      expect.objectContaining({
        object: 'NodePool/web',
        severity: 'info',
        message: expect.stringContaining('is in the cluster'),
      }),
    );
  });

  it('reports missing CustomResourceDefinitions', async () => {
    await front.close();
    await open({ missing: new Set(['MaintenanceWindow', 'DisruptionLedger']) });
    make(pool);
    const { stdout } = await lull(['decide', '-o', 'json']);
    const told = JSON.parse(stdout).faults.map(({ value, message }: { value: string; message: string }) => [
      value,
      message,
    ]);
    expect(told.map(([value]: string[]) => value)).toEqual(['DisruptionLedger', 'MaintenanceWindow']);
    expect(told[0][1]).toContain('`lull install` adds it');
  });

  it('G2: a lost ledger is rebuilt, as in the controller', async () => {
    const marked = { taints: [{ key: 'lull.dev/disrupted', value: 'drifted-x', effect: 'NoSchedule' }] };
    make(pool, { ...rawNode('n1'), spec: marked });
    const { stdout } = await lull(['decide', '-o', 'json', '--set', 'role=drive']);
    expect(JSON.parse(stdout).commands).toMatchObject([{ id: 'drifted-x', step: 'released' }]);
  });

  it.each([
    { argv: ['why', 'pool/web'], says: /^web is at rest|^web has no nodes|^web/ },
    { argv: ['explain'], says: /pool web/ },
    { argv: ['lint'], says: /NodePool\/web:|nothing|No findings|as of/i },
  ])('$argv reads it too', async ({ argv, says }) => {
    make(pool);
    const { stdout, stderr, status } = await lull(argv);
    expect(stdout).toMatch(says);
    expect(stderr).toContain('via context dev');
    expect(status).toBe(0);
  });

  it('lint prints lines of an object as kubectl would, and does not fix them', async () => {
    make({ ...pool, spec: { disruption: { budgets: [] } } });
    const { stdout } = await lull(['lint', '-o', 'json']);
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({ rule: 'budget-empty-list', object: 'NodePool/web', line: expect.any(Number) }),
    );
    expect(await lull(['lint', '--fix'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('not a cluster'),
    });
  });

  it('K3: a cluster that cannot be listed completely is not decided', async () => {
    make(pool);
    front.cutOff(true);
    const { status, stdout, stderr } = await lull(['decide']);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toMatch(/cannot be (read|listed): .*\. Check that `kubectl --context dev get nodes` works/);
  });

  it.each([
    [['decide', '--context', 'other'], /no context "other"/],
    [['pause', '--server', 'http://127.0.0.1:1'], /either --server or --kubeconfig/],
  ])('%j is wrong usage', async (argv, message) => {
    expect(await lull(argv)).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
  });
});

describe('commands that change a cluster', () => {
  it('create, extend and end a pause', async () => {
    expect((await lull(['pause', '--for', '1h', '--note', 'Ann'])).stdout).toBe(
      `paused until 2026-03-10T13:00:00Z in ${where()}\n`,
    );
    expect(objects.get('MaintenanceWindow', 'lull-pause')?.spec).toMatchObject({ note: 'Ann' });
    expect((await lull(['pause', '--for', '2h'])).stdout).toBe(`paused until 2026-03-10T14:00:00Z in ${where()}\n`);
    expect(objects.get('MaintenanceWindow', 'lull-pause')?.spec).toMatchObject({ notAfter: '2026-03-10T14:00:00Z' });
    expect((await lull(['resume'])).stdout).toBe(`resumed in ${where()}\n`);
    expect((await lull(['resume'])).stdout).toBe(`there was no pause in ${where()}\n`);
  });

  it('Q5: show a pause with author, note and end, even without wishes', async () => {
    const quiet = { ...pool, spec: { disruption: { consolidateAfter: 'Never' } } };
    make(quiet, ...machine('n1'), pod('p1', 'n1'));
    const first = { now: '2026-03-10T12:00:00Z', user: 'bob' };
    await lull(['pause', '--for', '2h', '--author', 'ann', '--note', 'release day'], first);
    const said = async (argv: readonly string[], now = '2026-03-10T12:30:00Z') => (await lull(argv, { now })).stdout;
    const paused = '  paused by ann until 2026-03-10 14:00Z (in 1h30m): release day\n';
    expect(await said(['why', 'pool/web'])).toContain(paused);
    expect(await said(['why', 'node/n1'])).toContain(paused);
    expect(await said(['decide'])).toMatch(
      /no node has a reason to be disrupted[\s\S]*lull-pause +blocks +open +closes .*0 held; by ann:\s+release day\n/,
    );
    expect(JSON.parse(await said(['why', 'pool/web', '-o', 'json'])).blocked).toEqual([
      { name: 'lull-pause', author: 'ann', note: 'release day', until: '2026-03-10T14:00:00Z' },
    ]);
    // Again: from now, not from the end of the one before; by another person.
    const again = { now: '2026-03-10T12:30:00Z', user: 'bob' };
    expect((await lull(['pause', '--for', '2h', '--note', 'longer'], again)).stdout).toContain(
      'until 2026-03-10T14:30:00Z',
    );
    expect(await said(['why', 'pool/web'])).toContain('paused by bob until 2026-03-10 14:30Z (in 2h): longer\n');
    expect(await said(['why', 'pool/web'], '2026-03-10T14:30:00Z')).not.toContain('paused');
  });

  it('Q5: keep the annotations of a pause created with kubectl', async () => {
    const byHand = (annotations?: object) => ({
      apiVersion: 'karpenter.sh/v1alpha1',
      kind: 'MaintenanceWindow',
      metadata: { name: 'lull-pause', ...(annotations && { annotations }) },
      spec: { mode: 'Block' },
    });
    const annotations = () => objects.get('MaintenanceWindow', 'lull-pause')?.metadata.annotations;
    make(byHand());
    await lull(['pause', '--author', 'ann']);
    expect(annotations()).toEqual({ 'lull.dev/author': 'ann' });
    await lull(['resume']);
    make(byHand({ ticket: 'OPS-1' }));
    await lull(['pause', '--author', 'ann']);
    expect(annotations()).toEqual({ ticket: 'OPS-1', 'lull.dev/author': 'ann' });
  });

  it('refuse a pause that ends in the past', async () => {
    const { status, stderr } = await lull(['pause', '--until', '2026-03-10T11:00:00Z']);
    expect({ status, stderr }).toMatchObject({ status: 2, stderr: expect.stringContaining('is in the past') });
  });

  it('C12: write the request to pass a turn to the ledger', async () => {
    const turn = {
      pool: 'web',
      topologyKey: 'zone',
      domain: 'a',
      takenAt: '2026-03-10T11:00:00Z',
      progressAt: '2026-03-10T11:00:00Z',
    };
    const kept = { inFlight: [], unreadyAtStart: [], replacements: [], expected: [], passedOver: [] };
    make({
      apiVersion: 'lull.dev/v1alpha1',
      kind: 'DisruptionLedger',
      metadata: { name: 'lull' },
      spec: { version: 1, commands: [], turns: [{ ...turn, ...kept }], backoffs: [] },
    });
    expect((await lull(['turn', 'pass', 'web'])).stdout).toBe(`web: a will pass the turn, in ${where()}\n`);
    expect(objects.get('DisruptionLedger', 'lull')?.spec).toMatchObject({
      turns: [{ passAsked: '2026-03-10T12:00:00Z' }],
    });
    make(pool, { ...pool, metadata: { name: 'db' } });
    expect(await lull(['turn', 'pass', 'db'])).toMatchObject({ status: 2, stderr: expect.stringContaining('no turn') });
    expect(await lull(['turn', 'pass', 'wbe'])).toEqual({
      status: 2,
      stdout: '',
      stderr: 'lull: There is no pool wbe. Did you mean web? Pools: db, web.\n',
    });
    expect((await lull(['turn', 'pass', 'other'])).stderr).toBe('lull: There is no pool other. Pools: db, web.\n');
  });
});
