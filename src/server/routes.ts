// What may be asked? One row for each address.
import { findTarget } from '../engine/why/target.ts';
import { explainWhy } from '../engine/why/why.ts';
import { whyAsJson } from '../engine/why/whyJson.ts';
import type { Answer } from '../runtime/port.ts';
import { parseDuration } from '../time/duration.ts';
import { after, formatInstant, type Instant, parseInstant } from '../time/instant.ts';
import type { Feed } from './feed.ts';
import { renderMetrics } from './metrics.ts';
import { passTurn } from './passTurn.ts';
import { type Pause, pause, pauseWindow, resume } from './pause.ts';
import { errorOf, jsonOf, jsonText, plainText, type Reply } from './reply.ts';
import type { Source } from './source.ts';

export interface Served {
  readonly source: Source;
  readonly feed: Feed;
  readonly counts: () => { readonly rounds: number; readonly viewers: number };
}

type Body = Readonly<Record<string, unknown>>;

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (
    served: Served,
    asked: { readonly query: URLSearchParams; readonly body: Body },
  ) => Reply | Promise<Reply>;
}

const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path, answer });
const post = (path: string, answer: Route['answer']): Route => ({ method: 'POST', path, answer });

/** Live rounds (/api/events) and recordings (/api/recording) have no end, and are served by stream.ts. */
export const routes: readonly Route[] = [
  get('/healthz', () => plainText(200, 'ok\n')),
  get('/readyz', ({ source }) =>
    source.latest() ? plainText(200, 'ok\n') : plainText(503, 'no round was decided yet\n'),
  ),
  get('/metrics', ({ source, counts }) => ({
    ...plainText(200, renderMetrics(source, counts())),
    type: 'text/plain; version=0.0.4; charset=utf-8',
  })),
  get('/api/round', ({ feed }) => {
    const last = feed.lastRound;
    return last ? jsonText(last.data, { etag: `"${last.id}"` }) : notYet;
  }),
  get('/api/rounds', ({ feed }, { query }) => rounds(feed, query.get('since') ?? undefined)),
  get('/api/why', ({ source }, { query }) => why(source, query.get('target') ?? '')),
  post('/api/pause', async ({ source }, { body }) => {
    const wanted = readPause(body, source.now());
    if ('error' in wanted) return errorOf(400, wanted.error);
    return told(await pause(source.port, wanted), () => jsonOf({ paused: true, window: pauseWindow(wanted) }));
  }),
  post('/api/resume', async ({ source }) => {
    const answer = await resume(source.port);
    const was = !(answer.status === 'refused' && answer.code === 404);
    return told(was ? answer : { status: 'done' }, () => jsonOf({ paused: false, was }));
  }),
  post('/api/turn/pass', async ({ source }, { body }) => {
    const { pool } = body;
    if (typeof pool !== 'string' || pool === '') return errorOf(400, 'Name the pool, as { "pool": "web" }.');
    const passed = await passTurn(source.port, pool, source.now());
    if ('missing' in passed) return errorOf(404, passed.missing);
    if ('answer' in passed) return told(passed.answer, () => jsonOf({}));
    return jsonOf({ pool, turns: passed.turns.map(({ topologyKey, domain }) => ({ topologyKey, domain })) });
  }),
];

const notYet = errorOf(503, 'No round was decided yet. Ask again in a moment.');

/** Those still remembered, after the one named. */
function rounds(feed: Feed, since: string | undefined): Reply {
  const items = since === undefined ? feed.items : feed.since(since);
  const missed = items === undefined;
  const listed = (items ?? feed.items).filter(({ event }) => event === 'round');
  const texts = listed.map(({ id, data }) => `{"id":${JSON.stringify(id)},"round":${data}}`);
  return jsonText(`{"missed":${missed},"rounds":[${texts.join(',')}]}`);
}

function why(source: Source, text: string): Reply {
  if (text === '') return errorOf(400, 'Say whom it is about: /api/why?target=node/web-3.');
  const decided = source.latest();
  if (!decided) return notYet;
  const found = findTarget(decided.cluster, text);
  if (!('target' in found)) {
    const like = found.like.length > 0 ? ` There is ${found.like.join(', ')}.` : '';
    return errorOf(404, `${found.message}${like}`, { like: found.like });
  }
  // B7: since the round was decided time alone has changed nothing, so that it can be told as of now.
  const round = { ...decided.round, at: source.now() };
  const answer = explainWhy(round, decided.cluster, found.target);
  return answer ? jsonOf(whyAsJson(answer)) : errorOf(404, `There is nothing to say about ${text} any more.`);
}

/** As long as a MaintenanceWindow's note may be. */
const longestNote = 1024;

function readPause({ until, for: length, note }: Body, now: Instant): Pause | { readonly error: string } {
  if (until !== undefined && length !== undefined) return { error: 'Give either until or for, not both.' };
  if (note !== undefined && (typeof note !== 'string' || note.length > longestNote))
    return { error: `The note is to be a text of at most ${longestNote} characters.` };
  const end = readEnd(until, length, now);
  if (typeof end === 'object') return end;
  if (end !== undefined && end <= now)
    return { error: `${formatInstant(end)} is over: it is ${formatInstant(now)} there.` };
  return { ...(end !== undefined && { until: end }), ...(typeof note === 'string' && note !== '' && { note }) };
}

function readEnd(until: unknown, length: unknown, now: Instant): Instant | undefined | { readonly error: string } {
  if (until !== undefined) {
    const at = typeof until === 'string' ? parseInstant(until) : undefined;
    return at ?? { error: 'until is to be RFC 3339, such as 2026-11-15T09:00:00Z.' };
  }
  if (length === undefined) return undefined;
  const elapsed = typeof length === 'string' ? parseDuration(length) : undefined;
  return elapsed === undefined ? { error: 'for is to be a duration, such as 90m.' } : after(now, elapsed);
}

/** What the cluster said to a person's request. */
function told(answer: Answer, done: () => Reply): Reply {
  if (answer.status === 'done') return done();
  if (answer.status === 'away') return errorOf(503, `The cluster does not answer: ${answer.message}`);
  return errorOf(answer.code === 404 ? 404 : 409, `The cluster says no: ${answer.message}`);
}
