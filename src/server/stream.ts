// How are answers sent that have no end? Live rounds as server-sent events, and recordings line by line.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Feed, Item } from './feed.ts';
import type { Source } from './source.ts';

/** A viewer that is this far behind is let go: it comes back and goes on where it was. */
const mostWaiting = 8 * 1024 * 1024;
/** A recording cannot be gone on with, and begins with the whole cluster. */
const mostOfRecording = 512 * 1024 * 1024;
/** So that nobody between the two takes silence for the end. */
const heartbeat = 15_000;

/** Sends what has happened, then what happens. */
export function streamEvents(feed: Feed, request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
  });
  const last = request.headers['last-event-id'];
  const missed = typeof last === 'string' ? feed.since(last) : undefined;
  // Who goes on where it cannot be gone on is told, so that it can begin anew.
  if (typeof last === 'string' && !missed) response.write('event: reset\ndata: {}\n\n');
  for (const { frame } of missed ?? beginning(feed)) response.write(frame);
  const stop = feed.listen(({ frame }) => {
    if (response.writableLength > mostWaiting) response.destroy();
    else response.write(frame);
  });
  const timer = setInterval(() => response.write(': still here\n\n'), heartbeat);
  response.on('close', () => {
    stop();
    clearInterval(timer);
  });
}

/** The story so far, and of the rounds the last: it says all that the others did. */
const beginning = ({ items, lastRound }: Feed): readonly Item[] =>
  items.filter((item) => item.event === 'story' || item === lastRound);

export function streamRecording(source: Source, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
  const stop = source.record?.((line) => {
    // A recording with a hole is none.
    if (response.writableLength > mostOfRecording) response.destroy();
    else response.write(`${line}\n`);
  });
  response.on('close', () => stop?.());
}
