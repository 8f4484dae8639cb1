// The history as a first picture and changes; every 50th picture is kept whole so that stepping is fast.

import type { Picture } from '../../src/engine/picture/picture.ts';
import { applyChange, type PictureChange } from '../../src/engine/picture/pictureChange.ts';
import type { ReportedEvent } from '../../src/server/roundSource.ts';

export type HistoryItem = { readonly change: PictureChange } | { readonly story: ReportedEvent };

/** Every 50th picture is kept whole. */
const every = 50;

export class Moments {
  readonly #changes: PictureChange[] = [];
  /** The events of each round. */
  readonly #stories: (readonly ReportedEvent[])[] = [];
  readonly #kept: Picture[] = [];
  readonly #base: Picture;

  constructor(base: Picture, items: readonly HistoryItem[]) {
    this.#base = base;
    let events: ReportedEvent[] = [];
    let picture = base;
    for (const item of items) {
      if ('story' in item) {
        events.push(item.story);
        continue;
      }
      picture = applyChange(picture, item.change);
      if (this.#changes.length % every === 0) this.#kept.push(picture);
      this.#changes.push(item.change);
      this.#stories.push(events);
      events = [];
    }
  }

  get length(): number {
    return this.#changes.length;
  }

  atOf(index: number): number {
    return this.#changes[index]?.at ?? 0;
  }

  storyOf(index: number): readonly ReportedEvent[] {
    return this.#stories[index] ?? [];
  }

  picture(index: number): Picture {
    const first = Math.floor(index / every);
    let picture = this.#kept[first] ?? this.#base;
    for (let at = first * every + 1; at <= index; at++)
      picture = applyChange(picture, this.#changes[at] as PictureChange);
    return picture;
  }

  /** The number of changes from the round before. */
  weight(index: number): number {
    const { put = {}, gone = {} } = this.#changes[index] as PictureChange;
    return (
      (put.nodes?.length ?? 0) + (gone.nodes?.length ?? 0) + (put.commands?.length ?? 0) + (gone.commands?.length ?? 0)
    );
  }

  /** The last rounds with changes up to this one, newest first. */
  withChanges(index: number, most: number): number[] {
    const found: number[] = [];
    for (let at = index; at > 0 && found.length < most; at--) if (this.weight(at) > 0) found.push(at);
    return found;
  }

  /** The last round not after an instant. */
  indexAt(at: number): number {
    let [low, high] = [0, this.#changes.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.atOf(middle) <= at) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
