// How does one controller meet the cluster in memory? Through watches that lag behind, and requests that are carried out, refused or lost.
import type { Seen } from '../cluster/ledger.ts';
import type { Answer, Port, Request, View } from '../runtime/port.ts';
import { after, asDuration, earliest, formatInstant, type Instant, second } from '../time/instant.ts';
import type { Clock, Timer } from './clock.ts';
import { type KubeObject, keyOf } from './kubeObject.ts';
import { asideKinds, Mirror, type OnRead, watchedKinds } from './mirror.ts';
import type { Changed, Objects } from './objects.ts';
import type { Random } from './random.ts';
import { carryOut, ledgerKind, ledgerName } from './serverRequest.ts';
import { type Lag, WatchStream } from './watchStream.ts';

/** What is wrong between this controller and the cluster. Changed by whoever tells the story, at any time. */
export interface PortFaults {
  /** Nobody answers, nothing is carried out, and the watches stall. */
  away: boolean;
  /** Requests are carried out, but the answers never come. */
  lossy: boolean;
  /** By kind, where it is not the usual. */
  lag: Record<string, Lag>;
}

export interface Sent {
  readonly request: Request;
  readonly answer: Answer;
  /** Counted from 1. */
  readonly n: number;
  readonly at: Instant;
  readonly by: string;
  /** How far it had seen each kind when it last looked: what it decided upon. */
  readonly seen?: Seen;
}

export interface SimPortOptions {
  /** Who it is: its writes carry this name. */
  readonly name: string;
  readonly random: Random;
  readonly lag?: Lag;
  /** How likely each change is told twice. */
  readonly repeats?: number;
  readonly faults?: PortFaults;
  /** Before a request is carried out. */
  readonly before?: (request: Request, n: number) => void;
  readonly observe?: (sent: Sent) => void;
  readonly onRead?: OnRead;
  /** As long as the types are awaited there are no trial offers (F5). */
  readonly typesAwaited?: boolean;
}

const usualLag: Lag = [10, 50];

/** A watch that has not shown a write of our own by then is late. */
const echoTimeout = asDuration(10 * second);

/** A reflector whose server is away tries again after this. */
const reconnect = asDuration(second);

const everyKind: readonly string[] = [...watchedKinds, ...asideKinds, ledgerKind];

export class SimPort implements Port {
  readonly faults: PortFaults;
  readonly #objects: Objects;
  readonly #clock: Clock;
  readonly #options: SimPortOptions;
  readonly #mirror: Mirror;
  readonly #streams = new Map<string, WatchStream>();
  readonly #stop: () => void;
  #listener: (() => void) | undefined;
  #timer: { readonly at: Instant; readonly timer: Timer } | undefined;
  #isSynced = false;
  #isClosed = false;
  /** It was woken, and has not looked since: waking it again would tell it nothing. */
  #isAwake = false;
  #requests = 0;
  #looked: Seen = {};
  /** The last write of each kind, and when: it is to come back through the watch. */
  readonly #echoes = new Map<string, { readonly version: number; readonly at: Instant }>();
  #isLosing = false;

  /** A controller that starts knows nothing: everything is listed afresh. */
  constructor(objects: Objects, clock: Clock, options: SimPortOptions) {
    this.#objects = objects;
    this.#clock = clock;
    this.#options = options;
    this.#mirror = new Mirror(options.onRead);
    this.faults = options.faults ?? { away: false, lossy: false, lag: {} };
    this.#stop = objects.onChange((change) => this.#follow(change));
    this.#list();
    if (!this.#isSynced) this.#wakeAt(clock.now);
  }

  /** How many were sent. */
  get requests(): number {
    return this.#requests;
  }

  view(): View {
    this.#isAwake = false;
    if (!this.faults.away) this.#catchUp();
    const { cluster, ledger, unreadable } = this.#mirror.look();
    this.#wakeAt(this.#nextNewsAt());
    const unsynced = this.#isSynced ? unreadable : everyKind.map((kind) => `${kind} is not listed yet`);
    const late = this.#lateEchoes();
    this.#looked = this.#seen();
    return {
      cluster,
      ...(ledger && { ledger }),
      unsynced: [...unsynced, ...late],
      seen: this.#looked,
      written: this.#written(),
      ...(this.#options.typesAwaited && { typesAwaited: true }),
    };
  }

  send(request: Request): Answer {
    const n = ++this.#requests;
    this.#options.before?.(request, n);
    const answer = this.#send(request);
    this.#options.observe?.({ request, answer, n, at: this.#clock.now, by: this.#options.name, seen: this.#looked });
    return answer;
  }

  /** K5: called when a change arrives that this controller did not make itself, once until it looks again. */
  onWake(listener: () => void): void {
    this.#listener = listener;
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
    this.#timer?.timer.cancel();
    this.#listener = undefined;
  }

  #list(): void {
    if (this.faults.away) return;
    for (const kind of everyKind) {
      this.#streams.set(kind, new WatchStream(this.#options.random.fork(`watch ${kind}`), this.#objects.version));
      for (const object of this.#objects.list(kind)) this.#mirror.watched(object, false);
    }
    this.#isSynced = true;
  }

  #follow(change: Changed): void {
    const { kind } = change.object;
    const stream = this.#streams.get(kind);
    if (!stream) return;
    const { name, lag = usualLag, repeats = 0 } = this.#options;
    // What was carried out without an answer is news to whoever asked for it.
    const isNews = (change.by !== name || this.#isLosing) && kind !== 'Event';
    stream.send(change, { now: this.#clock.now, lag: this.faults.lag[kind] ?? lag, repeats, isNews });
    if (isNews && !this.#isAwake) this.#wakeAt(stream.nextNewsAt);
  }

  #catchUp(): void {
    if (!this.#isSynced) this.#list();
    for (const stream of this.#streams.values())
      for (const { object, type } of stream.arrived(this.#clock.now)) this.#mirror.watched(object, type === 'DELETED');
  }

  #nextNewsAt(): Instant | undefined {
    if (!this.#isSynced) return this.#clock.now;
    let next: Instant | undefined;
    for (const stream of this.#streams.values()) next = earliest(next, stream.nextNewsAt);
    return next;
  }

  /** One timer for all watches: nothing is read before somebody looks. */
  #wakeAt(at: Instant | undefined): void {
    if (at === undefined || this.#isClosed || (this.#timer && this.#timer.at <= at)) return;
    this.#timer?.timer.cancel();
    this.#timer = { at, timer: this.#clock.at(at, () => this.#wake()) };
  }

  #wake(): void {
    this.#timer = undefined;
    if (this.faults.away) {
      const timer = this.#clock.in(reconnect, () => this.#wake());
      this.#timer = { at: this.#clock.now, timer };
      return;
    }
    const next = this.#nextNewsAt();
    if (next === undefined || next > this.#clock.now) {
      this.#wakeAt(next);
      return;
    }
    this.#isAwake = true;
    this.#listener?.();
  }

  #seen(): Record<string, string> {
    const { version } = this.#objects;
    const seen: Record<string, string> = {};
    for (const kind of watchedKinds) seen[kind] = String(this.#streams.get(kind)?.seenOf(version) ?? 0);
    return seen;
  }

  #written(): Record<string, string> {
    return Object.fromEntries([...this.#echoes].map(([kind, { version }]) => [kind, String(version)]));
  }

  /** K3: what this controller wrote itself must come back. A watch that does not bring it is late, and so is all it shows. */
  #lateEchoes(): string[] {
    return [...this.#echoes].flatMap(([kind, { version, at }]) => {
      const seen = this.#streams.get(kind)?.seenOf(this.#objects.version) ?? 0;
      const isLate = seen < version && this.#clock.now >= after(at, echoTimeout);
      return isLate ? [`the watch of ${kind} is late: what was written at ${formatInstant(at)} has not come back`] : [];
    });
  }

  #noteEcho({ kind, metadata: { resourceVersion } }: KubeObject): void {
    const version = Number(resourceVersion);
    if (version > (this.#echoes.get(kind)?.version ?? 0)) this.#echoes.set(kind, { version, at: this.#clock.now });
  }

  #send(request: Request): Answer {
    if (this.faults.away) return { status: 'away', message: 'connection refused' };
    this.#isLosing = this.faults.lossy;
    const result = carryOut(this.#objects, request, this.#options.name);
    const isLost = this.#isLosing;
    this.#isLosing = false;
    if (isLost) return { status: 'away', message: 'connection reset before the answer came' };
    if (!result.ok) {
      if (request.verb === 'commit') this.#rereadLedger();
      return { status: 'refused', code: result.code, message: result.message };
    }
    if (request.verb === 'commit') this.#mirror.wrote(result.object, request.ledger);
    else {
      this.#noteEcho(result.object);
      this.#enter(result.object);
    }
    return { status: 'done' };
  }

  #enter(object: KubeObject): void {
    this.#mirror.answered(object, this.#objects.get(object.kind, keyOf(object)) === undefined);
  }

  /** Whoever lost a race wants to know to what. */
  #rereadLedger(): void {
    const resourceVersion = String(this.#objects.version);
    const gone: KubeObject = { apiVersion: '', kind: ledgerKind, metadata: { name: ledgerName, resourceVersion } };
    this.#enter(this.#objects.get(ledgerKind, ledgerName) ?? gone);
  }
}
