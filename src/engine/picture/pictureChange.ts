// The difference between two pictures, as sent to viewers: rows that are new or changed, and keys of rows that are gone.
// It has the present rows only; changes/changes.ts describes what happened. Both compare with differencesOf.
import { defined } from '../../cluster/defined.ts';
import { asInstant } from '../../time/instant.ts';
import { type DiffEntry, differencesOf } from '../changes/difference.ts';
import type { Picture } from './picture.ts';

/** The row type of each list of a picture. */
type Rows = {
  [Key in keyof Picture as Picture[Key] extends readonly unknown[]
    ? Key
    : never]-?: Picture[Key] extends readonly (infer Row)[] ? Row : never;
};
type ListName = keyof Rows;
type Lists = { readonly [List in ListName]: readonly Rows[List][] };

/** Plain data. */
export interface PictureChange {
  readonly at: Picture['at'];
  readonly wakeAt?: Picture['wakeAt'];
  readonly put?: Partial<Lists>;
  readonly gone?: { readonly [List in ListName]?: readonly string[] };
}

/** The key of a row of each list; lists are sorted by it. */
const keys: { readonly [List in ListName]: (row: Rows[List]) => string } = {
  nodes: ({ name }) => name,
  pools: ({ name }) => name,
  domains: ({ pool, topologyKey, domain }) => `${pool} ${topologyKey} ${domain ?? '\uffff'}`,
  commands: ({ id }) => id,
  windows: ({ kind, name }) => `${kind} ${name}`,
  faults: ({ object, path, message }) => `${object} ${path} ${message}`,
};
const lists = Object.keys(keys) as ListName[];

/** Keeps the rows of the last picture as text, which is faster to compare than objects. */
export class Differ {
  readonly #before = new Map<ListName, ReadonlyMap<string, DiffEntry<unknown>>>();

  /** The change from the previous picture to this one; the first picture is new as a whole. */
  next(picture: Picture): PictureChange {
    const [put, gone]: [Partial<Lists>, NonNullable<PictureChange['gone']>] = [{}, {}];
    for (const list of lists) {
      const entries = entriesOf(list, picture);
      const differences = differencesOf(this.#before.get(list), entries);
      this.#before.set(list, entries);
      const rows = differences.flatMap(({ is }) => is ?? []);
      const missing = differences.flatMap(({ id, is }) => (is ? [] : id));
      if (rows.length > 0) Object.assign(put, { [list]: rows });
      if (missing.length > 0) Object.assign(gone, { [list]: missing });
    }
    const orNone = <Fields extends object>(fields: Fields) => (Object.keys(fields).length > 0 ? fields : undefined);
    return defined({ at: picture.at, wakeAt: picture.wakeAt, put: orNone(put), gone: orNone(gone) });
  }
}

function entriesOf<List extends ListName>(list: List, lists: Lists): Map<string, DiffEntry<unknown>> {
  const rows = lists[list];
  return new Map(rows.map((row) => [keys[list](row), { says: JSON.stringify(row), value: row }]));
}

export const emptyPicture: Picture = {
  at: asInstant(0),
  nodes: [],
  pools: [],
  domains: [],
  commands: [],
  windows: [],
  faults: [],
};

/** Unchanged lists stay the same objects, so that viewers need not draw them again. */
export function applyChange(before: Picture, { at, wakeAt, put = {}, gone = {} }: PictureChange): Picture {
  const { wakeAt: _, ...rest } = before;
  const changed = { ...rest, at };
  const merge = <List extends ListName>(list: List): void => {
    const [rows, missing]: [Partial<Lists>[List], readonly string[]] = [put[list], gone[list] ?? []];
    if (rows || missing.length > 0)
      Object.assign(changed, { [list]: merged(list, before, { rows: rows ?? [], missing }) });
  };
  lists.forEach(merge);
  return wakeAt === undefined ? changed : { ...changed, wakeAt };
}

function merged<List extends ListName>(
  list: List,
  before: Lists,
  { rows, missing }: { readonly rows: readonly Rows[List][]; readonly missing: readonly string[] },
): readonly Rows[List][] {
  const keyOf = keys[list];
  const all = new Map(before[list].map((row: Rows[List]) => [keyOf(row), row]));
  const isNew = rows.some((row) => !all.has(keyOf(row)));
  for (const key of missing) all.delete(key);
  for (const row of rows) all.set(keyOf(row), row);
  // A changed row keeps its place; only new rows need sorting.
  return isNew ? [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row) : [...all.values()];
}
