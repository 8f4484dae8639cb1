// What is other than it was? Two pictures compared row by row, and the second made of the first again.
import type { Picture } from './picture.ts';

/** Plain data. Of each list the rows that are new or other, and the keys of those that are gone. */
export interface Change {
  readonly at: Picture['at'];
  readonly wakeAt?: Picture['wakeAt'];
  readonly put?: { readonly [List in ListName]?: Picture[List] };
  readonly gone?: { readonly [List in ListName]?: readonly string[] };
}

export type ListName = {
  [Key in keyof Picture]-?: Picture[Key] extends readonly unknown[] ? Key : never;
}[keyof Picture];

type Row<List extends ListName> = Picture[List][number];

/** By what a row of each list is known; and in that order it stands. */
const keys: { readonly [List in ListName]: (row: Row<List>) => string } = {
  nodes: ({ name }) => name,
  pools: ({ name }) => name,
  domains: ({ pool, topologyKey, domain }) => `${pool} ${topologyKey} ${domain ?? '\uffff'}`,
  commands: ({ id }) => id,
  windows: ({ kind, name }) => `${kind} ${name}`,
  faults: ({ object, path, message }) => `${object} ${path} ${message}`,
};
const lists = Object.keys(keys) as ListName[];

/** Remembers the rows of the last picture as text, which is quicker to compare than to walk. */
export class Differ {
  readonly #texts: Record<ListName, Map<string, string>>;

  constructor() {
    this.#texts = Object.fromEntries(lists.map((list) => [list, new Map()])) as Record<ListName, Map<string, string>>;
  }

  /** From the picture before to this one; the first is compared with nothing. */
  next(picture: Picture): Change {
    const put: Partial<Record<ListName, unknown[]>> = {};
    const gone: Partial<Record<ListName, string[]>> = {};
    for (const list of lists) {
      const [others, missing] = this.#compare(list, picture);
      if (others.length > 0) put[list] = others;
      if (missing.length > 0) gone[list] = missing;
    }
    return {
      at: picture.at,
      ...(picture.wakeAt !== undefined && { wakeAt: picture.wakeAt }),
      ...(Object.keys(put).length > 0 && { put: put as NonNullable<Change['put']> }),
      ...(Object.keys(gone).length > 0 && { gone }),
    };
  }

  #compare(list: ListName, picture: Picture): [unknown[], string[]] {
    const before = this.#texts[list];
    const now = new Map<string, string>();
    const others: unknown[] = [];
    const keyOf = keys[list] as (row: unknown) => string;
    for (const row of picture[list]) {
      const key = keyOf(row);
      const text = JSON.stringify(row);
      now.set(key, text);
      if (before.get(key) !== text) others.push(row);
    }
    this.#texts[list] = now;
    return [others, [...before.keys()].filter((key) => !now.has(key))];
  }
}

export const emptyPicture: Picture = {
  at: 0 as Picture['at'],
  nodes: [],
  pools: [],
  domains: [],
  commands: [],
  windows: [],
  faults: [],
};

/** Lists in which nothing changed are the same ones as before, so that whoever shows them need not look again. */
export function applyChange(before: Picture, { at, wakeAt, put = {}, gone = {} }: Change): Picture {
  const changed: Partial<Record<ListName, readonly unknown[]>> = {};
  for (const list of lists) {
    const [rows, missing] = [put[list] ?? [], gone[list] ?? []];
    if (rows.length > 0 || missing.length > 0) changed[list] = merge(list, before[list], { rows, missing });
  }
  const { wakeAt: _, ...rest } = before;
  return { ...rest, ...changed, at, ...(wakeAt !== undefined && { wakeAt }) } as Picture;
}

function merge(
  list: ListName,
  before: readonly unknown[],
  { rows, missing }: { readonly rows: readonly unknown[]; readonly missing: readonly string[] },
): readonly unknown[] {
  const keyOf = keys[list] as (row: unknown) => string;
  const all = new Map(before.map((row) => [keyOf(row), row]));
  const isNew = rows.some((row) => !all.has(keyOf(row)));
  for (const key of missing) all.delete(key);
  for (const row of rows) all.set(keyOf(row), row);
  // Who only changed stands where it stood.
  return isNew ? [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row) : [...all.values()];
}
