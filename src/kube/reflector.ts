// Follows one kind: lists it once, then watches; resumes broken watches, and lists again what was missed.
// Past 300 lines: one sequence of lists, watches and waits that share their state.
import { defined } from '../cluster/defined.ts';
import type { Clock, Timer } from '../runtime/clock.ts';
import type { Mirror } from '../runtime/mirror.ts';
import type { Unsynced } from '../runtime/port.ts';
import { asDuration, between, type Duration, type Instant, minute, second } from '../time/instant.ts';
import { type ApiKind, collectionPath, selectorOf } from './apiKind.ts';
import { forbidden, isExpired, messageOf, unknownKind } from './apiReply.ts';
import type { Client, ClientStream, StreamEnd } from './client.ts';
import { listPages } from './listing.ts';
import { keyOf, type ObjectKey, type RawObject, readEvent, versionOf } from './rawObject.ts';
import { Setbacks } from './setbacks.ts';

interface ReflectorOptions {
  readonly kind: ApiKind;
  readonly client: Client;
  readonly clock: Clock;
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  readonly mirror: Mirror;
  /** Something new arrived. Without an object: a list is complete. */
  readonly onNews: (object?: RawObject) => void;
  /** The server has answered: others that are backing off may retry. */
  readonly onReached?: () => void;
  /** A watch continues from where the last one ended. */
  readonly onResumed?: () => void;
  /** Called for every failure. No action is needed. */
  readonly onFault?: (message: string) => void;
}

/** A server sends a bookmark about once a minute: if two are missing, the connection is dead. */
const idle = asDuration(2.5 * minute);

/** A stream request may wait in the server's queue for a minute. */
const openWithin = asDuration(70 * second);

/** Watches end by themselves after 5 to 10 minutes, at random, so that servers can rebalance them. */
const shortestWatch = asDuration(5 * minute);

/** A watch that ended sooner and delivered nothing counts as a failure. */
const tooShort = second;

/** A watch that is down for longer is reported: the view may be old (K3). */
const downTold = asDuration(30 * second);
/** A watch that has been open for this long is no longer down. */
const upAgain = asDuration(10 * second);

/** How a connection ended, and what that means for the next. */
interface WatchEnd {
  readonly fault?: string;
  /** The status code of the server's refusal. */
  readonly code?: number;
  readonly relist?: boolean;
  readonly retryAfter?: Duration;
  /** No answer at all. */
  readonly isUnreached?: boolean;
}

/** How a stream went before it ended. */
interface StreamRun {
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
  #listing: Set<ObjectKey> | undefined;
  #hasProgress = false;
  #isClosed = false;
  #isToList = false;
  #stream: ClientStream | undefined;
  #pause: { readonly timer: Timer; readonly end: () => void; readonly isUnreached: boolean } | undefined;

  constructor(options: ReflectorOptions) {
    this.#options = options;
  }

  /** Decisions do not wait for it. */
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

  /** Other requests get through: retry at once what was delayed for lack of a server. */
  hurry(): void {
    if (!this.#pause?.isUnreached) return;
    this.#pause.timer.cancel();
    this.#pause.end();
  }

  /** Lists everything again: what is known is too old. */
  relist(): void {
    this.#isToList = true;
    this.#stream?.cut('It is listed again.');
    this.hurry();
  }

  close(): void {
    this.#isClosed = true;
    this.#stream?.cut('Closed.');
    this.#pause?.timer.cancel();
    this.#pause?.end();
  }

  /** Why the view of this kind may be incomplete (K3). Undefined = it is complete. */
  missing(now: Instant): Unsynced | undefined {
    const { kind } = this.#options.kind;
    const { fault, code, since } = this.#setbacks;
    if (this.#isRefused) return undefined;
    const known = defined({ kind, fault, code });
    if (!this.#hasListed) return { cause: 'not listed', ...known };
    if (this.#version === undefined) return { cause: 'listed again', ...known };
    if (since === undefined || between(since, now) < downTold) return undefined;
    if (this.#openSince !== undefined && between(this.#openSince, now) >= upAgain) return undefined;
    return { cause: 'watch down', ...known, since };
  }

  /** The kind is optional, and Lull has no permission for it or the server does not know it. If it was listed before, the old objects would grow stale, so it is missing then. */
  get #isRefused(): boolean {
    const { code } = this.#setbacks;
    const { mayBeRefused, mayBeUnknown } = this.#options.kind;
    if (this.#hasListed) return false;
    return (mayBeRefused === true && code === forbidden) || (mayBeUnknown === true && code === unknownKind);
  }

  async #fail(fault: string, { code, retryAfter, isUnreached = false }: WatchEnd): Promise<void> {
    const { clock, chance, onFault, kind } = this.#options;
    this.#setbacks.add({ fault, code, at: clock.now, isUnreached });
    onFault?.(`${kind.kind}: ${fault}`);
    // The view is complete without this kind.
    if (this.#isRefused) this.#options.onNews();
    const isListing = this.#version === undefined;
    if (isListing && this.#setbacks.doubtsStreams) this.#streamsLists = !this.#streamsLists;
    if (!isListing && this.#setbacks.doubtsVersion) this.#version = undefined;
    await new Promise<void>((end) => {
      this.#pause = { end, isUnreached, timer: clock.in(this.#setbacks.wait(chance(), retryAfter), end) };
    });
    this.#pause = undefined;
  }

  /** Something was received: the next failure counts as the first. */
  #succeed(): void {
    this.#hasProgress = true;
    this.#setbacks.over();
  }

  async #listPages(): Promise<WatchEnd> {
    const { client, kind, mirror, onReached } = this.#options;
    const result = await listPages(client, kind, (object) => mirror.watched(object, false));
    if (result.kind === 'failed') return { ...result, fault: result.message };
    onReached?.();
    return this.#endList(result.keys, result.version);
  }

  #endList(listed: ReadonlySet<ObjectKey>, version: number): WatchEnd {
    const { mirror, kind, onNews } = this.#options;
    this.#listing = undefined;
    if (version < mirror.seenOf(kind.kind)) {
      mirror.rewind(kind.kind);
      return { relist: true, fault: `The server's version went back to ${version}: everything is listed again.` };
    }
    mirror.keepOnly(kind.kind, listed, version);
    this.#version = version;
    this.#hasListed = true;
    this.#succeed();
    // Even without changes: a caller may wait for the view to be complete.
    onNews();
    return {};
  }

  async #watch(): Promise<WatchEnd> {
    const { client, clock, kind } = this.#options;
    const isList = this.#version === undefined;
    const startedAt = clock.now;
    let ended: WatchEnd | undefined;
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
          if (ended) stream.cut('No more is needed.');
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
    const bounds = { timeoutSeconds: String(seconds), ...selectorOf(kind) };
    const always = { watch: 'true', allowWatchBookmarks: 'true', ...bounds };
    return this.#version === undefined
      ? { ...always, sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : { ...always, resourceVersion: String(this.#version) };
  }

  /** Returns an end if the rest of the stream is not needed. */
  #read(line: string): WatchEnd | undefined {
    const event = readEvent(line, this.#options.kind);
    switch (event.type) {
      case 'change':
        this.#take(event.object, event.isGone);
        return undefined;
      case 'bookmark':
        if (event.endsList && this.#listing) return endOrNothing(this.#endList(this.#listing, event.version));
        if (this.#listing) return undefined;
        // After a restore from a backup: a server that is behind would send nothing until it has caught up.
        if (event.version < (this.#version ?? 0))
          return { relist: true, fault: `The server is at ${event.version}, and was at ${this.#version}.` };
        this.#advance(event.version);
        return undefined;
      case 'error':
        return isExpired(event.code) ? this.#expired() : { fault: `${event.code}: ${event.message}`, code: event.code };
      case 'garbage':
        return { fault: event.message };
    }
  }

  /** The first expiry leads to a new list at once; a repeated one counts as a failure. */
  #expired(): WatchEnd {
    const isAgain = this.#setbacks.expiresAgain() || this.#listing !== undefined;
    return { relist: true, ...(isAgain && { fault: 'The server no longer has the changes since then.' }) };
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

  /** Events that are repeated or out of order do not move the version back. */
  #advance(version: number): void {
    const { mirror, kind } = this.#options;
    this.#version = Math.max(version, this.#version ?? 0);
    mirror.progress(kind.kind, version);
    this.#succeed();
  }

  #judge(end: StreamEnd, { isList, isUnreached, lasted }: StreamRun): WatchEnd {
    switch (end.kind) {
      case 'refused':
        if (isExpired(end.code, end.body)) return this.#expired();
        // A server without support for streamed lists rejects the request.
        if (isList && (end.code === 400 || end.code === 422)) {
          this.#streamsLists = false;
          return {};
        }
        return { ...end, fault: `${end.code}: ${messageOf(end.body)}` };
      case 'broken':
        return { fault: end.message, isUnreached };
      case 'end':
        if (this.#version === undefined) return { fault: 'The stream ended before the list was complete.' };
        return this.#hasProgress || lasted >= tooShort ? {} : { fault: 'The watch ended as soon as it began.' };
    }
  }
}

const endOrNothing = (end: WatchEnd): WatchEnd | undefined => (end.fault === undefined ? undefined : end);
