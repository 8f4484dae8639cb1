// One controller's connection to the simulated cluster: late watches, and requests that are carried out, refused or lost.
import type { SeenVersions } from '../cluster/ledger.ts';
import { ledgerKind, ledgerName, Mirror, type OnRead } from '../runtime/mirror.ts';
import { type ApiRequest, type ApiResponse, type ClusterView, type Port, unsyncedBecause } from '../runtime/port.ts';
import { after, asDuration, earliest, formatInstant, type Instant, second } from '../time/instant.ts';
import { keyOf, type StoredObject } from './kubeObject.ts';
import type { ObjectChange, Objects } from './objects.ts';
import type { Random } from './random.ts';
import { carryOut } from './serverRequest.ts';
import type { VirtualClock, VirtualTimer } from './virtualClock.ts';
import { type Lag, WatchStream } from './watchStream.ts';

/** The kinds that Lull watches besides its ledger. */
export const watchedKinds = [
  'Namespace',
  'NodePool',
  'NodeClaim',
  'Node',
  'Pod',
  'PodDisruptionBudget',
  'PodDisruptionSchedule',
  'MaintenanceWindow',
  'HealthGate',
  'DaemonSet',
  'PersistentVolumeClaim',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
] as const;

/** Kinds used only for explanations and warnings (N3, N9): decisions do not wait for them, and the ledger does not record their versions. */
const asideKinds = ['Event', 'CustomResourceDefinition'] as const;

/** The faults of the connection. The script changes them at any time. */
export interface PortFaults {
  /** Requests fail without effect, and watches stall. */
  away: boolean;
  /** Requests are carried out, but the responses are lost. */
  lossy: boolean;
  /** Unusual watch delays, by kind. */
  lag: Record<string, Lag>;
}

export interface SentRequest {
  readonly request: ApiRequest;
  readonly answer: ApiResponse;
  /** The request's number, from 1. */
  readonly n: number;
  readonly at: Instant;
  readonly by: string;
  /** The versions in the view on which it decided, by kind. */
  readonly seen?: SeenVersions;
}

export interface SimPortOptions {
  /** The controller's name, recorded with its writes. */
  readonly name: string;
  readonly random: Random;
  readonly lag?: Lag;
  /** The probability that a change is delivered twice. */
  readonly repeats?: number;
  readonly faults?: PortFaults;
  /** Called before a request is carried out. */
  readonly before?: (request: ApiRequest, n: number) => void;
  readonly observe?: (sent: SentRequest) => void;
  readonly onRead?: OnRead;
  /** While the instance types are loading, there are no trial offers (F5). */
  readonly typesAwaited?: boolean;
}

const usualLag: Lag = [10, 50];

/** A watch that has not delivered the controller's own write by then is late. */
const echoTimeout = asDuration(10 * second);

/** The reconnect interval of a watch. */
const reconnect = asDuration(second);

const everyKind: readonly string[] = [...watchedKinds, ...asideKinds, ledgerKind];

export class SimPort implements Port {
  readonly faults: PortFaults;
  readonly #objects: Objects;
  readonly #clock: VirtualClock;
  readonly #options: SimPortOptions;
  readonly #mirror: Mirror;
  readonly #streams = new Map<string, WatchStream>();
  readonly #stop: () => void;
  #listener: (() => void) | undefined;
  #timer: { readonly at: Instant; readonly timer: VirtualTimer } | undefined;
  #isSynced = false;
  #isClosed = false;
  /** Woken but not read since: no need to wake it again. */
  #isAwake = false;
  #requests = 0;
  #looked: SeenVersions = {};
  /** The last own write of each kind, which must come back through the watch. */
  readonly #echoes = new Map<string, { readonly version: number; readonly at: Instant }>();
  #isLosing = false;

  /** A new controller lists all objects. */
  constructor(objects: Objects, clock: VirtualClock, options: SimPortOptions) {
    this.#objects = objects;
    this.#clock = clock;
    this.#options = options;
    this.#mirror = new Mirror(options);
    this.faults = options.faults ?? { away: false, lossy: false, lag: {} };
    this.#stop = objects.onChange((change) => this.#follow(change));
    this.#list();
    if (!this.#isSynced) this.#wakeAt(clock.now);
  }

  /** The number of requests sent. */
  get requests(): number {
    return this.#requests;
  }

  view(): ClusterView {
    this.#isAwake = false;
    if (!this.faults.away) this.#catchUp();
    const { cluster, ledger, unreadable } = this.#mirror.look();
    this.#wakeAt(this.#nextNewsAt());
    const unlisted = this.#isSynced ? [] : everyKind.map((kind) => ({ cause: 'not listed', kind }) as const);
    const others = [...(this.#isSynced ? unreadable : []), ...this.#lateEchoes()];
    this.#looked = this.#seen();
    return {
      cluster,
      ...(ledger && { ledger }),
      unsynced: [...unlisted, ...others.map(unsyncedBecause)],
      seen: this.#looked,
      written: this.#written(),
      ...(this.#options.typesAwaited && { typesAwaited: true }),
    };
  }

  send(request: ApiRequest): ApiResponse {
    const n = ++this.#requests;
    this.#options.before?.(request, n);
    const answer = this.#send(request);
    this.#options.observe?.({ request, answer, n, at: this.#clock.now, by: this.#options.name, seen: this.#looked });
    return answer;
  }

  /** Called when a change by another writer arrives, once until the next view (K5). */
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

  #follow(change: ObjectChange): void {
    const { kind } = change.object;
    const stream = this.#streams.get(kind);
    if (!stream) return;
    const { name, lag = usualLag, repeats = 0 } = this.#options;
    // A request whose response was lost is news to its sender.
    const isNews = (change.by !== name || this.#isLosing) && kind !== 'Event';
    stream.send(change, { now: this.#clock.now, lag: this.faults.lag[kind] ?? lag, repeats, isNews });
    if (isNews && !this.#isAwake) this.#wakeAt(stream.nextNewsAt);
  }

  #catchUp(): void {
    if (!this.#isSynced) this.#list();
    for (const stream of this.#streams.values()) {
      // Only the last of several changes of an object is read.
      const last = new Map<string, ObjectChange>();
      for (const change of stream.arrived(this.#clock.now)) last.set(keyOf(change.object), change);
      for (const { object, type } of last.values()) this.#mirror.watched(object, type === 'DELETED');
    }
  }

  #nextNewsAt(): Instant | undefined {
    if (!this.#isSynced) return this.#clock.now;
    let next: Instant | undefined;
    for (const stream of this.#streams.values()) next = earliest(next, stream.nextNewsAt);
    return next;
  }

  /** One timer for all watches: changes are read only when the view is. */
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

  /** Kinds whose watch has not delivered the controller's own write: their view is stale (K3). */
  #lateEchoes(): string[] {
    return [...this.#echoes].flatMap(([kind, { version, at }]) => {
      const seen = this.#streams.get(kind)?.seenOf(this.#objects.version) ?? 0;
      const isLate = seen < version && this.#clock.now >= after(at, echoTimeout);
      return isLate ? [`the watch of ${kind} is late: the write of ${formatInstant(at)} has not come back`] : [];
    });
  }

  #noteEcho({ kind, metadata: { resourceVersion } }: StoredObject): void {
    const version = Number(resourceVersion);
    if (version > (this.#echoes.get(kind)?.version ?? 0)) this.#echoes.set(kind, { version, at: this.#clock.now });
  }

  #send(request: ApiRequest): ApiResponse {
    if (this.faults.away) return { status: 'away', message: 'connection refused' };
    this.#isLosing = this.faults.lossy;
    const result = carryOut(this.#objects, request, this.#options.name);
    const isLost = this.#isLosing;
    this.#isLosing = false;
    if (isLost) return { status: 'away', message: 'connection reset before the response' };
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

  #enter(object: StoredObject): void {
    const { kind, metadata } = object;
    const key = keyOf(object);
    if (this.#objects.get(kind, key)) this.#mirror.answered(object);
    else this.#mirror.removed(kind, key, metadata.uid);
  }

  /** After a lost race, reads the ledger again. */
  #rereadLedger(): void {
    const ledger = this.#objects.get(ledgerKind, ledgerName);
    if (ledger) this.#mirror.answered(ledger);
    else this.#mirror.removed(ledgerKind, ledgerName);
  }
}
