// How do people hear of it (J5)? Events as `kubectl describe` shows them, the most important first, and no more than a server can bear (K5).
// Nothing here holds up the loop: what cannot be told is left out, and how much that was is told.
import { createHash } from 'node:crypto';
import { escapeControls } from '../kinds/escaping.ts';
import { isMap } from '../kinds/reader.ts';
import type { Clock } from '../runtime/clock.ts';
import type { About, Notice } from '../runtime/notice.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { apiKindOf, collectionPath, ledgerKind, ledgerName } from './apiKind.ts';
import { backoff } from './backoff.ts';
import type { Call, Client, Reply } from './client.ts';
import { fieldManager } from './fieldManager.ts';
import { foundIn, lookUp, reportWithin } from './lookUp.ts';
import { pause } from './pause.ts';
import { sayReply } from './status.ts';
import { type Rate, TokenBucket } from './tokenBucket.ts';

export interface EventWriterOptions {
  readonly client: Pick<Client, 'request'>;
  readonly clock: Clock;
  /** What is written for people. Absent = the clock's. */
  readonly wallNow?: () => Instant;
  readonly chance: () => number;
  /** Who tells it: the name of this process. */
  readonly identity: string;
  readonly mayAct?: () => boolean;
  readonly onFault?: (message: string) => void;
  /** So many were left out. */
  readonly onDropped?: (count: number) => void;
  readonly limits?: Partial<EventLimits>;
}

export interface EventLimits {
  readonly rate: Rate;
  /** How many may wait. */
  readonly waiting: number;
  /** How many of those told are remembered, to be counted when they come again. */
  readonly told: number;
}

/** 120 a minute after the first 30: a tenth of what requests may use. */
const usualLimits: EventLimits = { rate: { perSecond: 2, burst: 30 }, waiting: 2000, told: 5000 };

/** As the server wants it. */
const longestMessage = 1024;
const longestName = 253;
const digits = 16;

interface Waiting {
  readonly notice: Notice;
  readonly at: Instant;
}

export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #limits: EventLimits;
  readonly #bucket: TokenBucket;
  /** In the order in which they came; by what a newer one may take the place of. */
  readonly #waiting = new Map<string, Waiting>();
  /** How often each was told. */
  readonly #told = new Map<string, number>();
  readonly #closing = new AbortController();
  #telling: Promise<void> | undefined;
  #dropped = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
    this.#limits = { ...usualLimits, ...options.limits };
    this.#bucket = new TokenBucket(options.clock, this.#limits.rate);
  }

  tell(notices: readonly Notice[]): void {
    if (this.#closing.signal.aborted) return;
    const at = this.#options.wallNow?.() ?? this.#options.clock.now;
    for (const notice of notices) {
      const place = placeInLine(notice);
      this.#waiting.delete(place);
      this.#waiting.set(place, { notice, at });
    }
    this.#drop(this.#waiting.size - this.#limits.waiting);
    this.#telling ??= this.#tellAll().finally(() => {
      this.#telling = undefined;
    });
  }

  /** Returns when all that was told is written, or cannot be. */
  async finish(): Promise<void> {
    await this.#telling;
  }

  /** What is on its way is waited for; what waits is not told. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#telling;
  }

  /** The least important first, of those the oldest. */
  #drop(count: number): void {
    if (count <= 0) return;
    const places = [...this.#waiting].sort(([, a], [, b]) => a.notice.weight - b.notice.weight).slice(0, count);
    for (const [place] of places) this.#waiting.delete(place);
    this.#dropped += places.length;
    this.#options.onDropped?.(places.length);
  }

  async #tellAll(): Promise<void> {
    const { clock, chance, mayAct } = this.#options;
    const { signal } = this.#closing;
    let failures = 0;
    while (this.#waiting.size > 0 || this.#dropped > 0) {
      await this.#bucket.take();
      if (signal.aborted || mayAct?.() === false) return;
      const next = this.#next();
      const reply = await this.#send(next);
      const isAway = reply.kind === 'silence' || reply.code === 429 || reply.code >= 500;
      failures = isAway ? failures + 1 : 0;
      if (!isAway) {
        if (reply.code >= 300) this.#fault(next, reply);
        continue;
      }
      this.#fault(next, reply);
      this.#putBack(next);
      await pause(clock, backoff(failures, chance(), reply.kind === 'answer' ? reply.retryAfter : undefined), signal);
      if (signal.aborted) return;
    }
  }

  #next(): Waiting {
    if (this.#dropped > 0) {
      const count = this.#dropped;
      this.#dropped = 0;
      return { notice: dropNotice(count), at: this.#options.wallNow?.() ?? this.#options.clock.now };
    }
    let best: [string, Waiting] | undefined;
    for (const entry of this.#waiting) if (!best || entry[1].notice.weight > best[1].notice.weight) best = entry;
    const [place, waiting] = best as [string, Waiting];
    this.#waiting.delete(place);
    return waiting;
  }

  /** Unless a newer one of its topic has come meanwhile. */
  #putBack(waiting: Waiting): void {
    const place = placeInLine(waiting.notice);
    if (!this.#waiting.has(place)) this.#waiting.set(place, waiting);
  }

  /** A name that is there already is the same notice, told before: by this process, or by the one before it. */
  async #send({ notice, at }: Waiting): Promise<Reply> {
    const name = nameOf(notice);
    const known = this.#told.get(name);
    if (known !== undefined) {
      const reply = await this.#again(notice, name, { at, count: known + 1 });
      if (!isNotFound(reply)) return reply;
      this.#told.delete(name);
    }
    const about = await this.#withUid(notice.about);
    const reply = await this.#options.client.request(this.#creation({ ...notice, about }, name, at));
    if (reply.kind === 'silence' || reply.code >= 300) {
      if (reply.kind === 'silence' || reply.code !== 409) return reply;
      if (notice.standing) return { ...reply, code: 200 };
      return this.#countOn(notice, name, at);
    }
    this.#remember(name, 1);
    return reply;
  }

  /** How often it was told is known to the server alone: it says so when the message is renewed. */
  async #countOn(notice: Notice, name: string, at: Instant): Promise<Reply> {
    const reply = await this.#again(notice, name, { at });
    if (reply.kind === 'silence' || reply.code >= 300) return reply;
    const count = isMap(reply.body) && typeof reply.body.count === 'number' ? reply.body.count : 1;
    return this.#again(notice, name, { at, count: count + 1 });
  }

  async #again(notice: Notice, name: string, { at, count }: { at: Instant; count?: number }): Promise<Reply> {
    const path = `${eventsPath(notice.about)}/${encodeURIComponent(name)}`;
    const body = { message: clipped(notice.message), lastTimestamp: formatInstant(at), ...(count && { count }) };
    const reply = await this.#options.client.request({
      method: 'PATCH',
      path,
      query,
      body,
      contentType: 'application/merge-patch+json',
      timeout: reportWithin,
    });
    if (reply.kind === 'answer' && reply.code < 300 && count) this.#remember(name, count);
    return reply;
  }

  #remember(name: string, count: number): void {
    this.#told.delete(name);
    this.#told.set(name, count);
    const [oldest] = this.#told.keys();
    if (this.#told.size > this.#limits.told && oldest !== undefined) this.#told.delete(oldest);
  }

  #creation({ about, type, reason, message }: Notice, name: string, at: Instant): Call {
    const { kind, namespace, name: object, uid } = about;
    const involvedObject = {
      apiVersion: apiKindOf(kind).apiVersion,
      kind,
      ...(namespace !== undefined && { namespace }),
      name: object,
      ...(uid !== undefined && { uid }),
    };
    const body = {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace: namespace ?? clusterScoped, name },
      involvedObject,
      type,
      reason,
      message: clipped(message),
      source: { component },
      reportingComponent: component,
      reportingInstance: this.#options.identity,
      firstTimestamp: formatInstant(at),
      lastTimestamp: formatInstant(at),
      count: 1,
    };
    return { method: 'POST', path: eventsPath(about), query, body, timeout: reportWithin };
  }

  /** `kubectl describe` finds an event by the uid of what it is about. */
  async #withUid(about: About): Promise<About> {
    if (about.uid !== undefined) return about;
    const reply = await this.#options.client.request(lookUp(about));
    const metadata = reply.kind === 'answer' ? foundIn(reply.body)?.metadata : undefined;
    return isMap(metadata) && typeof metadata.uid === 'string' ? { ...about, uid: metadata.uid } : about;
  }

  #fault({ notice }: Waiting, reply: Reply): void {
    const why = sayReply(reply);
    this.#options.onFault?.(`event ${notice.reason} on ${placeOf(notice.about)}: ${why}`);
  }
}

const component = 'lull';
/** Events on objects without a namespace stand here, as Kubernetes itself has it. */
const clusterScoped = 'default';
const query = { fieldManager };

const eventsPath = ({ namespace = clusterScoped }: About): string =>
  collectionPath({ kind: 'Event', apiVersion: 'v1', plural: 'events', isNamespaced: true }, namespace);

const placeOf = ({ kind, namespace, name }: About): string =>
  [kind, namespace, name].filter((it) => it !== undefined).join('/');

/** While they wait, those of one topic share one. */
const placeInLine = (notice: Notice): string =>
  notice.topic === undefined ? nameOf(notice) : `${placeOf(notice.about)} ${notice.topic}`;

/** Derived from what it says, not from when. Of another object of the same name it is another. */
function nameOf({ about, reason, key }: Notice): string {
  const parts = [placeOf(about), about.uid ?? '', reason, key];
  const hash = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, digits);
  return `${about.name.slice(0, longestName - digits - 1)}.${hash}`;
}

/** Names and notes in it are other people's, and it is read in terminals. */
function clipped(message: string): string {
  const text = escapeControls(message);
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage - 1)}…`;
}

const dropNotice = (count: number): Notice => ({
  about: { kind: ledgerKind, name: ledgerName },
  type: 'Warning',
  reason: 'EventsLeftOut',
  message: `${count} of the least important events were left out, since there were too many. \`lull why\` tells all.`,
  key: '',
  weight: 3,
});

const isNotFound = (reply: Reply): boolean => reply.kind === 'answer' && reply.code === 404;
