// What may be asked? One row for each address.
import { drawTimeline } from '../engine/picture/timeline.ts';
import { findTarget } from '../engine/why/target.ts';
import { explainWhy } from '../engine/why/why.ts';
import { whyAsJson } from '../engine/why/whyJson.ts';
import type { Answer } from '../runtime/port.ts';
import { parseDuration } from '../time/duration.ts';
import { after, day, formatInstant, type Instant, parseInstant } from '../time/instant.ts';
import type { Access } from './access.ts';
import type { Feed } from './feed.ts';
import type { Meter } from './meter.ts';
import { renderMetrics } from './metrics.ts';
import type { OpenAnswers } from './openAnswers.ts';
import { passTurn } from './passTurn.ts';
import { type Pause, pause, pauseWindow, resume } from './pause.ts';
import { readinessOf } from './readiness.ts';
import { errorOf, jsonOf, jsonText, plainText, type Reply } from './reply.ts';
import type { Decided, Source } from './source.ts';

export interface Served {
  readonly source: Source;
  readonly feed: Feed;
  /** Before the feed is looked at: it may have left something out. */
  readonly refresh: () => void;
  readonly meter: Meter;
  readonly answers: OpenAnswers;
}

type Body = Readonly<Record<string, unknown>>;

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (
    served: Served,
    asked: { readonly query: URLSearchParams; readonly body: Body; readonly access: Access },
  ) => Reply | Promise<Reply>;
}

const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path, answer });
const post = (path: string, answer: Route['answer']): Route => ({ method: 'POST', path, answer });

/** Live rounds (/api/events), history, recordings and snapshots are long or have no end, and are served by stream.ts. */
export const routes: readonly Route[] = [
  get('/healthz', () => plainText(200, 'ok\n')),
  get('/readyz', ({ source, meter }) => {
    const { status, text } = readinessOf(source, meter);
    return plainText(status, text);
  }),
  get('/metrics', ({ source, meter, answers }) => {
    const { round, role, cluster } = source.latest() ?? {};
    const known = { ...(round && { round }), ...(role && { role }), ...(cluster && { cluster }) };
    const text = renderMetrics({ meter, viewers: answers.viewers, answers, ...known });
    // The format has no way to write a character otherwise: label values are what they are.
    return { status: 200, body: text, type: 'text/plain; version=0.0.4; charset=utf-8' };
  }),
  get('/api/about', ({ source }, { access }) => jsonOf({ ...source.about, access, now: formatInstant(source.now()) })),
  get('/api/cluster', async ({ source }) => {
    const identity = await source.identity?.();
    return identity ? jsonOf(identity) : errorOf(404, 'This server does not know which cluster it is for.');
  }),
  get('/api/round', ({ source, feed }) => {
    const last = source.latest();
    return last ? jsonText(roundText(last), { etag: `"${feed.lastId}"` }) : notYet;
  }),
  get('/api/picture', ({ feed, refresh }) => {
    refresh();
    return feed.whole ? jsonText(feed.whole.data, { etag: `"${feed.lastId}"` }) : notYet;
  }),
  get('/api/timeline', ({ source }, { query }) => timeline(source, query)),
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

/** Written once for all who ask for the same round. */
const roundTexts = new WeakMap<Decided, string>();

function roundText(decided: Decided): string {
  const text = roundTexts.get(decided) ?? JSON.stringify(decided.json);
  roundTexts.set(decided, text);
  return text;
}

const notYet = errorOf(503, 'No round was decided yet. Ask again in a moment.');

/** Further than that no schedule says anything new. */
const longestTimeline = 400 * day;

function timeline(source: Source, query: URLSearchParams): Reply {
  const decided = source.latest();
  if (!decided) return notYet;
  const [from, to] = ['from', 'to'].map((name) => parseInstant(query.get(name) ?? ''));
  if (from === undefined || to === undefined || from >= to || to - from > longestTimeline)
    return errorOf(400, 'Say from when until when, as ?from=2026-11-15T00:00:00Z&to=2026-11-22T00:00:00Z.');
  const rule = source.settings?.defaultBudgets ?? 'fallback';
  return jsonOf(drawTimeline(decided.cluster, { from, to, rule }));
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
  // B7: since the round was decided time alone has changed nothing, so that it can be told as of now; unless nothing can be decided.
  const outdated = source.stalled?.();
  const round = outdated === undefined ? { ...decided.round, at: source.now() } : decided.round;
  const answer = explainWhy({ round, role: decided.role, isLive: true }, decided.cluster, found.target);
  const more = outdated === undefined ? {} : { outdated };
  return answer
    ? jsonOf({ ...whyAsJson(answer), ...more })
    : errorOf(404, `There is nothing to say about ${text} any more.`);
}

/** As long as a MaintenanceWindow's note may be. */
const longestNote = 1024;
const longestAuthor = 253;

function readPause({ until, for: length, note, author }: Body, now: Instant): Pause | { readonly error: string } {
  if (until !== undefined && length !== undefined) return { error: 'Give either until or for, not both.' };
  if (note !== undefined && (typeof note !== 'string' || note.length > longestNote))
    return { error: `The note is to be a text of at most ${longestNote} characters.` };
  if (author !== undefined && (typeof author !== 'string' || author.length > longestAuthor))
    return { error: `The author is to be a text of at most ${longestAuthor} characters.` };
  const end = readEnd(until, length, now);
  if (typeof end === 'object') return end;
  if (end !== undefined && end <= now)
    return { error: `${formatInstant(end)} is over: it is ${formatInstant(now)} there.` };
  return {
    ...(end !== undefined && { until: end }),
    ...(typeof note === 'string' && note !== '' && { note }),
    ...(typeof author === 'string' && author !== '' && { author }),
  };
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
