// Writes events as `kubectl describe` shows them (J5), the most important first, at a rate the server can bear (K5).
// The loop never waits for it: events that cannot be written are dropped, and their number is reported.
import { createHash } from 'node:crypto';
import { mapIn } from '../kinds/read/reader.ts';
import { escapeControls } from '../kinds/text/escaping.ts';
import type { Notice, ObjectReference } from '../runtime/notices.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { apiKindOf, collectionPath, ledgerKind, ledgerName } from './apiKind.ts';
import { type ApiReply, bodyOf, isAway, isDone, isNotFound, sayReply } from './apiReply.ts';
import { fieldManager, foundIn, lookUp, reportWithin } from './apply.ts';
import type { Call } from './client.ts';
import { backoff, pause, type Rate, TokenBucket } from './pacing.ts';
import type { WriterOptions } from './statusWriter.ts';

export interface EventWriterOptions extends WriterOptions {
  /** The name of this process. */
  readonly identity: string;
  /** Called with the number of events dropped. */
  readonly onDropped?: (count: number) => void;
  readonly limits?: Partial<EventLimits>;
}

export interface EventLimits {
  readonly rate: Rate;
  /** How many may be queued. */
  readonly waiting: number;
  /** How many written events are remembered, to count repetitions. */
  readonly told: number;
}

/** 120 per minute after the first 30: a tenth of what requests may use. */
const usualLimits: EventLimits = { rate: { perSecond: 2, burst: 30 }, waiting: 2000, told: 5000 };

/** Limits of the API server. */
const longestMessage = 1024;
const longestName = 253;
const digits = 16;

interface QueuedNotice {
  readonly notice: Notice;
  readonly at: Instant;
}

export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #limits: EventLimits;
  readonly #bucket: TokenBucket;
  /** In the order of arrival, by the key under which a newer notice replaces an older one. */
  readonly #waiting = new Map<string, QueuedNotice>();
  /** How often each event was written. */
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

  /** Returns when all queued events are written or have failed. */
  async finish(): Promise<void> {
    await this.#telling;
  }

  /** Waits for the request in flight; queued events are dropped. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#telling;
  }

  /** Drops the least important, the oldest of those first. */
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
      if (!isDone(reply)) this.#fault(next, reply);
      failures = isAway(reply) ? failures + 1 : 0;
      if (failures === 0) continue;
      this.#putBack(next);
      await pause(clock, backoff(failures, chance(), reply.kind === 'answer' ? reply.retryAfter : undefined), signal);
      if (signal.aborted) return;
    }
  }

  #next(): QueuedNotice {
    if (this.#dropped > 0) {
      const count = this.#dropped;
      this.#dropped = 0;
      return { notice: dropNotice(count), at: this.#options.wallNow?.() ?? this.#options.clock.now };
    }
    const [place, waiting] = [...this.#waiting].reduce((best, entry) =>
      entry[1].notice.weight > best[1].notice.weight ? entry : best,
    );
    this.#waiting.delete(place);
    return waiting;
  }

  /** Unless a newer notice of its topic has arrived meanwhile. */
  #putBack(waiting: QueuedNotice): void {
    const place = placeInLine(waiting.notice);
    if (!this.#waiting.has(place)) this.#waiting.set(place, waiting);
  }

  /** An event with this name is the same notice, written before by this process or by its predecessor. */
  async #send({ notice, at }: QueuedNotice): Promise<ApiReply> {
    const name = nameOf(notice);
    const known = this.#told.get(name);
    if (known !== undefined) {
      const reply = await this.#again(notice, name, { at, count: known + 1 });
      if (!isNotFound(reply)) return reply;
      this.#told.delete(name);
    }
    const about = await this.#withUid(notice.about);
    const reply = await this.#options.client.request(this.#creation({ ...notice, about }, name, at));
    if (reply.kind === 'answer' && reply.code === 409)
      return notice.standing ? { ...reply, code: 200 } : this.#countOn(notice, name, at);
    if (isDone(reply)) this.#remember(name, 1);
    return reply;
  }

  /** Only the server knows the count: its response to the new message contains it. */
  async #countOn(notice: Notice, name: string, at: Instant): Promise<ApiReply> {
    const reply = await this.#again(notice, name, { at });
    if (!isDone(reply)) return reply;
    const { count } = bodyOf(reply) ?? {};
    return this.#again(notice, name, { at, count: (typeof count === 'number' ? count : 1) + 1 });
  }

  async #again(notice: Notice, name: string, { at, count }: { at: Instant; count?: number }): Promise<ApiReply> {
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
    if (isDone(reply) && count) this.#remember(name, count);
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
    // JSON leaves out undefined fields.
    const involvedObject = { apiVersion: apiKindOf(kind).apiVersion, kind, namespace, name: object, uid };
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

  /** `kubectl describe` finds an event by its object's UID. */
  async #withUid(about: ObjectReference): Promise<ObjectReference> {
    if (about.uid !== undefined) return about;
    const reply = await this.#options.client.request(lookUp(about));
    const { uid } = mapIn(foundIn(reply)?.metadata);
    return typeof uid === 'string' ? { ...about, uid } : about;
  }

  #fault({ notice }: QueuedNotice, reply: ApiReply): void {
    this.#options.onFault?.(`event ${notice.reason} on ${placeOf(notice.about)}: ${sayReply(reply)}`);
  }
}

const component = 'lull';
/** Events on objects without a namespace are here, as Kubernetes itself does it. */
const clusterScoped = 'default';
const query = { fieldManager };

const eventsPath = ({ namespace = clusterScoped }: ObjectReference): string =>
  collectionPath({ kind: 'Event', apiVersion: 'v1', plural: 'events', isNamespaced: true }, namespace);

const placeOf = ({ kind, namespace, name }: ObjectReference): string =>
  [kind, namespace, name].filter((it) => it !== undefined).join('/');

/** Queued notices of one topic share one key. */
const placeInLine = (notice: Notice): string =>
  notice.topic === undefined ? nameOf(notice) : `${placeOf(notice.about)} ${notice.topic}`;

/** Derived from the content, not from the time. Another object of the same name has other events. */
function nameOf({ about, reason, key }: Notice): string {
  const parts = [placeOf(about), about.uid ?? '', reason, key];
  const hash = createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, digits);
  return `${about.name.slice(0, longestName - digits - 1)}.${hash}`;
}

/** The message contains other people's names and notes, and is read in terminals. */
function clipped(message: string): string {
  const text = escapeControls(message);
  return text.length <= longestMessage ? text : `${text.slice(0, longestMessage - 1)}…`;
}

const dropNotice = (count: number): Notice => ({
  about: { kind: ledgerKind, name: ledgerName },
  type: 'Warning',
  reason: 'EventsLeftOut',
  message: `${count} of the least important events were dropped, since there were too many. \`lull why\` shows everything.`,
  key: '',
  weight: 3,
});
