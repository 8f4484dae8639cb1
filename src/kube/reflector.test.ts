import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asked } from '../../test/kube/badServer.ts';
import { added, bookmark, failure, gone, listEnd, node, type Reflecting, reflect } from '../../test/kube/reflecting.ts';
import { turn, until } from '../../test/kube/turns.ts';
import { describeUnsynced, type Unsynced } from '../runtime/port.ts';
import { apiKindOf } from './apiKind.ts';
import { longestLine } from './exchange.ts';

let at: Reflecting;
beforeEach(async () => {
  at = await reflect();
});
afterEach(() => at.close());

const missing = () => said(at.reflector.missing(at.clock.now));
const said = (it: Unsynced | undefined) => it && describeUnsynced(it);
const isResumed = (asked: Asked, version: string) =>
  expect(asked.query).toMatchObject({ watch: 'true', resourceVersion: version, allowWatchBookmarks: 'true' });
const isList = (asked: Asked) =>
  expect(asked.query).toMatchObject({ watch: 'true', sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' });

describe('K3: a list that is streamed', () => {
  it('is not known before its last event', async () => {
    const list = await at.server.next();
    isList(list);
    expect(list.path).toBe('/api/v1/nodes');
    list.open();
    list.line(added('n1', 3));
    await until(() => at.names().length === 1);
    expect(missing()).toBe('Node is not listed yet');
    expect(at.mirror.seenOf('Node')).toBe(0);
    list.line(listEnd(7));
    await until(() => missing() === undefined);
    expect(at.mirror.seenOf('Node')).toBe(7);
  });

  it('that is cut counts as unknown, and is started over', async () => {
    const list = await at.server.next();
    list.open();
    list.line(added('n1', 3));
    await until(() => at.names().length === 1);
    list.cut();
    await at.hasFailed(1);
    expect(missing()).toMatch(/^Node is not listed yet: /);
    at.clock.step();
    const again = await at.server.next();
    isList(again);
    again.open();
    again.line(added('n2', 5));
    again.line(listEnd(6));
    await until(() => missing() === undefined);
    // n1 went in between.
    expect(at.names()).toEqual(['n2']);
  });

  it('that ends too soon is not known', async () => {
    const list = await at.server.next();
    list.open();
    list.line(added('n1', 3));
    list.end();
    await at.hasFailed(1);
    expect(missing()).toBe('Node is not listed yet: The stream ended before the list was complete.');
  });

  it('continues as a watch; each watch begins where the one before ended', async () => {
    const list = await at.synced(7, 'n1');
    list.line(added('n2', 9));
    await until(() => at.names().length === 2);
    list.end();
    const watch = await at.server.next();
    isResumed(watch, '9');
    const seconds = Number(watch.query.timeoutSeconds);
    expect(seconds).toBeGreaterThanOrEqual(300);
    expect(seconds).toBeLessThanOrEqual(600);
    expect(at.faults).toEqual([]);
  });

  it('that three times does not come is asked for in pages', async () => {
    for (let time = 1; time <= 3; time++) {
      (await at.server.next()).cut();
      await at.hasFailed(time);
      at.clock.step();
    }
    expect((await at.server.next()).query).toEqual({ limit: '500' });
  });
});

describe('K2: a broken watch is resumed', () => {
  it.each<{ name: string; breaks: (watch: Asked) => void; fault: RegExp }>([
    {
      name: 'cut in the middle of an object',
      breaks: (watch) => {
        watch.chunk(JSON.stringify(added('n3', 9)).slice(0, 40));
        watch.cut();
      },
      fault: /closed|aborted|ECONNRESET|hang up/,
    },
    { name: 'reset', breaks: (watch) => watch.reset(), fault: /ECONNRESET|closed|aborted/ },
    {
      name: 'a chunk that says it is longer than it is',
      breaks: (watch) => {
        watch.raw('ffff\r\n{"type":');
        watch.cut();
      },
      fault: /closed|aborted|ECONNRESET|hang up/,
    },
    { name: 'no chunk at all', breaks: (watch) => watch.raw('what?\r\n'), fault: /Parse Error|closed/ },
    { name: 'garbage', breaks: (watch) => watch.chunk('<html>\n'), fault: /not an event: "<html>"/ },
    { name: 'JSON that is not an event', breaks: (watch) => watch.line([1, 2]), fault: /not an event/ },
    { name: 'an event without an object', breaks: (watch) => watch.line({ type: 'ADDED' }), fault: /not an event/ },
    {
      name: 'an object of another kind',
      breaks: (watch) => watch.line({ type: 'ADDED', object: { ...node('n3', 9), kind: 'Pod' } }),
      fault: /not an event/,
    },
    {
      name: 'an object without a version',
      breaks: (watch) => watch.line({ type: 'ADDED', object: { kind: 'Node', metadata: { name: 'n3', uid: 'u' } } }),
      fault: /not an event/,
    },
    {
      name: 'an event that is none we know',
      breaks: (watch) => watch.line({ type: 'RENAMED', object: node('n3', 9) }),
      fault: /not an event/,
    },
    {
      name: 'a bookmark without a version',
      breaks: (watch) => watch.line({ type: 'BOOKMARK', object: { metadata: {} } }),
      fault: /not an event/,
    },
    {
      name: 'an error in the stream',
      breaks: (watch) => watch.line({ type: 'ERROR', object: failure(500, 'etcdserver: leader changed') }),
      fault: /500: etcdserver: leader changed/,
    },
    {
      name: 'a line without an end',
      breaks: (watch) => watch.chunk('x'.repeat(longestLine + 1)),
      fault: /A line of the stream is too long/,
    },
  ])('$name', async ({ breaks, fault }) => {
    const watch = await at.synced(7, 'n1', 'n2');
    watch.line(added('n2', 8, { changed: 'yes' }));
    await until(() => at.mirror.seenOf('Node') === 8);
    breaks(watch);
    await at.hasFailed(1);
    expect(at.faults[0]).toMatch(fault);
    expect(at.server.waiting()).toBe(0);
    at.clock.step();
    const again = await at.server.next();
    isResumed(again, '8');
    again.open();
    again.line(added('n3', 9));
    await until(() => at.names().length === 3);
    expect(missing()).toBeUndefined();
    await until(watch.isClosed);
  });

  it('that ends normally is resumed at once', async () => {
    const watch = await at.synced(7, 'n1');
    watch.line(bookmark(12));
    watch.end();
    isResumed(await at.server.next(), '12');
    expect(at.faults).toEqual([]);
  });

  it('that ends as soon as it began is left alone for a while', async () => {
    (await at.synced(7, 'n1')).end();
    const empty = await at.server.next();
    empty.open();
    empty.end();
    await at.hasFailed(1);
    expect(at.faults).toEqual(['Node: The watch ended as soon as it began.']);
  });

  it('five times in a row leads to a new list', async () => {
    (await at.synced(7, 'n1')).cut();
    for (let time = 1; time < 5; time++) {
      await at.hasFailed(time);
      at.clock.step();
      const watch = await at.server.next();
      isResumed(watch, '7');
      watch.cut();
    }
    await at.hasFailed(5);
    expect(missing()).toMatch(/^Node is being listed again: /);
    at.clock.step();
    isList(await at.server.next());
  });

  it('waits longer each time', async () => {
    (await at.synced(7, 'n1')).cut();
    const waits: number[] = [];
    for (let time = 1; time <= 4; time++) {
      await at.hasFailed(time);
      const from = at.clock.now;
      at.clock.step();
      waits.push(at.clock.now - from);
      (await at.server.next()).cut();
    }
    expect(waits).toEqual([500, 1000, 2000, 4000]);
  });
});

describe('K2: a server that refuses', () => {
  it.each([
    { name: '429', code: 429, headers: 'Retry-After: 20\r\n', body: failure(429, 'slow down'), waits: 22_500 },
    { name: '500', code: 500, headers: '', body: failure(500, 'etcd'), waits: 500 },
    { name: '503 in the words of a proxy', code: 503, headers: '', body: '<h1>none upstream</h1>', waits: 500 },
    { name: '403', code: 403, headers: '', body: failure(403, 'nodes is forbidden'), waits: 500 },
    { name: '404: the kind is not served', code: 404, headers: '', body: '404 page not found', waits: 500 },
  ])('$name is asked again later', async ({ code, headers, body, waits }) => {
    (await at.synced(7, 'n1')).end();
    (await at.server.next()).answer(code, body, headers);
    await at.hasFailed(1);
    expect(at.faults[0]).toContain(`${code}: ${typeof body === 'string' ? body : body.message}`);
    const from = at.clock.now;
    at.clock.step();
    expect(at.clock.now - from).toBe(waits);
    isResumed(await at.server.next(), '7');
    expect(at.names()).toEqual(['n1']);
  });

  it('K3: before the first list, its message is reported', async () => {
    (await at.server.next()).answer(403, failure(403, 'nodes is forbidden'));
    await at.hasFailed(1);
    expect(missing()).toBe('Node is not listed yet: 403: nodes is forbidden');
  });
});

describe('K2: a watch that fell behind leads to a new list', () => {
  it.each<{ name: string; says: (watch: Asked) => Promise<void> }>([
    {
      name: '410 in the stream',
      says: async (watch) => watch.line({ type: 'ERROR', object: failure(410, 'too old resource version') }),
    },
    {
      name: '410 as the answer',
      says: async (watch) => {
        watch.end();
        (await at.server.next()).answer(410, failure(410, 'too old resource version'));
      },
    },
  ])('$name', async ({ says }) => {
    const watch = await at.synced(7, 'n1', 'n2');
    await says(watch);
    const list = await at.server.next();
    isList(list);
    expect(at.faults).toEqual([]);
    expect(missing()).toBe('Node is being listed again');
    // Until it is whole, what was known is kept.
    expect(at.names()).toEqual(['n1', 'n2']);
    list.open();
    list.line(added('n2', 7));
    list.line(added('n3', 20));
    list.line(listEnd(21));
    await until(() => missing() === undefined);
    expect(at.names()).toEqual(['n2', 'n3']);
  });

  it('but not again and again without a pause', async () => {
    const watch = await at.synced(7, 'n1');
    watch.line({ type: 'ERROR', object: failure(410) });
    (await at.server.next()).answer(410, failure(410));
    await at.hasFailed(1);
    expect(at.server.waiting()).toBe(0);
  });

  it('and a server whose version went back is accepted', async () => {
    const watch = await at.synced(1000, 'n1', 'n2');
    watch.line({ type: 'ERROR', object: failure(410) });
    const list = await at.server.next();
    list.open();
    list.line(added('n1', 5, { from: 'backup' }));
    list.line(listEnd(6));
    await at.hasFailed(1);
    expect(missing()).toMatch(/went back to 6/);
    at.clock.step();
    const again = await at.server.next();
    again.open();
    again.line(added('n1', 5, { from: 'backup' }));
    again.line(listEnd(6));
    await until(() => missing() === undefined);
    expect(at.mirror.look().cluster.nodes.map(({ node: { labels } }) => labels.from)).toEqual(['backup']);
    expect(at.mirror.seenOf('Node')).toBe(6);
  });
});

describe('K2: a watch in which nothing is heard', () => {
  it('is cut after two and a half minutes, and resumed', async () => {
    const watch = await at.synced(7, 'n1');
    at.pass(149_000);
    await turn();
    expect(at.faults).toEqual([]);
    at.pass(2000);
    await at.hasFailed(1);
    expect(at.faults).toEqual(['Node: No data for 150 s.']);
    await until(watch.isClosed);
    at.clock.step();
    isResumed(await at.server.next(), '7');
  });

  it('lives as long as there are bookmarks', async () => {
    const watch = await at.synced(7, 'n1');
    for (let minutes = 1; minutes <= 5; minutes++) {
      at.pass(60_000);
      watch.line(bookmark(7 + minutes));
      await until(() => at.mirror.seenOf('Node') === 7 + minutes);
    }
    expect(at.faults).toEqual([]);
    expect(at.news()).toBe(1);
  });

  it('and a request without any response is cut after 70 s', async () => {
    await at.server.next();
    at.pass(69_000);
    await turn();
    expect(at.faults).toEqual([]);
    at.pass(1000);
    await at.hasFailed(1);
    expect(at.faults).toEqual(['Node: No answer to the stream request.']);
  });
});

describe('K5: repeated events', () => {
  it.each<{ name: string; events: readonly unknown[] }>([
    { name: 'the same event', events: [added('n1', 7)] },
    { name: 'an older one', events: [added('n1', 3, { old: 'yes' })] },
    { name: 'the deletion of one before it', events: [gone('n1', 4)] },
    { name: 'the deletion of what is not known', events: [gone('n9', 8)] },
    { name: 'a heartbeat', events: [{ type: 'MODIFIED', object: { ...node('n1', 8), status: { heartbeat: 'now' } } }] },
  ])('change nothing and wake no one: $name', async ({ events }) => {
    const watch = await at.synced(7, 'n1');
    const before = at.news();
    const [view] = at.mirror.look().cluster.nodes;
    for (const event of events) watch.line(event);
    watch.line(bookmark(10));
    await until(() => at.mirror.seenOf('Node') === 10);
    expect(at.mirror.look().cluster.nodes).toEqual([view]);
    expect(at.mirror.look().cluster.nodes[0]).toBe(view);
    expect(at.news()).toBe(before);
  });

  it('does not lead back: a watch is resumed after the latest', async () => {
    const watch = await at.synced(7, 'n1');
    watch.line(added('n2', 9));
    watch.line(added('n1', 3));
    watch.end();
    isResumed(await at.server.next(), '9');
  });
});

describe('K3: a watch that is down', () => {
  it('is reported after 30 s, until it has been up for 10 s or delivered something', async () => {
    (await at.synced(7, 'n1')).cut();
    await at.hasFailed(1);
    expect(missing()).toBeUndefined();
    at.pass(500);
    const watch = await at.server.next();
    at.pass(29_500);
    expect(missing()).toMatch(/^the watch of Node has been down since 2026-03-10T12:00:00Z: /);
    watch.open();
    await turn();
    await turn();
    at.pass(9000);
    expect(missing()).toBeDefined();
    watch.line(bookmark(8));
    await until(() => missing() === undefined);
  });

  it('is reported again if it keeps breaking, even if it opens each time', async () => {
    (await at.synced(7, 'n1')).cut();
    for (let time = 1; time <= 4; time++) {
      await at.hasFailed(time);
      at.pass(9000);
      const watch = await at.server.next();
      watch.open();
      watch.chunk('garbage\n');
    }
    await at.hasFailed(5);
    expect(missing()).toMatch(/not an event: "garbage"/);
  });
});

describe('without streamed lists', () => {
  const page = (version: number, next: string, ...names: readonly string[]) => ({
    kind: 'NodeList',
    metadata: { resourceVersion: String(version), ...(next && { continue: next }) },
    items: names.map((name, index) => {
      const { kind: _kind, apiVersion: _version, ...item } = node(name, index + 1);
      return item;
    }),
  });
  beforeEach(async () => {
    (await at.server.next()).answer(422, failure(422, 'sendInitialEvents is forbidden for watch'));
  });

  it('they are read in pages, and watched from there', async () => {
    const first = await at.server.next();
    expect(first.query).toEqual({ limit: '500' });
    first.answer(200, page(7, 'more', 'n1', 'n2'));
    const second = await at.server.next();
    expect(second.query).toEqual({ limit: '500', continue: 'more' });
    expect(missing()).toBe('Node is not listed yet');
    second.answer(200, page(7, '', 'n3'));
    const watch = await at.server.next();
    isResumed(watch, '7');
    expect([missing(), at.names()]).toEqual([undefined, ['n1', 'n2', 'n3']]);
  });

  it('expired pages are read again, in larger ones', async () => {
    (await at.server.next()).answer(200, page(7, 'more', 'n1', 'gone meanwhile'));
    (await at.server.next()).answer(410, { ...failure(410, 'continue token expired'), reason: 'Expired' });
    const first = await at.server.next();
    expect(first.query).toEqual({ limit: '2000' });
    first.answer(200, page(90, 'more', 'n1'));
    (await at.server.next()).answer(410, failure(410));
    const again = await at.server.next();
    expect(again.query).toEqual({ limit: '8000' });
    again.answer(200, page(99, '', 'n1', 'n2'));
    isResumed(await at.server.next(), '99');
    expect(at.names()).toEqual(['n1', 'n2']);
    expect(at.faults).toEqual([]);
  });

  it.each<{ name: string; answer: (asked: Asked) => void; fault: RegExp }>([
    { name: 'no list', answer: (asked) => asked.answer(200, { items: [] }), fault: /The response is not a list/ },
    { name: 'no JSON', answer: (asked) => asked.answer(200, '<html>'), fault: /not JSON/ },
    {
      name: 'an item without a name',
      answer: (asked) => asked.answer(200, { ...page(7, ''), items: [{ metadata: { uid: 'u' } }] }),
      fault: /The response is not a list/,
    },
    { name: '500', answer: (asked) => asked.answer(500, failure(500, 'etcd')), fault: /500: etcd/ },
    {
      name: 'half a page',
      answer: (asked) => {
        asked.raw('HTTP/1.1 200 X\r\nContent-Length: 5000\r\n\r\n{"metadata": {"resourceVersion": "7"}, "items": [');
        asked.cut();
      },
      fault: /closed|aborted|ECONNRESET|hang up/,
    },
  ])('K3: a malformed page leaves the list unknown: $name', async ({ answer, fault }) => {
    (await at.server.next()).answer(200, page(7, 'more', 'n1'));
    answer(await at.server.next());
    await at.hasFailed(1);
    expect(at.faults[0]).toMatch(fault);
    expect(missing()).toMatch(/^Node is not listed yet: /);
    at.clock.step();
    expect((await at.server.next()).query).toEqual({ limit: '500' });
  });
});

describe('N3, N9: a kind of which only some objects are followed', () => {
  const aside = { ...apiKindOf('Node'), fieldSelector: 'metadata.name=n1', isAside: true, isQuiet: true } as const;
  beforeEach(async () => {
    at.close();
    at = await reflect(aside);
  });

  it('is asked for by a selector, as a stream and as a watch', async () => {
    const list = await at.server.next();
    isList(list);
    expect(list.query).toMatchObject({ fieldSelector: 'metadata.name=n1' });
    list.open();
    list.line(listEnd(7));
    await until(() => missing() === undefined);
    list.end();
    const watch = await at.server.next();
    isResumed(watch, '7');
    expect(watch.query).toMatchObject({ fieldSelector: 'metadata.name=n1' });
  });

  it('and in pages', async () => {
    const list = await at.server.next();
    list.answer(422, failure(422));
    const page = await at.server.next();
    expect(page.query).toMatchObject({ limit: '500', fieldSelector: 'metadata.name=n1' });
  });

  it('is in the view, but does not wake the loop', async () => {
    const list = await at.synced(7);
    const before = at.news();
    list.line(added('n1', 9));
    await until(() => at.names().length === 1);
    expect(at.news()).toBe(before);
    expect(at.reflector.isAside).toBe(true);
  });
});

describe('O4: a kind that an older install has no CRD for', () => {
  it('is optional if the server does not know it', async () => {
    const unknown = await reflect(apiKindOf('HealthGate'));
    (await unknown.server.next()).answer(404, failure(404, 'the server could not find the requested resource'));
    await unknown.hasFailed(1);
    expect(unknown.reflector.missing(unknown.clock.now)).toBeUndefined();
    await unknown.close();
  });
});

describe('K3: a kind that an older install grants no right to', () => {
  let refused: Reflecting;
  beforeEach(async () => {
    refused = await reflect(apiKindOf('PersistentVolume'));
  });
  afterEach(() => refused.close());
  const missingNow = () => said(refused.reflector.missing(refused.clock.now));
  const end = { ...listEnd(7), object: { ...listEnd(7).object, kind: 'PersistentVolume' } };

  it('is optional if it is refused, which is reported and retried', async () => {
    expect(missingNow()).toBe('PersistentVolume is not listed yet');
    (await refused.server.next()).answer(403, failure(403, 'persistentvolumes is forbidden'));
    await refused.hasFailed(1);
    expect(missingNow()).toBeUndefined();
    expect(refused.news()).toBe(1);
    expect(refused.faults).toEqual(['PersistentVolume: 403: persistentvolumes is forbidden']);
    refused.clock.step();
    const list = await refused.server.next();
    list.open();
    list.line(end);
    await until(() => refused.mirror.seenOf('PersistentVolume') === 7);
    expect(missingNow()).toBeUndefined();
  });

  it.each([401, 404, 500])('is required if the response is %d', async (code) => {
    (await refused.server.next()).answer(code, failure(code));
    await refused.hasFailed(1);
    expect(missingNow()).toBe(`PersistentVolume is not listed yet: ${code}: no`);
  });

  it('is missing if the permission is revoked later, since its objects grow stale', async () => {
    const list = await refused.server.next();
    list.open();
    list.line(end);
    await until(() => missingNow() === undefined);
    list.line({ type: 'ERROR', object: failure(410) });
    (await refused.server.next()).answer(403, failure(403));
    await refused.hasFailed(1);
    expect(missingNow()).toBe('PersistentVolume is being listed again: 403: no');
  });
});
