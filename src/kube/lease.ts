// The Lease by which one of several Lulls leads: acquired, renewed, lost and released.
// Clocks are never compared: a lease has expired when it has not changed for its duration, by our own clock.
import { type Json, mapIn } from '../kinds/read/reader.ts';
import type { Clock } from '../runtime/clock.ts';
import {
  after,
  asDuration,
  before,
  between,
  type Duration,
  formatExactly,
  type Instant,
  second,
} from '../time/instant.ts';
import { type ApiReply, bodyOf, isNotFound, sayReply } from './apiReply.ts';
import type { Call, Client } from './client.ts';
import { pause } from './pacing.ts';

export interface LeaseOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /** Our identity: different for each process, also on the same machine. */
  readonly identity: string;
  /** A monotonic clock. */
  readonly clock: Clock;
  /** The renewal time that is written, for people. Absent = the clock's. */
  readonly wallNow?: () => Instant;
  readonly chance: () => number;
  /** Aborted: the work is stopped, and the lease released. */
  readonly signal: AbortSignal;
  /** Annotations on the lease while it is held: how its holder decides. Called at every renewal. */
  readonly annotations?: () => Readonly<Record<string, string>>;
  /** Called with the holder each time it is seen. Undefined = no holder. */
  readonly onHolder?: (holder: string | undefined) => void;
  /** Checked before acquiring or renewing. False = the work is stuck, so the lease expires and others may acquire it. */
  readonly isAlive?: () => boolean;
  /** Called after each renewal with the end of the hold; with undefined as soon as it is lost. */
  readonly onHeld?: (until: Instant | undefined) => void;
  /** Called when a request failed. A code = the server refused; 409 = another process was faster. */
  readonly onFault?: (message: string, code?: number) => void;
}

/** The same as client-go's default. */
const lasts = asDuration(15 * second);
/** A holder that could not renew for this long has lost the lease, well before others may acquire it. */
const renewWithin = asDuration(10 * second);

const leasesPath = (namespace: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;

export const leasePath = (namespace: string, name: string): string =>
  `${leasesPath(namespace)}/${encodeURIComponent(name)}`;

class Lease {
  readonly #options: LeaseOptions;
  readonly #path: string;
  /** As last seen, and since when it has not changed. */
  #seen: { readonly object: Json; readonly since: Instant } | undefined;
  #heldUntil: Instant | undefined;
  /** The last attempt to acquire or renew it. */
  #trying: Promise<boolean> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#path = leasesPath(options.namespace);
  }

  get heldUntil(): Instant {
    return this.#heldUntil ?? before(this.#options.clock.now, second);
  }

  isHeld(): boolean {
    return this.#options.clock.now < this.heldUntil;
  }

  /** Acquires or renews the lease. */
  tryToHold(): Promise<boolean> {
    this.#trying = this.#tryToHold();
    return this.#trying;
  }

  async #tryToHold(): Promise<boolean> {
    const { client, name, clock, identity } = this.#options;
    // The hold counts from before the request: the response may have taken long.
    const askedAt = clock.now;
    const reply = await client.request({ method: 'GET', path: `${this.#path}/${name}`, timeout: renewWithin });
    if (isNotFound(reply)) return this.#write(this.#creation(), askedAt);
    const object = bodyOf(reply);
    if (!object) return this.#fault(reply);
    this.#look(object);
    const holder = holderOf(object);
    this.#options.onHolder?.(holder);
    if (holder === identity) return this.#write(this.#update(object, identity), askedAt);
    this.#heldUntil = undefined;
    if (holder !== undefined && !this.#isOver(object)) return false;
    return this.#write(this.#update(object, identity), askedAt);
  }

  /** Releases it, so that the next process need not wait. */
  async giveBack(): Promise<void> {
    // A renewal still in flight would arrive after this, and the lease would stay ours.
    if (this.isHeld()) await this.#trying;
    const object = this.#seen?.object;
    const wasHeld = this.isHeld();
    this.#heldUntil = undefined;
    if (wasHeld && object && holderOf(object) === this.#options.identity)
      await this.#options.client.request(this.#update(object, ''));
  }

  #look(object: Json): void {
    if (this.#seen && versionOf(this.#seen.object) === versionOf(object)) return;
    this.#seen = { object, since: this.#options.clock.now };
  }

  #isOver(object: Json): boolean {
    const seconds = Number(specOf(object).leaseDurationSeconds ?? lasts / second);
    const since = this.#seen?.since ?? this.#options.clock.now;
    return this.#options.clock.now >= after(since, asDuration(Math.max(0, seconds) * second));
  }

  #creation(): Call {
    const { namespace, name, identity } = this.#options;
    const metadata = this.#annotated({ namespace, name });
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
    const spec = { ...this.#renewal(identity), acquireTime: this.#stamp(), leaseTransitions: 0 };
    return { method: 'POST', path: this.#path, body: { ...lease, spec }, timeout: renewWithin };
  }

  /** All other fields stay (K4); the server compares the resourceVersion. */
  #update(object: Json, holder: string): Call {
    const was = specOf(object);
    const isNew = was.holderIdentity !== holder && holder !== '';
    const transitions = Number(was.leaseTransitions ?? 0) + 1;
    const spec = {
      ...was,
      ...this.#renewal(holder),
      ...(isNew && { acquireTime: this.#stamp(), leaseTransitions: transitions }),
    };
    const body = { ...object, metadata: this.#annotated(mapIn(object.metadata)), spec };
    return { method: 'PUT', path: `${this.#path}/${this.#options.name}`, body, timeout: renewWithin };
  }

  /** Adds our annotations to those of others. */
  #annotated(metadata: Json): Json {
    const own = this.#options.annotations?.();
    if (!own) return metadata;
    return { ...metadata, annotations: { ...mapIn(metadata.annotations), ...own } };
  }

  #renewal(holder: string): Json {
    // One second when it is released: the minimum.
    const seconds = holder === '' ? 1 : lasts / second;
    return { holderIdentity: holder, leaseDurationSeconds: seconds, renewTime: this.#stamp() };
  }

  async #write(call: Call, askedAt: Instant): Promise<boolean> {
    const reply = await this.#options.client.request(call);
    const object = bodyOf(reply);
    // 409: another process was faster. The next attempt shows its lease.
    if (!object) return this.#fault(reply);
    this.#look(object);
    this.#heldUntil = after(askedAt, renewWithin);
    this.#options.onHolder?.(this.#options.identity);
    return this.isHeld();
  }

  #fault(reply: ApiReply): false {
    const { onFault, name } = this.#options;
    onFault?.(`lease ${name}: ${sayReply(reply)}`, reply.kind === 'silence' ? undefined : reply.code);
    return false;
  }

  /** MicroTime: exactly six digits. */
  #stamp(): string {
    const { wallNow, clock } = this.#options;
    const text = formatExactly(wallNow?.() ?? clock.now);
    return text.includes('.') ? text.replace('Z', '000Z') : text.replace('Z', '.000000Z');
  }
}

const specOf = (object: Json): Json => mapIn(object.spec);
const holderOf = (object: Json): string | undefined => {
  const { holderIdentity: holder } = specOf(object);
  return typeof holder === 'string' && holder !== '' ? holder : undefined;
};
const versionOf = (object: Json): unknown => mapIn(object.metadata).resourceVersion;

export interface HeldLease {
  /** Aborted as soon as the lease is lost. */
  readonly signal: AbortSignal;
  /** Whether it is held at this moment: true only as long as no other process may acquire it. */
  isHeld(): boolean;
}

const retryEvery = asDuration(2 * second);

/** Works while the lease is held, repeatedly, until the signal aborts. Returns when the work has ended and the lease is released. */
export async function whileLeading(options: LeaseOptions, work: (held: HeldLease) => Promise<void>): Promise<void> {
  const lease = new Lease(options);
  while (!options.signal.aborted) {
    if (isAlive(options) && (await lease.tryToHold())) await workWhileHeld(lease, options, work);
    else await pause(options.clock, jittered(retryEvery, options.chance), options.signal);
  }
}

async function workWhileHeld(
  lease: Lease,
  options: LeaseOptions,
  work: (held: HeldLease) => Promise<void>,
): Promise<void> {
  const { clock, signal, onHeld } = options;
  const lost = new AbortController();
  const stop = (): void => {
    lost.abort();
    onHeld?.(undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  const isHeld = (): boolean => !lost.signal.aborted && lease.isHeld();
  onHeld?.(lease.heldUntil);
  const working = work({ signal: lost.signal, isHeld }).finally(stop);
  // A failure is reported by the await below.
  working.catch(() => undefined);
  try {
    while (!lost.signal.aborted) {
      const wait = Math.min(jittered(retryEvery, options.chance), Math.max(0, between(clock.now, lease.heldUntil)));
      await pause(clock, asDuration(wait), lost.signal);
      if (lost.signal.aborted) break;
      if (!lease.isHeld()) {
        stop();
        break;
      }
      if (isAlive(options)) await renew(lease, clock, lost.signal);
      if (!lease.isHeld()) stop();
      else if (!lost.signal.aborted) onHeld?.(lease.heldUntil);
    }
    await working;
  } finally {
    signal.removeEventListener('abort', stop);
    await lease.giveBack();
  }
}

const isAlive = (options: LeaseOptions): boolean => options.isAlive?.() !== false;

/** Waits for the response no longer than the lease is held. */
async function renew(lease: Lease, clock: Clock, lost: AbortSignal): Promise<void> {
  const answered = new AbortController();
  const deadline = pause(
    clock,
    asDuration(between(clock.now, lease.heldUntil)),
    AbortSignal.any([lost, answered.signal]),
  );
  await Promise.race([lease.tryToHold(), deadline]);
  answered.abort();
}

/** Up to a fifth longer, so that waiting processes do not all retry at once. */
const jittered = (delay: Duration, chance: () => number): Duration =>
  asDuration(Math.round(delay * (1 + chance() / 5)));
