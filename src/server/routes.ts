// The routes of the HTTP server, one entry per path.
import { defined } from '../cluster/defined.ts';
import { drawTimeline } from '../engine/picture/timeline.ts';
import { explainWhy, findTarget } from '../engine/why/why.ts';
import { whyAsJson } from '../engine/why/whyJson.ts';
import type { ApiResponse } from '../runtime/port.ts';
import { parseDuration } from '../time/duration.ts';
import { after, day, formatInstant, type Instant, parseInstant } from '../time/instant.ts';
import type { ClientAccess } from './authorization.ts';
import type { ViewerFeed } from './feed.ts';
import { errorOf, type HttpReply, jsonOf, jsonText, plainText } from './httpReply.ts';
import { formatRoughly } from './lateRounds.ts';
import type { Meter } from './meter.ts';
import { renderMetrics } from './metrics.ts';
import type { OpenAnswers } from './openAnswers.ts';
import { type ApprovalRequest, approve, type RollRequest, requestRoll } from './personMarks.ts';
import type { DecidedRound, RoundSource } from './roundSource.ts';
import { type Pause, passTurn, pause, pauseWindow, resume } from './userRequests.ts';

export interface Served {
  readonly source: RoundSource;
  readonly feed: ViewerFeed;
  /** Call before reading the feed: draws the last round if it was skipped. */
  readonly refresh: () => void;
  readonly meter: Meter;
  readonly answers: OpenAnswers;
}

type JsonBody = Readonly<Record<string, unknown>>;

export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly answer: (
    served: Served,
    asked: { readonly query: URLSearchParams; readonly body: JsonBody; readonly access: ClientAccess },
  ) => HttpReply | Promise<HttpReply>;
}

const get = (path: string, answer: Route['answer']): Route => ({ method: 'GET', path, answer });
const post = (path: string, answer: Route['answer']): Route => ({ method: 'POST', path, answer });

/** Endless and long responses are in stream.ts: /api/events, history, recordings and snapshots. */
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
    // Not escaped: the format has no escapes for other characters in label values.
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
    return replyTo(await pause(source.port, wanted), () => jsonOf({ paused: true, window: pauseWindow(wanted) }));
  }),
  post('/api/resume', async ({ source }) => {
    const answer = await resume(source.port);
    const was = !(answer.status === 'refused' && answer.code === 404);
    return replyTo(was ? answer : { status: 'done' }, () => jsonOf({ paused: false, was }));
  }),
  post('/api/turn/pass', async ({ source }, { body }) => {
    const { pool } = body;
    if (typeof pool !== 'string' || pool === '') return errorOf(400, 'Send the pool, such as { "pool": "web" }.');
    const passed = await passTurn(source.port, pool, source.now());
    if ('missing' in passed) return errorOf(404, passed.missing);
    if ('answer' in passed) return replyTo(passed.answer, () => jsonOf({}));
    const turns = passed.turns.map(({ topologyKey, domain }) => ({ topologyKey, domain }));
    return jsonOf({ pool, turns, ...(passed.wave && { wave: true }) });
  }),
  post('/api/roll', async ({ source }, { body }) => {
    const wanted = readRoll(body);
    if ('error' in wanted) return errorOf(400, wanted.error);
    if ((await source.identity?.())?.kind !== 'box') return errorOf(403, notInYourName);
    const result = await requestRoll(source.port, wanted, source.now());
    if ('missing' in result) return errorOf(404, result.missing);
    return 'answer' in result ? replyTo(result.answer, () => jsonOf({})) : jsonOf(result);
  }),
  post('/api/approve', async ({ source }, { body }) => {
    const wanted = readApproval(body, source.now());
    if ('error' in wanted) return errorOf(400, wanted.error);
    if ((await source.identity?.())?.kind !== 'box') return errorOf(403, notInYourName);
    const result = await approve(source.port, wanted, source.now());
    if ('missing' in result) return errorOf(404, result.missing);
    return 'answer' in result ? replyTo(result.answer, () => jsonOf({})) : jsonOf(result);
  }),
];

/** What people ask for carries their name, so they write it with their own credentials. */
const notInYourName =
  'This Lull does not write requests in your name. Run the command with a kubeconfig for the cluster.';

/** Caches the JSON text per round. */
const roundTexts = new WeakMap<DecidedRound, string>();

function roundText(decided: DecidedRound): string {
  const text = roundTexts.get(decided) ?? JSON.stringify(decided.json);
  roundTexts.set(decided, text);
  return text;
}

const notYet = errorOf(503, 'No round has been decided yet. Try again in a moment.');

/** Schedules repeat within this time. */
const longestTimeline = 400 * day;

function timeline(source: RoundSource, query: URLSearchParams): HttpReply {
  const decided = source.latest();
  if (!decided) return notYet;
  const [from, to] = ['from', 'to'].map((name) => parseInstant(query.get(name) ?? ''));
  if (from === undefined || to === undefined || from >= to || to - from > longestTimeline)
    return errorOf(
      400,
      'Set from and to, such as ?from=2026-11-15T00:00:00Z&to=2026-11-22T00:00:00Z, at most 400 days apart.',
    );
  const rule = source.settings?.defaultBudgets ?? 'fallback';
  return jsonOf(drawTimeline(decided.cluster, { from, to, rule }));
}

function why(source: RoundSource, text: string): HttpReply {
  if (text === '') return errorOf(400, 'Set target, such as /api/why?target=node/web-3.');
  const decided = source.latest();
  if (!decided) return notYet;
  const found = findTarget(decided.cluster, text);
  if (!('target' in found)) {
    const like = found.like.length > 0 ? ` Similar: ${found.like.join(', ')}.` : '';
    return errorOf(404, `${found.message}${like}`, { like: found.like });
  }
  // Time alone has changed nothing since the round (B7), so answer as of now, unless rounds have stalled.
  const outdated = source.stalled?.();
  const round = outdated === undefined ? { ...decided.round, at: source.now() } : decided.round;
  const answer = explainWhy({ round, role: decided.role, isLive: true }, decided.cluster, found.target);
  const more = outdated === undefined ? {} : { outdated };
  return answer ? jsonOf({ ...whyAsJson(answer), ...more }) : errorOf(404, `${text} no longer exists.`);
}

/** The maximum length of a MaintenanceWindow's note. */
const longestNote = 1024;
const longestAuthor = 253;

function readSigner({ note, author }: JsonBody): Pick<Pause, 'note' | 'author'> | { readonly error: string } {
  if (note !== undefined && (typeof note !== 'string' || note.length > longestNote))
    return { error: `note must be a string of at most ${longestNote} characters.` };
  if (author !== undefined && (typeof author !== 'string' || author.length > longestAuthor))
    return { error: `author must be a string of at most ${longestAuthor} characters.` };
  return defined({ note: note || undefined, author: author || undefined });
}

function readRoll(body: JsonBody): RollRequest | { readonly error: string } {
  const { target, cancel = false } = body;
  const signer = readSigner(body);
  if ('error' in signer) return signer;
  if (typeof target !== 'string' || target === '')
    return { error: 'Send the target, such as { "target": "pool/web" }.' };
  return typeof cancel === 'boolean' ? { target, cancel, ...signer } : { error: 'cancel must be true or false.' };
}

function readApproval(body: JsonBody, now: Instant): ApprovalRequest | { readonly error: string } {
  const wanted = readRoll({ ...body, cancel: body.revoke });
  if ('error' in wanted) return wanted;
  const until = readEnd(undefined, body.for, now);
  if (typeof until === 'object') return until;
  const { cancel: revoke = false, ...rest } = wanted;
  return { ...rest, revoke, ...(until !== undefined && { until }) };
}

function readPause(body: JsonBody, now: Instant): Pause | { readonly error: string } {
  const { until, for: length } = body;
  const signer = readSigner(body);
  if (until !== undefined && length !== undefined) return { error: 'Set either until or for, not both.' };
  if ('error' in signer) return signer;
  const end = readEnd(until, length, now);
  if (typeof end === 'object') return end;
  if (end !== undefined && end <= now)
    return { error: `${formatInstant(end)} is in the past: the time in the cluster is ${formatInstant(now)}.` };
  return { ...(end !== undefined && { until: end }), ...signer };
}

function readEnd(until: unknown, length: unknown, now: Instant): Instant | undefined | { readonly error: string } {
  if (until !== undefined) {
    const at = typeof until === 'string' ? parseInstant(until) : undefined;
    return at ?? { error: 'until must be an RFC 3339 time, such as 2026-11-15T09:00:00Z.' };
  }
  if (length === undefined) return undefined;
  const elapsed = typeof length === 'string' ? parseDuration(length) : undefined;
  return elapsed === undefined ? { error: 'for must be a duration, such as 90m.' } : after(now, elapsed);
}

/** The reply to a user's request, from the API server's answer. */
function replyTo(answer: ApiResponse, done: () => HttpReply): HttpReply {
  if (answer.status === 'done') return done();
  if (answer.status === 'away') return errorOf(503, `The API server does not answer: ${answer.message}`);
  return errorOf(answer.code === 404 ? 404 : 409, `The API server refused: ${answer.message}`);
}

export interface Readiness {
  readonly status: 200 | 503;
  readonly text: string;
}

/** A leader is ready once it has decided a round, nothing prevents it from acting, and all nodes that must be are parked. A standby is always ready. Late rounds alone do not matter. */
export function readinessOf(source: RoundSource, meter: Meter): Readiness {
  const standby = source.standby?.();
  // /readyz needs no token, so the reason, which names files, is only in the log.
  const refused = meter.certificate?.refused === undefined ? '' : 'the new certificate is not used; see the log\n';
  if (standby !== undefined) return { status: 200, text: `${standby}\n${refused}` };
  const unasked = source.unavailable?.() ?? (source.latest() ? undefined : 'no round has been decided yet');
  const stalled = source.stalled?.();
  const why = unasked ?? (stalled === undefined ? source.hindrance?.() : `nothing is decided: ${stalled}`);
  const late = meter.lateRound;
  const more = late === undefined ? '' : `rounds are late: the last one took ${formatRoughly(late)}\n`;
  return { status: why === undefined ? 200 : 503, text: `${why ?? 'ok'}\n${more}${refused}` };
}
