import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Asked, type BadServer, openBadServer } from '../../test/kube/badServer.ts';
import { turn } from '../../test/kube/turns.ts';
import { VirtualClock } from '../sim/virtualClock.ts';
import { asDuration, type Instant, parseInstant } from '../time/instant.ts';
import { type Call, type Client, openClient } from './client.ts';
import { type ClusterAccess, fixedIdentity } from './clusterAccess.ts';

const noon = parseInstant('2026-03-10T12:00:00Z') as Instant;
const call: Call = { method: 'GET', path: '/api/v1/nodes' };

let server: BadServer;
let clock: VirtualClock;
const clients: Client[] = [];

beforeEach(async () => {
  server = await openBadServer();
  clock = new VirtualClock(noon);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  server.close();
});

function open(access: Partial<ClusterAccess> = {}): Client {
  const client = openClient({ server: server.url, tls: {}, ...fixedIdentity({}), ...access }, clock, 'lull/test');
  clients.push(client);
  return client;
}

describe('a request', () => {
  it('sends identity, path and body', async () => {
    const client = open(fixedIdentity({ authorization: 'Bearer secret' }));
    const body = [{ op: 'test', path: '/a', value: 'ä' }];
    const reply = client.request({
      method: 'PATCH',
      path: '/api/v1/nodes/n1',
      query: { fieldManager: 'lull', odd: 'a&b' },
      body,
      contentType: 'application/json-patch+json',
    });
    const asked = await server.next();
    expect(asked).toMatchObject({ method: 'PATCH', path: '/api/v1/nodes/n1' });
    expect(asked.query).toEqual({ fieldManager: 'lull', odd: 'a&b' });
    expect(asked.headers).toMatch(/^authorization: Bearer secret\r$/im);
    expect(asked.headers).toMatch(/^user-agent: lull\/test\r$/im);
    expect(asked.headers).toMatch(/^content-type: application\/json-patch\+json\r$/im);
    expect(asked.headers.endsWith(JSON.stringify(body))).toBe(true);
    asked.answer(200, { ok: 1 });
    expect(await reply).toEqual({ kind: 'answer', code: 200, body: { ok: 1 } });
  });

  it('K6: is not sent if it is no longer allowed once its credentials are available', async () => {
    let mayLeave = true;
    let isKnown = (): void => undefined;
    const client = open({
      identify: () =>
        new Promise((resolve) => {
          isKnown = () => resolve({ authorization: 'Bearer secret' });
        }),
      forget: () => true,
    });
    const guarded: Call = { method: 'DELETE', path: '/api/v1/nodes/n1', mayLeave: () => mayLeave };
    const first = client.request(guarded);
    mayLeave = false;
    isKnown();
    expect(await first).toEqual({ kind: 'silence', message: 'Lull may not act any more.' });
    // Nor a second time, with newer credentials.
    mayLeave = true;
    const again = client.request(guarded);
    isKnown();
    const asked = await server.next();
    expect(asked).toMatchObject({ method: 'DELETE', path: '/api/v1/nodes/n1' });
    asked.answer(401, {});
    mayLeave = false;
    const known = isKnown;
    while (isKnown === known) await turn();
    isKnown();
    expect(await again).toEqual({ kind: 'silence', message: 'Lull may not act any more.' });
  });

  it('K7: sends the impersonated user, as a stream does, with keys and names of any characters', async () => {
    const actsAs = {
      user: 'jane@example.com',
      uid: '7',
      groups: ['ops', 'büro'],
      extra: { 'acme.com/Scope%': ['a', 'b'], ä: ['ü'] },
    };
    const client = open({ actsAs, ...fixedIdentity({ authorization: 'Bearer secret' }) });
    void client.request({ ...call, method: 'POST', body: { note: 'ä' } });
    const posted = await server.next();
    const watching = client.stream(
      { ...call, idle: asDuration(60_000) },
      { onOpen: () => undefined, onLine: () => undefined },
    );
    for (const { headers } of [posted, await server.next()]) {
      const sent = headers.split('\r\n').filter((line) => /^impersonate/i.test(line));
      expect(sent).toEqual([
        'Impersonate-User: jane@example.com',
        'Impersonate-Uid: 7',
        'Impersonate-Group: ops',
        'Impersonate-Group: büro',
        'Impersonate-Extra-acme.com%2FScope%25: a',
        'Impersonate-Extra-acme.com%2FScope%25: b',
        'Impersonate-Extra-%C3%A4: ü',
      ]);
    }
    watching.cut('enough');
  });

  it('K7: does not follow a redirect, so that no other server gets the credentials', async () => {
    const elsewhere = await openBadServer();
    const answered = open(fixedIdentity({ authorization: 'Bearer secret' })).request(call);
    (await server.next()).answer(307, {}, `Location: ${elsewhere.url.origin}/api/v1/nodes\r\n`);
    expect(await answered).toMatchObject({ kind: 'answer', code: 307 });
    expect(elsewhere.waiting()).toBe(0);
    elsewhere.close();
  });

  it('K7: sends no credentials over http:// to another machine', async () => {
    const client = open({ server: new URL('http://192.0.2.1'), ...fixedIdentity({ authorization: 'Bearer secret' }) });
    expect(await client.request(call)).toEqual({
      kind: 'silence',
      message: 'Credentials are not sent to http://192.0.2.1: it is not encrypted.',
    });
  });

  it('goes below the path of the server', async () => {
    void open({ server: new URL('/k8s/clusters/c-1/', server.url) }).request(call);
    expect((await server.next()).path).toBe('/k8s/clusters/c-1/api/v1/nodes');
  });

  it('leaves nothing behind on the clock once it is answered', async () => {
    const reply = open().request(call);
    (await server.next()).answer(200, {});
    await reply;
    await turn();
    expect(clock.nextAt).toBeUndefined();
  });

  it.each<{ name: string; answer: (asked: Asked) => void; reply: unknown }>([
    {
      name: 'a no with its reason',
      answer: (asked) => asked.answer(409, { kind: 'Status', message: 'changed' }),
      reply: { kind: 'answer', code: 409, body: { kind: 'Status', message: 'changed' } },
    },
    {
      name: 'a no for a while',
      answer: (asked) => asked.answer(429, {}, 'Retry-After: 3\r\n'),
      reply: { kind: 'answer', code: 429, body: {}, retryAfter: asDuration(3000) },
    },
    {
      name: 'a no in other words than JSON',
      answer: (asked) => asked.answer(502, '<h1>Bad Gateway</h1>'),
      reply: { kind: 'answer', code: 502, body: '<h1>Bad Gateway</h1>' },
    },
    {
      name: 'a yes that cannot be understood',
      answer: (asked) => asked.answer(200, '<h1>Welcome</h1>'),
      reply: { kind: 'silence', message: 'The response (200) is not JSON: "<h1>Welcome</h1>"' },
    },
    {
      name: 'an answer of which the end is missing',
      answer: (asked) => {
        asked.raw('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"half": ');
        asked.cut();
      },
      reply: { kind: 'silence', message: expect.any(String) },
    },
    {
      name: 'an answer in chunks of which the last is missing',
      answer: (asked) => {
        asked.open();
        asked.chunk('{}');
        asked.cut();
      },
      reply: { kind: 'silence', message: expect.any(String) },
    },
    { name: 'no answer', answer: (asked) => asked.cut(), reply: { kind: 'silence', message: expect.any(String) } },
    { name: 'a reset', answer: (asked) => asked.reset(), reply: { kind: 'silence', message: expect.any(String) } },
    {
      name: 'no HTTP',
      answer: (asked) => asked.raw('SSH-2.0-OpenSSH_9.6\r\n'),
      reply: { kind: 'silence', message: expect.stringContaining('Parse Error') },
    },
  ])('K2: $name is a value', async ({ answer, reply }) => {
    const answered = open().request(call);
    answer(await server.next());
    expect(await answered).toEqual(reply);
  });

  it('K2: is given up after its time, before or within the answer', async () => {
    for (const begins of [false, true]) {
      const answered = open().request({ ...call, timeout: asDuration(5000) });
      const asked = await server.next();
      if (begins) asked.raw('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"half": ');
      await turn();
      clock.step();
      expect(await answered).toEqual({ kind: 'silence', message: 'No answer within 5 s.' });
    }
    expect(clock.now - noon).toBe(10_000);
  });

  it('K2: a refused connection is a value', async () => {
    server.close();
    expect(await open().request(call)).toMatchObject({
      kind: 'silence',
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('keeps its connection for the next', async () => {
    const client = open();
    const ports = new Set<string>();
    for (let time = 0; time < 3; time++) {
      const reply = client.request(call);
      const asked = await server.next();
      ports.add(asked.from);
      asked.answer(200, {});
      await reply;
      await turn();
    }
    expect(ports.size).toBe(1);
  });
});

describe('credentials', () => {
  it('401: the request is repeated once with newer credentials, if there are any', async () => {
    let tokens = 0;
    let isKnown = false;
    const client = open({
      identify: async () => {
        if (!isKnown) tokens++;
        isKnown = true;
        return { authorization: `Bearer ${tokens}` };
      },
      forget: () => {
        isKnown = false;
        return true;
      },
    });
    const reply = client.request(call);
    const first = await server.next();
    expect(first.headers).toContain('Bearer 1');
    first.answer(401, {});
    const second = await server.next();
    expect(second.headers).toContain('Bearer 2');
    second.answer(401, {});
    expect(await reply).toMatchObject({ code: 401 });
    expect(server.waiting()).toBe(0);
  });

  it('that cannot be sent as a header send no request', async () => {
    const client = open(fixedIdentity({ authorization: 'Bearer a\nb' }));
    const reply = { message: expect.stringContaining('Invalid character') };
    expect(await client.request(call)).toMatchObject({ kind: 'silence', ...reply });
    const stream = client.stream({ ...call, idle: asDuration(1000) }, { onOpen: () => {}, onLine: () => {} });
    expect(await stream.end).toMatchObject({ kind: 'broken', ...reply });
    expect(server.waiting()).toBe(0);
    expect(clock.nextAt).toBeUndefined();
  });

  it('that are not available send no request', async () => {
    const identify = async () => {
      throw new Error('aws: not found');
    };
    const client = open({ identify });
    expect(await client.request(call)).toEqual({ kind: 'silence', message: 'No credentials: aws: not found' });
    const stream = client.stream({ ...call, idle: asDuration(1000) }, { onOpen: () => {}, onLine: () => {} });
    expect(await stream.end).toEqual({ kind: 'broken', message: 'No credentials: aws: not found' });
  });
});

describe('a stream', () => {
  it('gives whole lines however they are cut, and none after it was cut', async () => {
    const lines: string[] = [];
    const stream = open().stream(
      { ...call, idle: asDuration(60_000) },
      {
        onOpen: () => lines.push('open'),
        onLine: (line) => {
          lines.push(line);
          if (line === 'last') stream.cut('enough');
        },
      },
    );
    const asked = await server.next();
    asked.open();
    asked.chunk('one\ntw');
    asked.chunk('o\n\nlast\nnever\n');
    expect(await stream.end).toEqual({ kind: 'broken', message: 'enough' });
    expect(lines).toEqual(['open', 'one', 'two', 'last']);
    expect(clock.nextAt).toBeUndefined();
  });

  it('that was cut before it began is not asked for', async () => {
    const stream = open().stream({ ...call, idle: asDuration(1000) }, { onOpen: () => {}, onLine: () => {} });
    stream.cut('closed');
    expect(await stream.end).toEqual({ kind: 'broken', message: 'closed' });
    expect(server.waiting()).toBe(0);
  });

  it('leaves the connections of others alone when it is cut', async () => {
    const client = open();
    const stream = client.stream({ ...call, idle: asDuration(60_000) }, { onOpen: () => {}, onLine: () => {} });
    const watch = await server.next();
    watch.open();
    watch.end();
    expect(await stream.end).toEqual({ kind: 'end' });
    const reply = client.request(call);
    const asked = await server.next();
    stream.cut('too late');
    asked.answer(200, { ok: 1 });
    expect(await reply).toMatchObject({ code: 200 });
  });
});
