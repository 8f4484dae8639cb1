// One call over the connection pool: the request, and its complete response or the lines of a stream. Failures are values.
import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { asDuration, type Duration, second } from '../time/instant.ts';
import type { ApiReply } from './apiReply.ts';
import { type ClusterAccess, type Identity, impersonationHeaders, keepsSecrets } from './clusterAccess.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Of the body. */
  readonly contentType?: string;
  /** How long a response may take. */
  readonly timeout?: Duration;
  /** Checked just before sending, once credentials are available. False = do not send; nothing was requested. */
  readonly mayLeave?: () => boolean;
}

interface Exchange {
  /** Resolves when nothing more comes, with the reason if that was too early. */
  readonly over: Promise<string>;
  cut(why: string): void;
}

interface Wire {
  /** `take` is called with the response once its headers have arrived. */
  exchange(call: Call, identity: Identity, take: (response: IncomingMessage) => void): Exchange;
  close(): void;
}

/** The operating system also detects half-open connections. */
const probeAfter = asDuration(30 * second);

export function openWire(access: ClusterAccess, userAgent: string): Wire {
  const isSecure = access.server.protocol === 'https:';
  const agent = new (isSecure ? HttpsAgent : HttpAgent)({ keepAlive: true, keepAliveMsecs: probeAfter });
  const root = access.server.pathname.replace(/\/$/, '');
  const actsAs = access.actsAs && impersonationHeaders(access.actsAs);

  function begin({ method, path, query, contentType }: Call, identity: Identity, body?: Buffer): ClientRequest {
    const { authorization, ...certificate } = identity;
    if (authorization !== undefined && !keepsSecrets(access.server))
      throw new Error(`Credentials are not sent to ${access.server.origin}: it is not encrypted.`);
    const contentHeaders = body !== undefined && {
      'content-type': contentType ?? 'application/json',
      'content-length': body.length,
    };
    return (isSecure ? requestHttps : requestHttp)({
      agent,
      method,
      hostname: access.server.hostname.replace(/^\[|\]$/g, ''),
      port: access.server.port,
      path: `${root}${path}${query ? `?${new URLSearchParams(query)}` : ''}`,
      headers: {
        accept: 'application/json',
        'user-agent': userAgent,
        ...(authorization && { authorization }),
        ...actsAs,
        ...contentHeaders,
      },
      ...(isSecure && { ...access.tls, ...certificate }),
    });
  }

  return {
    exchange: (call, identity, take) => {
      // As bytes: with a string body, Node would encode the headers like the string.
      const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
      try {
        const request = begin(call, identity, body);
        const exchange = follow(request, take);
        request.end(body);
        return exchange;
      } catch (error) {
        // A token with a line break or an invalid certificate: Node throws before it sends anything.
        return { over: Promise.resolve(error instanceof Error ? error.message : String(error)), cut: () => undefined };
      }
    },
    close: () => agent.destroy(),
  };
}

function follow(request: ClientRequest, take: (response: IncomingMessage) => void): Exchange {
  let isOver = false;
  let cutFor: string | undefined;
  const over = new Promise<string>((resolve) => {
    const finish = (why: string): void => {
      isOver = true;
      resolve(cutFor ?? why);
    };
    request.on('error', ({ message }) => finish(message));
    request.on('close', () => finish('The connection was closed before the response was complete.'));
  });
  request.on('socket', (socket) => socket.setKeepAlive(true, probeAfter));
  request.on('response', (response) => {
    // The request reports its errors as well; without a listener they would end the process.
    response.on('error', () => undefined);
    if (!isOver) take(response);
  });
  const cut = (why: string): void => {
    cutFor ??= why;
    request.destroy();
  };
  return { over, cut };
}

/** How a stream ended: refused before it began, ended by the server, or broken off. */
export type StreamEnd =
  | { readonly kind: 'refused'; readonly code: number; readonly body: unknown; readonly retryAfter?: Duration }
  | { readonly kind: 'end' }
  | { readonly kind: 'broken'; readonly message: string };

export interface StreamListener {
  onOpen(): void;
  onLine(line: string): void;
}

/** A page of 500 objects of 100 kB each fits; more was not requested. */
const longestBody = 256 * 2 ** 20;

/** Undefined = incomplete: the end of the connection has the reason. */
export function readBody(response: IncomingMessage, cut: (why: string) => void): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let length = 0;
    response.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length > longestBody) cut('The response is too long.');
    });
    response.on('end', () => resolve(Buffer.concat(pieces)));
    response.on('close', () => resolve(undefined));
  });
}

export function asReply(response: IncomingMessage, bytes: Buffer): ApiReply {
  const code = response.statusCode ?? 0;
  const text = bytes.toString('utf8');
  const retryAfter = readRetryAfter(response.headers['retry-after']);
  const isFair = response.headers['x-kubernetes-pf-flowschema-uid'] !== undefined;
  const more = { ...(retryAfter && { retryAfter }), ...(isFair && { isFair }) };
  try {
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { kind: 'answer', code, body, ...more };
  } catch {
    // A proxy between us and the server answers in its own format.
    if (code >= 400) return { kind: 'answer', code, body: text.slice(0, 200), ...more };
    return { kind: 'silence', message: `The response (${code}) is not JSON: ${JSON.stringify(text.slice(0, 80))}` };
  }
}

interface StreamReading {
  readonly response: IncomingMessage;
  readonly listener: StreamListener;
  cut(why: string): void;
  heard(): void;
  isCut(): boolean;
}

/** Undefined = broken off: the end of the connection has the reason. */
export async function readStream({
  response,
  listener,
  cut,
  heard,
  isCut,
}: StreamReading): Promise<StreamEnd | undefined> {
  if (response.statusCode !== 200) {
    const body = await readBody(response, cut);
    const reply = body && asReply(response, body);
    if (reply?.kind === 'silence') return { kind: 'broken', message: reply.message };
    return reply && { ...reply, kind: 'refused' };
  }
  listener.onOpen();
  const lines = new LineSplitter((line) => {
    if (!isCut()) listener.onLine(line);
  });
  return new Promise((resolve) => {
    response.on('data', (piece: Buffer) => {
      heard();
      if (!isCut() && !lines.take(piece)) cut('A line of the stream is too long.');
    });
    response.on('end', () => resolve(isCut() ? undefined : { kind: 'end' }));
    response.on('close', () => resolve(undefined));
  });
}

/** In seconds; API servers never send a date. */
function readRetryAfter(header: string | undefined): Duration | undefined {
  const seconds = Number(header);
  return header !== undefined && seconds > 0 && seconds < 3600 ? asDuration(seconds * second) : undefined;
}

/** An object in etcd has at most 1.5 MB; the escaped event around it is somewhat larger. A longer line is not an event. */
export const longestLine = 16 * 2 ** 20;

const newline = 0x0a;

export class LineSplitter {
  readonly #onLine: (line: string) => void;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** False = a line exceeds the limit. */
  take(bytes: Buffer): boolean {
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const line = this.#pieces.length === 0 ? bytes.subarray(from, end) : this.#join(bytes.subarray(from, end));
      if (line.length > 0) this.#onLine(line.toString('utf8'));
      from = end + 1;
    }
    if (from < bytes.length) {
      this.#pieces.push(bytes.subarray(from));
      this.#length += bytes.length - from;
    }
    return this.#length <= longestLine;
  }

  #join(last: Buffer): Buffer {
    const line = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
