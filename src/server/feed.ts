// What has happened since a viewer last looked? The last items, each written once for all viewers, and how to go on after a break.
import { applyChange, type Change, Differ, emptyPicture } from '../engine/picture/change.ts';
import type { Picture } from '../engine/picture/picture.ts';
import { Frame } from './frame.ts';
import type { Happened } from './source.ts';

export interface Item {
  /** `<start>-<number>`: of another run, a number says nothing. */
  readonly id: string;
  readonly number: number;
  readonly event: 'change' | 'story';
  readonly value: Change | Happened;
  readonly frame: Frame;
}

export interface FeedLimits {
  readonly items: number;
  readonly bytes: number;
}

/** A round of a large cluster that changes everything is some megabytes; most change little, and hours of them fit. */
const usualLimits: FeedLimits = { items: 5000, bytes: 32 * 1024 * 1024 };

export class Feed {
  readonly #run: string;
  readonly #limits: FeedLimits;
  readonly #listeners = new Set<(item: Item) => void>();
  readonly #differ = new Differ();
  #items: Item[] = [];
  #bytes = 0;
  #count = 0;
  #picture: Picture | undefined;
  #whole: Frame | undefined;
  /** What was there before the first item that is remembered. */
  #base: Picture = emptyPicture;
  #baseText: { readonly base: Picture; readonly text: string } | undefined;

  /** `run` is another one for each start of the program. */
  constructor(run: string, limits: FeedLimits = usualLimits) {
    this.#run = run;
    this.#limits = limits;
  }

  get items(): readonly Item[] {
    return this.#items;
  }

  get base(): Picture {
    return this.#base;
  }

  /** The base as JSON, written once for all who ask before it changes. */
  get baseText(): string {
    if (this.#baseText?.base !== this.#base) this.#baseText = { base: this.#base, text: JSON.stringify(this.#base) };
    return this.#baseText.text;
  }

  /** As it was drawn last; absent before the first round. */
  get picture(): Picture | undefined {
    return this.#picture;
  }

  /** Of the last item. */
  get lastId(): string {
    return `${this.#run}-${this.#count}`;
  }

  /** The whole picture, written once for all who come before the next item. */
  get whole(): Frame | undefined {
    if (this.#picture) this.#whole ??= new Frame('whole', JSON.stringify(this.#picture), this.lastId);
    return this.#whole;
  }

  pushPicture(picture: Picture): void {
    const change = this.#differ.next(picture);
    this.#picture = picture;
    this.#push('change', change);
  }

  pushStory(happened: Happened): void {
    this.#push('story', happened);
  }

  #push(event: Item['event'], value: Item['value']): void {
    const number = ++this.#count;
    const id = this.lastId;
    const frame = new Frame(event, JSON.stringify(value), id);
    const item: Item = { id, number, event, value, frame };
    this.#whole = undefined;
    this.#items.push(item);
    this.#bytes += frame.bytes.length;
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
      const { frame, event, value } = this.#items[gone] as Item;
      if (event === 'change') this.#base = applyChange(this.#base, value as Change);
      this.#bytes -= frame.bytes.length;
      gone++;
    }
    if (gone > 0) this.#items = this.#items.slice(gone);
  }
}
