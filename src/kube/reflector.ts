// How is one kind followed? Listed once, then watched from there; whatever breaks off is taken up again, and what was missed is listed anew.
import type { Clock, Timer } from '../runtime/clock.ts';
import { asDuration, between, type Duration, formatInstant, type Instant, minute, second } from '../time/instant.ts';
import { type ApiKind, collectionPath } from './apiKind.ts';
import { backoff } from './backoff.ts';
import type { Client, Stream, StreamEnd } from './client.ts';
import type { Mirror } from './mirror.ts';
import { listPages } from './pages.ts';
import { type Key, keyOf, type RawObject, versionOf } from './rawObject.ts';
import { isExpired, messageOf } from './status.ts';
import { readEvent } from './watchEvent.ts';

export interface ReflectorOptions {
  readonly kind: ApiKind;
  readonly client: Client;
  readonly clock: Clock;
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  readonly mirror: Mirror;
  /** Something came that was not known. Without an object: a list is whole. */
  readonly onNews: (object?: RawObject) => void;
  /** Whatever went wrong, each time. Nothing has to be done about it. */
  readonly onFault?: (message: string) => void;
}

/** A server sends a bookmark about once a minute: where two are missing, nobody is there. */
const idle = asDuration(2.5 * minute);

/** A request for a stream may wait in the server's queue for a minute. */
const openWithin = asDuration(70 * second);

/** Watches end by themselves after 5 to 10 minutes, each at its own time, so that servers can share them anew. */
const shortestWatch = asDuration(5 * minute);

/** What ended sooner and brought nothing was no watch. */
const tooShort = second;

/** So many failures in a row: what is resumed there cannot be, or lists cannot be streamed through what is between. */
const resumeAttempts = 5;
const streamAttempts = 3;

/** K3: a watch that is down for longer is told of: what is seen may be old. */
const downTold = asDuration(30 * second);
/** One that is open for this long, after all, is no longer down. */
const upAgain = asDuration(10 * second);

/** How a connection ended, and what that means for the next. */
interface End {
  readonly fault?: string;
  readonly relist?: boolean;
  readonly retryAfter?: Duration;
}

export class Reflector {
  readonly #options: ReflectorOptions;
  /** Where the next watch begins. Absent = with a list. */
  #version: number | undefined;
  #hasListed = false;
  #streamsLists = true;
  #failures = 0;
  #fault: string | undefined;
  #downSince: Instant | undefined;
  #openSince: Instant | undefined;
  /** The list that is being streamed. */
  #listing: Set<Key> | undefined;
  #hasProgress = false;
  #isClosed = false;
  #stream: Stream | undefined;
  #pause: { readonly timer: Timer; readonly end: () => void } | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** Returns when it is closed. */
  async run(): Promise<void> {
    while (!this.#isClosed) {
      const isPaged = this.#version === undefined && !this.#streamsLists;
      const end = isPaged ? await this.#listPages() : await this.#watch();
      if (this.#isClosed) return;
      if (end.relist) this.#version = undefined;
      if (end.fault !== undefined) await this.#fail(end.fault, end.retryAfter);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.cut('Closed.');
    this.#pause?.timer.cancel();
    this.#pause?.end();
  }

  /** K3: why what is known of the kind may not be all, in words. Undefined = it is. */
  missing(now: Instant): string | undefined {
    const { kind } = this.#options.kind;
    const why = this.#fault === undefined ? '' : `: ${this.#fault}`;
    if (!this.#hasListed) return `${kind} is not listed yet${why}`;
    if (this.#version === undefined) return `${kind} is being listed again${why}`;
    if (this.#downSince === undefined || between(this.#downSince, now) < downTold) return undefined;
    if (this.#openSince !== undefined && between(this.#openSince, now) >= upAgain) return undefined;
    return `the watch of ${kind} has been down since ${formatInstant(this.#downSince)}${why}`;
  }

  async #fail(fault: string, retryAfter?: Duration): Promise<void> {
    const { clock, chance, onFault, kind } = this.#options;
    this.#failures++;
    this.#fault = fault;
    this.#downSince ??= clock.now;
    onFault?.(`${kind.kind}: ${fault}`);
    const isListing = this.#version === undefined;
    if (isListing && this.#failures % streamAttempts === 0) this.#streamsLists = !this.#streamsLists;
    // A version that the server cannot go on from, though it does not say so.
    if (!isListing && this.#failures >= resumeAttempts) this.#version = undefined;
    await new Promise<void>((end) => {
      this.#pause = { end, timer: clock.in(backoff(this.#failures, chance(), retryAfter), end) };
    });
    this.#pause = undefined;
  }

  /** Something came through: the next failure is a first one. */
  #succeed(): void {
    this.#hasProgress = true;
    this.#failures = 0;
    this.#fault = undefined;
    this.#downSince = undefined;
  }

  async #listPages(): Promise<End> {
    const { client, kind, mirror } = this.#options;
    const result = await listPages(client, kind, (object) => mirror.watched(object, false));
    if (result.kind === 'failed')
      return { fault: result.message, ...(result.retryAfter && { retryAfter: result.retryAfter }) };
    return this.#endList(result.keys, result.version);
  }

  #endList(listed: ReadonlySet<Key>, version: number): End {
    const { mirror, kind, onNews } = this.#options;
    this.#listing = undefined;
    if (version < mirror.seenOf(kind.kind)) {
      mirror.rewind(kind.kind);
      return { relist: true, fault: `The server has gone back to ${version}: everything is listed anew.` };
    }
    mirror.keepOnly(kind.kind, listed, version);
    this.#version = version;
    this.#hasListed = true;
    this.#succeed();
    // Even where nothing is new: somebody may wait for the view to be complete.
    onNews();
    return {};
  }

  async #watch(): Promise<End> {
    const { client, clock, kind } = this.#options;
    const isList = this.#version === undefined;
    const startedAt = clock.now;
    let ended: End | undefined;
    this.#listing = isList ? new Set() : undefined;
    this.#hasProgress = false;
    const stream = client.stream(
      { method: 'GET', path: collectionPath(kind), query: this.#query(), idle, timeout: openWithin },
      {
        onOpen: () => {
          this.#openSince = clock.now;
        },
        onLine: (line) => {
          ended = this.#read(line);
          if (ended) stream.cut('No more of it is wanted.');
        },
      },
    );
    this.#stream = stream;
    const end = await stream.end;
    this.#stream = undefined;
    this.#openSince = undefined;
    return ended ?? this.#judge(end, { isList, lasted: between(startedAt, clock.now) });
  }

  #query(): Record<string, string> {
    const { chance } = this.#options;
    const seconds = Math.round((shortestWatch * (1 + chance())) / second);
    const always = { watch: 'true', allowWatchBookmarks: 'true', timeoutSeconds: String(seconds) };
    return this.#version === undefined
      ? { ...always, sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { ...always, resourceVersion: String(this.#version) };
  }

  /** Gives an end where nothing more of the stream is wanted. */
  #read(line: string): End | undefined {
    const event = readEvent(line, this.#options.kind);
    switch (event.type) {
      case 'change':
        this.#take(event.object, event.isGone);
        return undefined;
      case 'bookmark':
        if (event.endsList && this.#listing) return endOrNothing(this.#endList(this.#listing, event.version));
        if (!this.#listing) this.#advance(event.version);
        return undefined;
      case 'error':
        return isExpired(event.code) ? this.#expired() : { fault: `${event.code}: ${event.message}` };
      case 'garbage':
        return { fault: event.message };
    }
  }

  /** The first time at once. */
  #expired(): End {
    const isAgain = this.#failures > 0 || this.#listing !== undefined;
    return { relist: true, ...(isAgain && { fault: 'The server no longer remembers what came after.' }) };
  }

  #take(object: RawObject, isGone: boolean): void {
    const { mirror, onNews } = this.#options;
    const isNews = mirror.watched(object, isGone);
    if (this.#listing) {
      if (isGone) this.#listing.delete(keyOf(object));
      else this.#listing.add(keyOf(object));
      return;
    }
    this.#advance(versionOf(object));
    if (isNews) onNews(object);
  }

  /** What is sent again, or in no order, does not lead back. */
  #advance(version: number): void {
    const { mirror, kind } = this.#options;
    this.#version = Math.max(version, this.#version ?? 0);
    mirror.progress(kind.kind, version);
    this.#succeed();
  }

  #judge(end: StreamEnd, { isList, lasted }: { readonly isList: boolean; readonly lasted: Duration }): End {
    switch (end.kind) {
      case 'refused':
        if (isExpired(end.code, end.body)) return this.#expired();
        // A server that knows nothing of streamed lists forbids what asks for them.
        if (isList && (end.code === 400 || end.code === 422)) {
          this.#streamsLists = false;
          return {};
        }
        return {
          fault: `${end.code}: ${messageOf(end.body)}`,
          ...(end.retryAfter && { retryAfter: end.retryAfter }),
        };
      case 'broken':
        return { fault: end.message };
      case 'end':
        if (this.#version === undefined) return { fault: 'The stream ended before the list was whole.' };
        return this.#hasProgress || lasted >= tooShort ? {} : { fault: 'The watch ended as soon as it began.' };
    }
  }
}

const endOrNothing = (end: End): End | undefined => (end.fault === undefined ? undefined : end);
