// Answers that are long or have no end: live rounds as server-sent events, the history, recordings and snapshots.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Access } from './access.ts';
import type { Feed } from './feed.ts';
import { acceptsGzip, Frame, packedHead } from './frame.ts';
import type { ServerLimits } from './limits.ts';
import type { OpenAnswers } from './openAnswers.ts';
import { Outlet } from './outlet.ts';
import type { Source } from './source.ts';

/** So that viewers know the cluster's clock, which may run at another speed, and proxies do not take silence for the end. */
const tick = 1000;
/** The newest of the story are enough for a viewer that begins. */
const mostStory = 200;

export interface Streaming {
  readonly source: Source;
  readonly feed: Feed;
  readonly answers: OpenAnswers;
  readonly limits: ServerLimits;
  readonly access: Access;
}

/** A reader that falls behind is disconnected: it comes back and goes on where it was. */
function openOutlet(response: ServerResponse, { answers, limits }: Streaming): Outlet {
  const drop = (): void => answers.drop(response);
  const outlet = new Outlet(response, { mostWaiting: limits.bytesOfStream, drop, onBehind: () => answers.shed() });
  answers.holds(response, () => outlet.waiting);
  return outlet;
}

/** Sends what has happened, then what happens. */
export function streamEvents(streaming: Streaming, request: IncomingMessage, response: ServerResponse): void {
  const { feed, source, access } = streaming;
  const isPacked = acceptsGzip(request.headers['accept-encoding']);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(isPacked && { 'content-encoding': 'gzip' }),
  });
  const outlet = openOutlet(response, streaming);
  const bytesOf = (frame: Frame): Buffer => (isPacked ? frame.packed : frame.bytes);
  const clock = (): Frame => new Frame('clock', `{"now":${source.now()}}`);
  const last = request.headers['last-event-id'];
  const missed = typeof last === 'string' ? feed.since(last) : undefined;
  const first = [
    // The client cannot resume from this event ID; tell it to start over.
    ...(typeof last === 'string' && !missed ? [new Frame('reset', '{}')] : []),
    ...(missed ? [] : [new Frame('about', JSON.stringify({ ...source.about, access }))]),
    ...(missed?.map((item) => item.frame) ?? beginning(feed)),
    clock(),
  ];
  outlet.begin([...(isPacked ? [packedHead] : []), ...first.map(bytesOf)]);
  const stop = feed.listen(({ frame }) => outlet.write(bytesOf(frame)));
  const timer = setInterval(() => {
    if (!outlet.isBehind) outlet.write(bytesOf(clock()));
  }, tick);
  response.on('close', () => {
    stop();
    clearInterval(timer);
  });
}

/** The story so far, and the picture as it is, which replaces the rounds before. It is last, so that a viewer that breaks off goes on from it. */
function beginning({ items, whole }: Feed): readonly Frame[] {
  const story = items.filter(({ event }) => event === 'story').slice(-mostStory);
  return [...story.map(({ frame }) => frame), ...(whole ? [whole] : [])];
}

const ndjson = { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' };

/** A recording with a gap is useless: a reader that falls behind is disconnected. */
export function streamRecording(streaming: Streaming, response: ServerResponse): void {
  response.writeHead(200, ndjson);
  response.flushHeaders();
  const outlet = openOutlet(response, streaming);
  const stop = streaming.source.record?.(
    (line) => outlet.write(Buffer.from(`${line}\n`)),
    (lines) => outlet.writeLines(lines),
  );
  response.on('close', () => stop?.());
}

type Lines = Iterable<string> | AsyncIterable<string>;

/** A recording of this one moment: what the cluster is, what is remembered of it, and how it is decided. */
export const streamSnapshot = (source: Source, request: IncomingMessage, response: ServerResponse): Promise<void> =>
  streamText(withEnds(source.snapshot?.() ?? []), request, response, ndjson);

async function* withEnds(lines: Lines): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}

/** What is remembered: the picture before it, and every change and story since. Nothing of it is put together in memory. */
export const streamHistory = (feed: Feed, request: IncomingMessage, response: ServerResponse): Promise<void> =>
  streamText(historyOf(feed.baseText, [...feed.items]), request, response, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
  });

function* historyOf(base: string, items: Feed['items']): Generator<string> {
  yield `{"base":${base},"items":[`;
  let comma = '';
  for (const { id, event, frame } of items) {
    yield `${comma}{"id":${JSON.stringify(id)},"${event}":${frame.data}}`;
    comma = ',';
  }
  yield ']}\n';
}

async function streamText(
  lines: Lines,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const isPacked = acceptsGzip(request.headers['accept-encoding']);
  response.writeHead(200, { ...headers, ...(isPacked && { 'content-encoding': 'gzip', vary: 'accept-encoding' }) });
  const text = Readable.from(lines);
  // Quick rather than small: it is read once, near by. A reader that leaves in the middle is not an error of ours.
  await (isPacked ? pipeline(text, createGzip({ level: 1 }), response) : pipeline(text, response)).catch(() =>
    response.destroy(),
  );
}
