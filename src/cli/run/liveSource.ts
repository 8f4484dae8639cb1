// A Lull on a real cluster as the server shows it: the last round and its events while it leads, otherwise who leads.
import type { Settings } from '../../cluster/settings.ts';
import { withheldWhy } from '../../engine/gates/poolGates.ts';
import type { Facts } from '../../engine/situation.ts';
import type { Round } from '../../engine/verdict.ts';
import type { ObservedObjects } from '../../recording/recorder.ts';
import type { Port } from '../../runtime/port.ts';
import { Meter } from '../../server/meter.ts';
import type { AboutCluster, ClusterIdentity, DecidedRound, News, RoundSource } from '../../server/roundSource.ts';
import { asDuration, between, type Instant, second } from '../../time/instant.ts';
import { RoundFeed } from '../roundFeed.ts';
import { asSentence, type LogEntry } from './liveLog.ts';

interface LiveSourceOptions {
  readonly now: () => Instant;
  /** Lull's version. */
  readonly version: string;
  /** As configured. */
  readonly settings: Settings;
  readonly cluster: AboutCluster['cluster'];
  /** Reads the cluster's UID; undefined = it cannot be read now. */
  readonly readUid: () => Promise<string | undefined>;
  /** The cluster at this moment, line by line, with a round decided by the settings in force. */
  readonly snapshot: (settings: Settings) => AsyncIterable<string>;
  /** Present if a recording is requested: only then are raw objects kept. */
  readonly observed?: ObservedObjects;
}

const shortWait = asDuration(5 * second);

export class LiveSource implements RoundSource {
  /** Counters since the start (J5). */
  readonly meter = new Meter();
  readonly #options: LiveSourceOptions;
  readonly #feed: RoundFeed;
  /** Absent if no raw objects are kept to begin a recording with. */
  readonly record?: NonNullable<RoundSource['record']>;
  #settings: Settings;
  #uid: string | undefined;
  #person: Port | undefined;
  #isLeading = false;
  #holder: string | undefined;
  #waitingFor: string | undefined;
  #waitingSince: Instant | undefined;
  #hindrance: () => string | undefined = () => undefined;

  constructor(options: LiveSourceOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.meter.leads = false;
    const { observed, version, now } = options;
    this.#feed = new RoundFeed(version, now);
    if (observed)
      this.record = (write, writeLater) => this.#feed.record({ observed, settings: this.#settings, write, writeLater });
  }

  get about(): AboutCluster {
    const { version, cluster } = this.#options;
    const withheld = withheldWhy(this.#settings);
    return {
      role: this.#settings.role,
      ...(withheld !== undefined && { withheld }),
      version,
      ...(cluster && { title: cluster.context, cluster }),
    };
  }

  /** The UID is cached: a cluster never changes it. */
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

  /** The settings in force: more restricted than configured if no known Karpenter runs (N11). */
  get settings(): Settings {
    return this.#settings;
  }

  snapshot(): AsyncIterable<string> {
    return this.#options.snapshot(this.#settings);
  }

  now(): Instant {
    return this.#options.now();
  }

  latest(): DecidedRound | undefined {
    return this.#isLeading ? this.#feed.latest : undefined;
  }

  /** Only the leader knows what is decided. */
  unavailable(): string | undefined {
    if (!this.#isLeading)
      return `not leading; ${this.#holder === undefined ? 'no Lull leads' : `${this.#holder} leads`}`;
    if (this.#feed.latest) return undefined;
    return `no round has been decided yet${this.#waitingFor === undefined ? '' : `: ${this.#waitingFor}`}`;
  }

  /** A standby is ready as long as another process holds the lease. */
  standby(): string | undefined {
    return this.#isLeading || this.#holder === undefined ? undefined : `standby: ${this.#holder} leads`;
  }

  /** The server answers in spite of a hindrance. */
  hindrance(): string | undefined {
    return this.#isLeading ? this.#hindrance() : undefined;
  }

  subscribe(listener: (news: News) => void): () => void {
    return this.#feed.subscribe(listener);
  }

  get port(): Port {
    const away = { status: 'away', message: 'No Lull leads here.' } as const;
    return {
      view: () => {
        if (this.#person) return this.#person.view();
        throw new Error(away.message);
      },
      send: (request) => this.#person?.send(request) ?? away,
    };
  }

  /** The leader, if it is another process; undefined = none is known. */
  ledBy(holder: string | undefined): void {
    this.#holder = holder;
  }

  leads(person: Port): void {
    this.#isLeading = true;
    this.meter.leads = true;
    this.#person = person;
    this.#feed.latest = undefined;
  }

  stops(): void {
    this.#isLeading = false;
    this.meter.leads = false;
    this.meter.lastRound = undefined;
    this.#person = undefined;
    this.#feed.latest = undefined;
  }

  waitsFor(words: string): void {
    this.#waitingFor = words;
    this.#waitingSince ??= this.now();
  }

  /** Short waits are normal: what was written is seen a moment later. */
  stalled(): string | undefined {
    const since = this.#waitingSince;
    return since !== undefined && between(since, this.now()) >= shortWait ? this.#waitingFor : undefined;
  }

  /** Sets the function that reports what keeps Lull from its role. */
  asksHindrance(hindrance: () => string | undefined): void {
    this.#hindrance = hindrance;
  }

  decided(round: Round, facts: Facts, role: Settings['role']): void {
    this.#waitingFor = undefined;
    this.#waitingSince = undefined;
    this.#feed.decided(round, facts, role);
  }

  happened(event: LogEntry): void {
    this.#feed.tell({ kind: 'story', event: asSentence(event, this.now()) });
  }

  /** A recording has one set of settings: if they change, it ends. */
  decidesWith(settings: Settings): void {
    if (settings === this.#settings) return;
    this.#settings = settings;
    this.#feed.endRecordings();
  }
}
