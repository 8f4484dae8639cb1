// The loop's port to a real cluster: one watch per kind, and guarded requests whose results are in the view at once.
import { isDeepStrictEqual } from 'node:util';
import type { SeenVersions } from '../cluster/ledger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { WakingPort } from '../runtime/loop.ts';
import { Mirror, type OnRead } from '../runtime/mirror.ts';
import {
  type ApiRequest,
  type ApiResponse,
  type ClusterView,
  type Commit,
  type Port,
  unsyncedBecause,
} from '../runtime/port.ts';
import { after, asDuration, formatInstant, type Instant, second } from '../time/instant.ts';
import { apiKindOf, factKinds, ledgerKind, ledgerName, objectPath, watchedKinds } from './apiKind.ts';
import { type ApiReply, bodyOf, isNotFound } from './apiReply.ts';
import type { Client } from './client.ts';
import { Flow, type Rate } from './pacing.ts';
import { asRawObject, isGone, keyAt, keyOf, type ObjectKey, type RawObject, versionOf } from './rawObject.ts';
import { Reflector } from './reflector.ts';
import { type ActionRequest, answerTo, callFor, ledgerCall, uidGone } from './requests.ts';
import { RestoreCheck } from './restoreCheck.ts';

export interface KubePortOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  /** For servers without API priority and fairness. */
  readonly rate?: Rate;
  /** Checked just before a request is sent: one that had to wait may have lost the lease meanwhile. */
  readonly mayAct?: () => boolean;
  readonly onRead?: OnRead;
  /** Called when something went wrong with a watch, with a message. */
  readonly onFault?: (message: string) => void;
  /** Called with a message that a person should see. */
  readonly onWarning?: (message: string) => void;
}

/** A watch that has not delivered one of our own writes by then is late. */
const echoTimeout = asDuration(10 * second);

const factNames = factKinds.map(({ kind }) => kind);

interface SendOutcome {
  readonly answer: ApiResponse;
  /** All versions of the request's object up to this one are in the view with the response. */
  readonly upTo: number;
}

interface Echo {
  readonly version: number;
  readonly at: Instant;
  readonly rewinds: number;
}

const unseen = (answer: ApiResponse): SendOutcome => ({ answer, upTo: 0 });

/** The next round would be decided on unknown facts (K2). */
const carriedOutUnseen = (why: string): SendOutcome =>
  unseen({ status: 'away', message: `It was carried out, but its result could not be read: ${why}` });

const unsure = 'checking whether the API server was restored from a backup';

const placeOf = (request: ApiRequest): [kind: string, key: ObjectKey] =>
  request.verb === 'commit' ? [ledgerKind, ledgerName] : [request.kind, keyAt(request.namespace, request.name)];

export class KubePort implements WakingPort {
  readonly #options: KubePortOptions;
  readonly #mirror: Mirror;
  readonly #reflectors: readonly Reflector[];
  readonly #flow: Flow;
  readonly #underway = new Underway();
  readonly #timeline: RestoreCheck;
  #listener: (() => void) | undefined;
  /** The listener was called and has not looked since: calling it again would not help. */
  #isAwake = false;
  /** The last write of each kind, and when: the watch must deliver it. */
  readonly #echoes = new Map<string, Echo>();

  /** A new process knows nothing: everything is listed. */
  constructor(options: KubePortOptions) {
    this.#options = options;
    this.#mirror = new Mirror({ ...options, isSame: isDeepStrictEqual });
    this.#flow = new Flow(options.clock, options.rate);
    this.#timeline = new RestoreCheck({
      ...options,
      seen: () => Math.max(...factNames.map((kind) => this.#mirror.seenOf(kind))),
      onBack: (version, seen) => this.#goBack(version, seen),
      onSure: () => this.#wake(),
    });
    const shared = {
      ...options,
      mirror: this.#mirror,
      onNews: (object?: RawObject) => this.#hear(object),
      onReached: () => this.hurry(),
      onResumed: () => this.#timeline.check(),
    };
    this.#reflectors = watchedKinds.map((kind) => new Reflector({ ...shared, kind }));
    for (const reflector of this.#reflectors) void reflector.run();
  }

  view(): ClusterView {
    this.#isAwake = false;
    const { now } = this.#options.clock;
    const { cluster, ledger, unreadable } = this.#mirror.look();
    const missing = this.#reflectors
      .filter(({ isAside }) => !isAside)
      .flatMap((reflector) => reflector.missing(now) ?? []);
    const others = [...unreadable, ...this.#lateEchoes(now), ...(this.#timeline.isUnsure ? [unsure] : [])];
    return {
      cluster,
      ...(ledger && { ledger }),
      unsynced: [...missing, ...others.map(unsyncedBecause)],
      seen: this.#mirror.seen(factNames),
      written: this.#written(),
    };
  }

  async send(request: ApiRequest): Promise<ApiResponse> {
    let end: ((upTo: number) => boolean) | undefined;
    const { mayAct, client } = this.#options;
    const reply = await this.#flow.send(async () => {
      if (mayAct?.() === false) return { kind: 'silence', message: 'Lull may not act any more.' };
      end = this.#underway.begin(...placeOf(request));
      return client.request({ ...callFor(request), ...(mayAct && { mayLeave: mayAct }) });
    });
    const { answer, upTo } = await this.#answerFrom(request, reply);
    if (end?.(upTo)) this.#wake();
    return answer;
  }

  /** For a person's requests: only the watch brings them into the view and wakes the loop, as with anyone's changes. */
  person(): Port {
    const send = async (request: ApiRequest): Promise<ApiResponse> => {
      const answer = answerTo(request, await this.#flow.send(() => this.#options.client.request(callFor(request))));
      if (request.verb !== 'commit' || answer.status !== 'refused') return answer;
      const { answer: reread } = await this.#rereadLedger(answer);
      this.#wake();
      return reread;
    };
    return { view: () => this.view(), send };
  }

  onWake(listener: () => void): void {
    this.#listener = listener;
  }

  #goBack(version: number, seen: number): void {
    this.#options.onWarning?.(
      `The API server's resource versions went back from ${seen} to ${version}: was the cluster restored from a backup? Everything is listed again.`,
    );
    for (const reflector of this.#reflectors) reflector.relist();
  }

  /** The server answers: watches that are backing off may retry at once (K2). */
  hurry(): void {
    for (const reflector of this.#reflectors) reflector.hurry();
  }

  /** Lists these kinds again: what is known is too old, and a quiet watch may not show that for a while. */
  catchUp(kinds: readonly string[]): void {
    for (const reflector of this.#reflectors) if (kinds.includes(reflector.kind)) reflector.relist();
  }

  close(): void {
    this.#listener = undefined;
    this.#timeline.close();
    for (const reflector of this.#reflectors) reflector.close();
  }

  async #answerFrom(request: ApiRequest, reply: ApiReply): Promise<SendOutcome> {
    const answer = answerTo(request, reply);
    if (answer.status !== 'away') this.hurry();
    if (request.verb === 'commit') return this.#seeLedger(request, reply, answer);
    if (answer.status !== 'done') return unseen(answer);
    return request.verb === 'evict' ? this.#seeEvicted(request, answer) : this.#see(request, reply, answer);
  }

  /** A change by others, or the end of a list (K5). */
  #hear(object?: RawObject): void {
    if (!object || !this.#underway.holds(object)) this.#wake();
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#listener?.();
  }

  #see({ verb, kind, namespace, name }: ActionRequest, reply: ApiReply, answer: ApiResponse): SendOutcome {
    const body = bodyOf(reply);
    const object = asRawObject(body, apiKindOf(kind));
    // An object that was deleted at once is returned in its last state, if at all: a pod that was bound to no node, for example.
    const isLast = verb === 'delete' && object && object.metadata.deletionTimestamp === undefined;
    const uid = isLast ? object.metadata.uid : uidGone(body);
    if (uid !== undefined) {
      this.#mirror.removed(kind, keyAt(namespace, name), uid);
      return { answer, upTo: Infinity };
    }
    return object ? this.#enter(object, answer) : carriedOutUnseen('the response contains no object');
  }

  /** The response to an eviction does not contain the pod. */
  async #seeEvicted(
    { kind, namespace, name, preconditions }: ActionRequest,
    answer: ApiResponse,
  ): Promise<SendOutcome> {
    const apiKind = apiKindOf(kind);
    const reply = await this.#options.client.request({ method: 'GET', path: objectPath(apiKind, name, namespace) });
    const object = asRawObject(bodyOf(reply), apiKind);
    if (object) return this.#enter(object, answer);
    if (isNotFound(reply)) {
      this.#mirror.removed(kind, keyAt(namespace, name), preconditions?.uid);
      return { answer, upTo: Infinity };
    }
    return carriedOutUnseen(reply.kind === 'silence' ? reply.message : `reading the pod gave ${reply.code}`);
  }

  #enter(object: RawObject, answer: ApiResponse): SendOutcome {
    const { kind } = object;
    const version = versionOf(object);
    const rewinds = this.#mirror.rewindsOf(kind);
    const last = this.#echoes.get(kind);
    if (version > (last?.version ?? 0) || rewinds !== last?.rewinds)
      this.#echoes.set(kind, { version, rewinds, at: this.#options.clock.now });
    this.#mirror.answered(object);
    // The version in which this write removes the object is not known.
    return { answer, upTo: isGone(object) ? Infinity : version };
  }

  async #seeLedger({ ledger }: Commit, reply: ApiReply, answer: ApiResponse): Promise<SendOutcome> {
    if (answer.status === 'away') return unseen(answer);
    if (answer.status === 'refused') return this.#rereadLedger(answer);
    const object = asRawObject(bodyOf(reply), apiKindOf(ledgerKind));
    if (!object) return carriedOutUnseen('the response contains no ledger');
    this.#mirror.wrote(object, ledger);
    return { answer, upTo: versionOf(object) };
  }

  /** After a lost race, reads the ledger that won. */
  async #rereadLedger(answer: ApiResponse): Promise<SendOutcome> {
    const reply = await this.#options.client.request(ledgerCall);
    const object = asRawObject(bodyOf(reply), apiKindOf(ledgerKind));
    // Older than the known one: find out which of the two is outdated.
    if (object && versionOf(object) < this.#mirror.seenOf(ledgerKind)) this.#timeline.check();
    if (object) this.#mirror.answered(object);
    else if (isNotFound(reply)) this.#mirror.removed(ledgerKind, ledgerName);
    else return unseen({ status: 'away', message: 'The ledger has changed and cannot be read.' });
    return unseen(answer);
  }

  #written(): SeenVersions {
    return Object.fromEntries(this.#validEchoes().map(([kind, { version }]) => [kind, String(version)]));
  }

  #validEchoes(): [string, Echo][] {
    return [...this.#echoes].filter(([kind, { rewinds }]) => rewinds === this.#mirror.rewindsOf(kind));
  }

  /** Our own writes must come back. A watch that does not deliver them is late, and so is everything it shows (K3). */
  #lateEchoes(now: Instant): string[] {
    return this.#validEchoes().flatMap(([kind, { version, at }]) => {
      const isLate = this.#mirror.seenOf(kind) < version && now >= after(at, echoTimeout);
      return isLate ? [`the watch of ${kind} is late: a write at ${formatInstant(at)} has not come back`] : [];
    });
  }
}

/** Requests in flight: until the response arrives, watch events of their objects do not wake the loop (K5). */
class Underway {
  /** By the object of a request in flight, the newest version that the watch delivered meanwhile. */
  readonly #told = new Map<string, number>();

  /** The result is called with the response's version: true = the watch delivered more than that. */
  begin(kind: string, key: ObjectKey): (upTo: number) => boolean {
    const place = `${kind}/${key}`;
    this.#told.set(place, 0);
    return (upTo) => {
      const told = this.#told.get(place) ?? 0;
      this.#told.delete(place);
      return told > upTo;
    };
  }

  /** Whether the event is held back until the response arrives. */
  holds(object: RawObject): boolean {
    const place = `${object.kind}/${keyOf(object)}`;
    const told = this.#told.get(place);
    if (told === undefined) return false;
    this.#told.set(place, Math.max(told, versionOf(object)));
    return true;
  }
}
