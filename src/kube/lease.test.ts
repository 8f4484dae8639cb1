import { describe, expect, it } from 'vitest';
import { turn } from '../../test/kube/turns.ts';
import type { Clock as AnyClock } from '../runtime/clock.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { after, asDuration, asInstant, hour, type Instant, parseInstant } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { Call, Client } from './client.ts';
import { type HeldLease, whileLeading } from './lease.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;

interface StoredLease {
  readonly metadata: { readonly resourceVersion: string; readonly [field: string]: unknown };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** One Lease as a server stores it: writes compare and swap its resourceVersion. */
class LeaseStore {
  lease: StoredLease | undefined;
  #version = 0;

  answer({ method, body }: Call): ApiReply {
    if (method === 'GET') return this.lease ? said(200, this.lease) : said(404);
    const given = body as StoredLease;
    if (method === 'POST' && this.lease) return said(409);
    if (method === 'PUT' && given.metadata.resourceVersion !== this.lease?.metadata.resourceVersion) return said(409);
    return said(method === 'POST' ? 201 : 200, this.put(given));
  }

  put(given: StoredLease): StoredLease {
    this.lease = { ...given, metadata: { ...given.metadata, resourceVersion: String(++this.#version) } };
    return this.lease;
  }
}

const said = (code: number, body: unknown = { kind: 'Status', message: 'no' }): ApiReply => ({
  kind: 'answer',
  code,
  body,
});

function scene() {
  const clock = new VirtualClock(noon);
  const store = new LeaseStore();
  /** The processes that consider themselves the leader. */
  const leading = new Map<string, HeldLease>();
  const story: string[] = [];
  const tell = (text: string): void => {
    story.push(`${(clock.now - noon) / 1000}s ${text}`);
  };

  function candidate(identity: string, skew = 0) {
    const faults = { away: false, late: false as boolean | Call['method'], hangs: false };
    let until: Instant | undefined;
    const stop = new AbortController();
    let resolveLate: (() => void)[] = [];
    const client = {
      request: async (call: Call): Promise<ApiReply> => {
        if (faults.away) return { kind: 'silence', message: 'refused' };
        const reply = store.answer(call);
        if (faults.late === true || faults.late === call.method)
          await new Promise<void>((resolve) => resolveLate.push(resolve));
        return reply;
      },
    } as Client;
    const own: AnyClock = {
      get now() {
        return asInstant(clock.now + skew);
      },
      in: (delay, run) => clock.in(delay, run),
    };
    const work = async (held: HeldLease): Promise<void> => {
      leading.set(identity, held);
      tell(`${identity} leads`);
      await new Promise<void>((resolve) => held.signal.addEventListener('abort', () => resolve()));
      leading.delete(identity);
      tell(`${identity} stops`);
    };
    const options = { client, namespace: 'kube-system', name: 'lull', identity, clock: own, chance: () => 0 };
    const life = {
      isAlive: () => !faults.hangs,
      onHeld: (at: Instant | undefined) => {
        until = at;
      },
    };
    const ended = whileLeading({ ...options, ...life, signal: stop.signal }, work);
    const release = (): void => {
      for (const resolve of resolveLate) resolve();
      resolveLate = [];
    };
    return { faults, stop, ended, release, heldUntil: () => until && (until - noon) / 1000 };
  }

  const settle = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns++) await turn();
  };
  const pass = async (seconds: number): Promise<void> => {
    const end = after(clock.now, asDuration(seconds * 1000));
    clock.at(end, () => {});
    await settle();
    while (clock.nextAt !== undefined && clock.nextAt <= end) {
      clock.step();
      await settle();
      expect(leading.size).toBeLessThanOrEqual(1);
    }
  };
  return { clock, store, leading, story, candidate, pass };
}

describe('a lease', () => {
  it('that is released while a renewal is in flight has no holder afterwards', async () => {
    const { store, candidate, pass } = scene();
    const a = candidate('a');
    await pass(1);
    a.faults.late = 'PUT';
    await pass(1.5);
    a.stop.abort();
    await pass(0);
    a.faults.late = false;
    a.release();
    await a.ended;
    expect(store.lease?.spec.holderIdentity).toBe('');
  });

  it('that does not exist is created, and renewed', async () => {
    const { store, candidate, pass, story } = scene();
    candidate('a');
    await pass(0);
    expect(story).toEqual(['0s a leads']);
    expect(store.lease?.spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-03-10T12:00:00.000000Z',
      renewTime: '2026-03-10T12:00:00.000000Z',
      leaseTransitions: 0,
    });
    await pass(3600);
    expect(story).toEqual(['0s a leads']);
    expect(store.lease?.spec).toMatchObject({
      acquireTime: '2026-03-10T12:00:00.000000Z',
      renewTime: '2026-03-10T13:00:00.000000Z',
      leaseTransitions: 0,
    });
  });

  it('that another holds is waited for, and taken 15 s after it was last renewed', async () => {
    const { candidate, pass, story } = scene();
    const a = candidate('a');
    await pass(0);
    candidate('b');
    await pass(60);
    a.faults.away = true;
    await pass(60);
    expect(story).toEqual(['0s a leads', '70s a stops', '76s b leads']);
  });

  it('that was released is taken by the next attempt', async () => {
    const { candidate, pass, story, store } = scene();
    const a = candidate('a');
    await pass(0);
    candidate('b');
    await pass(61);
    a.stop.abort();
    await a.ended;
    expect(store.lease?.spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    await pass(2);
    expect(story).toEqual(['0s a leads', '61s a stops', '62s b leads']);
    expect(store.lease?.spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('is lost as soon as another holder is seen', async () => {
    const { candidate, pass, story, store } = scene();
    candidate('a');
    await pass(1);
    const { metadata } = store.lease as StoredLease;
    store.put({ metadata, spec: { holderIdentity: 'thief', leaseDurationSeconds: 15 } });
    await pass(1);
    expect(story).toEqual(['0s a leads', '2s a stops']);
    expect(store.lease?.spec.holderIdentity).toBe('thief');
  });

  it('that cannot be renewed for 10 s is lost, though the answer is still on its way', async () => {
    const { candidate, pass, story, leading } = scene();
    const a = candidate('a');
    await pass(3);
    const held = leading.get('a');
    a.faults.late = true;
    await pass(8.9);
    expect(held?.isHeld()).toBe(true);
    await pass(0.1);
    expect(story).toEqual(['0s a leads', '12s a stops']);
    a.release();
    await pass(0);
    // Too late: a stopped process is not started again.
    expect(held?.isHeld()).toBe(false);
  });

  it('lasts from when it was requested, however long the answers take', async () => {
    const { candidate, pass, story } = scene();
    const a = candidate('a');
    a.faults.late = true;
    await pass(6);
    a.release();
    await pass(0);
    a.faults.away = true;
    await pass(20);
    expect(story).toEqual(['6s a leads', '10s a stops']);
  });

  it('is not renewed for work that shows no sign of life: another leads after 15 s, never two at once', async () => {
    const { candidate, pass, story } = scene();
    const a = candidate('a');
    await pass(0);
    candidate('b');
    await pass(60);
    a.faults.hangs = true;
    await pass(60);
    expect(story).toEqual(['0s a leads', '70s a stops', '76s b leads']);
    // When the work shows life again, the lease is not taken back either.
    a.faults.hangs = false;
    await pass(60);
    expect(story).toHaveLength(3);
  });

  it('is kept for work that shows life again in time', async () => {
    const { candidate, pass, story } = scene();
    const a = candidate('a');
    await pass(4);
    a.faults.hangs = true;
    await pass(7);
    a.faults.hangs = false;
    await pass(60);
    expect(story).toEqual(['0s a leads']);
  });

  it('reports until when it is held, and at once when it is lost', async () => {
    const { candidate, pass } = scene();
    const a = candidate('a');
    await pass(0);
    expect(a.heldUntil()).toBe(10);
    await pass(4);
    expect(a.heldUntil()).toBe(14);
    a.faults.late = true;
    await pass(9);
    expect(a.heldUntil()).toBe(14);
    await pass(1);
    expect(a.heldUntil()).toBeUndefined();
    // An answer that comes too late extends nothing.
    a.release();
    await pass(0);
    expect(a.heldUntil()).toBeUndefined();
  });

  it('a process that was suspended knows before any timer fires', async () => {
    const { candidate, pass, leading, clock } = scene();
    candidate('a');
    await pass(0);
    const held = leading.get('a');
    let heldThen: boolean | undefined;
    clock.at(after(noon, asDuration(10_000)), () => {
      heldThen = held?.isHeld();
    });
    // Everything due in these ten seconds runs late.
    while (clock.now < noon + 10_000) clock.step();
    expect(heldThen).toBe(false);
  });

  it.each([
    { name: 'an hour ahead', skew: hour },
    { name: 'an hour behind', skew: -hour },
  ])('is taken no sooner and no later by a process whose clock is $name', async ({ skew }) => {
    const { candidate, pass, story } = scene();
    const a = candidate('a');
    await pass(0);
    candidate('b', skew);
    await pass(60);
    expect(story).toEqual(['0s a leads']);
    a.faults.away = true;
    await pass(60);
    expect(story).toEqual(['0s a leads', '70s a stops', '76s b leads']);
  });

  it('goes to one of two processes that try at the same time', async () => {
    const { candidate, pass, leading } = scene();
    candidate('a');
    candidate('b');
    await pass(60);
    expect(leading.size).toBe(1);
  });

  it('is requested again after it was lost', async () => {
    const { candidate, pass, story } = scene();
    const a = candidate('a');
    await pass(1);
    a.faults.away = true;
    await pass(20);
    a.faults.away = false;
    await pass(5);
    expect(story).toEqual(['0s a leads', '10s a stops', '22s a leads']);
  });

  it('K4: carries the annotations of its holder beside those of others, and follows their changes', async () => {
    const { clock, store, pass } = scene();
    store.put({ metadata: { resourceVersion: '', annotations: { mine: 'yes' } }, spec: { holderIdentity: '' } });
    const client = { request: async (call: Call) => store.answer(call) } as Client;
    const stop = new AbortController();
    const holders: (string | undefined)[] = [];
    let role = 'guide';
    const ended = whileLeading(
      {
        client,
        namespace: 'n',
        name: 'lull',
        identity: 'a',
        clock,
        chance: () => 0,
        signal: stop.signal,
        annotations: () => ({ role }),
        onHolder: (holder) => holders.push(holder),
      },
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    );
    await pass(1);
    expect(store.lease?.metadata.annotations).toEqual({ mine: 'yes', role: 'guide' });
    expect(holders).toEqual([undefined, 'a']);
    role = 'observe';
    await pass(2);
    expect(store.lease?.metadata.annotations).toEqual({ mine: 'yes', role: 'observe' });
    stop.abort();
    await ended;
    expect(store.lease).toMatchObject({ metadata: { annotations: { mine: 'yes' } }, spec: { holderIdentity: '' } });
  });

  it('that cannot be acquired is reported with the message of the server', async () => {
    const clock = new VirtualClock(noon);
    const stop = new AbortController();
    const faults: unknown[] = [];
    const replies: ApiReply[] = [said(403, { message: 'no rights' }), { kind: 'silence', message: 'refused' }];
    const client = { request: async () => replies.shift() ?? said(500, { message: 'broken' }) } as unknown as Client;
    const options = {
      client,
      namespace: 'n',
      name: 'lull',
      identity: 'a',
      clock,
      chance: () => 0,
      signal: stop.signal,
    };
    void whileLeading({ ...options, onFault: (...fault) => faults.push(fault) }, async () => undefined);
    for (let time = 0; time < 3; time++) {
      for (let turns = 0; turns < 5; turns++) await turn();
      clock.step();
    }
    stop.abort();
    expect(faults).toEqual([
      ['lease lull: 403: no rights', 403],
      ['lease lull: refused', undefined],
      ['lease lull: 500: broken', 500],
    ]);
  });

  it('K4: keeps what others wrote into it', async () => {
    const { candidate, pass, store } = scene();
    store.put({
      metadata: { resourceVersion: '', labels: { mine: 'yes' } },
      spec: { holderIdentity: '', strategy: 'OldestEmulationVersion' },
    });
    candidate('a');
    await pass(5);
    expect(store.lease).toMatchObject({
      metadata: { labels: { mine: 'yes' } },
      spec: { holderIdentity: 'a', strategy: 'OldestEmulationVersion' },
    });
  });
});

it('work that fails releases the lease, and throws its error', async () => {
  const clock = new VirtualClock(noon);
  const store = new LeaseStore();
  const client = { request: async (call: Call) => store.answer(call) } as Client;
  const signal = new AbortController().signal;
  const options = { client, namespace: 'n', name: 'lull', identity: 'a', clock, chance: () => 0, signal };
  const work = async (): Promise<void> => {
    throw new Error('a defect');
  };
  await expect(whileLeading(options, work)).rejects.toThrow('a defect');
  expect(store.lease?.spec.holderIdentity).toBe('');
});
