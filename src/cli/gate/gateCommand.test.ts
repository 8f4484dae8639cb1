// Tests of `lull gate` on a cluster of the kubeconfig.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { healthGate } from '../../../test/build.ts';
import { runInMemory } from '../../../test/inMemory.ts';
import { type Front, openFront } from '../../../test/kube/front.ts';
import { kubeconfigOf } from '../../../test/kube/kubeconfigOf.ts';
import type { KubeObject } from '../../sim/kubeObject.ts';
import { Objects } from '../../sim/objects.ts';
import { VirtualClock } from '../../sim/virtualClock.ts';
import { type Instant, parseInstant } from '../../time/instant.ts';

let folder: string;
let objects: Objects;
let front: Front;
let shop: Server;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lull-gate-'));
  objects = new Objects(new VirtualClock(parseInstant('2026-03-10T12:00:00Z') as Instant));
  front = await openFront(objects, {});
  shop = createServer((_, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  shop.close();
  await front.close();
  rmSync(folder, { recursive: true });
});

const lull = (...argv: readonly string[]) =>
  runInMemory(['gate', ...argv, '--kubeconfig', kubeconfigOf(front, folder)], { now: '2026-03-10T12:00:00Z' });

describe('O6: lull gate', () => {
  it('lists the gates with their states', async () => {
    expect((await lull()).stdout).toBe('There are no HealthGates in this cluster.\n');
    objects.create(healthGate('release') as unknown as KubeObject, 'stage');
    expect((await lull()).stdout).toMatch(/^release +closed +switched to unhealthy\n$/);
  });

  it('runs the check of one now, and writes nothing', async () => {
    const url = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    objects.create(healthGate('shop', { check: { http: { url } } }) as unknown as KubeObject, 'stage');
    const { stdout } = await lull('shop', '-o', 'json');
    expect(JSON.parse(stdout)).toEqual({
      name: 'shop',
      result: 'Unhealthy',
      message: 'it answered 503',
      gate: { name: 'shop', state: 'unknown', message: 'it has not been checked yet' },
    });
    expect(objects.get('HealthGate', 'shop')?.status).toBeUndefined();
  });

  it('says that there is no such gate', async () => {
    expect(await lull('shop')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('There is no HealthGate shop'),
    });
  });
});
