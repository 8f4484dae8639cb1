// Handles one HTTP request: authorizes it, reads its body and dispatches it to a route or stream.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Assets } from './assets.ts';
import { accessOf, denies, type Tokens } from './authorization.ts';
import { errorOf, type HttpReply, secureHeaders, send } from './httpReply.ts';
import { routes, type Served } from './routes.ts';
import { type Connections, peerOf, type Semaphore, type ServerLimits } from './serverLimits.ts';
import { streams } from './stream.ts';

export interface Serving {
  readonly served: Served;
  readonly tokens: Tokens;
  readonly assets: Assets;
  readonly limits: ServerLimits;
  readonly connections: Connections;
  /** By path: limits how many long responses are sent at a time. */
  readonly turns: ReadonlyMap<string, Semaphore>;
}

export async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  // A client that disconnects in the middle of a response is not an error.
  response.on('error', () => undefined);
  for (const [name, value] of Object.entries(secureHeaders)) response.setHeader(name, value);
  const { answers } = serving.served;
  const say = (reply: HttpReply): void => send({ request, response, answers }, reply);
  const pending = serving.connections.asked(request.socket, response);
  if (pending > serving.limits.pipelined) {
    request.socket.destroy();
    return;
  }
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const url = urlOf(request, serving.limits);
  if (typeof url === 'string') return say(errorOf(400, url, {}, { connection: 'close' }));
  const path = url.pathname;
  const wanted = request.method === 'GET' ? streams.get(path) : undefined;
  const stream = wanted?.isServed?.(serving.served.source) === false ? undefined : wanted;
  const page = method === 'GET' ? serving.assets.find(path, request.headers) : undefined;
  const denied = denies({ method, path, headers: request.headers, isPage: page !== undefined }, serving.tokens);
  const why = path.startsWith('/api/') ? serving.served.source.unavailable?.() : undefined;
  const access = accessOf(request.headers.authorization, serving.tokens) ?? 'read';
  const peer = peerOf(request.socket);
  const begun = denied || why !== undefined ? undefined : stream;
  const busy = begun && (pending > 1 ? pipelined : answers.refuses(begun.kind, peer));
  answers.add(response, peer, begun && busy === undefined ? begun.kind : 'once');
  if (denied) return say(errorOf(denied.status, denied.message, {}, denied.status === 401 ? challenge : {}));
  if (page) return say(page);
  if (why !== undefined) return say(errorOf(503, `This server cannot answer now: ${why}.`));
  if (busy !== undefined) return say(errorOf(503, busy, {}, { 'retry-after': '5' }));
  if (begun) {
    const run = async (): Promise<void> => {
      if (!response.closed) await begun.run({ ...serving.served, limits: serving.limits, access }, request, response);
    };
    const turns = serving.turns.get(path);
    return turns ? turns.enter(run) : run();
  }
  const here = routes.filter((route) => route.path === path);
  const route = here.find((it) => it.method === method);
  if (!route) return say(here.length > 0 ? wrongMethod(here[0]?.method ?? '') : notFound(path));
  const body = route.method === 'POST' ? await readBody(request) : { value: {} };
  if ('status' in body) return say(errorOf(body.status, body.message, {}, { connection: 'close' }));
  say(await route.answer(serving.served, { query: url.searchParams, body: body.value, access }));
}

const challenge = { 'www-authenticate': 'Bearer realm="lull"' };

/** Headers that must not be repeated: a proxy could read another one than this server. */
const single = ['host', 'authorization', 'origin', 'content-type', 'content-length'] as const;

/** The URL, or an error message. */
function urlOf(
  { url = '', headersDistinct, rawHeaders }: IncomingMessage,
  { headerCount }: ServerLimits,
): URL | string {
  if (rawHeaders.length / 2 > headerCount) return `Send at most ${headerCount} headers.`;
  for (const name of single)
    if ((headersDistinct[name]?.length ?? 0) > 1) return `Send the header "${name}" only once.`;
  if (headersDistinct.host === undefined) return 'Send the header "host".';
  // Reject the absolute form for proxies (http://…) and *.
  if (!url.startsWith('/')) return 'Request a path such as /api/round.';
  return URL.parse(`http://lull${url}`) ?? 'This is not a valid URL.';
}

const pipelined = 'Streams cannot be pipelined. Use a separate connection.';

const addresses = [...routes.map(({ path }) => path), ...streams.keys()];

const notFound = (path: string): HttpReply => errorOf(404, `Not found: ${path}.`, { addresses });

const wrongMethod = (allow: string): HttpReply => errorOf(405, `Use ${allow} for this path.`, {}, { allow });

type ParsedBody =
  | { readonly value: Readonly<Record<string, unknown>> }
  | { readonly status: 400 | 413; readonly message: string };

/** Request bodies have only a few short fields. */
const largest = 64 * 1024;

async function readBody(request: IncomingMessage): Promise<ParsedBody> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > largest) return { status: 413, message: `Send at most ${largest} bytes.` };
      chunks.push(chunk);
    }
  } catch {
    return { status: 400, message: 'The request was aborted.' };
  }
  return parse(Buffer.concat(chunks).toString('utf8'));
}

function parse(text: string): ParsedBody {
  if (text.trim() === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return { value };
  } catch {
    // The error below covers this too.
  }
  return { status: 400, message: 'Send one JSON object.' };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
