// Long and endless responses: live rounds as server-sent events, the history, recordings and snapshots.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { ClientAccess } from './authorization.ts';
import { EventFrame, gzipHeader, type ViewerFeed } from './feed.ts';
import { acceptsGzip } from './httpReply.ts';
import type { AnswerKind } from './openAnswers.ts';
import type { RoundSource } from './roundSource.ts';
import type { Served } from './routes.ts';
import type { ServerLimits } from './serverLimits.ts';

/** Sends the cluster's time, which may run at another speed, and keeps proxies from closing an idle connection. */
const tick = 1000;
/** How many past events a new viewer receives. */
const mostStory = 200;

interface StreamContext extends Served {
  readonly limits: ServerLimits;
  readonly access: ClientAccess;
}

interface StreamRoute {
  readonly kind: AnswerKind;
  /** Absent if always served. */
  readonly isServed?: (source: RoundSource) => boolean;
  readonly run: (context: StreamContext, request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
}

export const streams: ReadonlyMap<string, StreamRoute> = new Map<string, StreamRoute>([
  ['/api/events', { kind: 'live', run: streamEvents }],
  ['/api/history', { kind: 'bulk', run: streamHistory }],
  ['/api/recording', { kind: 'recording', isServed: ({ record }) => record !== undefined, run: streamRecording }],
  ['/api/snapshot', { kind: 'bulk', isServed: ({ snapshot }) => snapshot !== undefined, run: streamSnapshot }],
]);

/** Disconnects a client that falls behind; it reconnects and resumes. */
function openOutlet(response: ServerResponse, { answers, limits }: StreamContext): Outlet {
  const drop = (): void => answers.drop(response);
  const outlet = new Outlet(response, { mostWaiting: limits.bytesOfStream, drop, onBehind: () => answers.shed() });
  answers.holds(response, () => outlet.waiting);
  return outlet;
}

/** Sends past events, then live ones. */
function streamEvents(context: StreamContext, request: IncomingMessage, response: ServerResponse): void {
  const { feed, source, access } = context;
  context.refresh();
  const isPacked = acceptsGzip(request.headers['accept-encoding']);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(isPacked && { 'content-encoding': 'gzip' }),
  });
  const outlet = openOutlet(response, context);
  const bytesOf = (frame: EventFrame): Buffer => (isPacked ? frame.compressed : frame.bytes);
  const clock = (): EventFrame => new EventFrame('clock', `{"now":${source.now()}}`);
  const last = request.headers['last-event-id'];
  const missed = typeof last === 'string' ? feed.since(last) : undefined;
  const first = [
    // The client cannot resume from this event ID; tell it to start over.
    ...(typeof last === 'string' && !missed ? [new EventFrame('reset', '{}')] : []),
    ...(missed ? [] : [new EventFrame('about', JSON.stringify({ ...source.about, access }))]),
    ...(missed?.map((item) => item.frame) ?? beginning(feed)),
    clock(),
  ];
  outlet.begin([...(isPacked ? [gzipHeader] : []), ...first.map(bytesOf)]);
  const stop = feed.listen(({ frame }) => outlet.write(bytesOf(frame)));
  const timer = setInterval(() => {
    if (!outlet.isBehind) outlet.write(bytesOf(clock()));
  }, tick);
  response.on('close', () => {
    stop();
    clearInterval(timer);
  });
}

/** The latest events and the whole picture. The picture comes last, so that a client that disconnects resumes from it. */
function beginning({ items, whole }: ViewerFeed): readonly EventFrame[] {
  const story = items.filter(({ event }) => event === 'story').slice(-mostStory);
  return [...story.map(({ frame }) => frame), ...(whole ? [whole] : [])];
}

const ndjson = { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' };

/** Disconnects a client that falls behind, since a recording with a gap is useless. */
function streamRecording(context: StreamContext, _: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, ndjson);
  response.flushHeaders();
  const outlet = openOutlet(response, context);
  const stop = context.source.record?.(
    (line) => outlet.write(Buffer.from(`${line}\n`)),
    (lines) => outlet.writeLines(lines),
  );
  response.on('close', () => stop?.());
}

type LineSource = Iterable<string> | AsyncIterable<string>;

/** A recording of the current moment: cluster, ledger and round. */
function streamSnapshot({ source }: StreamContext, request: IncomingMessage, response: ServerResponse): Promise<void> {
  return streamText(withEnds(source.snapshot?.() ?? []), request, response, ndjson);
}

async function* withEnds(lines: LineSource): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** The history: the base picture, and every change and event since. Streamed without building it in memory. */
async function streamHistory(
  context: StreamContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { feed, refresh } = context;
  refresh();
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  await streamText(historyOf(feed.baseText, [...feed.items]), request, response, headers);
}

function* historyOf(base: string, items: ViewerFeed['items']): Generator<string> {
  yield `{"base":${base},"items":[`;
  let comma = '';
  for (const { id, event, frame } of items) {
    yield `${comma}{"id":${JSON.stringify(id)},"${event}":${frame.data}}`;
    comma = ',';
  }
  yield ']}\n';
}

async function streamText(
  lines: LineSource,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const isPacked = acceptsGzip(request.headers['accept-encoding']);
  response.writeHead(200, { ...headers, ...(isPacked && { 'content-encoding': 'gzip', vary: 'accept-encoding' }) });
  const text = Readable.from(lines);
  // Favour speed over size: usually it is read once, over a short distance. A client that disconnects is not an error.
  await (isPacked ? pipeline(text, createGzip({ level: 1 }), response) : pipeline(text, response)).catch(() =>
    response.destroy(),
  );
}

/** Longer buffers are written in slices, so that the progress of a slow client is visible. */
const slice = 64 * 1024;

/** Pending batches of lines keep their source objects in memory, so their number is limited. */
const maxPending = 16;

interface OutletOptions {
  /** Maximum of unread bytes beyond those of `begin`. */
  readonly mostWaiting: number;
  /** Disconnects the client. */
  readonly drop: () => void;
  /** Called when bytes are queued for a client that has not read the previous ones. */
  readonly onBehind: () => void;
}

class Outlet {
  readonly #response: ServerResponse;
  readonly #options: OutletOptions;
  /** Buffers and pending lines, in order. */
  #queue: (Buffer | Iterator<string>)[] = [];
  #queued = 0;
  #allowed: number;
  #isBlocked = false;

  constructor(response: ServerResponse, options: OutletOptions) {
    this.#response = response;
    this.#options = options;
    this.#allowed = options.mostWaiting;
    response.on('drain', () => {
      this.#isBlocked = false;
      this.#pump();
    });
    response.on('close', () => {
      this.#queue = [];
      this.#queued = 0;
    });
  }

  /** Unread bytes. */
  get waiting(): number {
    return this.#response.writableLength + this.#queued;
  }

  /** Whether the client has unread bytes, so that optional messages may be skipped. */
  get isBehind(): boolean {
    return this.#isBlocked;
  }

  /** Writes the initial content, which may exceed the limit for unread bytes. */
  begin(buffers: readonly Buffer[]): void {
    this.#allowed += buffers.reduce((sum, { length }) => sum + length, 0);
    for (const buffer of buffers) this.write(buffer);
  }

  /** Checks the limit before adding, so that a single long message does not disconnect a client. */
  write(buffer: Buffer): void {
    if (this.#isTooFarBehind()) return;
    this.#queue.push(buffer);
    this.#queued += buffer.length;
    this.#pump();
    if (this.#isBlocked) this.#options.onBehind();
  }

  /** Queues lines that are generated only once the client has read those before. */
  writeLines(lines: Iterable<string>): void {
    if (this.#isTooFarBehind()) return;
    this.#queue.push(lines[Symbol.iterator]());
    this.#pump();
  }

  #isTooFarBehind(): boolean {
    if (this.#response.destroyed) return true;
    const pending = this.#queue.filter((it) => !Buffer.isBuffer(it)).length;
    if (this.waiting <= this.#allowed && pending < maxPending) return false;
    this.#options.drop();
    return true;
  }

  #pump(): void {
    while (!this.#isBlocked && !this.#response.destroyed) {
      const [first] = this.#queue;
      if (first === undefined) break;
      const next = Buffer.isBuffer(first) ? this.#sliceOf(first) : this.#lineOf(first);
      if (next !== undefined) this.#isBlocked = !this.#response.write(next);
    }
  }

  #sliceOf(buffer: Buffer): Buffer {
    const piece = buffer.subarray(0, slice);
    this.#queued -= piece.length;
    if (piece.length === buffer.length) this.#queue.shift();
    else this.#queue[0] = buffer.subarray(slice);
    return piece;
  }

  #lineOf(lines: Iterator<string>): string | undefined {
    const { done, value } = lines.next();
    if (!done) return `${value}\n`;
    this.#queue.shift();
    return undefined;
  }
}
