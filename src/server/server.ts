// How is Lull asked over HTTP? Listens, decides who may ask what, and answers; nothing that is sent to it makes it fall over.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzip } from 'node:zlib';
import { denies, isLoopback } from './access.ts';
import { type Assets, openAssets } from './assets.ts';
import { readBody } from './body.ts';
import { openDrawing } from './drawing.ts';
import { Feed } from './feed.ts';
import { acceptsGzip } from './frame.ts';
import { Meter } from './meter.ts';
import { errorOf, type Reply } from './reply.ts';
import { routes, type Served } from './routes.ts';
import type { Source } from './source.ts';
import { streamEvents, streamRecording, streamSnapshot } from './stream.ts';

export interface ServerOptions {
  /** 0 = any that is free. */
  readonly port: number;
  readonly host?: string;
  /** Needed where others than this machine can ask. */
  readonly token?: string;
  /** Another one for each start of the program. */
  readonly run: string;
  /** Where the built dashboard lies. */
  readonly assets?: string;
}

export interface Listening {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

/** More than anybody watches with; each costs memory. */
const mostStreams = 100;

export async function openServer(source: Source, options: ServerOptions): Promise<Listening> {
  const { host = '127.0.0.1', port, token, run } = options;
  if (!isLoopback(host) && !token) throw new Error(`Listening on ${host} needs a token, since others can ask there.`);
  const feed = new Feed(run);
  const streams = new Set<ServerResponse>();
  const meter = source.meter ?? new Meter();
  const drawing = openDrawing({ source, feed, isWatched: () => streams.size > 0 });
  const latest = source.latest();
  if (latest) drawing.note(latest);
  const stop = source.subscribe((news) => {
    if (news.kind === 'story') feed.pushStory(news.event);
    else {
      meter.round(news.decided.round, news.decided.ledger);
      drawing.note(news.decided);
    }
  });
  const assets = openAssets(options.assets);
  const served: Served = { source, feed, refresh: drawing.refresh, meter, viewers: () => streams.size };
  const server = createServer((request, response) => {
    answer(request, response, { served, token, streams, assets }).catch((error: unknown) => {
      send(
        request,
        response,
        errorOf(500, `internal error: ${error instanceof Error ? error.message : String(error)}`),
      );
    });
  });
  server.on('clientError', (_, socket) => socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n'));
  await listen(server, port, host);
  const { port: actual } = server.address() as AddressInfo;
  return {
    port: actual,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: () => {
      stop();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });

interface Serving {
  readonly served: Served;
  readonly token: string | undefined;
  readonly streams: Set<ServerResponse>;
  readonly assets: Assets;
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  // Whoever goes away in the middle of an answer is no error of ours.
  response.on('error', () => undefined);
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const url = URL.parse(request.url ?? '', 'http://lull');
  const say = (reply: Reply): void => send(request, response, reply);
  if (!url) return say(errorOf(400, 'This is no address.'));
  const path = url.pathname;
  const page = method === 'GET' ? serving.assets.find(path, request.headers) : undefined;
  const denied = denies({ method, path, headers: request.headers, isPage: page !== undefined }, serving.token);
  if (denied) return say(errorOf(denied.status, denied.message));
  if (page) return say(page);
  const why = path.startsWith('/api/') ? serving.served.source.unavailable?.() : undefined;
  if (why !== undefined) return say(errorOf(503, `Nothing can be asked here now: ${why}.`));
  if (request.method === 'GET' && isStream(path, serving.served.source))
    return stream(path, request, response, serving);
  const here = routes.filter((route) => route.path === path);
  const route = here.find((it) => it.method === method);
  if (!route) return say(here.length > 0 ? wrongMethod(here[0]?.method ?? '') : notFound(path));
  const body = route.method === 'POST' ? await readBody(request) : { value: {} };
  if ('status' in body) return say(errorOf(body.status, body.message, {}, { connection: 'close' }));
  say(await route.answer(serving.served, { query: url.searchParams, body: body.value }));
}

const isStream = (path: string, { record, snapshot }: Source): boolean =>
  path === '/api/events' ||
  (path === '/api/recording' && record !== undefined) ||
  (path === '/api/snapshot' && snapshot !== undefined);

async function stream(
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  { served, streams }: Serving,
): Promise<void> {
  if (streams.size >= mostStreams) {
    send(request, response, errorOf(503, 'There are too many viewers. Close some.'));
    return;
  }
  streams.add(response);
  response.on('close', () => streams.delete(response));
  if (path === '/api/events') {
    served.refresh();
    streamEvents(served, request, response);
  } else if (path === '/api/recording') streamRecording(served.source, response);
  else await streamSnapshot(served.source, request, response);
}

const addresses = [...routes.map(({ path }) => path), '/api/events', '/api/recording', '/api/snapshot'];

const notFound = (path: string): Reply => errorOf(404, `There is no ${path} here.`, { addresses });

const wrongMethod = (allow: string): Reply => errorOf(405, `Use ${allow} here.`, {}, { allow });

/** Shorter than that, packing gains nothing. */
const worthPacking = 1400;

function send(request: IncomingMessage, response: ServerResponse, { status, type, body, headers }: Reply): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const write = (bytes: Buffer, encoding?: string): void => {
    if (response.destroyed) return;
    response.writeHead(status, {
      'content-type': type,
      'content-length': bytes.length,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...(encoding && { 'content-encoding': encoding, vary: 'accept-encoding' }),
      ...headers,
    });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  };
  const isWorthIt = typeof body === 'string' && body.length > worthPacking;
  if (!isWorthIt || !acceptsGzip(request.headers['accept-encoding'])) write(Buffer.from(body));
  // Aside, so that a long answer to one holds up nobody else.
  else gzip(body, { level: 3 }, (error, packed) => (error ? write(Buffer.from(body)) : write(packed, 'gzip')));
}
