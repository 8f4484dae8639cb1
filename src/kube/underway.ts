// Is what a watch tells our own doing? It may be faster than the answer: until that is here, nobody is woken for it (K5).
import { type Key, keyOf, type RawObject, versionOf } from './rawObject.ts';

export class Underway {
  /** By what a request on its way is about, the last version that was told of it meanwhile. */
  readonly #told = new Map<string, number>();

  /** Called when the answer is here: true = more was told than it explains. */
  begin(kind: string, key: Key): (upTo: number) => boolean {
    const place = `${kind}/${key}`;
    this.#told.set(place, 0);
    return (upTo) => {
      const told = this.#told.get(place) ?? 0;
      this.#told.delete(place);
      return told > upTo;
    };
  }

  /** Whether it is kept until the answer is here. */
  holds(object: RawObject): boolean {
    const place = `${object.kind}/${keyOf(object)}`;
    const told = this.#told.get(place);
    if (told === undefined) return false;
    this.#told.set(place, Math.max(told, versionOf(object)));
    return true;
  }
}
