// Where does each node stand? It keeps its place for as long as it lives; who replaces it takes the place that became free.

/** Past this share of empty places all close up. */
const mostEmpty = 0.25;
const alwaysEmpty = 2;

/** So that one who comes before the other has gone finds room, and nothing below moves. */
const spare = 1;

export class Slots {
  readonly #most = new Map<string, number>();
  #places = new Map<string, (string | undefined)[]>();

  /** The names of a group in their places; an empty place is undefined. */
  arrange(group: string, names: readonly string[]): readonly (string | undefined)[] {
    const wanted = new Set(names);
    let places = (this.#places.get(group) ?? []).map((name) =>
      name !== undefined && wanted.has(name) ? name : undefined,
    );
    const standing = new Set(places);
    const free = places.flatMap((name, index) => (name === undefined ? [index] : []));
    for (const name of names) {
      if (standing.has(name)) continue;
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

  /** For how many there has to be room: as many as there ever were at once, and one more. */
  room(group: string): number {
    return this.#most.get(group) ?? spare;
  }
}
