// What came back over the connection? A whole answer, lines of a stream, or too little of either.
import type { IncomingMessage } from 'node:http';
import { asDuration, type Duration, second } from '../time/instant.ts';
import { Lines } from './lines.ts';

/** What came back. Silent: nobody answered, or nothing that could be understood; it may have been carried out, or not. */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly code: number;
      readonly body: unknown;
      readonly retryAfter?: Duration;
      /** The server shares itself out by API priority and fairness: nobody need hold back of their own accord. */
      readonly isFair?: true;
    }
  | { readonly kind: 'silence'; readonly message: string };

/** How a stream ended: refused before it began, by its own end, or broken off. */
export type StreamEnd =
  | { readonly kind: 'refused'; readonly code: number; readonly body: unknown; readonly retryAfter?: Duration }
  | { readonly kind: 'end' }
  | { readonly kind: 'broken'; readonly message: string };

export interface Listener {
  onOpen(): void;
  onLine(line: string): void;
}

/** A page of 500 objects of 100 kB each; what is more was not asked for. */
const longestBody = 256 * 2 ** 20;

/** Undefined = it was not whole: the connection's end says why. */
export function readBody(response: IncomingMessage, cut: (why: string) => void): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let length = 0;
    response.on('data', (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length > longestBody) cut('The answer has no end.');
    });
    response.on('end', () => resolve(Buffer.concat(pieces)));
    response.on('close', () => resolve(undefined));
  });
}

export function asReply(response: IncomingMessage, bytes: Buffer): Reply {
  const code = response.statusCode ?? 0;
  const text = bytes.toString('utf8');
  const retryAfter = readRetryAfter(response.headers['retry-after']);
  const isFair = response.headers['x-kubernetes-pf-flowschema-uid'] !== undefined;
  const said = { ...(retryAfter && { retryAfter }), ...(isFair && { isFair }) };
  try {
    const body: unknown = text === '' ? undefined : JSON.parse(text);
    return { kind: 'answer', code, body, ...said };
  } catch {
    // Something between us and the server speaks in its own words.
    if (code >= 400) return { kind: 'answer', code, body: text.slice(0, 200), ...said };
    return { kind: 'silence', message: `The answer (${code}) is not JSON: ${JSON.stringify(text.slice(0, 80))}` };
  }
}

interface Reading {
  readonly response: IncomingMessage;
  readonly listener: Listener;
  cut(why: string): void;
  heard(): void;
  isCut(): boolean;
}

/** Undefined = broken off: the connection's end says why. */
export async function readStream({ response, listener, cut, heard, isCut }: Reading): Promise<StreamEnd | undefined> {
  if (response.statusCode !== 200) {
    const body = await readBody(response, cut);
    const reply = body && asReply(response, body);
    if (reply?.kind === 'silence') return { kind: 'broken', message: reply.message };
    return reply && { ...reply, kind: 'refused' };
  }
  listener.onOpen();
  const lines = new Lines((line) => {
    if (!isCut()) listener.onLine(line);
  });
  return new Promise((resolve) => {
    response.on('data', (piece: Buffer) => {
      heard();
      if (!isCut() && !lines.take(piece)) cut('A line of the stream has no end.');
    });
    response.on('end', () => resolve(isCut() ? undefined : { kind: 'end' }));
    response.on('close', () => resolve(undefined));
  });
}

/** Seconds; a date is never sent by an API server. */
function readRetryAfter(header: string | undefined): Duration | undefined {
  const seconds = Number(header);
  return header !== undefined && seconds > 0 && seconds < 3600 ? asDuration(seconds * second) : undefined;
}
