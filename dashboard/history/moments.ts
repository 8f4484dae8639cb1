// Which moments are remembered? Pictures, made again of a first one and the changes since; of those in between some are kept, so that stepping is quick.
import { applyChange, type Change } from '../../src/engine/picture/change.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import type { Happened } from '../../src/server/source.ts';

export type HistoryItem = { readonly change: Change } | { readonly story: Happened };

/** One in so many is kept whole. */
const every = 50;

export class Moments {
  readonly #changes: Change[] = [];
  /** What happened before each moment, since the one before it. */
  readonly #stories: (readonly Happened[])[] = [];
  readonly #kept: Picture[] = [];
  readonly #base: Picture;

  constructor(base: Picture, items: readonly HistoryItem[]) {
    this.#base = base;
    let told: Happened[] = [];
    let picture = base;
    for (const item of items) {
      if ('story' in item) {
        told.push(item.story);
        continue;
      }
      picture = applyChange(picture, item.change);
      if (this.#changes.length % every === 0) this.#kept.push(picture);
      this.#changes.push(item.change);
      this.#stories.push(told);
      told = [];
    }
  }

  get length(): number {
    return this.#changes.length;
  }

  atOf(index: number): number {
    return this.#changes[index]?.at ?? 0;
  }

  storyOf(index: number): readonly Happened[] {
    return this.#stories[index] ?? [];
  }

  picture(index: number): Picture {
    const first = Math.floor(index / every);
    let picture = this.#kept[first] ?? this.#base;
    for (let at = first * every + 1; at <= index; at++) picture = applyChange(picture, this.#changes[at] as Change);
    return picture;
  }

  /** How much is other than a moment before: what is worth stopping at. */
  weight(index: number): number {
    const { put = {}, gone = {} } = this.#changes[index] as Change;
    return (
      (put.nodes?.length ?? 0) + (gone.nodes?.length ?? 0) + (put.commands?.length ?? 0) + (gone.commands?.length ?? 0)
    );
  }

  /** Of the rounds up to that one, the last so many in which something shows; the newest first. */
  telling(index: number, most: number): number[] {
    const found: number[] = [];
    for (let at = index; at > 0 && found.length < most; at--) if (this.weight(at) > 0) found.push(at);
    return found;
  }

  /** The last one not after that instant. */
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
