// What has happened since a viewer last looked? The last items, each written once for all viewers, and how to go on after a break.

export interface Item {
  /** `<start>-<number>`: of another run, a number says nothing. */
  readonly id: string;
  readonly number: number;
  readonly event: 'round' | 'story';
  /** One line of JSON. */
  readonly data: string;
  /** As it goes over the wire. */
  readonly frame: Buffer;
}

export interface FeedLimits {
  readonly items: number;
  readonly bytes: number;
}

/** A large cluster's round is some megabytes; a small one's history is minutes. */
const usualLimits: FeedLimits = { items: 1000, bytes: 32 * 1024 * 1024 };

export class Feed {
  readonly #run: string;
  readonly #limits: FeedLimits;
  readonly #listeners = new Set<(item: Item) => void>();
  #items: Item[] = [];
  #bytes = 0;
  #count = 0;
  #lastRound: Item | undefined;

  /** `run` is another one for each start of the program. */
  constructor(run: string, limits: FeedLimits = usualLimits) {
    this.#run = run;
    this.#limits = limits;
  }

  get lastRound(): Item | undefined {
    return this.#lastRound;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  push(event: Item['event'], value: unknown): void {
    const number = ++this.#count;
    const id = `${this.#run}-${number}`;
    const data = JSON.stringify(value);
    const frame = Buffer.from(`id: ${id}\nevent: ${event}\ndata: ${data}\n\n`);
    const item: Item = { id, number, event, data, frame };
    if (event === 'round') this.#lastRound = item;
    this.#items.push(item);
    this.#bytes += frame.length;
    this.#forget();
    for (const listener of this.#listeners) listener(item);
  }

  /** The items after that one; undefined where they are no longer all here, or it was of another run. */
  since(id: string): readonly Item[] | undefined {
    const [, run, digits] = /^(.+)-(\d{1,15})$/.exec(id) ?? [];
    const number = Number(digits);
    const first = this.#items[0]?.number ?? this.#count + 1;
    if (run !== this.#run || number + 1 < first || number > this.#count) return undefined;
    return this.#items.slice(number + 1 - first);
  }

  listen(listener: (item: Item) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The oldest go first; the newest stays, however large. */
  #forget(): void {
    let gone = 0;
    while (
      gone < this.#items.length - 1 &&
      (this.#items.length - gone > this.#limits.items || this.#bytes > this.#limits.bytes)
    ) {
      this.#bytes -= (this.#items[gone] as Item).frame.length;
      gone++;
    }
    if (gone > 0) this.#items = this.#items.slice(gone);
  }
}
