// How are answers sent that have no end? Live rounds as server-sent events, and recordings line by line.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Feed } from './feed.ts';
import { acceptsGzip, Frame, packedHead } from './frame.ts';
import type { Source } from './source.ts';

/** A viewer that is this far behind is let go: it comes back and goes on where it was. */
const mostWaiting = 8 * 1024 * 1024;
/** A recording cannot be gone on with, and begins with the whole cluster. */
const mostOfRecording = 512 * 1024 * 1024;
/** So that viewers know the cluster's clock, which may run at another speed, and nobody between takes silence for the end. */
const tick = 1000;
/** The newest of the story are enough for who begins. */
const mostStory = 200;

/** Sends what has happened, then what happens. */
export function streamEvents(
  { feed, source }: { readonly feed: Feed; readonly source: Source },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const isPacked = acceptsGzip(request.headers['accept-encoding']);
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...(isPacked && { 'content-encoding': 'gzip' }),
  });
  if (isPacked) response.write(packedHead);
  const send = (frame: Frame): void => {
    response.write(isPacked ? frame.packed : frame.bytes);
  };
  const clock = (): void => send(new Frame('clock', `{"now":${source.now()}}`));
  const last = request.headers['last-event-id'];
  const missed = typeof last === 'string' ? feed.since(last) : undefined;
  // Who goes on where it cannot be gone on is told, so that it can begin anew.
  if (typeof last === 'string' && !missed) send(new Frame('reset', '{}'));
  if (!missed) send(new Frame('about', JSON.stringify(source.about ?? {})));
  for (const frame of missed?.map((item) => item.frame) ?? beginning(feed)) send(frame);
  clock();
  const stop = feed.listen(({ frame }) => {
    if (response.writableLength > mostWaiting) response.destroy();
    else send(frame);
  });
  const timer = setInterval(clock, tick);
  response.on('close', () => {
    stop();
    clearInterval(timer);
  });
}

/** The story so far, and the picture as it is: it says all that the rounds before did. It stands last, so that whoever breaks off goes on from it. */
function beginning({ items, whole }: Feed): readonly Frame[] {
  const story = items.filter(({ event }) => event === 'story').slice(-mostStory);
  return [...story.map(({ frame }) => frame), ...(whole ? [whole] : [])];
}

export function streamRecording(source: Source, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
  const stop = source.record?.((line) => {
    // A recording with a hole is none.
    if (response.writableLength > mostOfRecording) response.destroy();
    else response.write(`${line}\n`);
  });
  response.on('close', () => stop?.());
}

/** A recording of this one moment: what the cluster is, what is remembered of it, and how it is decided. */
export async function streamSnapshot(
  source: Source,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const isPacked = acceptsGzip(request.headers['accept-encoding']);
  response.writeHead(200, {
    'content-type': 'application/x-ndjson; charset=utf-8',
    'cache-control': 'no-store',
    ...(isPacked && { 'content-encoding': 'gzip' }),
  });
  const lines = Readable.from(withEnds(source.snapshot?.() ?? []));
  // Quick rather than small: it is read once, near by. Whoever goes away in the middle is no error of ours.
  await (isPacked ? pipeline(lines, createGzip({ level: 1 }), response) : pipeline(lines, response)).catch(
    () => undefined,
  );
}

async function* withEnds(lines: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
