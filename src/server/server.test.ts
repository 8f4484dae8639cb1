import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { at, ledger, longAgo, noon, zone } from '../../test/build.ts';
import { raw, stage, story, until } from '../../test/serverStage.ts';
import type { Ledger } from '../cluster/ledger.ts';
import type { Picture } from '../engine/picture/picture.ts';
import { applyChange, type PictureChange } from '../engine/picture/pictureChange.ts';
import type { ApiResponse } from '../runtime/port.ts';
import { asDuration } from '../time/instant.ts';
import { Meter } from './meter.ts';
import type { ReportedEvent, RoundSource } from './roundSource.ts';
import { openServer, type RunningServer, type ServerOptions } from './server.ts';

let listening: RunningServer | undefined;
afterEach(() => listening?.close());

async function serve(source: RoundSource, options: Partial<ServerOptions> = {}): Promise<string> {
  listening = await openServer(source, { port: 0, run: 'r', ...options });
  return listening.url;
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  });

describe('What may be read', () => {
  it('the last round, as L2 prints it', async () => {
    const url = await serve(stage());
    const response = await fetch(`${url}/api/round`);
    expect(await response.json()).toEqual({ at: noon, verdicts: [] });
    expect(response.headers.get('etag')).toBe('"r-1"');
  });

  it('the whole picture, and what is remembered', async () => {
    const source = stage();
    const url = await serve(source);
    const latest = source.latest();
    if (!latest) throw new Error();
    source.tell(story('web-1 is gone'));
    source.tell({ kind: 'round', decided: { ...latest, round: { ...latest.round, at: at('2026-03-10T12:05:00Z') } } });
    const picture = (await (await fetch(`${url}/api/picture`)).json()) as Picture;
    expect(picture.nodes.map(({ name, state }) => `${name} ${state}`)).toEqual(['web-1 offered', 'web-2 steady']);
    const { base, items } = (await (await fetch(`${url}/api/history`)).json()) as {
      base: Picture;
      items: { id: string; change?: PictureChange; story?: ReportedEvent }[];
    };
    expect(items.map(({ id, ...rest }) => `${id} ${Object.keys(rest)}`)).toEqual([
      'r-1 change',
      'r-2 story',
      'r-3 change',
    ]);
    expect(items.flatMap(({ change }) => change ?? []).reduce(applyChange, base)).toEqual(picture);
  });

  it.each([
    ['from=2026-03-10T00:00:00Z&to=2026-03-11T00:00:00Z', 200],
    ['from=2026-03-10T00:00:00Z&to=2026-03-10T00:00:00Z', 400],
    ['from=2026-03-10T00:00:00Z&to=2036-03-10T00:00:00Z', 400],
    ['from=now', 400],
    ['', 400],
  ])('the hours of everything: %s is answered with %i', async (query, status) => {
    const response = await fetch(`${await serve(stage())}/api/timeline?${query}`);
    expect(response.status).toBe(status);
    const answer = (await response.json()) as { groups?: { title: string }[]; error?: string };
    if (status === 200) expect(answer.groups?.map(({ title }) => title)).toEqual(['web']);
    else expect(answer.error).toMatch(/Set from and to/);
  });

  it('a snapshot, if the source has one', async () => {
    const url = await serve({ ...stage(), snapshot: () => ['{"header":{}}', '{"end":{}}'] });
    const response = await fetch(`${url}/api/snapshot`);
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe('{"header":{}}\n{"end":{}}\n');
  });

  it('why a node goes or stays', async () => {
    const url = await serve(stage());
    const answer = (await (await fetch(`${url}/api/why?target=web-1`)).json()) as { headline: string; at: string };
    expect(answer).toMatchObject({
      kind: 'node',
      at: noon,
      headline: expect.stringMatching(/^web-1 may be disrupted now/),
    });
  });

  it('metrics, in the text format of Prometheus', async () => {
    const url = await serve(stage());
    const text = await (await fetch(`${url}/metrics`)).text();
    expect(text).toContain('# TYPE lull_rounds_total counter\nlull_rounds_total 0\n');
    expect(text).toContain('lull_wishes{nodepool="web",reason="Drifted",outcome="go"} 1\n');
    expect(text).toContain('karpenter_nodepools_allowed_disruptions{nodepool="web",reason="drifted"} 2\n');
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? -?[\d.e+]+)$/);
  });

  it.each([
    [true, 200],
    [false, 503],
  ])('whether it is ready: a round was decided %s = %i', async (isReady, status) => {
    const url = await serve(stage({ isReady }));
    expect((await fetch(`${url}/readyz`)).status).toBe(status);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/api/round`)).status).toBe(status);
  });
});

it('K6: /readyz reports late rounds, which alone do not make it unready', async () => {
  const meter = new Meter();
  const url = await serve({ ...stage(), meter });
  const ask = async () => {
    const response = await fetch(`${url}/readyz`);
    return [response.status, await response.text()];
  };
  meter.decided(asDuration(9_999));
  expect(await ask()).toEqual([200, 'ok\n']);
  meter.decided(asDuration(82_000));
  expect(await ask()).toEqual([200, 'ok\nrounds are late: the last one took 1m22s\n']);
  meter.decided(asDuration(20));
  expect(await ask()).toEqual([200, 'ok\n']);
});

describe('Why, while nothing can be decided', () => {
  it('is answered as of the last round, with the reason for the wait', async () => {
    const now = '2026-03-10T12:30:00Z';
    const ask = async (source: RoundSource) => (await fetch(`${await serve(source)}/api/why?target=pool/web`)).json();
    expect(await ask(stage({ now }))).toMatchObject({ at: now });
    await listening?.close();
    const old = await ask(stage({ now, stalled: 'the ledger cannot be read' }));
    expect(old).toMatchObject({ at: noon, outdated: 'the ledger cannot be read' });
  });

  it('is not ready while nothing can be decided', async () => {
    const response = await fetch(`${await serve(stage({ stalled: 'the ledger cannot be read' }))}/readyz`);
    expect([response.status, await response.text()]).toEqual([503, 'nothing is decided: the ledger cannot be read\n']);
  });
});

describe('What a person may ask for', () => {
  it('a pause, as a MaintenanceWindow that blocks everything until then', async () => {
    const source = stage();
    const url = await serve(source);
    const response = await post(`${url}/api/pause`, { for: '90m', note: 'Ann: release day' });
    expect(response.status).toBe(200);
    expect(source.sent).toEqual([
      {
        verb: 'create',
        kind: 'MaintenanceWindow',
        name: 'lull-pause',
        object: {
          apiVersion: 'karpenter.sh/v1alpha1',
          kind: 'MaintenanceWindow',
          metadata: { name: 'lull-pause' },
          spec: { mode: 'Block', notAfter: '2026-03-10T13:30:00Z', note: 'Ann: release day' },
        },
      },
    ]);
  });

  it('another pause while there is one changes it', async () => {
    const source = stage({ answers: [{ status: 'refused', code: 409, message: 'exists' }] });
    await post(`${await serve(source)}/api/pause`, {});
    expect(source.sent).toMatchObject([
      { verb: 'create' },
      { verb: 'patch', patch: [{ op: 'add', path: '/spec' }, { path: '/metadata/annotations/lull.dev~1author' }] },
    ]);
  });

  it.each([
    [{ status: 'done' } as ApiResponse, { paused: false, was: true }],
    [{ status: 'refused', code: 404, message: 'none' } as ApiResponse, { paused: false, was: false }],
  ])('to resume: %j', async (answer, says) => {
    const response = await post(`${await serve(stage({ answers: [answer] }))}/api/resume`, {});
    expect(await response.json()).toEqual(says);
  });

  const turn = { pool: 'web', topologyKey: zone, domain: 'a', takenAt: longAgo, progressAt: longAgo };
  const known: Ledger = ledger({ turns: [turn, { ...turn, pool: 'api' }] });

  it.each([
    ['/api/roll', 'lull.dev/roll-requested', `${noon} by ann: new kernel`, { requestedAt: noon }],
    [
      '/api/approve',
      'lull.dev/approved',
      '2026-03-10T14:00:00Z by ann: new kernel',
      { approvedUntil: '2026-03-10T14:00:00Z' },
    ],
  ])('Q1, Q2: %s in a box, by an annotation', async (path, key, value, says) => {
    const source = { ...stage(), identity: () => ({ kind: 'box', name: 'demo' }) as const };
    const body = {
      target: 'node/web-1',
      note: 'new kernel',
      author: 'ann',
      ...(path === '/api/approve' && { for: '2h' }),
    };
    const response = await post(`${await serve(source)}${path}`, body);
    expect(await response.json()).toEqual({ target: { kind: 'node', name: 'web-1' }, ...says });
    expect(source.sent).toMatchObject([
      { verb: 'patch', kind: 'Node', name: 'web-1', patch: [{ op: 'test' }, { op: 'add', value: { [key]: value } }] },
    ]);
  });

  it('Q1, Q2: not for a real cluster, where people write with their own credentials', async () => {
    const source = { ...stage(), identity: () => ({ kind: 'cluster', name: 'dev' }) as const };
    const url = await serve(source);
    for (const path of ['/api/roll', '/api/approve']) {
      const response = await post(`${url}${path}`, { target: 'pool/web' });
      expect(response.status).toBe(403);
    }
    expect(source.sent).toEqual([]);
  });

  it('C12: to pass the turn, by a mark in the ledger', async () => {
    const source = stage({ known });
    const response = await post(`${await serve(source)}/api/turn/pass`, { pool: 'web' });
    expect(await response.json()).toEqual({ pool: 'web', turns: [{ topologyKey: zone, domain: 'a' }] });
    const [web, api] = known.turns;
    expect(source.sent).toEqual([
      { verb: 'commit', version: '7', ledger: { ...known, turns: [{ ...web, passAsked: at(noon) }, api] } },
    ]);
  });

  it('C12: again, if a controller wrote the ledger meanwhile', async () => {
    const source = stage({ known, answers: [{ status: 'refused', code: 409, message: 'changed' }] });
    const response = await post(`${await serve(source)}/api/turn/pass`, { pool: 'web' });
    expect(response.status).toBe(200);
    expect(source.sent).toHaveLength(2);
  });

  it.each([
    ['/api/pause', { until: 'soon' }, 400, /RFC 3339/],
    ['/api/pause', { until: '2026-03-10T11:00:00Z' }, 400, /in the past/],
    ['/api/pause', { for: 'long' }, 400, /duration/],
    ['/api/pause', { for: '1h', until: noon }, 400, /not both/],
    ['/api/pause', { note: 'x'.repeat(2000) }, 400, /at most/],
    ['/api/pause', { note: 7 }, 400, /string/],
    ['/api/roll', {}, 400, /Send the target/],
    ['/api/roll', { target: 'web', cancel: 'yes' }, 400, /true or false/],
    ['/api/approve', { target: 'web', for: 'long' }, 400, /duration/],
    ['/api/turn/pass', {}, 400, /Send the pool/],
    ['/api/turn/pass', { pool: 'web' }, 404, /no turn to pass/],
  ])('%s with %j is refused: %i', async (path, body, status, message) => {
    const source = stage();
    const response = await post(`${await serve(source)}${path}`, body);
    expect(response.status).toBe(status);
    expect(((await response.json()) as { error: string }).error).toMatch(message);
    expect(source.sent).toEqual([]);
  });

  it.each([
    [{ status: 'away', message: 'no route' } as ApiResponse, 503],
    [{ status: 'refused', code: 403, message: 'forbidden' } as ApiResponse, 409],
  ])('the response of the cluster decides the status: %j', async (answer, status) => {
    const response = await post(`${await serve(stage({ answers: [answer] }))}/api/pause`, {});
    expect(response.status).toBe(status);
  });
});

describe('Live events', () => {
  /** Reads `count` frames, and disconnects. */
  async function frames(url: string, count: number, last?: string): Promise<string[]> {
    const stop = new AbortController();
    const headers: Record<string, string> = last === undefined ? {} : { 'last-event-id': last };
    const response = await fetch(`${url}/api/events`, { headers, signal: stop.signal });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.split('\n\n').length > count) break;
    }
    stop.abort();
    return text.split('\n\n').slice(0, count);
  }

  it('begin with the story so far, the picture and the clock', async () => {
    const source = stage();
    const url = await serve(source);
    source.tell(story('one'));
    const [about, first, whole, clock] = await frames(url, 4);
    expect(about).toBe('event: about\ndata: {"access":"write"}');
    expect(first).toBe('id: r-2\nevent: story\ndata: {"kind":"NodeGone","text":"one"}');
    expect(whole).toMatch(/^id: r-2\nevent: whole\ndata: \{"at":\d+,.*"web-1"/);
    expect(clock).toBe(`event: clock\ndata: {"now":${at(noon)}}`);
  });

  it('resume after the last event ID', async () => {
    const source = stage();
    const url = await serve(source);
    for (const text of ['one', 'two', 'three']) source.tell(story(text));
    expect(await frames(url, 2, 'r-2')).toEqual([
      'id: r-3\nevent: story\ndata: {"kind":"NodeGone","text":"two"}',
      'id: r-4\nevent: story\ndata: {"kind":"NodeGone","text":"three"}',
    ]);
  });

  it('start with a reset if the last event ID is unknown', async () => {
    const url = await serve(stage());
    expect(await frames(url, 1, 'another-5')).toEqual(['event: reset\ndata: {}']);
  });

  it('come as they happen, and stop when the viewer disconnects', async () => {
    const source = stage();
    const url = await serve(source);
    const later = frames(url, 4);
    const viewers = async () => /lull_viewers (\d)/.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
    await until(async () => (await viewers()) === '1');
    source.tell(story('live'));
    expect((await later)[3]).toContain('"text":"live"');
    await until(async () => (await viewers()) === '0');
  });
});

describe('The page', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lull-assets-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets/app-1a2b.js'), 'go()');
  writeFileSync(join(folder, 'assets/app-1a2b.js.br'), brotliCompressSync('go()'));
  writeFileSync(join(folder, 'secret.txt'), 'no');
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(['/', '/roll', '/why?target=node/web-1'])('%s is the same page, under a strict policy', async (path) => {
    const response = await fetch((await serve(stage(), { assets: folder })) + path);
    expect(await response.text()).toBe('<!doctype html>');
    const policy = response.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(response.headers.get('cache-control')).toBe('no-cache');
  });

  it('is made of files that never change, packed', async () => {
    const url = await serve(stage(), { assets: folder });
    const response = await fetch(`${url}/assets/app-1a2b.js`, { headers: { 'accept-encoding': 'br' } });
    expect(response.headers.get('content-encoding')).toBe('br');
    expect(response.headers.get('cache-control')).toContain('immutable');
    expect(await response.text()).toBe('go()');
  });

  it('is served without a token, which is entered there; nothing else is', async () => {
    const url = await serve(stage(), { assets: folder, tokens: { write: 'secret' } });
    expect((await fetch(`${url}/`)).status).toBe(200);
    for (const path of ['/api/events', '/api/picture', '/api/snapshot', '/assets/../secret.txt', '/secret.txt'])
      expect((await fetch(url + path)).status).toBe(401);
  });

  it.each(['/secret.txt', '/assets', '/..%2fserver.ts', '/assets/..%2f..%2fpackage.json'])(
    '%s is not found',
    async (path) => {
      expect((await fetch((await serve(stage(), { assets: folder })) + path)).status).toBe(404);
    },
  );

  it('says how to build it if it is not built', async () => {
    const response = await fetch(`${await serve(stage())}/`);
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm run build');
  });
});

describe('Recordings', () => {
  it('are sent line by line', async () => {
    let stopped = false;
    const record: RoundSource['record'] = (write) => {
      write('{"a":1}');
      write('{"b":2}');
      return () => {
        stopped = true;
      };
    };
    const url = await serve(stage({ record }));
    const stop = new AbortController();
    const response = await fetch(`${url}/api/recording`, { signal: stop.signal });
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      if (text.length >= 16) break;
    }
    expect(text).toBe('{"a":1}\n{"b":2}\n');
    stop.abort();
    while (!stopped) await new Promise((resolve) => setImmediate(resolve));
  });

  it('are not found if the source has none', async () => {
    expect((await fetch(`${await serve(stage())}/api/recording`)).status).toBe(404);
  });
});

describe('Who may ask', () => {
  it('from other machines only with a token', async () => {
    await expect(serve(stage(), { host: '0.0.0.0' })).rejects.toThrow('requires a token');
  });

  it.each([
    [undefined, 401],
    ['Bearer wrong', 401],
    ['Bearer secret', 200],
    ['bearer secret', 200],
    ['Basic secret', 401],
  ])('authorization %s: %i', async (authorization, status) => {
    const url = await serve(stage(), { tokens: { write: 'secret' } });
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    expect((await fetch(`${url}/api/round`, { headers })).status).toBe(status);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  it.each([
    ['Bearer secret', 200, 200, 'write'],
    ['Bearer looker', 200, 403, 'read'],
    ['Bearer secretlooker', 401, 401, undefined],
    ['Bearer ', 401, 401, undefined],
    ['', 401, 401, undefined],
  ])('T2: two tokens, authorization %j: GET %i, POST %i', async (authorization, get, write, access) => {
    const source = stage();
    const url = await serve(source, { tokens: { write: 'secret', read: 'looker' } });
    const headers = { authorization };
    const about = await fetch(`${url}/api/about`, { headers });
    expect(about.status).toBe(get);
    expect(((await about.json()) as { access?: string }).access).toBe(access);
    expect((await fetch(`${url}/metrics`, { headers })).status).toBe(get);
    const posted = await Promise.all(
      ['pause', 'resume', 'turn/pass'].map((path) => post(`${url}/api/${path}`, {}, headers)),
    );
    // Passing a turn wants a pool.
    const statuses = write === 200 ? [200, 200, 400] : [write, write, write];
    expect(posted.map(({ status }) => status)).toEqual(statuses);
    expect(source.sent).toHaveLength(write === 200 ? 2 : 0);
    if (write === 403) {
      const [first] = posted;
      expect(await first?.json()).toEqual({
        error: 'This token may only read. To pause, resume or pass a turn, use the read-write token.',
      });
    }
  });

  it('T2: with only a read-only token, writes are refused on this machine too', async () => {
    const url = await serve(stage(), { tokens: { read: 'looker' } });
    expect((await fetch(`${url}/api/round`)).status).toBe(401);
    const response = await post(`${url}/api/pause`, {}, { authorization: 'Bearer looker' });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain('started without a read-write token');
  });

  it.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site' }, 403],
    [{ 'content-type': 'text/plain' }, 415],
    [{ 'content-type': 'application/x-www-form-urlencoded' }, 415],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
  ])('a browser’s POST with %j: %i', async (headers, status) => {
    const source = stage();
    const url = await serve(source);
    // fetch sets some of these by itself, so they are written by hand.
    const answer = await raw(url, postWith(url, headers));
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(source.sent).toHaveLength(status === 200 ? 1 : 0);
  });

  it('a POST from its own page is allowed', async () => {
    const url = await serve(stage());
    expect(await raw(url, postWith(url, { origin: url }))).toMatch(/^HTTP\/1.1 200 /);
  });

  it('a request for another host name is refused', async () => {
    const url = await serve(stage());
    expect(await raw(url, 'GET /api/round HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 403 /,
    );
  });
});

function postWith(url: string, headers: Record<string, string>): string {
  const all = {
    host: new URL(url).host,
    'content-type': 'application/json',
    'content-length': '2',
    connection: 'close',
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `POST /api/pause HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n{}`;
}

describe('K1: whatever is sent', () => {
  const host = 'host: 127.0.0.1\r\nconnection: close\r\n';
  const json = 'content-type: application/json\r\n';
  it.each([
    ['no HTTP at all', '\x00\xff garbage\r\n\r\n', 400],
    ['an address that is none', `GET http://[ HTTP/1.1\r\n${host}\r\n`, 400],
    ['broken escapes', `GET /api/why?target=%ff%zz HTTP/1.1\r\n${host}\r\n`, 404],
    ['an empty target', `GET /api/why?target= HTTP/1.1\r\n${host}\r\n`, 400],
    ['no such address', `GET /../../etc/passwd HTTP/1.1\r\n${host}\r\n`, 404],
    ['a word that objects know', `GET /constructor HTTP/1.1\r\n${host}\r\n`, 404],
    ['another method', `DELETE /api/round HTTP/1.1\r\n${host}\r\n`, 405],
    ['a GET where a POST belongs', `GET /api/pause HTTP/1.1\r\n${host}\r\n`, 405],
    ['no JSON', `POST /api/pause HTTP/1.1\r\n${host}${json}content-length: 1\r\n\r\n{`, 400],
    ['a list', `POST /api/pause HTTP/1.1\r\n${host}${json}content-length: 2\r\n\r\n[]`, 400],
    ['too much', `POST /api/pause HTTP/1.1\r\n${host}${json}content-length: 70000\r\n\r\n${'x'.repeat(70_000)}`, 413],
    ['less than was promised', `POST /api/pause HTTP/1.1\r\n${host}${json}content-length: 9\r\n\r\n{`, 400],
    ['a huge header', `GET / HTTP/1.1\r\n${host}x: ${'x'.repeat(100_000)}\r\n\r\n`, 431],
    ['too many headers', `GET / HTTP/1.1\r\n${host}${'x: y\r\n'.repeat(200)}\r\n`, 400],
    ['no host', 'GET /api/round HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['two hosts', `GET /api/round HTTP/1.1\r\n${host}host: evil.example\r\n\r\n`, 400],
    ['two authorizations', `GET /api/round HTTP/1.1\r\n${host}${'authorization: Bearer x\r\n'.repeat(2)}\r\n`, 400],
    ['the address of a proxy', `GET http://127.0.0.1/api/round HTTP/1.1\r\n${host}\r\n`, 400],
    ['the address of another', `GET //evil.example/api/round HTTP/1.1\r\n${host}\r\n`, 404],
    ['a request for everything', `OPTIONS * HTTP/1.1\r\n${host}\r\n`, 400],
    ['an expectation', `GET /api/round HTTP/1.1\r\n${host}expect: the-worst\r\n\r\n`, 417],
  ])('%s is answered, and the next one too', async (_, bytes, status) => {
    const source = stage();
    const url = await serve(source);
    const answer = await raw(url, Buffer.from(bytes, 'latin1')).catch(() => '');
    // If the client disconnects first, there may be no answer.
    if (answer !== '') expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(source.sent).toEqual([]);
  });

  it('closing leaves no listener behind', async () => {
    const source = stage();
    await serve(source);
    await listening?.close();
    listening = undefined;
    expect(source.listeners.size).toBe(0);
  });
});
