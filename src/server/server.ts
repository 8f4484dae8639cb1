// The HTTP server: enforces its limits, passes requests to answer.ts, and survives any input.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { answer, type Serving } from './answer.ts';
import { openAssets } from './assets.ts';
import { hasTokens, isLoopback, type Tokens } from './authorization.ts';
import { Certificate, type CertificateFiles } from './certificate.ts';
import { openDrawing, ViewerFeed } from './feed.ts';
import { errorOf, rawAnswer, secureHeaders, send } from './httpReply.ts';
import { Meter } from './meter.ts';
import { OpenAnswers } from './openAnswers.ts';
import type { RoundSource } from './roundSource.ts';
import type { Served } from './routes.ts';
import { Connections, Semaphore, type ServerLimits, usualLimits } from './serverLimits.ts';

export interface ServerOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly host?: string;
  /** At least one is required if other machines can connect. */
  readonly tokens?: Tokens;
  /** Differs for each start of the program. */
  readonly run: string;
  /** The folder of the built dashboard. */
  readonly assets?: string;
  /** Overrides of the default limits. */
  readonly limits?: Partial<ServerLimits>;
  /** Absent for plain HTTP. */
  readonly tls?: CertificateFiles;
  /** Called with a message when the certificate files have changed. */
  readonly onCertificate?: (text: string) => void;
}

export interface RunningServer {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

export async function openServer(source: RoundSource, options: ServerOptions): Promise<RunningServer> {
  const { host = '127.0.0.1', port, tokens = {}, run } = options;
  if (!isLoopback(host) && !hasTokens(tokens))
    throw new Error(`Listening on ${host} requires a token, since other machines can connect.`);
  const limits = { ...usualLimits, ...options.limits };
  const feed = new ViewerFeed(run);
  const answers = new OpenAnswers(limits);
  const meter = source.meter ?? new Meter();
  const certificate = options.tls && new Certificate(options.tls);
  meter.certificate = certificate?.state;
  const drawing = openDrawing({ source, feed, isWatched: () => answers.viewers > 0 });
  const latest = source.latest();
  if (latest) drawing.note(latest);
  const stop = source.subscribe((news) => {
    if (news.kind === 'story') feed.pushStory(news.event);
    else {
      const { round, cluster, ledger, role } = news.decided;
      meter.round({ round, facts: { cluster, ledger }, settings: { role }, now: round.at });
      drawing.note(news.decided);
    }
  });
  const server = guarded(limits, certificate, {
    served: { source, feed, refresh: drawing.refresh, meter, answers },
    tokens,
    assets: openAssets(options.assets),
    limits,
    connections: new Connections(limits),
    turns: new Map([
      ['/api/history', new Semaphore(limits.histories)],
      ['/api/snapshot', new Semaphore(limits.snapshots)],
    ]),
  });
  await listen(server, port, host);
  const sweeping = setInterval(() => answers.sweep(performance.now()), answers.sweepEvery).unref();
  const reloading = certificate && keepReloading(certificate, server, { meter, ...options, limits });
  const address = server.address();
  const actual = typeof address === 'object' && address ? address.port : port;
  return {
    port: actual,
    url: `${certificate ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${actual}`,
    close: () => {
      stop();
      clearInterval(sweeping);
      clearInterval(reloading);
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** Creates a server with limits that also answers invalid requests. */
function guarded(limits: ServerLimits, certificate: Certificate | undefined, serving: Serving): Server {
  const options = {
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: Math.ceil(limits.headers / 4),
    maxHeaderSize: limits.headerBytes,
    // answer.ts checks the host header, so that the error has the usual form.
    requireHostHeader: false,
  };
  const reply = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response, serving).catch((error: unknown) => {
      const message = `internal error: ${error instanceof Error ? error.message : String(error)}`;
      send({ request, response, answers: serving.served.answers }, errorOf(500, message));
    });
  };
  const tls = { handshakeTimeout: limits.headers, ALPNProtocols: ['http/1.1'] };
  const server = certificate
    ? createTlsServer({ ...options, ...tls, ...certificate.context }, reply)
    : createServer(options, reply);
  server.maxConnections = limits.connections;
  // Read all headers and refuse too many: Node would silently drop the rest.
  server.maxHeadersCount = 0;
  server.on('connection', (socket: Socket) => serving.connections.opened(socket));
  server.on('clientError', refuseBytes);
  server.on('checkExpectation', (request, response) => {
    for (const [name, value] of Object.entries(secureHeaders)) response.setHeader(name, value);
    const message = 'The only supported expectation is 100-continue.';
    send({ request, response, answers: serving.served.answers }, errorOf(417, message, {}, { connection: 'close' }));
  });
  return server;
}

/** Existing connections keep their certificate; new ones get the new one. */
function keepReloading(
  certificate: Certificate,
  server: Server,
  {
    meter,
    onCertificate,
    limits,
  }: Pick<ServerOptions, 'onCertificate'> & Pick<Serving, 'limits'> & Pick<Served, 'meter'>,
): NodeJS.Timeout {
  const { expiresAt } = certificate.state;
  if (expiresAt <= Date.now()) onCertificate?.(`the certificate expired on ${formatDay(expiresAt)}`);
  const reload = (): void => {
    const outcome = certificate.check(Date.now());
    meter.certificate = certificate.state;
    if (outcome === 'replaced') {
      if (server instanceof TlsServer) server.setSecureContext(certificate.context);
      onCertificate?.(`using the new certificate, which expires on ${formatDay(certificate.state.expiresAt)}`);
    }
    if (outcome === 'refused')
      onCertificate?.(
        `still using the previous certificate, since the new one is invalid: ${certificate.state.refused}`,
      );
  };
  // Poll: the files of a mounted Secret are symbolic links that are replaced, which watching a file does not detect.
  return setInterval(reload, limits.reload).unref();
}

const formatDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const rawStatus = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 } as const;

function refuseBytes({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  // No response is possible in the middle of another one, or before the end of a TLS handshake.
  if (!socket.writable || socket.bytesWritten > 0 || !/^(HPE_|ERR_HTTP_)/.test(code)) socket.destroy();
  else socket.end(rawAnswer(rawStatus[code as keyof typeof rawStatus] ?? 400), () => socket.destroy());
}

const listen = (server: Server, port: number, host: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
