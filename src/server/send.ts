// Sends a reply: packed where the client can read that, in slices where it is long, within the bytes that may wait.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzip } from 'node:zlib';
import { peerOf } from './connections.ts';
import { acceptsGzip } from './frame.ts';
import type { OpenAnswers } from './openAnswers.ts';
import { errorOf, type Reply } from './reply.ts';

/** Shorter than that, packing gains nothing. */
const worthPacking = 1400;
/** Longer ones are sent at the pace of the reader, in slices of this length. */
const slice = 64 * 1024;

/** Answers up to this length are always sent: probes, errors, sentences. */
const short = 4 * 1024;

const tooMuch = errorOf(
  503,
  'Too many long answers are waiting to be read. Ask again in a moment.',
  {},
  { 'retry-after': '5' },
);

export interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly answers: OpenAnswers;
}

export function send(sending: Sending, reply: Reply): void {
  const { request, response, answers } = sending;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { body } = reply;
  if (body.length > short && answers.isTooMuch(body.length, peerOf(request.socket))) {
    send(sending, tooMuch);
    return;
  }
  answers.holds(response, () => body.length);
  const isWorthIt = typeof body === 'string' && body.length > worthPacking;
  if (!isWorthIt || !acceptsGzip(request.headers['accept-encoding'])) write(sending, reply, Buffer.from(body));
  // In another thread, so that a long answer to one client delays no other.
  else
    gzip(body, { level: 3 }, (error, packed) =>
      error ? write(sending, reply, Buffer.from(body)) : write(sending, reply, packed, 'gzip'),
    );
}

function write({ request, response, answers }: Sending, reply: Reply, bytes: Buffer, encoding?: string): void {
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
