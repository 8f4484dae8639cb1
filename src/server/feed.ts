// The feed of live viewers: recent changes and events, serialized once for all, resumable by event ID.

import { constants, deflateRawSync } from 'node:zlib';
import { drawPicture, type Picture } from '../engine/picture/picture.ts';
import { applyChange, Differ, emptyPicture, type PictureChange } from '../engine/picture/pictureChange.ts';
import type { DecidedRound, ReportedEvent, RoundSource } from './roundSource.ts';

export class EventFrame {
  /** One line of JSON. */
  readonly data: string;
  readonly bytes: Buffer;
  #compressed: Buffer | undefined;

  /** A client cannot resume from a frame without an ID. */
  constructor(event: string, data: string, id?: string) {
    this.data = data;
    this.bytes = Buffer.from(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${data}\n\n`);
  }

  get compressed(): Buffer {
    this.#compressed ??= compress(this.bytes);
    return this.#compressed;
  }
}

/**
 * Compresses one piece of a deflate stream that refers to nothing before it and does not end the stream. Such pieces can be
 * concatenated in any order after `gzipHeader`, so that every viewer receives the same bytes, whenever it connects.
 */
const compress = (bytes: Buffer): Buffer => deflateRawSync(bytes, { finishFlush: constants.Z_FULL_FLUSH });

/** A gzip header without name, time and system. */
export const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

type FeedEvent =
  | { readonly event: 'change'; readonly value: PictureChange }
  | { readonly event: 'story'; readonly value: ReportedEvent };

export type Item = FeedEvent & {
  /** `<run>-<number>`: numbers of another run have no meaning. */
  readonly id: string;
  readonly number: number;
  readonly frame: EventFrame;
};

export interface FeedLimits {
  readonly items: number;
  readonly bytes: number;
}

/** A round that changes everything in a large cluster is some megabytes; most change little, so hours of them fit. */
const usualLimits: FeedLimits = { items: 5000, bytes: 32 * 1024 * 1024 };

export class ViewerFeed {
  readonly #run: string;
  readonly #limits: FeedLimits;
  readonly #listeners = new Set<(item: Item) => void>();
  readonly #differ = new Differ();
  #items: Item[] = [];
  #bytes = 0;
  #count = 0;
  #picture: Picture | undefined;
  #whole: EventFrame | undefined;
  /** The picture before the first item kept. */
  #base: Picture = emptyPicture;
  #baseText: { readonly base: Picture; readonly text: string } | undefined;

  /** `run` differs for each start of the program. */
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

  /** The base as JSON, cached until it changes. */
  get baseText(): string {
    if (this.#baseText?.base !== this.#base) this.#baseText = { base: this.#base, text: JSON.stringify(this.#base) };
    return this.#baseText.text;
  }

  /** The ID of the last item. */
  get lastId(): string {
    return `${this.#run}-${this.#count}`;
  }

  /** The whole picture, cached until the next item. */
  get whole(): EventFrame | undefined {
    if (this.#picture) this.#whole ??= new EventFrame('whole', JSON.stringify(this.#picture), this.lastId);
    return this.#whole;
  }

  pushPicture(picture: Picture): void {
    this.#picture = picture;
    this.#push({ event: 'change', value: this.#differ.next(picture) });
  }

  pushStory(happened: ReportedEvent): void {
    this.#push({ event: 'story', value: happened });
  }

  #push(happened: FeedEvent): void {
    const number = ++this.#count;
    const id = this.lastId;
    const frame = new EventFrame(happened.event, JSON.stringify(happened.value), id);
    const item: Item = { ...happened, id, number, frame };
    this.#whole = undefined;
    this.#items.push(item);
    this.#bytes += frame.bytes.length;
    this.#forget();
    for (const listener of this.#listeners) listener(item);
  }

  /** The items after an ID; undefined if some are gone, or the ID is from another run. */
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

  /** Drops the oldest items beyond the limits; always keeps the newest, however large. */
  #forget(): void {
    let gone = 0;
    for (const item of this.#items) {
      const left = this.#items.length - gone;
      if (left === 1 || (left <= this.#limits.items && this.#bytes <= this.#limits.bytes)) break;
      if (item.event === 'change') this.#base = applyChange(this.#base, item.value);
      this.#bytes -= item.frame.bytes.length;
      gone++;
    }
    if (gone > 0) this.#items = this.#items.slice(gone);
  }
}

/** If drawing takes less than this (ms), every round is drawn, even without viewers. */
const cheapDraw = 15;
/** Without viewers, spend at most 1/20 of the time drawing. */
const share = 20;

export interface RoundDrawer {
  /** Called for each round; draws it now or not at all, since the cluster keeps changing. */
  note(decided: DecidedRound): void;
  /** Called for a viewer; draws the latest round if it was skipped. */
  refresh(): void;
}

export interface DrawingOptions {
  readonly source: RoundSource;
  readonly feed: ViewerFeed;
  readonly isWatched: () => boolean;
  /** A monotonic clock, in milliseconds. */
  readonly clock?: () => number;
}

export function openDrawing({ source, feed, isWatched, clock = () => performance.now() }: DrawingOptions): RoundDrawer {
  let cost = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  let isStale = false;
  const draw = ({ round, cluster }: DecidedRound): void => {
    const began = clock();
    feed.pushPicture(drawPicture(round, cluster));
    drawnAt = clock();
    cost = drawnAt - began;
    isStale = false;
  };
  return {
    note: (decided) => {
      if (isWatched() || cost < cheapDraw || clock() - drawnAt > cost * share) draw(decided);
      else isStale = true;
    },
    refresh: () => {
      const latest = source.latest();
      if (isStale && latest) draw(latest);
    },
  };
}
