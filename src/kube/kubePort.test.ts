import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Front, openFront } from '../../test/kube/front.ts';
import { turn, until } from '../../test/kube/turns.ts';
import { rawClaim, rawNode, rawPod } from '../../test/rawObjects.ts';
import { emptyLedger } from '../cluster/ledger.ts';
import { type ApiRequest, describeUnsynced } from '../runtime/port.ts';
import type { KubeObject } from '../sim/kubeObject.ts';
import { Objects } from '../sim/objects.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { after, asDuration, type Instant, parseInstant } from '../time/instant.ts';
import { factKinds } from './apiKind.ts';
import type { ApiReply } from './apiReply.ts';
import { type Client, openClient } from './client.ts';
import { fixedIdentity } from './clusterAccess.ts';
import { KubePort } from './kubePort.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const remove = (name: string): ApiRequest => ({ verb: 'delete', kind: 'NodeClaim', name });
const label = (name: string, value: string): ApiRequest => ({
  verb: 'patch',
  kind: 'Node',
  name,
  patch: [{ op: 'add', path: '/metadata/labels/value', value }],
});

let clock: VirtualClock;
let objects: Objects;
let front: Front;
let client: Client;
let port: KubePort;
/** Replaces the response of the server if it returns something. */
let instead: (path: string) => ApiReply | Promise<ApiReply> | undefined;
let was: KubeObject | undefined;
let woken: number;

beforeEach(async () => {
  clock = new VirtualClock(noon);
  objects = new Objects(clock);
  objects.create(rawNode('n1'), 'stage');
  front = await openFront(objects);
  client = openClient({ server: front.url, tls: {}, ...fixedIdentity({}) }, clock);
  instead = () => undefined;
  woken = 0;
  const between: Client = { ...client, request: async (call) => (await instead(call.path)) ?? client.request(call) };
  port = new KubePort({ client: between, clock, chance: () => 0.5, rate: { perSecond: 10, burst: 3 } });
  port.onWake(() => woken++);
  await until(() => port.view().unsynced.length === 0);
});
afterEach(async () => {
  port.close();
  client.close();
  await front.close();
});

const settled = async (): Promise<void> => {
  front.bookmark();
  await until(() => Object.values(port.view().seen).every((version) => Number(version) >= objects.version));
};
const pass = (milliseconds: number): void => {
  const end = after(clock.now, asDuration(milliseconds));
  clock.at(end, () => {});
  while (clock.nextAt !== undefined && clock.nextAt <= end) clock.step();
};
const theirs = (value: string) =>
  objects.write('Node', 'n1', 'person', (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { value } },
  }));

describe('K3: a port that has just been opened', () => {
  it('reports each kind that is not listed, and what it sees anyway', async () => {
    const fresh = new KubePort({ client, clock, chance: () => 0.5 });
    const { unsynced, cluster } = fresh.view();
    expect(unsynced).toContainEqual({ cause: 'not listed', kind: 'Pod' });
    expect(unsynced).toContainEqual({ cause: 'not listed', kind: 'DisruptionLedger' });
    expect(unsynced).toHaveLength(factKinds.length + 1);
    expect(cluster.nodes).toEqual([]);
    fresh.close();
  });
});

describe('K5: it is woken', () => {
  it('once by what others do, until it looks', async () => {
    await settled();
    woken = 0;
    theirs('a');
    await until(() => woken === 1);
    theirs('b');
    front.bookmark();
    for (let turns = 0; turns < 50; turns++) await turn();
    expect(woken).toBe(1);
    port.view();
    theirs('c');
    await until(() => woken === 2);
  });

  it.each<{ name: string; request: () => ApiRequest }>([
    { name: 'a patch', request: () => label('n1', 'mine') },
    { name: 'a creation', request: () => ({ verb: 'create', kind: 'NodeClaim', name: 'c2', object: rawClaim('c2') }) },
    { name: 'a deletion', request: () => remove('c1') },
    { name: 'an eviction', request: () => ({ verb: 'evict', kind: 'Pod', namespace: 'default', name: 'p1' }) },
    { name: 'a commit', request: () => ({ verb: 'commit', ledger: emptyLedger }) },
  ])('not by its own writes, whether the watch or the answer is faster: $name', async ({ request }) => {
    objects.create(rawClaim('c1'), 'stage');
    objects.create(rawPod('p1', { node: 'n1' }), 'stage');
    await settled();
    woken = 0;
    // This server sends watch events first.
    expect(await port.send(request())).toEqual({ status: 'done' });
    await settled();
    expect(woken).toBe(0);
  });

  it.each<{ name: string; reply: () => ApiReply }>([
    { name: 'that was refused', reply: () => ({ kind: 'answer', code: 422, body: {} }) },
    { name: 'that was not answered', reply: () => ({ kind: 'silence', message: 'reset' }) },
    {
      name: 'that was carried out before it',
      reply: () => ({ kind: 'answer', code: 200, body: { ...was, metadata: { ...was?.metadata } } }),
    },
  ])('by what others do to the same object during a request $name, once that is known', async ({ reply }) => {
    await settled();
    was = objects.get('Node', 'n1');
    woken = 0;
    let answer = (_: ApiReply): void => undefined;
    instead = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const sent = port.send(label('n1', 'mine'));
    await turn();
    theirs('theirs');
    await settled();
    expect(woken).toBe(0);
    answer(reply());
    await sent;
    expect(woken).toBe(1);
  });

  it('no longer once it is closed', async () => {
    await settled();
    woken = 0;
    port.close();
    theirs('a');
    for (let turns = 0; turns < 50; turns++) await turn();
    expect(woken).toBe(0);
  });
});

describe('K3: what was written must come back', () => {
  it('and if it does not within 10 s, the watch is late', async () => {
    // A server whose watches died silently, and whose responses are newer.
    instead = (path) =>
      path.endsWith('/n1')
        ? {
            kind: 'answer',
            code: 200,
            body: { ...rawNode('n1'), metadata: { name: 'n1', uid: 'u', resourceVersion: '5000' } },
          }
        : undefined;
    expect(await port.send(label('n1', 'mine'))).toEqual({ status: 'done' });
    expect(port.view()).toMatchObject({ unsynced: [], written: { Node: '5000' } });
    pass(9999);
    expect(port.view().unsynced).toEqual([]);
    pass(1);
    expect(port.view().unsynced.map(describeUnsynced)).toEqual([
      'the watch of Node is late: a write at 2026-03-10T12:00:00Z has not come back',
    ]);
  });
});

describe('K2: a success whose result cannot be read counts as no answer', () => {
  it('an eviction whose pod cannot be looked at', async () => {
    objects.create(rawPod('p1', { node: 'n1' }), 'stage');
    await settled();
    instead = (path) => (path.endsWith('/p1') ? { kind: 'silence', message: 'reset' } : undefined);
    const answer = await port.send({ verb: 'evict', kind: 'Pod', namespace: 'default', name: 'p1' });
    expect(answer).toMatchObject({ status: 'away', message: expect.stringContaining('carried out') });
    expect(objects.get('Pod', 'default/p1')?.metadata.deletionTimestamp).toBeDefined();
  });

  it('an answer that shows no object', async () => {
    instead = () => ({ kind: 'answer', code: 200, body: { hello: 'world' } });
    expect(await port.send(label('n1', 'x'))).toMatchObject({ status: 'away' });
    expect(await port.send(remove('c1'))).toMatchObject({ status: 'away' });
  });

  it('a ledger that another process changed, and that cannot be read', async () => {
    instead = (path) =>
      path.endsWith('/lull')
        ? { kind: 'silence', message: 'reset' }
        : { kind: 'answer', code: 409, body: { message: 'exists' } };
    const ledger = { version: 1, commands: [], turns: [], backoffs: [] } as const;
    expect(await port.send({ verb: 'commit', ledger })).toMatchObject({ status: 'away' });
  });
});

it('an evicted pod that is gone at once is gone from the view', async () => {
  objects.create(rawPod('p1', { node: 'n1', spec: { terminationGracePeriodSeconds: 0 } }), 'stage');
  await settled();
  expect(port.view().cluster.node('n1')?.pods).toHaveLength(1);
  expect(await port.send({ verb: 'evict', kind: 'Pod', namespace: 'default', name: 'p1' })).toEqual({ status: 'done' });
  expect(port.view().cluster.node('n1')?.pods).toHaveLength(0);
});

it('a pod that is gone with its deletion is gone from the view, though the answer shows it as it was', async () => {
  objects.create(rawPod('p1'), 'stage');
  await settled();
  const [pod] = port.view().cluster.pendingPods;
  // The watch is slower than the answer.
  const was = objects.get('Pod', 'default/p1');
  instead = () => ({ kind: 'answer', code: 200, body: was });
  const request = { verb: 'delete', kind: 'Pod', namespace: 'default', name: 'p1' } as const;
  expect(await port.send({ ...request, preconditions: { uid: pod?.uid ?? '' } })).toEqual({ status: 'done' });
  expect(port.view().cluster.pendingPods).toEqual([]);
});

it('sends as many at a time as it may, and the rest later', async () => {
  for (const name of ['a', 'b', 'c', 'd', 'e']) objects.create(rawClaim(name), 'stage');
  const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => port.send(remove(name))));
  const sent = () => front.requests.filter((each) => each.startsWith('DELETE')).length;
  await until(() => sent() === 3);
  for (let turns = 0; turns < 50; turns++) await turn();
  expect(sent()).toBe(3);
  pass(100);
  await until(() => sent() === 4);
  pass(99);
  for (let turns = 0; turns < 50; turns++) await turn();
  expect(sent()).toBe(4);
  pass(1);
  expect(await all).toHaveLength(5);
});

it('G3: sends nothing that had to wait until it may not act any more', async () => {
  let mayAct = true;
  const options = { client, clock, chance: () => 0.5, rate: { perSecond: 10, burst: 1 } };
  const leading = new KubePort({ ...options, mayAct: () => mayAct });
  expect(await leading.send(remove('a'))).toMatchObject({ status: 'refused', code: 404 });
  const waiting = leading.send(remove('b'));
  mayAct = false;
  pass(1000);
  expect(await waiting).toMatchObject({ status: 'away' });
  expect(front.requests.filter((each) => each.startsWith('DELETE'))).toHaveLength(1);
  leading.close();
});
