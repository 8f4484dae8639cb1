import { IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { neverReads, raw, type Stage, stage, story, until } from '../../test/serverStage.ts';
import { secureHeaders } from './httpReply.ts';
import { OpenAnswers } from './openAnswers.ts';
import type { RoundSource } from './roundSource.ts';
import { openServer, type RunningServer, type ServerOptions } from './server.ts';
import { usualLimits } from './serverLimits.ts';

const kilobyte = 1024;
const megabyte = 1024 * kilobyte;

let listening: RunningServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await listening?.close();
});

async function serve(source: RoundSource, options: Partial<ServerOptions> = {}): Promise<string> {
  listening = await openServer(source, { port: 0, run: 'r', ...options });
  return listening.url;
}

async function figure(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}
const waiting = (url: string): Promise<number> => figure(url, 'lull_http_waiting_bytes');
const dropped = (url: string): Promise<number> => figure(url, 'lull_http_slow_readers_dropped_total');
const viewers = (url: string): Promise<number> => figure(url, 'lull_viewers');

async function ignore(url: string, path: string, from?: string): Promise<Socket> {
  const socket = await neverReads(url, path, from);
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

/** The metrics' own answer waits too while they are worked out. */
const ownAnswer = 64 * kilobyte;

describe('T1: a reader that never reads', () => {
  it('of events is disconnected once more than the limit waits for it', async () => {
    const source = stage();
    const limit = megabyte;
    const url = await serve(source, { limits: { bytesOfStream: limit } });
    await ignore(url, '/api/events');
    await until(async () => (await viewers(url)) === 1);
    const message = 'x'.repeat(100 * kilobyte);
    let most = 0;
    // What the kernel takes before anything waits is some megabytes.
    for (let sent = 0; sent < 500 && (await dropped(url)) === 0; sent++) {
      source.tell(story(message));
      most = Math.max(most, await waiting(url));
    }
    expect(await dropped(url)).toBe(1);
    expect(most).toBeGreaterThan(limit / 2);
    expect(most).toBeLessThan(limit + 2 * message.length + ownAnswer);
    await until(async () => (await viewers(url)) === 0);
    expect(source.listeners.size).toBe(1);
  });

  it('of a recording makes no line be written that it has not asked for', async () => {
    const line = `{"put":"${'x'.repeat(10 * kilobyte)}"}`;
    let made = 0;
    function* lines(): Generator<string> {
      for (; made < 1_000_000; made++) yield line;
    }
    const record: RoundSource['record'] = (_write, writeLater) => {
      writeLater?.(lines());
      return () => undefined;
    };
    const url = await serve(stage({ record }));
    await ignore(url, '/api/recording');
    let before = -1;
    // Until the kernel takes no more.
    await until(async () => {
      const isFull = made > 0 && made === before;
      before = made;
      expect(await waiting(url)).toBeLessThan(megabyte);
      return isFull;
    });
    expect(made).toBeLessThan(10_000);
  });

  it('of a recording is disconnected once more than the limit waits for it', async () => {
    let write: (line: string) => void = () => undefined;
    let isStopped = false;
    const record: RoundSource['record'] = (given) => {
      write = given;
      return () => {
        isStopped = true;
      };
    };
    const url = await serve(stage({ record }), { limits: { bytesOfStream: megabyte } });
    await ignore(url, '/api/recording');
    await until(async () => (await viewers(url)) === 1);
    for (let sent = 0; sent < 500 && !isStopped; sent++) {
      write('x'.repeat(100 * kilobyte));
      expect(await waiting(url)).toBeLessThan(1.5 * megabyte);
    }
    expect(await dropped(url)).toBe(1);
  });

  it('of the history holds some kilobytes, not the history', async () => {
    const source = stage();
    const url = await serve(source);
    for (let index = 0; index < 200; index++) source.tell(story(`${index} ${'x'.repeat(100 * kilobyte)}`));
    const readers = [];
    for (let index = 0; index < 8; index++) readers.push(await ignore(url, '/api/history'));
    let before = -1;
    await until(async () => {
      const now = await waiting(url);
      const isFull = now > ownAnswer && now === before;
      before = now;
      return isFull;
    });
    expect(before).toBeLessThan(2 * megabyte);
    // The others have waited for their turn.
    for (const reader of readers) reader.destroy();
    const { items } = (await (await fetch(`${url}/api/history`)).json()) as { items: { story?: { text: string } }[] };
    expect(items.flatMap(({ story: it }) => it?.text.split(' ')[0] ?? [])).toEqual([...Array(200).keys()].map(String));
  });

  it('of long answers: no more of them than the limit are begun, and short ones go on', async () => {
    const json = { text: 'x'.repeat(20 * megabyte) };
    const url = await serve(stage({ json }));
    for (let index = 0; index < 6; index++) await ignore(url, '/api/round');
    await until(async () => (await waiting(url)) > 20 * megabyte);
    await until(async () => (await fetch(`${url}/api/round`, { headers: plain })).status === 503);
    expect(await waiting(url)).toBeLessThan(usualLimits.bytes + ownAnswer);
    expect((await fetch(`${url}/api/about`)).status).toBe(200);
  });

  it.each(['/api/events', '/api/recording', '/api/history', '/api/snapshot', '/api/round'])(
    'of %s is disconnected when it takes nothing for a while',
    async (path) => {
      const lines = (function* () {
        for (;;) yield 'x'.repeat(100 * kilobyte);
      })();
      const source: Stage = {
        ...stage({ json: { text: 'x'.repeat(20 * megabyte) } }),
        record: (_write, writeLater) => {
          writeLater?.(lines);
          return () => undefined;
        },
        snapshot: () => lines,
      };
      const url = await serve(source, { limits: { stall: 300 } });
      for (let index = 0; index < 100; index++) source.tell(story('x'.repeat(200 * kilobyte)));
      await ignore(url, path);
      await until(async () => (await dropped(url)) > 0);
      await until(async () => (await waiting(url)) <= ownAnswer);
    },
  );

  const plain = { 'accept-encoding': 'identity' };

  it('a reader that is slow but reads gets all of a long answer', async () => {
    const json = { text: 'x'.repeat(5 * megabyte) };
    const url = await serve(stage({ json }), { limits: { stall: 1000 } });
    const response = await fetch(`${url}/api/round`, { headers: plain });
    expect(await response.json()).toEqual(json);
    const packed = await fetch(`${url}/api/round`);
    expect(await packed.json()).toEqual(json);
  });
});

describe('T1: answers that are open', () => {
  it('a time in which nothing could run is not held against a reader', () => {
    const answers = new OpenAnswers({ ...usualLimits, stall: 1000, longestAnswer: 1_000_000 });
    const response = new ServerResponse(new IncomingMessage(new Socket()));
    response.writeHead(200);
    answers.add(response, '127.0.0.1', 'live');
    answers.holds(response, () => 1);
    const start = performance.now();
    // The loop was busy for a minute, and its timers come due once.
    answers.sweep(start);
    answers.sweep(start + 60_000);
    expect([response.destroyed, answers.dropped]).toEqual([false, 0]);
    for (let count = 0; count < 5; count++) answers.sweep(start + 60_000);
    expect([response.destroyed, answers.dropped]).toEqual([true, 1]);
  });
});

describe('T1: connections', () => {
  const isClosed = (socket: Socket): Promise<void> =>
    new Promise((resolve) => {
      socket.resume();
      socket.on('close', () => resolve());
    });

  it.each([{ connections: 3 }, { connectionsOfPeer: 3 }])(
    'beyond %j are closed, and freed ones are given again',
    async (limits) => {
      const url = await serve(stage(), { limits });
      const held = [];
      for (let index = 0; index < 3; index++) held.push(await ignore(url, '/api/events'));
      const more = await ignore(url, '/api/events');
      await isClosed(more);
      held[0]?.destroy();
      await until(async () =>
        (
          await raw(url, 'GET /healthz HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n').catch(() => '')
        ).startsWith('HTTP/1.1 200'),
      );
    },
  );

  it('that never finish their headers are closed', async () => {
    const url = await serve(stage(), { limits: { headers: 100, request: 200 } });
    const slow = await neverReads(url, '/api/round HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ');
    slow.on('error', () => undefined);
    slow.write('GET /');
    await isClosed(slow);
  });

  it('that pipeline streams hold one, and none when they are gone', async () => {
    const url = await serve(stage());
    const socket = await ignore(url, '/api/events');
    const ask = 'GET /api/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
    socket.write(ask.repeat(10));
    await until(async () => (await viewers(url)) === 1);
    socket.write(ask.repeat(10));
    await isClosed(socket);
    await until(async () => (await viewers(url)) === 0);
  });

  // Elsewhere this machine has no second address.
  it.skipIf(process.platform !== 'linux')(
    'that pipeline answers behind a stream hold no more than the limit',
    async () => {
      const json = { text: 'x'.repeat(60 * kilobyte) };
      const limit = 2 * megabyte;
      const url = await serve(stage({ json }), { limits: { bytes: limit } });
      const ask = 'GET /api/round HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n';
      for (let index = 0; index < 20; index++) (await ignore(url, '/api/events', '127.0.0.2')).write(ask.repeat(15));
      await until(async () => (await viewers(url)) === 20);
      // Half of it, since all are of one address. Others are still answered.
      await until(async () => (await waiting(url)) > limit / 2 - 100 * kilobyte);
      expect(await waiting(url)).toBeLessThan(limit / 2 + ownAnswer);
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
    },
  );

  it('of one address hold half of the streams at most', async () => {
    const url = await serve(stage(), { limits: { streams: 4, streamsOfPeer: 2 } });
    for (let index = 0; index < 2; index++) await ignore(url, '/api/events');
    await until(async () => (await viewers(url)) === 2);
    const response = await fetch(`${url}/api/events`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({ error: 'Your address has 2 open streams already. Close some of them.' });
  });
});

describe('T1: every answer has the security headers', () => {
  const host = 'host: 127.0.0.1\r\n';
  it.each([
    ['a page', `GET / HTTP/1.1\r\n${host}`, 503],
    ['JSON', `GET /api/round HTTP/1.1\r\n${host}`, 200],
    ['metrics', `GET /metrics HTTP/1.1\r\n${host}`, 200],
    ['a probe', `GET /healthz HTTP/1.1\r\n${host}`, 200],
    ['history', `GET /api/history HTTP/1.1\r\n${host}`, 200],
    ['snapshot', `GET /api/snapshot HTTP/1.1\r\n${host}`, 200],
    ['events', `GET /api/events HTTP/1.1\r\n${host}`, 200],
    ['a recording', `GET /api/recording HTTP/1.1\r\n${host}`, 200],
    ['nothing there', `GET /none HTTP/1.1\r\n${host}`, 404],
    ['another method', `DELETE /api/round HTTP/1.1\r\n${host}`, 405],
    ['no host', 'GET / HTTP/1.1\r\n', 400],
    ['a foreign page', `GET / HTTP/1.1\r\n${host}origin: null\r\n`, 403],
    ['an expectation', `GET / HTTP/1.1\r\n${host}expect: x\r\n`, 417],
    ['no HTTP', 'nothing\r\n', 400],
    ['long headers', `GET / HTTP/1.1\r\n${host}x: ${'x'.repeat(20_000)}\r\n`, 431],
  ])('%s', async (_, head, status) => {
    const source: RoundSource = { ...stage({ record: () => () => undefined }), snapshot: () => ['{}'] };
    const url = await serve(source);
    const text = await firstOf(url, `${head}connection: close\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (const [name, value] of Object.entries(secureHeaders)) expect(text).toContain(`\r\n${name}: ${value}\r\n`);
  });

  /** The headers of the answer; the rest may have no end. */
  const firstOf = (url: string, bytes: string): Promise<string> =>
    new Promise((resolve) => {
      const asking = connect(Number(new URL(url).port), '127.0.0.1', () => asking.write(bytes));
      let text = '';
      asking.on('error', () => resolve(text));
      asking.on('data', (chunk) => {
        text += chunk;
        if (text.includes('\r\n\r\n')) asking.destroy();
      });
      asking.on('close', () => resolve(text));
    });
});

describe('T1: pages of other sites', () => {
  const navigates = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  it.each([
    ['/api/events', { 'sec-fetch-site': 'cross-site' }, 403],
    ['/api/events', { 'sec-fetch-site': 'same-site' }, 403],
    ['/api/events', { origin: 'https://evil.example' }, 403],
    ['/api/events', { origin: 'null' }, 403],
    ['/api/snapshot', { 'sec-fetch-site': 'cross-site', ...navigates }, 403],
    ['/metrics', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    ['/healthz', { 'sec-fetch-site': 'cross-site' }, 403],
    ['/', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' }, 403],
    ['/', { 'sec-fetch-site': 'cross-site', ...navigates, 'sec-fetch-dest': 'iframe' }, 403],
    ['/', { 'sec-fetch-site': 'cross-site', ...navigates }, 503],
    ['/api/round', { 'sec-fetch-site': 'same-origin' }, 200],
    ['/api/round', { 'sec-fetch-site': 'none', ...navigates }, 200],
  ])('GET %s with %j: %i', async (path, headers, status) => {
    const url = await serve(stage());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { host } = new URL(url);
    const answer = await raw(
      url,
      `GET ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${lines.join('')}\r\n`,
    );
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(await viewers(url)).toBe(0);
  });
});
