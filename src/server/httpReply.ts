// HTTP replies as values, and exchange them: with security headers, compression and slices for long bodies.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzip } from 'node:zlib';
import { escapeJson, escapeText } from '../kinds/text/escaping.ts';
import type { OpenAnswers } from './openAnswers.ts';
import { peerOf } from './serverLimits.ts';

export interface HttpReply {
  readonly status: number;
  readonly type: string;
  /** Bytes are sent unchanged; a long text is compressed if the client accepts it. */
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const json = 'application/json; charset=utf-8';

export const jsonText = (body: string, headers: Readonly<Record<string, string>> = {}): HttpReply => ({
  status: 200,
  type: json,
  body: `${escapeJson(body)}\n`,
  headers,
});

export const jsonOf = (value: unknown): HttpReply => jsonText(JSON.stringify(value));

export const plainText = (status: number, body: string): HttpReply => ({
  status,
  type: 'text/plain; charset=utf-8',
  body: escapeText(body),
});

export const errorOf = (
  status: number,
  message: string,
  more: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): HttpReply => ({ status, type: json, body: `${escapeJson(JSON.stringify({ error: message, ...more }))}\n`, headers });

/** Only resources of this server, nothing inline, no frames. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const secureHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

const reasons = { 400: 'Bad Request', 408: 'Request Timeout', 431: 'Request Header Fields Too Large' } as const;

/** A raw response to bytes that are not a valid request, for which there is no response object. */
export function rawAnswer(status: keyof typeof reasons): string {
  const headers = { ...secureHeaders, 'cache-control': 'no-store', 'content-length': '0', connection: 'close' };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reasons[status]}\r\n${lines.join('')}\r\n`;
}

/** Shorter bodies are not worth compressing. */
const minCompressed = 1400;
/** Longer bodies are sent in slices of this length, as fast as the client reads. */
const slice = 64 * 1024;

/** Bodies up to this length are always sent: probes and errors. */
const short = 4 * 1024;

const tooMuch = errorOf(
  503,
  'Too many long responses are waiting to be read. Try again in a moment.',
  {},
  { 'retry-after': '5' },
);

/** Whether the client accepts gzip. */
export const acceptsGzip = (accepted: string | string[] | undefined): boolean =>
  /\bgzip\b/.test(String(accepted ?? ''));

export interface HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answers: OpenAnswers;
}

export function send(exchange: HttpExchange, reply: HttpReply): void {
  const { request, response, answers } = exchange;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { body } = reply;
  if (body.length > short && answers.isTooMuch(body.length, peerOf(request.socket))) {
    send(exchange, tooMuch);
    return;
  }
  answers.holds(response, () => body.length);
  const isWorthIt = typeof body === 'string' && body.length > minCompressed;
  if (!isWorthIt || !acceptsGzip(request.headers['accept-encoding'])) write(exchange, reply, Buffer.from(body));
  // In another thread, so that a long response does not delay other clients.
  else
    gzip(body, { level: 3 }, (error, packed) =>
      error ? write(exchange, reply, Buffer.from(body)) : write(exchange, reply, packed, 'gzip'),
    );
}

function write({ request, response, answers }: HttpExchange, reply: HttpReply, bytes: Buffer, encoding?: string): void {
  if (response.destroyed || response.closed) return;
  response.writeHead(reply.status, {
    'content-type': reply.type,
    'content-length': bytes.length,
    'cache-control': 'no-store',
    ...(encoding && { 'content-encoding': encoding, vary: 'accept-encoding' }),
    ...reply.headers,
  });
  answers.holds(response, () => bytes.length);
  if (request.method === 'HEAD') response.end();
  else if (bytes.length <= slice) response.end(bytes);
  else Readable.from(slices(bytes), { objectMode: false }).pipe(response);
}

function* slices(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += slice) yield bytes.subarray(at, at + slice);
}
