// Writes statuses (J2, D8, N8) by server-side apply of Lull's own fields, when they changed, at a limited rate (K5).
import { isMap, type Json, listIn, mapIn } from '../kinds/read/reader.ts';
import { escapeControls } from '../kinds/text/escaping.ts';
import type { Clock, Timer } from '../runtime/clock.ts';
import type { WantedCondition, WantedStatus } from '../runtime/statuses.ts';
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
import { type ApiReply, isDone, isNotFound, messageOf, sayReply } from './apiReply.ts';
import { applyPatch, fieldManager, foundIn, lookUp, reportWithin } from './apply.ts';
import type { Call, Client } from './client.ts';
import { backoff } from './pacing.ts';

/** For writers of statuses and events, beside the loop. */
export interface WriterOptions {
  readonly client: Pick<Client, 'request'>;
  readonly clock: Clock;
  /** The time that is written, for people. Absent = the clock's. */
  readonly wallNow?: () => Instant;
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  /** Only the leader writes. */
  readonly mayAct?: () => boolean;
  /** Called when something could not be written, with a message. It is retried. */
  readonly onFault?: (message: string) => void;
}

/** The minimum interval between two writes of an object (K5). */
const atMostEvery: Duration = asDuration(10 * second);

/** Statuses are written again this often, in case someone removed them. An unchanged write costs the server nothing. */
const refreshEvery: Duration = asDuration(10 * minute);

/** The state of one object. */
interface StatusSlot {
  wanted: WantedStatus;
  /** The status that was last written, as JSON. */
  written?: string;
  notBefore: Instant;
  writtenAt?: Instant;
  failures: number;
  /** By type: since when each of Lull's conditions has its status. Absent = the object has not been read yet. */
  since?: Map<string, { readonly status: string; readonly at: string }>;
}

export class StatusWriter {
  readonly #options: WriterOptions;
  readonly #slots = new Map<string, StatusSlot>();
  /** A CRD without Lull's field is not tried again until then (N9). */
  #fieldUnknownUntil: Instant | undefined;
  /** Without permission to act, writing pauses until then. */
  #restUntil: Instant = asInstant(0);
  #timer: Timer | undefined;
  #writing: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Sets all statuses to write; those not among them are dropped. */
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

  /** Waits for the request in flight. */
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

  #dueAt({ wanted, written, writtenAt, notBefore }: StatusSlot): number {
    if (written !== JSON.stringify(wanted)) return notBefore;
    return writtenAt === undefined ? notBefore : after(writtenAt, refreshEvery);
  }

  /** One after another: statuses are not urgent. */
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

  async #write(slot: StatusSlot): Promise<void> {
    const { client, clock } = this.#options;
    const { wanted } = slot;
    if (!slot.since) {
      const looked = await client.request(lookUp(wanted));
      if (!isDone(looked)) return this.#failed(slot, looked);
      slot.since = ownConditions(foundIn(looked), wanted);
    }
    // What was never written need not be removed.
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

  async #apply(slot: StatusSlot): Promise<ApiReply> {
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

  /** If the object is gone, the next round no longer wants its status. */
  #failed(slot: StatusSlot, reply: ApiReply): void {
    const { clock, chance, onFault } = this.#options;
    const retryAfter = reply.kind === 'answer' ? reply.retryAfter : undefined;
    slot.failures++;
    slot.notBefore = after(clock.now, asDuration(Math.max(atMostEvery, backoff(slot.failures, chance(), retryAfter))));
    delete slot.written;
    if (!isNotFound(reply)) onFault?.(`status of ${slot.wanted.kind} ${slot.wanted.name}: ${sayReply(reply)}`);
  }
}

const keyOf = ({ kind, name }: WantedStatus): string => `${kind}/${name}`;

/** Server-side apply of all of Lull's fields: the server removes those that were applied before and are missing now. */
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

/** The texts are read in terminals, and contain other people's names and notes (K8). */
function visible(value: unknown): unknown {
  if (typeof value === 'string') return escapeControls(value);
  if (Array.isArray(value)) return value.map(visible);
  return isMap(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, visible(each)])) : value;
}

/** Without the patch of the CRD (N9) the field is unknown, and the server refuses the whole request. */
const saysUnknownField = (reply: ApiReply): boolean =>
  reply.kind === 'answer' && reply.code >= 400 && /field not declared in schema/.test(messageOf(reply.body));

/** Reads since when conditions hold, so that a restart does not reset it. */
function ownConditions(object: Json | undefined, { kind, conditions }: WantedStatus): NonNullable<StatusSlot['since']> {
  const isOwn = (type: string): boolean =>
    kind === 'NodePool' ? type.startsWith('Lull') : conditions.some((it: WantedCondition) => it.type === type);
  return new Map(
    listIn(mapIn(object?.status), 'conditions')
      .filter(({ type }) => isOwn(String(type)))
      .map((it) => [String(it.type), { status: String(it.status), at: String(it.lastTransitionTime) }]),
  );
}
