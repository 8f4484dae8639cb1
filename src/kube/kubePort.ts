// How does the loop meet a real cluster? Through one watch a kind, and guarded requests whose answers are seen at once.
import type { Seen } from '../cluster/ledger.ts';
import type { Clock } from '../runtime/clock.ts';
import type { WakingPort } from '../runtime/loop.ts';
import type { Answer, Commit, Port, Request, View } from '../runtime/port.ts';
import { after, asDuration, formatInstant, type Instant, second } from '../time/instant.ts';
import { apiKindOf, factKinds, ledgerKind, ledgerName, objectPath, watchedKinds } from './apiKind.ts';
import type { Client, Reply } from './client.ts';
import { Flow } from './flow.ts';
import { Mirror, type OnRead } from './mirror.ts';
import { asRawObject, isGone, type Key, keyAt, type RawObject, versionOf } from './rawObject.ts';
import { Reflector } from './reflector.ts';
import { type Action, answerTo, callFor, ledgerCall, uidGone } from './requests.ts';
import { Timeline } from './timeline.ts';
import type { Rate } from './tokenBucket.ts';
import { Underway } from './underway.ts';

export interface KubePortOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** From 0 up to but not including 1. */
  readonly chance: () => number;
  /** For servers without API priority and fairness. */
  readonly rate?: Rate;
  /** Asked just before a request leaves: one that had to wait its turn may have lost the lease meanwhile. */
  readonly mayAct?: () => boolean;
  readonly onRead?: OnRead;
  /** Whatever went wrong with a watch, in words. */
  readonly onFault?: (message: string) => void;
  /** What a person should look at, in words. */
  readonly onWarning?: (words: string) => void;
}

/** A watch that has not shown a write of our own by then is late. */
const echoTimeout = asDuration(10 * second);

const factNames = factKinds.map(({ kind }) => kind);

interface Outcome {
  readonly answer: Answer;
  /** Of what the request was about, all up to this version is in the view with the answer. */
  readonly upTo: number;
}

interface Echo {
  readonly version: number;
  readonly at: Instant;
  readonly rewinds: number;
}

const unseen = (answer: Answer): Outcome => ({ answer, upTo: 0 });

/** K2: nobody knows what the next round would be decided on. */
const carriedOutUnseen = (why: string): Outcome =>
  unseen({ status: 'away', message: `It was carried out, but what came of it could not be seen: ${why}` });

const unsure = 'whether the server is where it was is being asked';

const placeOf = (request: Request): [kind: string, key: Key] =>
  request.verb === 'commit' ? [ledgerKind, ledgerName] : [request.kind, keyAt(request.namespace, request.name)];

export class KubePort implements WakingPort {
  readonly #options: KubePortOptions;
  readonly #mirror: Mirror;
  readonly #reflectors: readonly Reflector[];
  readonly #flow: Flow;
  readonly #underway = new Underway();
  readonly #timeline: Timeline;
  #listener: (() => void) | undefined;
  /** It was woken, and has not looked since: waking it again would tell it nothing. */
  #isAwake = false;
  /** The last write of each kind, and when: it is to come back through the watch. */
  readonly #echoes = new Map<string, Echo>();

  /** A process that starts knows nothing: everything is listed afresh. */
  constructor(options: KubePortOptions) {
    this.#options = options;
    this.#mirror = new Mirror(options.onRead);
    this.#flow = new Flow(options.clock, options.rate);
    this.#timeline = new Timeline({
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

  view(): View {
    this.#isAwake = false;
    const { now } = this.#options.clock;
    const { cluster, ledger, unreadable } = this.#mirror.look();
    const missing = this.#reflectors
      .filter(({ isAside }) => !isAside)
      .map((reflector) => reflector.missing(now))
      .filter((words) => words !== undefined);
    return {
      cluster,
      ...(ledger && { ledger }),
      unsynced: [...missing, ...unreadable, ...this.#lateEchoes(now), ...(this.#timeline.isUnsure ? [unsure] : [])],
      seen: this.#mirror.seen(factNames),
      written: this.#written(),
    };
  }

  async send(request: Request): Promise<Answer> {
    let end: ((upTo: number) => boolean) | undefined;
    const { mayAct, client } = this.#options;
    const reply = await this.#flow.send(async () => {
      if (mayAct?.() === false) return { kind: 'silence', message: 'It may not act any more.' };
      end = this.#underway.begin(...placeOf(request));
      return client.request({ ...callFor(request), ...(mayAct && { mayLeave: mayAct }) });
    });
    const { answer, upTo } = await this.#answerFrom(request, reply);
    if (end?.(upTo)) this.#wake();
    return answer;
  }

  /** For what a person asks: seen and woken for through the watch alone, as what others do. */
  person(): Port {
    const send = async (request: Request): Promise<Answer> => {
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
      `The server has gone back in time, from ${seen} to ${version}: was it restored from a backup? Everything is listed anew.`,
    );
    for (const reflector of this.#reflectors) reflector.relist();
  }

  /** The server answers: watches that gave it time need not any longer (K2). */
  hurry(): void {
    for (const reflector of this.#reflectors) reflector.hurry();
  }

  /** What is known of these is older than it may be, and nothing may come for a while that would tell so: they are listed anew. */
  catchUp(kinds: readonly string[]): void {
    for (const reflector of this.#reflectors) if (kinds.includes(reflector.kind)) reflector.relist();
  }

  close(): void {
    this.#listener = undefined;
    this.#timeline.close();
    for (const reflector of this.#reflectors) reflector.close();
  }

  async #answerFrom(request: Request, reply: Reply): Promise<Outcome> {
    const answer = answerTo(request, reply);
    if (answer.status !== 'away') this.hurry();
    if (request.verb === 'commit') return this.#seeLedger(request, reply, answer);
    if (answer.status !== 'done') return unseen(answer);
    return request.verb === 'evict' ? this.#seeEvicted(request, answer) : this.#see(request, reply, answer);
  }

  /** K5: what others did, or the end of a list. */
  #hear(object?: RawObject): void {
    if (!object || !this.#underway.holds(object)) this.#wake();
  }

  #wake(): void {
    if (this.#isAwake) return;
    this.#isAwake = true;
    this.#listener?.();
  }

  #see({ verb, kind, namespace, name }: Action, reply: Reply, answer: Answer): Outcome {
    const body = bodyOf(reply);
    const object = asRawObject(body, apiKindOf(kind));
    // What was deleted at once is shown as it was last, if at all: a pod that was bound to no node, say.
    const isLast = verb === 'delete' && object && object.metadata.deletionTimestamp === undefined;
    const uid = isLast ? object.metadata.uid : uidGone(body);
    if (uid !== undefined) {
      this.#mirror.removed(kind, keyAt(namespace, name), uid);
      return { answer, upTo: Infinity };
    }
    return object ? this.#enter(object, answer) : carriedOutUnseen('the answer shows no object');
  }

  /** An eviction is answered without the pod. */
  async #seeEvicted({ kind, namespace, name, preconditions }: Action, answer: Answer): Promise<Outcome> {
    const apiKind = apiKindOf(kind);
    const reply = await this.#options.client.request({ method: 'GET', path: objectPath(apiKind, name, namespace) });
    const object = asRawObject(bodyOf(reply), apiKind);
    if (object) return this.#enter(object, answer);
    if (isNotFound(reply)) {
      this.#mirror.removed(kind, keyAt(namespace, name), preconditions?.uid);
      return { answer, upTo: Infinity };
    }
    return carriedOutUnseen(reply.kind === 'silence' ? reply.message : `the pod was answered with ${reply.code}`);
  }

  #enter(object: RawObject, answer: Answer): Outcome {
    const { kind } = object;
    const version = versionOf(object);
    const rewinds = this.#mirror.rewindsOf(kind);
    const last = this.#echoes.get(kind);
    if (version > (last?.version ?? 0) || rewinds !== last?.rewinds)
      this.#echoes.set(kind, { version, rewinds, at: this.#options.clock.now });
    this.#mirror.answered(object);
    // What goes with this very write is gone in a version that nobody has said.
    return { answer, upTo: isGone(object) ? Infinity : version };
  }

  async #seeLedger({ ledger }: Commit, reply: Reply, answer: Answer): Promise<Outcome> {
    if (answer.status === 'away') return unseen(answer);
    if (answer.status === 'refused') return this.#rereadLedger(answer);
    const object = asRawObject(bodyOf(reply), apiKindOf(ledgerKind));
    if (!object) return carriedOutUnseen('the answer shows no ledger');
    this.#mirror.wrote(object, ledger);
    return { answer, upTo: versionOf(object) };
  }

  /** Whoever lost a race wants to know to what. */
  async #rereadLedger(answer: Answer): Promise<Outcome> {
    const reply = await this.#options.client.request(ledgerCall);
    const object = asRawObject(bodyOf(reply), apiKindOf(ledgerKind));
    // Older than the one that was known: which of the two is old?
    if (object && versionOf(object) < this.#mirror.seenOf(ledgerKind)) this.#timeline.check();
    if (object) this.#mirror.answered(object);
    else if (isNotFound(reply)) this.#mirror.removed(ledgerKind, ledgerName);
    else return unseen({ status: 'away', message: 'The ledger is another, and cannot be read.' });
    return unseen(answer);
  }

  #written(): Seen {
    return Object.fromEntries(this.#validEchoes().map(([kind, { version }]) => [kind, String(version)]));
  }

  #validEchoes(): [string, Echo][] {
    return [...this.#echoes].filter(([kind, { rewinds }]) => rewinds === this.#mirror.rewindsOf(kind));
  }

  /** K3: what this process wrote itself must come back. A watch that does not bring it is late, and so is all it shows. */
  #lateEchoes(now: Instant): string[] {
    return this.#validEchoes().flatMap(([kind, { version, at }]) => {
      const isLate = this.#mirror.seenOf(kind) < version && now >= after(at, echoTimeout);
      return isLate ? [`the watch of ${kind} is late: what was written at ${formatInstant(at)} has not come back`] : [];
    });
  }
}

const bodyOf = (reply: Reply): unknown => (reply.kind === 'answer' && reply.code < 300 ? reply.body : undefined);
const isNotFound = (reply: Reply): boolean => reply.kind === 'answer' && reply.code === 404;
