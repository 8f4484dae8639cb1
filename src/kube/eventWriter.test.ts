import { describe, expect, it } from 'vitest';
import { turn } from '../../test/kube/turns.ts';
import type { Notice } from '../runtime/notices.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { after, asDuration, type Instant, parseInstant } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import type { Call } from './client.ts';
import { type EventLimits, EventWriter } from './eventWriter.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;

interface StoredEvent {
  readonly metadata: { readonly name: string };
  readonly count: number;
  readonly message: string;
  readonly [field: string]: unknown;
}

const said = (code: number, body: unknown = { message: 'no' }): ApiReply => ({ kind: 'answer', code, body });

const held = (name: string, more: Partial<Notice> = {}): Notice => ({
  about: { kind: 'Node', name, uid: `uid-${name}` },
  type: 'Normal',
  reason: 'Held',
  message: 'Drifted is held: MaintenanceWindow freeze blocks it now.',
  key: 'Drifted WindowBlocks',
  weight: 1,
  topic: 'held Drifted',
  ...more,
});

/** A server that keeps events by name, as a real one does. */
function scene(limits: Partial<EventLimits> = {}) {
  const clock = new VirtualClock(noon);
  const events = new Map<string, StoredEvent>();
  const asked: Call[] = [];
  const faults: string[] = [];
  const server: { refusal: ApiReply | undefined } = { refusal: undefined };
  const store = (path: string, event: StoredEvent): ApiReply => {
    events.set(path, event);
    return said(200, event);
  };
  const answer = ({ method, path, body }: Call): ApiReply => {
    if (method === 'GET') return said(200, { items: [{ metadata: { uid: 'found' } }] });
    if (server.refusal) return server.refusal;
    if (method === 'PATCH') {
      const known = events.get(path);
      return known ? store(path, { ...known, ...(body as object) }) : said(404);
    }
    const event = body as StoredEvent;
    const place = `${path}/${event.metadata.name}`;
    return events.has(place) ? said(409) : store(place, event);
  };
  const open = (): EventWriter =>
    new EventWriter({
      client: {
        request: async (call) => {
          asked.push(call);
          return answer(call);
        },
      },
      clock,
      chance: () => 0.5,
      identity: 'lull-1',
      limits,
      onFault: (message) => faults.push(message),
    });
  async function pass(seconds: number): Promise<void> {
    const until = after(clock.now, asDuration(seconds * 1000));
    clock.at(until, () => undefined);
    const settle = async (): Promise<void> => {
      for (let turns = 0; turns < 20; turns++) await turn();
    };
    await settle();
    while (clock.nextAt !== undefined && clock.nextAt <= until) {
      clock.step();
      await settle();
    }
  }
  return { open, pass, events, asked, faults, server, told: () => [...events.values()] };
}

describe('An event', () => {
  it('is one that `kubectl describe` shows with its object', async () => {
    const { open, pass, asked } = scene();
    open().tell([held('n1')]);
    await pass(0);
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/namespaces/default/events',
      body: {
        metadata: { namespace: 'default', name: expect.stringMatching(/^n1\.[0-9a-f]{16}$/) },
        involvedObject: { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'uid-n1' },
        type: 'Normal',
        reason: 'Held',
        source: { component: 'lull' },
        reportingComponent: 'lull',
        reportingInstance: 'lull-1',
        firstTimestamp: '2026-03-10T12:00:00Z',
        lastTimestamp: '2026-03-10T12:00:00Z',
        count: 1,
      },
    });
  });

  it('K8: escapes characters that a terminal would interpret', async () => {
    const { open, pass, asked } = scene();
    open().tell([held('n1', { message: 'note \u001b[2J\u202e\nend' })]);
    await pass(0);
    expect(asked).toMatchObject([{ body: { message: 'note \\x1b[2J\\u{202e}\\nend' } }]);
  });

  it('is in the namespace of its object, whose UID is looked up if it is not known', async () => {
    const { open, pass, asked } = scene();
    open().tell([held('p', { about: { kind: 'Pod', namespace: 'shop', name: 'p' } })]);
    await pass(0);
    expect(asked).toMatchObject([
      { method: 'GET', path: '/api/v1/namespaces/shop/pods', query: { fieldSelector: 'metadata.name=p' } },
      { method: 'POST', path: '/api/v1/namespaces/shop/events', body: { involvedObject: { uid: 'found' } } },
    ]);
  });

  it('that repeats is counted, with its newest message', async () => {
    const { open, pass, told } = scene();
    const writer = open();
    writer.tell([held('n1')]);
    await pass(60);
    writer.tell([held('n1', { message: 'newer' })]);
    await pass(0);
    expect(told()).toMatchObject([{ count: 2, message: 'newer', lastTimestamp: '2026-03-10T12:01:00Z' }]);
  });

  it('of an earlier process is recognised: counted, or left alone if the state is unchanged', async () => {
    const { open, pass, told } = scene();
    open().tell([held('n1')]);
    await pass(0);
    open().tell([held('n1', { standing: true, message: 'newer' })]);
    await pass(0);
    expect(told()).toMatchObject([{ count: 1, message: 'Drifted is held: MaintenanceWindow freeze blocks it now.' }]);
    open().tell([held('n1')]);
    await pass(0);
    expect(told()).toMatchObject([{ count: 2 }]);
  });

  it('that the server has deleted is written again', async () => {
    const { open, pass, events, told } = scene();
    const writer = open();
    writer.tell([held('n1')]);
    await pass(0);
    events.clear();
    writer.tell([held('n1')]);
    await pass(0);
    expect(told()).toMatchObject([{ count: 1 }]);
  });

  it('J5: with another code is another event', async () => {
    const { open, pass, told } = scene();
    const writer = open();
    writer.tell([held('n1')]);
    await pass(0);
    writer.tell([held('n1', { key: 'Drifted BudgetSpent' })]);
    await pass(0);
    expect(told()).toHaveLength(2);
  });
});

describe('K5: too many events', () => {
  const slow: Partial<EventLimits> = { rate: { perSecond: 1, burst: 2 }, waiting: 3 };

  it('wait their turn, the most important first', async () => {
    const { open, pass, told } = scene({ rate: { perSecond: 1, burst: 1 } });
    open().tell([held('a'), held('b'), held('c', { weight: 3 })]);
    await pass(0);
    expect(told().map(({ metadata }) => metadata.name[0])).toEqual(['c']);
    await pass(5);
    expect(told().map(({ metadata }) => metadata.name[0])).toEqual(['c', 'a', 'b']);
  });

  it('are replaced by newer ones about the same node', async () => {
    const { open, pass, told } = scene({ rate: { perSecond: 1, burst: 1 } });
    const writer = open();
    writer.tell([held('x', { weight: 3 }), held('a', { key: 'old' })]);
    await pass(0);
    writer.tell([held('a', { key: 'new', message: 'new' })]);
    await pass(5);
    expect(told().map(({ message }) => message)).toEqual([
      'Drifted is held: MaintenanceWindow freeze blocks it now.',
      'new',
    ]);
  });

  it('are dropped if too many wait, the least important first, and their number is reported', async () => {
    const { open, pass, told } = scene(slow);
    open().tell([held('a'), held('b'), held('c', { weight: 3 }), held('d', { weight: 2 }), held('e', { weight: 2 })]);
    await pass(20);
    expect(told().map(({ metadata, message }) => `${metadata.name.split('.')[0]} ${message.slice(0, 5)}`)).toEqual([
      'lull 2 of ',
      'c Drift',
      'd Drift',
      'e Drift',
    ]);
  });

  it('are kept while the server is unreachable', async () => {
    const { open, pass, told, server, faults } = scene();
    server.refusal = { kind: 'silence', message: 'connection refused' };
    open().tell([held('n1')]);
    await pass(5);
    expect(faults[0]).toBe('event Held on Node/n1: connection refused');
    server.refusal = undefined;
    await pass(60);
    expect(told()).toMatchObject([{ count: 1, firstTimestamp: '2026-03-10T12:00:00Z' }]);
  });

  it('a refusal is reported, and delays nothing', async () => {
    const { open, pass, server, faults, asked } = scene();
    server.refusal = said(403, { message: 'forbidden' });
    open().tell([held('n1'), held('n2')]);
    await pass(60);
    expect(faults).toEqual(['event Held on Node/n1: 403: forbidden', 'event Held on Node/n2: 403: forbidden']);
    expect(asked).toHaveLength(2);
  });
});
