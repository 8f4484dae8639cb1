// The place of each node on the board: it keeps its place while it exists, and new nodes fill free places.

/** Above this share of empty places the rest moves up. */
const mostEmpty = 0.25;
const alwaysEmpty = 2;

/** Room for a replacement that starts before its predecessor is gone, so that nothing below moves. */
const spare = 1;

export class Slots {
  readonly #most = new Map<string, number>();
  #places = new Map<string, (string | undefined)[]>();

  /** The names of a group in their places; an empty place is undefined. */
  arrange(group: string, names: readonly string[]): readonly (string | undefined)[] {
    const present = new Set(names);
    let places = (this.#places.get(group) ?? []).map((name) =>
      name !== undefined && present.has(name) ? name : undefined,
    );
    const placed = new Set(places);
    const free = places.flatMap((name, index) => (name === undefined ? [index] : []));
    for (const name of names) {
      if (placed.has(name)) continue;
      const place = free.shift();
      if (place === undefined) places.push(name);
      else places[place] = name;
    }
    while (places.length > 0 && places.at(-1) === undefined) places.pop();
    const empty = places.length - names.length;
    if (empty > alwaysEmpty && empty > places.length * mostEmpty) places = places.filter((name) => name !== undefined);
    this.#places.set(group, places);
    this.#most.set(group, Math.max(places.length + spare, this.#most.get(group) ?? 0));
    return places;
  }

  /** The number of places to leave room for: the most so far, and one more. */
  room(group: string): number {
    return this.#most.get(group) ?? spare;
  }
}
