// Whose is the Lease? Ours, from when it was asked for until shortly before another may take it.
// Clocks are never compared: a lease is over when nobody has changed it for as long as it lasts, by our own clock.
import { isMap, type Json } from '../kinds/reader.ts';
import type { Clock } from '../runtime/clock.ts';
import { after, asDuration, before, formatExactly, type Instant, second } from '../time/instant.ts';
import type { Call, Client, Reply } from './client.ts';
import { sayReply } from './status.ts';

export interface LeaseOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly name: string;
  /** Who we are: different for each process, also on the same machine. */
  readonly identity: string;
  /** One that never goes back. */
  readonly clock: Clock;
  /** What is written as the time of renewal, for people. Absent = the clock's. */
  readonly wallNow?: () => Instant;
  readonly chance: () => number;
  /** Aborted: the work is stopped, and the lease given back. */
  readonly signal: AbortSignal;
  /** What is written on it while it is held, for those who want to know how its holder decides. Asked at every renewal. */
  readonly annotations?: () => Readonly<Record<string, string>>;
  /** Who holds it, each time that is seen. Undefined = nobody. */
  readonly onHolder?: (holder: string | undefined) => void;
  /** Asked before it is taken or renewed. False = the work shows no sign of life, so the lease runs out and others may take it. */
  readonly isAlive?: () => boolean;
  /** Until when it is held, after each renewal; undefined as soon as it is lost. */
  readonly onHeld?: (until: Instant | undefined) => void;
  /** Whatever kept it from being asked for. A code = the server said so; 409 = another was faster. */
  readonly onFault?: (message: string, code?: number) => void;
}

/** As long as client-go's, by custom. */
const lasts = asDuration(15 * second);
/** Whoever could not renew it for this long has lost it, well before others may take it. */
const renewWithin = asDuration(10 * second);

const leasesPath = (namespace: string): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases`;

export const leasePath = (namespace: string, name: string): string =>
  `${leasesPath(namespace)}/${encodeURIComponent(name)}`;

export class Lease {
  readonly #options: LeaseOptions;
  readonly #path: string;
  /** As it was last seen, and since when it has not changed. */
  #seen: { readonly object: Json; readonly since: Instant } | undefined;
  #heldUntil: Instant | undefined;
  /** The last try to take or renew it. */
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

  /** Takes it, or renews it. */
  tryToHold(): Promise<boolean> {
    this.#trying = this.#tryToHold();
    return this.#trying;
  }

  async #tryToHold(): Promise<boolean> {
    const { client, name, clock, identity } = this.#options;
    // It lasts from before it is asked for: the answer may have been long on its way.
    const askedAt = clock.now;
    const reply = await client.request({ method: 'GET', path: `${this.#path}/${name}`, timeout: renewWithin });
    if (reply.kind === 'answer' && reply.code === 404) return this.#write(this.#creation(), askedAt);
    const object = reply.kind === 'answer' && reply.code === 200 ? reply.body : undefined;
    if (!isMap(object)) return this.#fault(reply);
    this.#look(object);
    const holder = holderOf(object);
    this.#options.onHolder?.(holder);
    if (holder === identity) return this.#write(this.#update(object, identity), askedAt);
    this.#heldUntil = undefined;
    if (holder !== undefined && !this.#isOver(object)) return false;
    return this.#write(this.#update(object, identity), askedAt);
  }

  /** So that the next need not wait. */
  async giveBack(): Promise<void> {
    // A renewal that is still on its way would come after this, and the lease would stay ours.
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

  /** Whatever else is in it stays (K4); its resourceVersion is compared by the server. */
  #update(object: Json, holder: string): Call {
    const was = specOf(object);
    const isNew = was.holderIdentity !== holder && holder !== '';
    const transitions = Number(was.leaseTransitions ?? 0) + 1;
    const spec = {
      ...was,
      ...this.#renewal(holder),
      ...(isNew && { acquireTime: this.#stamp(), leaseTransitions: transitions }),
    };
    const path = `${this.#path}/${this.#options.name}`;
    const metadata = isMap(object.metadata) ? object.metadata : {};
    return {
      method: 'PUT',
      path,
      body: { ...object, metadata: this.#annotated(metadata), spec },
      timeout: renewWithin,
    };
  }

  /** Our own beside those of others. */
  #annotated(metadata: Json): Json {
    const own = this.#options.annotations?.();
    if (!own) return metadata;
    return { ...metadata, annotations: { ...(isMap(metadata.annotations) ? metadata.annotations : {}), ...own } };
  }

  #renewal(holder: string): Json {
    // One second, where it is given back: none may be shorter.
    const seconds = holder === '' ? 1 : lasts / second;
    return { holderIdentity: holder, leaseDurationSeconds: seconds, renewTime: this.#stamp() };
  }

  async #write(call: Call, askedAt: Instant): Promise<boolean> {
    const reply = await this.#options.client.request(call);
    const isDone = reply.kind === 'answer' && reply.code >= 200 && reply.code < 300 && isMap(reply.body);
    // 409: another was faster. What it made of the lease is seen at the next try.
    if (!isDone) return this.#fault(reply);
    this.#look(reply.body as Json);
    this.#heldUntil = after(askedAt, renewWithin);
    this.#options.onHolder?.(this.#options.identity);
    return this.isHeld();
  }

  #fault(reply: Reply): false {
    const { onFault, name } = this.#options;
    const why = sayReply(reply);
    onFault?.(`lease ${name}: ${why}`, reply.kind === 'silence' ? undefined : reply.code);
    return false;
  }

  /** MicroTime: six digits, neither more nor fewer. */
  #stamp(): string {
    const { wallNow, clock } = this.#options;
    const text = formatExactly(wallNow?.() ?? clock.now);
    return text.includes('.') ? text.replace('Z', '000Z') : text.replace('Z', '.000000Z');
  }
}

const specOf = (object: Json): Json => (isMap(object.spec) ? object.spec : {});
const holderOf = (object: Json): string | undefined => {
  const { holderIdentity: holder } = specOf(object);
  return typeof holder === 'string' && holder !== '' ? holder : undefined;
};
const versionOf = (object: Json): unknown => (isMap(object.metadata) ? object.metadata.resourceVersion : undefined);
