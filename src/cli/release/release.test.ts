import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { longAgo, machine, marked, pod } from '../../../test/build.ts';
import { type Ran, runInMemory, type World } from '../../../test/inMemory.ts';
import { type Front, openFront } from '../../../test/kube/front.ts';
import { kubeconfigOf } from '../../../test/kube/kubeconfigOf.ts';
import type { KubeObject } from '../../sim/kubeObject.ts';
import { Objects } from '../../sim/objects.ts';
import { VirtualClock } from '../../sim/virtualClock.ts';
import { type Instant, parseInstant } from '../../time/instant.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': longAgo };
const kinds = ['Node', 'NodeClaim', 'NodePool', 'Pod', 'MaintenanceWindow', 'DisruptionLedger', 'Lease'];

let folder: string;
let objects: Objects;
let front: Front;
let kubeconfig: string;

/** An empty cluster. */
async function begin(): Promise<void> {
  objects = new Objects(new VirtualClock(noon));
  front = await openFront(objects);
  kubeconfig = kubeconfigOf(front, folder);
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lull-release-'));
  await begin();
});
afterEach(async () => {
  await front.close();
  rmSync(folder, { recursive: true });
});

const lull = (argv: readonly string[], world: World = {}): Promise<Ran> =>
  runInMemory(['release', ...argv, '--kubeconfig', kubeconfig], {
    now: '2026-03-10T12:00:00Z',
    wait: async () => undefined,
    ...world,
  });

const make = (...all: readonly unknown[]): void => {
  for (const object of all) objects.create(object as KubeObject, 'stage');
};

const pool = (parts: object = {}) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'web', annotations: { 'lull.dev/budgets': '[{"nodes":"1"}]' }, ...parts },
  spec: {},
});

const lease = (spec: object = {}) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'lull', namespace: 'lull-system', annotations: { 'lull.dev/settings': '{}' } },
  spec: { leaseDurationSeconds: 15, renewTime: '2026-03-10T11:59:00.000000Z', ...spec },
});

const ledger = {
  apiVersion: 'lull.dev/v1alpha1',
  kind: 'DisruptionLedger',
  metadata: { name: 'lull' },
  spec: { version: 1, commands: [], turns: [], backoffs: [] },
};

const pause = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name: 'lull-pause' },
  spec: {},
};
const freeze = { ...pause, metadata: { name: 'freeze' } };
const applied = { managedFields: [{ manager: 'lull', operation: 'Apply', subresource: 'status' }] };

/** Everything, but for when and how often it was written. */
const everything = (): unknown =>
  kinds.flatMap((kind) =>
    [...objects.list(kind)].map(
      ({ metadata: { resourceVersion: _, generation: __, uid: ___, ...rest }, ...object }) => {
        const { annotations = {}, managedFields: ____, ...metadata } = rest as Record<string, unknown>;
        return { ...object, metadata: { ...metadata, annotations } };
      },
    ),
  );

/** A cluster of a user, and the same with all that Lull writes. */
const own = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
const users = () => [pool(), freeze, ...machine('n1'), ...machine('n2', own), pod('p1', 'n1')];
const withLull = () => [
  pool(applied),
  { ...freeze, metadata: { ...freeze.metadata, ...applied } },
  ...machine('n1', {
    annotations: parked,
    spec: marked(),
    claim: {
      annotations: {
        'karpenter.sh/nodepool-hash': 'lull-x',
        'lull.dev/nodepool-hash-before': '7',
        'lull.dev/command': 'c',
      },
    },
  }),
  ...machine('n2', own),
  pod('p1', 'n1', { annotations: parked }),
  pause,
  ledger,
];

describe('N10: lull release', () => {
  it('leaves no trace, and nothing of a user is touched', async () => {
    make(...users());
    objects.write('NodeClaim', 'n1-claim', 'stage', (claim) => ({
      ...claim,
      metadata: { ...claim.metadata, annotations: { 'karpenter.sh/nodepool-hash': '7' } },
    }));
    const before = everything();
    await front.close();
    await begin();
    make(...withLull(), lease());
    const { status, stdout } = await lull(['--yes']);
    expect(stdout).toMatch(/^released {2}context dev/);
    expect(status).toBe(0);
    expect(everything()).toEqual(before);
    expect(front.requests.filter((it) => it.endsWith('/status'))).toHaveLength(2);
  });

  it('run twice, finds nothing the second time', async () => {
    make(...withLull(), lease());
    await lull(['--yes']);
    expect((await lull(['--yes'])).stdout).toMatch(/^nothing of Lull found/);
  });

  it('deletes the ledger after everything else, and the lease last', async () => {
    make(...withLull(), lease());
    await lull(['--yes']);
    const writes = front.requests.filter((it) => /^(PATCH|DELETE)/.test(it));
    expect(writes.slice(-2)).toEqual([
      'DELETE /apis/lull.dev/v1alpha1/disruptionledgers/lull',
      'DELETE /apis/coordination.k8s.io/v1/namespaces/lull-system/leases/lull',
    ]);
  });

  it('--dry-run names everything and changes nothing', async () => {
    make(...withLull(), lease());
    const before = everything();
    const { stdout } = await lull(['--dry-run', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ released: false });
    expect(JSON.parse(stdout).steps).toContainEqual({ kind: 'Node', name: 'n1', what: 'taint removed' });
    expect(JSON.parse(stdout).steps).toContainEqual({ kind: 'Node', name: 'n1', what: 'offered: parking removed' });
    expect(everything()).toEqual(before);
  });

  it('asks for confirmation if it can, and requires --yes if it cannot', async () => {
    make(...withLull());
    const before = everything();
    expect(await lull([])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/would change \d+ objects .* --yes/),
    });
    expect((await lull([], { confirm: async () => false })).stdout).toBe('nothing was released: nothing was changed\n');
    expect(everything()).toEqual(before);
    expect((await lull([], { confirm: async () => true })).status).toBe(0);
    expect(objects.get('DisruptionLedger', 'lull')).toBeUndefined();
  });

  it('refuses while a Lull leads', async () => {
    make(...withLull(), lease({ holderIdentity: 'lull-7' }));
    const before = everything();
    let time = 0;
    const renews = async (): Promise<void> => {
      objects.write('Lease', 'lull-system/lull', 'lull-7', (it) => ({
        ...it,
        spec: { ...(it.spec as object), renewTime: `2026-03-10T12:00:0${time++}.000000Z` },
      }));
    };
    const { status, stderr } = await lull(['--yes'], { wait: renews });
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/lull-7 leads there.*--force/),
    });
    objects.write('Lease', 'lull-system/lull', 'stage', (it) => ({
      ...it,
      spec: lease({ holderIdentity: 'lull-7' }).spec,
    }));
    expect(everything()).toEqual(before);
  });

  it('releases anyway with --force, and leaves the lease to its holder', async () => {
    make(...withLull(), lease({ holderIdentity: 'lull-7' }));
    expect((await lull(['--yes', '--force'])).status).toBe(0);
    expect(objects.get('DisruptionLedger', 'lull')).toBeUndefined();
    expect(objects.get('Lease', 'lull-system/lull')?.spec).toMatchObject({ holderIdentity: 'lull-7' });
  });

  it.each([
    { renewed: '2026-03-10T11:59:00.000000Z', holder: 'lull-7', left: /renewed 1m ago by lull-7: not stale/ },
    { renewed: '2026-03-09T12:00:01.000000Z', holder: '', left: /renewed 23h59m ago: not stale/ },
    { renewed: '2026-03-09T12:00:00.000000Z', holder: '', left: undefined },
  ])('--if-stale 24h, renewed $renewed', async ({ renewed, holder, left }) => {
    make(...withLull(), lease({ holderIdentity: holder, renewTime: renewed }));
    const { status, stdout } = await lull(['--if-stale', '24h', '--yes']);
    expect(status).toBe(0);
    if (left) expect(stdout).toMatch(left);
    expect(objects.get('DisruptionLedger', 'lull') === undefined).toBe(left === undefined);
  });

  it('--if-stale does nothing if there is no lease', async () => {
    make(...withLull());
    expect((await lull(['--if-stale', '24h', '--yes'])).stdout).toContain(
      'there is no lease whose age could be checked',
    );
  });

  it('fails if a running Lull writes its marks again', async () => {
    make(...withLull());
    objects.onChange(({ object }) => {
      const { name, annotations = {} } = object.metadata;
      if (object.kind !== 'Node' || name !== 'n1' || 'lull.dev/parked' in annotations) return;
      objects.write('Node', 'n1', 'another', (node) => ({
        ...node,
        metadata: { ...node.metadata, annotations: { ...node.metadata.annotations, ...parked } },
      }));
    });
    const { status, stderr } = await lull(['--yes']);
    expect({ status, stderr }).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/Node\/n1.*a Lull is still running/),
    });
    expect(objects.get('DisruptionLedger', 'lull')).toBeDefined();
  });
});

describe('N10: what a stale release leaves parked', () => {
  const bounded = (name: string, budgets: unknown) => ({ ...pool({ name }), spec: { disruption: { budgets } } });
  const stale = { renewTime: '2026-03-08T12:00:00.000000Z' };
  const nodeOf = (name: string, of: string) => machine(name, { pool: of, annotations: parked });
  const twoPools = () => [
    bounded('web', [{ nodes: '10%' }]),
    bounded('batch', [{ nodes: '100%' }]),
    ...nodeOf('w1', 'web'),
    ...nodeOf('b1', 'batch'),
    ...nodeOf('b2', 'batch'),
    ledger,
    lease(stale),
  ];
  const isParked = (name: string): boolean =>
    'lull.dev/parked' in (objects.get('Node', name)?.metadata.annotations ?? {});
  const events = () => [...objects.list('Event')] as { reason?: string; message?: string; involvedObject?: object }[];

  it('is every node of a pool without a limit in Karpenter, and nothing else', async () => {
    make(...twoPools());
    const { status, stdout } = await lull(['--if-stale', '24h', '--yes']);
    expect(status).toBe(3);
    expect(['w1', 'b1', 'b2'].filter(isParked)).toEqual(['b1', 'b2']);
    expect(stdout).toMatch(/batch\s+2 nodes\s+no limit\s+stays parked/);
    expect(stdout).toMatch(/web\s+1 node\s+10% at a time/);
    expect(stdout).toMatch(/Add a limit in\s+spec.disruption.budgets/);
  });

  it('is reported in an event on the pool', async () => {
    make(...twoPools());
    await lull(['--if-stale', '24h', '--yes']);
    expect(events()).toMatchObject([
      { reason: 'StaysParked', type: 'Warning', involvedObject: { kind: 'NodePool', name: 'batch' } },
    ]);
  });

  it('is found stale again by the next run, which changes nothing', async () => {
    make(...twoPools());
    await lull(['--if-stale', '24h', '--yes']);
    expect(objects.get('DisruptionLedger', 'lull')).toBeDefined();
    expect(objects.get('Lease', 'lull-system/lull')?.spec).toMatchObject(stale);
    const before = front.requests.length;
    expect((await lull(['--if-stale', '24h', '--yes'])).status).toBe(3);
    expect(
      front.requests.slice(before).filter((it) => /^(PATCH|DELETE|PUT)/.test(it) && !it.includes('/events/')),
    ).toEqual([]);
  });

  it('is released once the pool has a limit', async () => {
    make(...twoPools());
    await lull(['--if-stale', '24h', '--yes']);
    objects.write('NodePool', 'batch', 'person', (it) => ({
      ...it,
      spec: { disruption: { budgets: [{ nodes: '10%' }] } },
    }));
    expect((await lull(['--if-stale', '24h', '--yes'])).status).toBe(0);
    expect(['w1', 'b1', 'b2'].filter(isParked)).toEqual([]);
    expect(objects.get('DisruptionLedger', 'lull')).toBeUndefined();
  });

  it('does not include later nodes: the lease stays stale, and the next run releases them', async () => {
    make(bounded('web', [{ nodes: '10%' }]), ...nodeOf('w1', 'web'), ledger, lease(stale));
    expect((await lull(['--if-stale', '24h', '--yes'])).status).toBe(0);
    expect(objects.get('Lease', 'lull-system/lull')?.spec).toMatchObject(stale);
    make(...nodeOf('w2', 'web'));
    expect((await lull(['--if-stale', '24h', '--yes'])).status).toBe(0);
    expect(['w1', 'w2'].filter(isParked)).toEqual([]);
  });

  it('is for programs too', async () => {
    make(...twoPools());
    const { status, stdout } = await lull(['--if-stale', '24h', '--yes', '-o', 'json']);
    expect(status).toBe(3);
    expect(JSON.parse(stdout).pools).toEqual([
      { pool: 'batch', nodes: ['b1', 'b2'], karpenterLimit: 'no limit', limited: false, staysParked: true },
      { pool: 'web', nodes: ['w1'], karpenterLimit: '10% at a time', limited: true, staysParked: false },
    ]);
  });

  it('is nothing if a person releases; Karpenter’s limits are printed before they confirm', async () => {
    make(...twoPools());
    expect(await lull([])).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/Karpenter has no limit for batch.*--yes/),
    });
    const asked: string[] = [];
    const confirm = async (question: string): Promise<boolean> => {
      asked.push(question);
      return true;
    };
    const { status, stderr } = await lull([], { confirm });
    expect(status).toBe(0);
    expect(asked[0]).toContain('Karpenter has no limit for batch: it may disrupt all its nodes at a time');
    expect(stderr).toMatch(/web\s+1 node\s+10% at a time/);
    expect(['w1', 'b1', 'b2'].filter(isParked)).toEqual([]);
  });
});
