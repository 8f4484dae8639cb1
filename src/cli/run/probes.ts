// The probe port: /healthz and /readyz over plain HTTP, for the kubelet, which has neither a token nor a certificate.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Address } from './listen.ts';
import type { ProbeResponse } from './watchdogState.ts';

export interface Probes {
  readonly port: number;
  close(): void;
}

type ProbeAnswers = Readonly<Record<'/healthz' | '/readyz', () => ProbeResponse>>;

/** A probe takes milliseconds. Beyond this many connections the oldest is closed, so that idle ones cannot lock the kubelet out. */
const mostConnections = 64;
/** In milliseconds. */
const requestWithin = 2_000;
const longestHeaders = 8 * 1024;

export function openProbes({ host, port }: Address, answers: ProbeAnswers): Promise<Probes> {
  const limits = { maxHeaderSize: longestHeaders, requestTimeout: requestWithin, headersTimeout: requestWithin };
  const server = createServer({ ...limits, connectionsCheckingInterval: requestWithin }, (request, response) =>
    answer(request, response, answers),
  );
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > mostConnections) oldest?.destroy();
  });
  server.on('clientError', (_, socket) => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const close = (): void => {
        server.close();
        server.closeAllConnections();
      };
      const address = server.address();
      resolve({ port: typeof address === 'object' && address ? address.port : port, close });
    });
  });
}

function answer({ method, url }: IncomingMessage, response: ServerResponse, answers: ProbeAnswers): void {
  response.on('error', () => undefined);
  const path = url?.split('?')[0];
  const isKnown = path === '/healthz' || path === '/readyz';
  const isRead = method === 'GET' || method === 'HEAD';
  const { status, text } = !isKnown
    ? { status: 404, text: 'Only /healthz and /readyz are served here.\n' }
    : isRead
      ? answers[path]()
      : { status: 405, text: 'Use GET.\n' };
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // One connection per probe.
    connection: 'close',
  });
  response.end(method === 'HEAD' ? undefined : text);
}
