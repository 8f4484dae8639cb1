// The HTTP server: listens within its limits and hands each request to answer.ts; nothing sent to it makes it fall over.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { hasTokens, isLoopback, type Tokens } from './access.ts';
import { answer, type Serving } from './answer.ts';
import { openAssets } from './assets.ts';
import { Certificate, type CertificateFiles } from './certificate.ts';
import { Connections } from './connections.ts';
import { openDrawing } from './drawing.ts';
import { Feed } from './feed.ts';
import { type ServerLimits, usualLimits } from './limits.ts';
import { Meter } from './meter.ts';
import { OpenAnswers } from './openAnswers.ts';
import { errorOf } from './reply.ts';
import type { Served } from './routes.ts';
import { rawAnswer, secureHeaders } from './secureHeaders.ts';
import { send } from './send.ts';
import type { Source } from './source.ts';
import { Turnstile } from './turnstile.ts';

export interface ServerOptions {
  /** 0 = any that is free. */
  readonly port: number;
  readonly host?: string;
  /** One at least is needed where other machines can ask. */
  readonly tokens?: Tokens;
  /** Another one for each start of the program. */
  readonly run: string;
  /** Where the built dashboard is. */
  readonly assets?: string;
  /** Where they differ from the usual ones. */
  readonly limits?: Partial<ServerLimits>;
  /** Absent = plain HTTP. */
  readonly tls?: CertificateFiles;
  /** Told when the files of the certificate have changed, in a sentence. */
  readonly onCertificate?: (text: string) => void;
}

export interface Listening {
  readonly port: number;
  readonly url: string;
  close(): Promise<void>;
}

export async function openServer(source: Source, options: ServerOptions): Promise<Listening> {
  const { host = '127.0.0.1', port, tokens = {}, run } = options;
  if (!isLoopback(host) && !hasTokens(tokens))
    throw new Error(`Listening on ${host} needs a token, since other machines can ask there.`);
  const limits = { ...usualLimits, ...options.limits };
  const feed = new Feed(run);
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
      meter.round(news.decided.round, news.decided.ledger);
      drawing.note(news.decided);
    }
  });
  const server = guarded(limits, certificate, {
    served: { source, feed, refresh: drawing.refresh, meter, answers },
    tokens,
    assets: openAssets(options.assets),
    limits,
    connections: new Connections(limits),
    turns: { '/api/history': new Turnstile(limits.histories), '/api/snapshot': new Turnstile(limits.snapshots) },
  });
  await listen(server, port, host);
  const sweeping = setInterval(() => answers.sweep(performance.now()), answers.sweepEvery).unref();
  const reloading = certificate && keepReloading(certificate, server, { meter, ...options, limits });
  const { port: actual } = server.address() as AddressInfo;
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

/** A server within its limits, which also answers what is not a request. */
function guarded(limits: ServerLimits, certificate: Certificate | undefined, serving: Serving): Server {
  const options = {
    headersTimeout: limits.headers,
    requestTimeout: limits.request,
    keepAliveTimeout: limits.keepAlive,
    connectionsCheckingInterval: Math.ceil(limits.headers / 4),
    maxHeaderSize: limits.headerBytes,
    // Checked with the other headers, so that its answer is like all others.
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
  // All of them are read, and too many refused: what is left out could have been one that matters.
  server.maxHeadersCount = 0;
  server.on('connection', (socket: Socket) => serving.connections.opened(socket));
  server.on('clientError', refuseBytes);
  server.on('checkExpectation', (request, response) => {
    for (const [name, value] of Object.entries(secureHeaders)) response.setHeader(name, value);
    const message = 'The only expectation that is understood is 100-continue.';
    send({ request, response, answers: serving.served.answers }, errorOf(417, message, {}, { connection: 'close' }));
  });
  return server;
}

/** Connections keep the certificate they began with; new ones get the new one. */
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
  if (expiresAt <= Date.now()) onCertificate?.(`the certificate has expired on ${sayDay(expiresAt)}`);
  const reload = (): void => {
    const outcome = certificate.check(Date.now());
    meter.certificate = certificate.state;
    if (outcome === 'replaced') {
      if (server instanceof TlsServer) server.setSecureContext(certificate.context);
      onCertificate?.(`the new certificate is used; it expires on ${sayDay(certificate.state.expiresAt)}`);
    }
    if (outcome === 'refused')
      onCertificate?.(`the new certificate is not used, the one before still is: ${certificate.state.refused}`);
  };
  // Files of a mounted Secret are links that are replaced, which watching a file does not see.
  return setInterval(reload, limits.reload).unref();
}

const sayDay = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

const rawStatus = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 } as const;

function refuseBytes({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  // In the middle of an answer there is no place for another one, and before the end of a TLS handshake none at all.
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
