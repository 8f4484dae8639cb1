// Answers one request: decides whether it may be asked, finds the route or the stream, and sends what it says.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Access, accessOf, denies, type Tokens } from './access.ts';
import type { Assets } from './assets.ts';
import { readBody } from './body.ts';
import { type Connections, peerOf } from './connections.ts';
import type { ServerLimits } from './limits.ts';
import type { AnswerKind } from './openAnswers.ts';
import { errorOf, type Reply } from './reply.ts';
import { routes, type Served } from './routes.ts';
import { secureHeaders } from './secureHeaders.ts';
import { send } from './send.ts';
import type { Source } from './source.ts';
import { streamEvents, streamHistory, streamRecording, streamSnapshot } from './stream.ts';
import type { Turnstile } from './turnstile.ts';

export interface Serving {
  readonly served: Served;
  readonly tokens: Tokens;
  readonly assets: Assets;
  readonly limits: ServerLimits;
  readonly connections: Connections;
  /** Whose turn it is to make or send what is long. */
  readonly turns: Readonly<Record<'/api/history' | '/api/snapshot', Turnstile>>;
}

export async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  // A client that leaves in the middle of an answer is not an error of ours.
  response.on('error', () => undefined);
  for (const [name, value] of Object.entries(secureHeaders)) response.setHeader(name, value);
  const { answers } = serving.served;
  const say = (reply: Reply): void => send({ request, response, answers }, reply);
  const pending = serving.connections.asked(request.socket, response);
  if (pending > serving.limits.pipelined) {
    request.socket.destroy();
    return;
  }
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const url = urlOf(request, serving.limits);
  if (typeof url === 'string') return say(errorOf(400, url, {}, { connection: 'close' }));
  const path = url.pathname;
  const kind = request.method === 'GET' ? streamKind(path, serving.served.source) : undefined;
  const page = method === 'GET' ? serving.assets.find(path, request.headers) : undefined;
  const denied = denies({ method, path, headers: request.headers, isPage: page !== undefined }, serving.tokens);
  const why = path.startsWith('/api/') ? serving.served.source.unavailable?.() : undefined;
  const access = accessOf(request.headers.authorization, serving.tokens) ?? 'read';
  const isStream = !denied && why === undefined && kind !== undefined;
  const busy = isStream ? busyWith(request, kind, pending, serving) : undefined;
  answers.add(response, peerOf(request.socket), isStream && busy === undefined ? kind : 'once');
  if (denied) return say(errorOf(denied.status, denied.message, {}, denied.status === 401 ? challenge : {}));
  if (page) return say(page);
  if (why !== undefined) return say(errorOf(503, `Nothing can be asked here now: ${why}.`));
  if (busy !== undefined) return say(errorOf(503, busy, {}, { 'retry-after': '5' }));
  if (isStream) return stream(path, { request, response, access }, serving);
  const here = routes.filter((route) => route.path === path);
  const route = here.find((it) => it.method === method);
  if (!route) return say(here.length > 0 ? wrongMethod(here[0]?.method ?? '') : notFound(path));
  const body = route.method === 'POST' ? await readBody(request) : { value: {} };
  if ('status' in body) return say(errorOf(body.status, body.message, {}, { connection: 'close' }));
  say(await route.answer(serving.served, { query: url.searchParams, body: body.value, access }));
}

const challenge = { 'www-authenticate': 'Bearer realm="lull"' };

/** Headers of which a second one could mean something different to a proxy than to this server. */
const single = ['host', 'authorization', 'origin', 'content-type', 'content-length'] as const;

/** What is asked for, or what is wrong with the request. */
function urlOf(
  { url = '', headersDistinct, rawHeaders }: IncomingMessage,
  { headerCount }: ServerLimits,
): URL | string {
  if (rawHeaders.length / 2 > headerCount) return `Send at most ${headerCount} headers.`;
  for (const name of single)
    if ((headersDistinct[name]?.length ?? 0) > 1) return `Send one header "${name}", not several.`;
  if (headersDistinct.host === undefined) return 'Send a header "host".';
  // Neither a proxy's form (http://…) nor *.
  if (!url.startsWith('/')) return 'Ask for a path such as /api/round.';
  return URL.parse(`http://lull${url}`) ?? 'This is not a valid address.';
}

function streamKind(path: string, { record, snapshot }: Source): AnswerKind | undefined {
  if (path === '/api/events') return 'live';
  if (path === '/api/recording') return record && 'recording';
  if (path === '/api/history') return 'bulk';
  return path === '/api/snapshot' && snapshot ? 'bulk' : undefined;
}

/** Why there is no place for one more stream, as a sentence; undefined = there is. */
function busyWith(
  { socket }: IncomingMessage,
  kind: AnswerKind,
  pending: number,
  { served }: Serving,
): string | undefined {
  if (pending > 1) return 'Streams cannot be pipelined. Use a connection of their own.';
  return served.answers.refuses(kind, peerOf(socket));
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly access: Access;
}

async function stream(path: string, { request, response, access }: Asked, serving: Serving): Promise<void> {
  const { served, limits, turns } = serving;
  const { source, feed, answers } = served;
  const streaming = { source, feed, answers, limits, access };
  if (path === '/api/recording') return streamRecording(streaming, response);
  if (path === '/api/events') {
    served.refresh();
    return streamEvents(streaming, request, response);
  }
  const leave = await turns[path === '/api/history' ? path : '/api/snapshot'].enter();
  try {
    if (response.closed) return;
    if (path === '/api/history') {
      served.refresh();
      await streamHistory(feed, request, response);
    } else await streamSnapshot(source, request, response);
  } finally {
    leave();
  }
}

const addresses = [...routes.map(({ path }) => path), '/api/events', '/api/history', '/api/recording', '/api/snapshot'];

const notFound = (path: string): Reply => errorOf(404, `There is no ${path} here.`, { addresses });

const wrongMethod = (allow: string): Reply => errorOf(405, `Use ${allow} here.`, {}, { allow });
