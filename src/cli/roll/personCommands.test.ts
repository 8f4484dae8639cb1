import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { machine, node, pool } from '../../../test/build.ts';
import { runInMemory } from '../../../test/inMemory.ts';
import { type Front, openFront } from '../../../test/kube/front.ts';
import { kubeconfigOf } from '../../../test/kube/kubeconfigOf.ts';
import { wallClock } from '../../kube/machine.ts';
import type { KubeObject } from '../../sim/kubeObject.ts';
import { Objects } from '../../sim/objects.ts';
import { VirtualClock } from '../../sim/virtualClock.ts';

const key = 'lull.dev/roll-requested';
let folder: string;
let objects: Objects;
let front: Front;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lull-roll-'));
  objects = new Objects(new VirtualClock(wallClock.now));
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system', uid: 'uid-of-shop' } };
  const alone = node('alone', { labels: { 'karpenter.sh/nodepool': undefined } });
  const pools = [pool('web'), pool('status', { annotations: { team: 'ops' } })];
  for (const object of [namespace, ...pools, ...machine('web-1'), alone])
    objects.create(object as unknown as KubeObject, 'stage');
  front = await openFront(objects, {
    others: ({ path }) =>
      path === '/apis/karpenter.sh' ? { code: 200, body: { versions: [{ version: 'v1' }] } } : undefined,
  });
  vi.stubEnv('HOME', folder);
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
  vi.stubEnv('KUBECONFIG', kubeconfigOf(front, folder));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await front.close();
  rmSync(folder, { recursive: true });
});

/** No Lull listens on this port. */
const lull = (...argv: string[]) => runInMemory(argv, { port: 1, now: '2026-11-18T10:00:00Z' });
const requestOn = (kind: string, name: string): string | undefined =>
  objects.get(kind, name)?.metadata.annotations?.[key];

describe('Q2: lull approve', () => {
  const approved = 'lull.dev/approved';

  it('approves a node for four hours, by its name alone', async () => {
    const { stdout, status } = await lull('approve', 'web-1', '--author', 'ann', '--note', 'job is done');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^approved: disruption of node web-1 until .*, in cluster dev/);
    expect(objects.get('Node', 'web-1')?.metadata.annotations?.[approved]).toBe(
      '2026-11-18T14:00:00Z by ann: job is done',
    );
  });

  it('approves a pool for as long as it says, and takes it back', async () => {
    const { stdout } = await lull('approve', 'pool/web', '--for', '24h', '--author', 'ann', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      target: { kind: 'pool', name: 'web' },
      approvedUntil: expect.stringMatching(/Z$/),
      cluster: { uid: 'uid-of-shop' },
    });
    expect(objects.get('NodePool', 'web')?.metadata.annotations?.[approved]).toMatch(/by ann$/);
    expect((await lull('approve', 'pool/web', '--revoke')).stdout).toMatch(/^approval of pool web revoked, in/);
    expect((await lull('approve', 'pool/web', '--revoke')).stdout).toMatch(/^pool web was not approved, in/);
  });

  it('--revoke goes alone', async () => {
    expect(await lull('approve', 'web', '--revoke', '--for', '1h')).toMatchObject({ status: 2 });
  });
});

describe('Q1: lull roll', () => {
  it('asks for a pool, with who and why', async () => {
    const { stdout, status } = await lull('roll', 'web', '--note', 'new kernel', '--author', 'ann');
    expect(status).toBe(0);
    expect(stdout).toMatch(/^requested: replace all nodes of pool web that exist now, in cluster dev/);
    expect(requestOn('NodePool', 'web')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ by ann: new kernel$/);
    const again = JSON.parse((await lull('roll', 'pool/web', '--author', 'bob', '-o', 'json')).stdout);
    expect(again).toMatchObject({
      target: { kind: 'pool', name: 'web' },
      requestedAt: expect.stringMatching(/Z$/),
      was: expect.stringContaining('by ann: new kernel'),
      cluster: { uid: 'uid-of-shop' },
    });
    expect(requestOn('NodePool', 'web')).toMatch(/by bob$/);
  });

  it('asks for one node, reading nodes alone', async () => {
    await lull('roll', 'node/web-1', '--author', 'ann');
    expect(requestOn('Node', 'web-1')).toMatch(/by ann$/);
    expect(front.requests.some((request) => request.includes('nodepools'))).toBe(false);
  });

  it('takes it back', async () => {
    await lull('roll', 'web', '--author', 'ann');
    expect((await lull('roll', 'web', '--cancel')).stdout).toMatch(
      /^cancelled for pool web, the request of .* by ann, in/,
    );
    expect(requestOn('NodePool', 'web')).toBeUndefined();
    expect((await lull('roll', 'web', '--cancel')).stdout).toMatch(/^no roll of pool web was requested, in/);
  });

  it('reaches a pool that is named like a subcommand', async () => {
    await lull('roll', 'pool/status', '--author', 'ann');
    expect(objects.get('NodePool', 'status')?.metadata.annotations).toMatchObject({
      team: 'ops',
      [key]: expect.any(String),
    });
  });

  it.each([
    [['roll'], /Name a pool/],
    [['roll', 'we'], /No pool is named "we".*Similar: pool\/web/],
    [['roll', 'node/alone'], /belongs to no NodePool/],
    [['roll', 'web', '--cancel', '--note', 'x'], /--cancel removes a request/],
  ])('%j is wrong usage', async (argv, message) => {
    expect(await lull(...argv)).toMatchObject({ status: 2, stderr: expect.stringMatching(message) });
  });
});
