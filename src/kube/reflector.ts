// How is one kind followed? Listed once, then watched from there; whatever breaks off is taken up again, and what was missed is listed anew.
// Past 300 lines: one course of lists, watches and waits, which share all that they know.
import type { Clock, Timer } from '../runtime/clock.ts';
import { asDuration, between, type Duration, formatInstant, type Instant, minute, second } from '../time/instant.ts';
import { type ApiKind, collectionPath, selectorOf } from './apiKind.ts';
import type { Client, Stream, StreamEnd } from './client.ts';
import type { Mirror } from './mirror.ts';
import { listPages } from './pages.ts';
import { type Key, keyOf, type RawObject, versionOf } from './rawObject.ts';
import { Setbacks } from './setbacks.ts';
import { isExpired, isRefused, messageOf } from './status.ts';
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
  /** The server has answered: others who gave it time need not any longer. */
  readonly onReached?: () => void;
  /** A watch goes on from where the last one ended. */
  readonly onResumed?: () => void;
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

/** K3: a watch that is down for longer is told of: what is seen may be old. */
const downTold = asDuration(30 * second);
/** One that is open for this long, after all, is no longer down. */
const upAgain = asDuration(10 * second);

/** How a connection ended, and what that means for the next. */
interface End {
  readonly fault?: string;
  readonly relist?: boolean;
  readonly retryAfter?: Duration;
  /** Nobody answered. */
  readonly isUnreached?: boolean;
}

/** How a stream went before it ended. */
interface Course {
  readonly isList: boolean;
  readonly isUnreached: boolean;
  readonly lasted: Duration;
}

export class Reflector {
  readonly #options: ReflectorOptions;
  /** Where the next watch begins. Absent = with a list. */
  #version: number | undefined;
  #hasListed = false;
  #streamsLists = true;
  readonly #setbacks = new Setbacks();
  #openSince: Instant | undefined;
  /** The list that is being streamed. */
  #listing: Set<Key> | undefined;
  #hasProgress = false;
  #isClosed = false;
  #isToList = false;
  #stream: Stream | undefined;
  #pause: { readonly timer: Timer; readonly end: () => void; readonly isUnreached: boolean } | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** Nobody waits for it. */
  get isAside(): boolean {
    return this.#options.kind.isAside === true;
  }

  get kind(): string {
    return this.#options.kind.kind;
  }

  /** Returns when it is closed. */
  async run(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#isToList) this.#version = undefined;
      this.#isToList = false;
      const isPaged = this.#version === undefined && !this.#streamsLists;
      const end = isPaged ? await this.#listPages() : await this.#watch();
      if (this.#isClosed) return;
      if (this.#isToList) continue;
      if (end.relist) this.#version = undefined;
      if (end.fault !== undefined) await this.#fail(end.fault, end);
    }
  }

  /** Others get through: what was put off for want of a server is tried at once. */
  hurry(): void {
    if (!this.#pause?.isUnreached) return;
    this.#pause.timer.cancel();
    this.#pause.end();
  }

  /** Everything anew: what is known is older than it may be. */
  relist(): void {
    this.#isToList = true;
    this.#stream?.cut('It is listed anew.');
    this.hurry();
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
    const { fault, since } = this.#setbacks;
    const why = fault === undefined ? '' : `: ${fault}`;
    if (this.#isRefused) return undefined;
    if (!this.#hasListed) return `${kind} is not listed yet${why}`;
    if (this.#version === undefined) return `${kind} is being listed again${why}`;
    if (since === undefined || between(since, now) < downTold) return undefined;
    if (this.#openSince !== undefined && between(this.#openSince, now) >= upAgain) return undefined;
    return `the watch of ${kind} has been down since ${formatInstant(since)}${why}`;
  }

  /** It may do without, and has to: there is no right to it. What was known of it before would grow old, so then it is missed. */
  get #isRefused(): boolean {
    const { fault } = this.#setbacks;
    return this.#options.kind.mayBeRefused === true && !this.#hasListed && fault !== undefined && isRefused(fault);
  }

  async #fail(fault: string, { retryAfter, isUnreached = false }: End): Promise<void> {
    const { clock, chance, onFault, kind } = this.#options;
    this.#setbacks.add({ fault, at: clock.now, isUnreached });
    onFault?.(`${kind.kind}: ${fault}`);
    // Whoever waits for the view need not wait for this.
    if (this.#isRefused) this.#options.onNews();
    const isListing = this.#version === undefined;
    if (isListing && this.#setbacks.doubtsStreams) this.#streamsLists = !this.#streamsLists;
    if (!isListing && this.#setbacks.doubtsVersion) this.#version = undefined;
    await new Promise<void>((end) => {
      this.#pause = { end, isUnreached, timer: clock.in(this.#setbacks.wait(chance(), retryAfter), end) };
    });
    this.#pause = undefined;
  }

  /** Something came through: the next failure is a first one. */
  #succeed(): void {
    this.#hasProgress = true;
    this.#setbacks.over();
  }

  async #listPages(): Promise<End> {
    const { client, kind, mirror, onReached } = this.#options;
    const result = await listPages(client, kind, (object) => mirror.watched(object, false));
    if (result.kind === 'failed') {
      const { message, retryAfter, isUnreached } = result;
      return { fault: message, ...(retryAfter && { retryAfter }), ...(isUnreached && { isUnreached }) };
    }
    onReached?.();
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
          this.#options.onReached?.();
          if (!isList) this.#options.onResumed?.();
        },
        onLine: (line) => {
          ended = this.#read(line);
          if (ended) stream.cut('No more of it is wanted.');
        },
      },
    );
    this.#stream = stream;
    const end = await stream.end;
    const isUnreached = this.#openSince === undefined;
    this.#stream = undefined;
    this.#openSince = undefined;
    return ended ?? this.#judge(end, { isList, isUnreached, lasted: between(startedAt, clock.now) });
  }

  #query(): Record<string, string> {
    const { chance, kind } = this.#options;
    const seconds = Math.round((shortestWatch * (1 + chance())) / second);
    const always = {
      watch: 'true',
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(seconds),
      ...selectorOf(kind),
    };
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
        if (this.#listing) return undefined;
        // As from a backup: a server that has not come that far yet would tell nothing until it has.
        if (event.version < (this.#version ?? 0))
          return { relist: true, fault: `The server is at ${event.version}, and was at ${this.#version}.` };
        this.#advance(event.version);
        return undefined;
      case 'error':
        return isExpired(event.code) ? this.#expired() : { fault: `${event.code}: ${event.message}` };
      case 'garbage':
        return { fault: event.message };
    }
  }

  /** The first time at once. */
  #expired(): End {
    const isAgain = this.#setbacks.expiresAgain() || this.#listing !== undefined;
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
    if (isNews && !this.#options.kind.isQuiet) onNews(object);
  }

  /** What is sent again, or in no order, does not lead back. */
  #advance(version: number): void {
    const { mirror, kind } = this.#options;
    this.#version = Math.max(version, this.#version ?? 0);
    mirror.progress(kind.kind, version);
    this.#succeed();
  }

  #judge(end: StreamEnd, { isList, isUnreached, lasted }: Course): End {
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
        return { fault: end.message, isUnreached };
      case 'end':
        if (this.#version === undefined) return { fault: 'The stream ended before the list was whole.' };
        return this.#hasProgress || lasted >= tooShort ? {} : { fault: 'The watch ended as soon as it began.' };
    }
  }
}

const endOrNothing = (end: End): End | undefined => (end.fault === undefined ? undefined : end);
