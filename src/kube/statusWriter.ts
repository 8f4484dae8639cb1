// How does a status get onto its object (J2, D8, N8)? By server-side apply of Lull's own fields, when they changed, and not too often (K5).
import { escapeControls } from '../kinds/escaping.ts';
import { isMap, type Json } from '../kinds/reader.ts';
import type { Clock, Timer } from '../runtime/clock.ts';
import type { WantedCondition, WantedStatus } from '../runtime/wantedStatus.ts';
import {
  after,
  asDuration,
  asInstant,
  type Duration,
  formatInstant,
  type Instant,
  minute,
  second,
} from '../time/instant.ts';
import { apiKindOf, objectPath } from './apiKind.ts';
import { applyPatch } from './apply.ts';
import { backoff } from './backoff.ts';
import type { Call, Client, Reply } from './client.ts';
import { fieldManager } from './fieldManager.ts';
import { foundIn, lookUp, reportWithin } from './lookUp.ts';
import { messageOf, sayReply } from './status.ts';

export interface StatusWriterOptions {
  readonly client: Pick<Client, 'request'>;
  readonly clock: Clock;
  /** What is written for people. Absent = the clock's. */
  readonly wallNow?: () => Instant;
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  /** Only whoever leads writes. */
  readonly mayAct?: () => boolean;
  /** Whatever could not be written, in words. It is tried again. */
  readonly onFault?: (message: string) => void;
}

/** K5: at most so often an object. */
const atMostEvery: Duration = asDuration(10 * second);

/** Another may have taken away what was written: so often it is written as it is. That costs the server nothing where it stands. */
const refreshEvery: Duration = asDuration(10 * minute);

/** What is known of one object. */
interface Slot {
  wanted: WantedStatus;
  /** What stands there, as it was wanted. */
  written?: string;
  notBefore: Instant;
  writtenAt?: Instant;
  failures: number;
  /** By type: since when each own condition is what it is. Absent = the object has not been looked at. */
  since?: Map<string, { readonly status: string; readonly at: string }>;
}

export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #slots = new Map<string, Slot>();
  /** N9: a CRD that does not know Lull's field is not asked again for a while. */
  #fieldUnknownUntil: Instant | undefined;
  /** Whoever may not write does not try without end. */
  #restUntil: Instant = asInstant(0);
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** All that is to stand now: what is not among it is not written any more. */
  want(statuses: readonly WantedStatus[]): void {
    const keys = new Set(statuses.map(keyOf));
    for (const key of this.#slots.keys()) if (!keys.has(key)) this.#slots.delete(key);
    for (const wanted of statuses) {
      const slot = this.#slots.get(keyOf(wanted));
      if (slot) slot.wanted = wanted;
      else this.#slots.set(keyOf(wanted), { wanted, notBefore: this.#options.clock.now, failures: 0 });
    }
    this.#schedule();
  }

  /** What is on its way is waited for. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    await this.#writing;
  }

  #schedule(): void {
    if (this.#isClosed || this.#writing) return;
    const { clock } = this.#options;
    const dues = [...this.#slots.values()].map((slot) => this.#dueAt(slot));
    const next = Math.max(Math.min(...dues), this.#restUntil);
    this.#timer?.cancel();
    if (!Number.isFinite(next)) return;
    this.#timer = clock.in(asDuration(Math.max(0, next - clock.now)), () => {
      this.#writing = this.#writeAll().finally(() => {
        this.#writing = undefined;
        this.#schedule();
      });
    });
  }

  #dueAt({ wanted, written, writtenAt, notBefore }: Slot): number {
    if (written !== JSON.stringify(wanted)) return notBefore;
    return writtenAt === undefined ? notBefore : after(writtenAt, refreshEvery);
  }

  /** One after another: a status is never in a hurry. */
  async #writeAll(): Promise<void> {
    const { mayAct, clock } = this.#options;
    for (const slot of this.#slots.values()) {
      if (this.#isClosed) return;
      if (mayAct?.() === false) {
        this.#restUntil = after(clock.now, atMostEvery);
        return;
      }
      if (this.#dueAt(slot) <= clock.now) await this.#write(slot);
    }
  }

  async #write(slot: Slot): Promise<void> {
    const { client, clock } = this.#options;
    const { wanted } = slot;
    if (!slot.since) {
      const looked = await client.request(lookUp(wanted));
      if (!isDone(looked)) return this.#failed(slot, looked);
      slot.since = ownConditions(foundIn(looked.body), wanted);
    }
    // What was never written need not be taken away.
    const isNothing = wanted.conditions.length === 0 && Object.keys(wanted.fields).length === 0;
    if (!isNothing || slot.since.size > 0 || slot.written !== undefined) {
      const reply = await this.#apply(slot);
      if (!isDone(reply)) return this.#failed(slot, reply);
    }
    slot.written = JSON.stringify(wanted);
    slot.writtenAt = clock.now;
    slot.notBefore = after(clock.now, atMostEvery);
    slot.failures = 0;
  }

  async #apply(slot: Slot): Promise<Reply> {
    const { client, clock } = this.#options;
    const now = formatInstant(this.#options.wallNow?.() ?? clock.now);
    const { wanted, since = new Map() } = slot;
    const conditions = wanted.conditions.map((it) => {
      const known = since.get(it.type);
      return { ...it, lastTransitionTime: known?.status === it.status ? known.at : now };
    });
    const isFieldUnknown = this.#fieldUnknownUntil !== undefined && clock.now < this.#fieldUnknownUntil;
    const mayHaveFields = wanted.kind !== 'NodePool' || !isFieldUnknown;
    let reply = await client.request(applyCall(wanted, { conditions, ...(mayHaveFields ? wanted.fields : {}) }));
    if (mayHaveFields && saysUnknownField(reply)) {
      this.#fieldUnknownUntil = after(clock.now, refreshEvery);
      reply = await client.request(applyCall(wanted, { conditions }));
    }
    if (isDone(reply))
      slot.since = new Map(conditions.map((it) => [it.type, { status: it.status, at: it.lastTransitionTime }]));
    return reply;
  }

  /** Gone meanwhile: the next round does not want it any more. */
  #failed(slot: Slot, reply: Reply): void {
    const { clock, chance, onFault } = this.#options;
    const retryAfter = reply.kind === 'answer' ? reply.retryAfter : undefined;
    slot.failures++;
    slot.notBefore = after(clock.now, asDuration(Math.max(atMostEvery, backoff(slot.failures, chance(), retryAfter))));
    delete slot.written;
    if (reply.kind === 'answer' && reply.code === 404) return;
    const why = sayReply(reply);
    onFault?.(`status of ${slot.wanted.kind} ${slot.wanted.name}: ${why}`);
  }
}

const keyOf = ({ kind, name }: WantedStatus): string => `${kind}/${name}`;

type Answer = Extract<Reply, { kind: 'answer' }>;
const isDone = (reply: Reply): reply is Answer => reply.kind === 'answer' && reply.code >= 200 && reply.code < 300;

/** Server-side apply of all that is Lull's: what it applied before and is not in it is removed by the server. */
function applyCall({ kind, name }: Pick<WantedStatus, 'kind' | 'name'>, status: Json): Call {
  const apiKind = apiKindOf(kind);
  return {
    method: 'PATCH',
    path: `${objectPath(apiKind, name)}/status`,
    query: { fieldManager, force: 'true' },
    body: { apiVersion: apiKind.apiVersion, kind, metadata: { name }, status: visible(status) },
    contentType: applyPatch,
    timeout: reportWithin,
  };
}

/** The texts in it are read in terminals, and names and notes in them are other people's (K8). */
function visible(value: unknown): unknown {
  if (typeof value === 'string') return escapeControls(value);
  if (Array.isArray(value)) return value.map(visible);
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visible(each)])) : value;
}

/** Without the patch of N9 the field is not known, and the whole request refused. */
const saysUnknownField = (reply: Reply): boolean =>
  reply.kind === 'answer' && reply.code >= 400 && /field not declared in schema/.test(messageOf(reply.body));

/** Since when: a restart does not make a condition younger. */
function ownConditions(body: unknown, { kind, conditions }: WantedStatus): NonNullable<Slot['since']> {
  const status = isMap(body) && isMap(body.status) ? body.status : {};
  const listed: readonly unknown[] = Array.isArray(status.conditions) ? status.conditions : [];
  const isOwn = (type: string): boolean =>
    kind === 'NodePool' ? type.startsWith('Lull') : conditions.some((it: WantedCondition) => it.type === type);
  return new Map(
    listed.flatMap((it) => {
      if (!isMap(it) || typeof it.type !== 'string' || !isOwn(it.type)) return [];
      return [[it.type, { status: String(it.status), at: String(it.lastTransitionTime) }] as const];
    }),
  );
}
