// How is Lull asked over HTTP? Listens, decides who may ask what, and answers; nothing that is sent to it makes it fall over.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { denies, isLoopback } from './access.ts';
import { readBody } from './body.ts';
import { Feed } from './feed.ts';
import { errorOf, type Reply } from './reply.ts';
import { routes, type Served } from './routes.ts';
import type { Source } from './source.ts';
import { streamEvents, streamRecording } from './stream.ts';

export interface ServerOptions {
  /** 0 = any that is free. */
  readonly port: number;
  readonly host?: string;
  /** Needed where others than this machine can ask. */
  readonly token?: string;
  /** Another one for each start of the program. */
  readonly run: string;
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
  let rounds = 0;
  const latest = source.latest();
  if (latest) feed.push('round', latest.json);
  const stop = source.subscribe((news) => {
    if (news.kind === 'round') rounds++;
    if (news.kind === 'round') feed.push('round', news.decided.json);
    else feed.push('story', news.event);
  });
  const served: Served = { source, feed, counts: () => ({ rounds, viewers: streams.size }) };
  const server = createServer((request, response) => {
    answer(request, response, { served, token, streams }).catch((error: unknown) => {
      send(response, errorOf(500, `internal error: ${error instanceof Error ? error.message : String(error)}`));
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
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  // Whoever goes away in the middle of an answer is no error of ours.
  response.on('error', () => undefined);
  const method = request.method === 'HEAD' ? 'GET' : (request.method ?? '');
  const url = URL.parse(request.url ?? '', 'http://lull');
  if (!url) return send(response, errorOf(400, 'This is no address.'));
  const path = url.pathname;
  const denied = denies({ method, path, headers: request.headers }, serving.token);
  if (denied) return send(response, errorOf(denied.status, denied.message));
  if (request.method === 'GET' && isStream(path, serving.served.source))
    return stream(path, request, response, serving);
  const here = routes.filter((route) => route.path === path);
  const route = here.find((it) => it.method === method);
  if (!route) return send(response, here.length > 0 ? wrongMethod(here[0]?.method ?? '') : notFound(path));
  const body = route.method === 'POST' ? await readBody(request) : { value: {} };
  if ('status' in body) return send(response, errorOf(body.status, body.message, {}, { connection: 'close' }));
  send(response, await route.answer(serving.served, { query: url.searchParams, body: body.value }));
}

const isStream = (path: string, { record }: Source): boolean =>
  path === '/api/events' || (path === '/api/recording' && record !== undefined);

function stream(path: string, request: IncomingMessage, response: ServerResponse, { served, streams }: Serving): void {
  if (streams.size >= mostStreams) {
    send(response, errorOf(503, 'There are too many viewers. Close some.'));
    return;
  }
  streams.add(response);
  response.on('close', () => streams.delete(response));
  if (path === '/api/events') streamEvents(served.feed, request, response);
  else streamRecording(served.source, response);
}

const addresses = [...routes.map(({ path }) => path), '/api/events', '/api/recording'];

const notFound = (path: string): Reply => errorOf(404, `There is no ${path} here.`, { addresses });

const wrongMethod = (allow: string): Reply => errorOf(405, `Use ${allow} here.`, {}, { allow });

function send(response: ServerResponse, { status, type, body, headers }: Reply): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(body);
}
