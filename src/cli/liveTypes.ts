// Instance types and prices as Karpenter's metrics say them (F5), read beside the rounds while Lull leads; no round waits for them.
import type { InstanceType, Settings } from '../cluster/settings.ts';
import type { Connection } from '../kube/connection.ts';
import { readKarpenterTypes, type TypesRead } from '../kube/karpenterTypes.ts';
import { wallClock } from '../kube/machine.ts';
import { pause } from '../kube/pause.ts';
import { asDuration, minute } from '../time/instant.ts';
import type { Log } from './liveLog.ts';

/** Prices change a few times a day, what can be had more often. */
const readEvery = asDuration(5 * minute);

export interface TypesOptions {
  readonly connection: Pick<Connection, 'client' | 'context'>;
  readonly settings: Settings;
  readonly log: Log;
}

export class LiveTypes {
  /** The same list as long as nothing has changed. Undefined = none have been read so far. */
  types: readonly InstanceType[] | undefined;
  /** The first answer is not here yet. */
  isAwaited: boolean;
  readonly #options: TypesOptions;
  readonly #listeners: (() => void)[] = [];
  #text = '';
  #told = '';

  constructor(options: TypesOptions) {
    this.#options = options;
    this.isAwaited = options.settings.karpenterMetrics !== 'off';
  }

  onNews(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Ends with the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    const { karpenterMetrics: where } = this.#options.settings;
    if (where === 'off') return;
    while (!signal.aborted) {
      const { client, context } = this.#options.connection;
      const read = await readKarpenterTypes({ where, client, isInside: context === 'in-cluster' });
      if (signal.aborted) return;
      this.#take(read);
      await pause(wallClock, readEvery, signal);
    }
  }

  /** What cannot be read now keeps what was read before: a price of an hour ago is better than none. */
  #take(read: TypesRead): void {
    this.#tell(read);
    const isFirst = this.isAwaited;
    this.isAwaited = false;
    const text = 'why' in read ? this.#text : JSON.stringify(read.types);
    if (text === this.#text && !isFirst) return;
    if ('types' in read && text !== this.#text) this.types = read.types;
    this.#text = text;
    for (const listener of this.#listeners) listener();
  }

  /** Each thing once, until something else is true. */
  #tell(read: TypesRead): void {
    const text =
      'why' in read ? unread(read.why, this.types !== undefined) : `instance types and prices from ${read.from}`;
    if (text === this.#told) return;
    this.#told = text;
    this.#options.log({ kind: 'prices', text: 'why' in read ? text : `${read.types.length} ${text}` });
  }
}

const unread = (why: string, isKnown: boolean): string =>
  isKnown
    ? `Karpenter's metrics cannot be read (${why}): prices stay as they were read before`
    : `Karpenter's metrics cannot be read (${why}): consolidation knows the instance types seen on nodes, and offers others for Karpenter to judge`;
