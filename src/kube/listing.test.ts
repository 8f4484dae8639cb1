import { describe, expect, it } from 'vitest';
import { apiKindOf } from './apiKind.ts';
import type { ApiReply } from './apiReply.ts';
import { appliedTo, forgetting, withdrawal } from './apply.ts';
import type { Call, Client } from './client.ts';
import { findLease } from './leaseSeen.ts';
import { listObjects } from './listing.ts';
import type { RawObject } from './rawObject.ts';

/** A server with fixed responses. */
const server = (say: (call: Call) => ApiReply): Client => ({
  request: async (call) => say(call),
  stream: () => {
    throw new Error('Nothing is watched here.');
  },
  close: () => undefined,
});

const node = (name: string) => ({ metadata: { name, uid: name, resourceVersion: '5' } });
const page = (names: readonly string[], next = ''): ApiReply => ({
  kind: 'answer',
  code: 200,
  body: { metadata: { resourceVersion: '9', continue: next }, items: names.map(node) },
});
const no = (code: number, message: string): ApiReply => ({ kind: 'answer', code, body: { message } });

const list = (say: (call: Call) => ApiReply, kind = 'Node') =>
  listObjects({ client: server(say), kinds: [apiKindOf(kind)], keep: ({ metadata }) => metadata.name });

describe('K3: a cluster listed once', () => {
  it('is read page by page', async () => {
    const listed = await list(({ query }) => (query?.continue ? page(['n3']) : page(['n1', 'n2'], 'more')));
    expect(listed).toEqual({ objects: ['n1', 'n2', 'n3'], unknown: [] });
  });

  it('started over, has nothing that was deleted meanwhile', async () => {
    let isOld = true;
    const listed = await list(({ query }) => {
      if (!query?.continue) return isOld ? page(['n1', 'n2'], 'old') : page(['n2', 'n3']);
      isOld = false;
      return no(410, 'too old');
    });
    expect(listed.objects).toEqual(['n2', 'n3']);
  });

  it('names the kinds that the server does not know', async () => {
    const { unknown } = await list(() => no(404, 'not found'), 'MaintenanceWindow');
    expect(unknown.map(({ plural }) => plural)).toEqual(['maintenancewindows']);
  });

  it.each([
    { say: no(403, 'nodes is forbidden'), words: 'The nodes of the cluster cannot be listed: 403: nodes is forbidden' },
    { say: { kind: 'silence', message: 'ECONNREFUSED' } as const, words: 'cannot be listed: ECONNREFUSED' },
  ])('is not half a cluster: $words', async ({ say, words }) => {
    await expect(list(() => say)).rejects.toThrow(words);
  });

  it('does without what only explains', async () => {
    expect(await list(() => no(403, 'events is forbidden'), 'Event')).toEqual({ objects: [], unknown: [] });
  });
});

const leaseOf = (namespace: string, renewTime: string, annotations?: object) => ({
  metadata: { name: 'lull', namespace, uid: namespace, resourceVersion: '7', annotations },
  spec: { holderIdentity: 'x', renewTime, leaseDurationSeconds: 15 },
});
const marked = { 'lull.dev/settings': '{}' };

describe('The lease of a Lull', () => {
  const anywhere = (items: readonly unknown[]) =>
    server(({ path }) =>
      path.endsWith('/leases') ? { kind: 'answer', code: 200, body: { items } } : no(404, 'not found'),
    );

  it('is found in whatever namespace it lives, the one renewed last', async () => {
    const items = [
      leaseOf('old', '2026-03-10T11:00:00.000000Z', marked),
      leaseOf('here', '2026-03-10T12:00:00.000000Z', marked),
      leaseOf('of-another-program', '2026-03-10T13:00:00.000000Z'),
    ];
    expect(await findLease(anywhere(items), 'lull', ['lull-system'])).toMatchObject({
      namespace: 'here',
      holder: 'x',
    });
  });

  it('is searched for in the usual namespace first, without listing all', async () => {
    const asked: string[] = [];
    const client = server(({ path }) => {
      asked.push(path);
      return path.includes('/lull-system/')
        ? { kind: 'answer', code: 200, body: leaseOf('lull-system', '2026-03-10T12:00:00.000000Z') }
        : no(403, 'forbidden');
    });
    expect(await findLease(client, 'lull', ['lull-system', 'team'])).toMatchObject({ namespace: 'lull-system' });
    expect(asked).toHaveLength(1);
  });

  it('is absent if it may not be read', async () => {
    expect(
      await findLease(
        server(() => no(403, 'forbidden')),
        'lull',
        ['team'],
      ),
    ).toBeUndefined();
  });
});

describe('N10: what was applied', () => {
  const pool = (managedFields: unknown): RawObject => ({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'web', uid: 'u', resourceVersion: '1', managedFields },
  });

  it('is withdrawn where it was applied, and nowhere else', () => {
    const entries = [
      { manager: 'karpenter', operation: 'Update', subresource: 'status' },
      { manager: 'lull', operation: 'Update' },
      { manager: 'lull-install', operation: 'Apply' },
      { manager: 'lull', operation: 'Apply', subresource: 'status' },
    ];
    expect(appliedTo(pool(entries)).map(withdrawal)).toEqual([
      {
        method: 'PATCH',
        path: '/apis/karpenter.sh/v1/nodepools/web/status',
        query: { fieldManager: 'lull', force: 'true' },
        body: { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'web' } },
        contentType: 'application/apply-patch+yaml',
      },
    ]);
  });

  it('no longer names Lull as manager of restored fields', () => {
    const entries = [{ manager: 'lull' }, { manager: 'karpenter' }, { manager: 'lull', subresource: 'status' }];
    expect(forgetting(pool(entries))?.call).toMatchObject({
      path: '/apis/karpenter.sh/v1/nodepools/web',
      body: [
        { op: 'test', path: '/metadata/managedFields/2/manager', value: 'lull' },
        { op: 'remove', path: '/metadata/managedFields/2' },
        { op: 'test', path: '/metadata/managedFields/0/manager', value: 'lull' },
        { op: 'remove', path: '/metadata/managedFields/0' },
      ],
    });
    expect(forgetting(pool([{ manager: 'lull-install' }]))).toBeUndefined();
  });

  it('is empty without managedFields', () => {
    expect(appliedTo(pool(undefined))).toEqual([]);
  });
});
