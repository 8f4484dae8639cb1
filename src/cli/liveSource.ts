// What can others see of a Lull on a real cluster? The last round and what happens, as long as it leads; and who does, where it does not.
import type { Settings } from '../cluster/settings.ts';
import { withheldWhy } from '../engine/gates/offersWithheld.ts';
import type { Facts } from '../engine/situation.ts';
import type { Round } from '../engine/verdict.ts';
import type { Observed } from '../recording/observed.ts';
import { Recorder } from '../recording/recorder.ts';
import type { Port } from '../runtime/port.ts';
import { Meter } from '../server/meter.ts';
import type { About, ClusterIdentity, Decided, News, Source } from '../server/source.ts';
import { asDuration, between, type Instant, second } from '../time/instant.ts';
import { decided, recordable } from './decided.ts';
import type { Told } from './liveLog.ts';
import { asSentence } from './liveSentence.ts';

export interface LiveOptions {
  readonly now: () => Instant;
  /** Of this program. */
  readonly version: string;
  /** As they were given. */
  readonly settings: Settings;
  readonly cluster: About['cluster'];
  /** Reads the cluster's uid; undefined = it cannot be read now. */
  readonly readUid: () => Promise<string | undefined>;
  /** The cluster as it is at this moment, line by line, as the settings in force decide it. */
  readonly snapshot: (settings: Settings) => AsyncIterable<string>;
  /** Where a recording is wanted: raw objects are kept only then. */
  readonly observed?: Observed;
}

const shortWait = asDuration(5 * second);

export class LiveSource implements Source {
  /** What it has done since it started (J5). */
  readonly meter = new Meter();
  readonly #options: LiveOptions;
  readonly #listeners = new Set<(news: News) => void>();
  readonly #recorders = new Set<Recorder>();
  /** Absent where nothing is kept that a recording could begin with. */
  readonly record?: NonNullable<Source['record']>;
  #settings: Settings;
  #uid: string | undefined;
  #latest: Decided | undefined;
  #person: Port | undefined;
  #isLeading = false;
  #holder: string | undefined;
  #waitingFor: string | undefined;
  #waitingSince: Instant | undefined;
  #hindrance: () => string | undefined = () => undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.meter.leads = false;
    const { observed } = options;
    if (observed) this.record = (write, writeLater) => this.#record(observed, write, writeLater);
  }

  get about(): About {
    const { version, cluster } = this.#options;
    const withheld = withheldWhy(this.#settings);
    return {
      role: this.#settings.role,
      ...(withheld !== undefined && { withheld }),
      version,
      ...(cluster && { title: cluster.context, cluster }),
    };
  }

  /** The uid is remembered once it is read: a cluster keeps it for life. */
  async identity(): Promise<ClusterIdentity> {
    const { cluster, readUid } = this.#options;
    this.#uid ??= await readUid();
    return {
      kind: 'cluster',
      name: cluster?.context ?? 'unknown',
      ...(this.#uid !== undefined && { uid: this.#uid }),
      ...(cluster && { server: cluster.server, ...(cluster.as && { as: cluster.as }) }),
    };
  }

  /** Those in force: less than what was asked for where Karpenter is none that is known (N11). */
  get settings(): Settings {
    return this.#settings;
  }

  snapshot(): AsyncIterable<string> {
    return this.#options.snapshot(this.#settings);
  }

  now(): Instant {
    return this.#options.now();
  }

  latest(): Decided | undefined {
    return this.#isLeading ? this.#latest : undefined;
  }

  /** Only who leads knows what is decided. */
  unavailable(): string | undefined {
    if (!this.#isLeading)
      return `not leading; ${this.#holder === undefined ? 'nobody leads' : `${this.#holder} leads`}`;
    if (this.#latest) return undefined;
    return `no round was decided yet${this.#waitingFor === undefined ? '' : `: ${this.#waitingFor}`}`;
  }

  /** As ready as one can be that waits for the lease: another holds it. */
  standby(): string | undefined {
    return this.#isLeading || this.#holder === undefined ? undefined : `standby: ${this.#holder} leads`;
  }

  /** It can be asked all the same. */
  hindrance(): string | undefined {
    return this.#isLeading ? this.#hindrance() : undefined;
  }

  subscribe(listener: (news: News) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get port(): Port {
    const away = { status: 'away', message: 'Nobody leads here.' } as const;
    return {
      view: () => {
        if (this.#person) return this.#person.view();
        throw new Error(away.message);
      },
      send: (request) => this.#person?.send(request) ?? away,
    };
  }

  /** Another that leads; undefined = none, as far as it was seen. */
  ledBy(holder: string | undefined): void {
    this.#holder = holder;
  }

  leads(person: Port): void {
    this.#isLeading = true;
    this.meter.leads = true;
    this.#person = person;
    this.#latest = undefined;
  }

  stops(): void {
    this.#isLeading = false;
    this.meter.leads = false;
    this.meter.lastRound = undefined;
    this.#person = undefined;
    this.#latest = undefined;
  }

  waitsFor(words: string): void {
    this.#waitingFor = words;
    this.#waitingSince ??= this.now();
  }

  /** A short wait is the rule: what was written is seen a moment later. */
  stalled(): string | undefined {
    const since = this.#waitingSince;
    return since !== undefined && between(since, this.now()) >= shortWait ? this.#waitingFor : undefined;
  }

  /** Who knows what keeps it from its role. */
  asksHindrance(hindrance: () => string | undefined): void {
    this.#hindrance = hindrance;
  }

  decided(round: Round, facts: Facts, role: Settings['role']): void {
    this.#waitingFor = undefined;
    this.#waitingSince = undefined;
    const latest = decided(round, facts, role);
    this.#latest = latest;
    for (const recorder of this.#recorders) recorder.round(recordable(latest, facts));
    this.#tell({ kind: 'round', decided: latest });
  }

  happened(event: Told): void {
    this.#tell({ kind: 'story', event: asSentence(event, this.now()) });
  }

  /** A recording says once with which settings its rounds are decided: where they change, it ends. */
  decidesWith(settings: Settings): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    for (const recorder of this.#recorders) recorder.end(this.now());
    this.#recorders.clear();
  }

  #record(observed: Observed, ...[write, writeLater]: Parameters<NonNullable<Source['record']>>): () => void {
    const recorder = new Recorder({
      write,
      ...(writeLater && { writeLater }),
      program: this.#options.version,
      settings: this.#settings,
      observed,
    });
    this.#recorders.add(recorder);
    return () => {
      if (this.#recorders.delete(recorder)) recorder.end(this.now());
    };
  }

  #tell(news: News): void {
    for (const listener of this.#listeners) listener(news);
  }
}
