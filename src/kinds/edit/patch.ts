// Merges several edits of one document into a tree of changes, and computes the resulting value.
import { isMap } from '../read/reader.ts';
import { joinPath, splitPath } from '../text/path.ts';

/** One change to a document. Paths are as in faults: dotted, with `[i]` for indexes and `[key]` for keys with dots. */
export type Edit =
  | { readonly path: string; readonly set: unknown }
  | { readonly path: string; readonly remove: true }
  | { readonly path: string; readonly rename: string };

/** Moves a field elsewhere in its document, with its comments. An index after the last item of a list appends. */
export interface MoveEdit {
  readonly path: string;
  readonly move: string;
  /** The new value, if it changes. */
  readonly as?: unknown;
}

/** The changes at one path of a document and below it. Paths refer to the document before any edit. */
export interface Patch {
  readonly under: Map<string, Patch>;
  /** The new content: a value, or the field moved here from another path. */
  put?: { readonly value: unknown } | { readonly from: readonly string[]; readonly as?: unknown };
  gone?: 'removed' | 'moved';
  rename?: string;
}

export function patchOf(edits: readonly (Edit | MoveEdit)[]): Patch | string {
  const root: Patch = { under: new Map() };
  for (const edit of edits) {
    const path = splitPath(edit.path);
    const patch = placeOf(root, path);
    const put =
      'move' in edit
        ? { from: path, ...('as' in edit && { as: edit.as }) }
        : 'set' in edit
          ? { value: edit.set }
          : undefined;
    const holder = 'move' in edit ? placeOf(root, splitPath(edit.move)) : patch;
    const gone = 'move' in edit ? 'moved' : 'remove' in edit ? 'removed' : undefined;
    const rename = 'rename' in edit ? edit.rename : undefined;
    // Two equal edits do not conflict.
    if (put && holder.put && !isSame(put, holder.put)) return conflict(edit.path);
    if (gone && patch.gone && gone !== patch.gone) return conflict(edit.path);
    if (rename !== undefined && patch.rename !== undefined && rename !== patch.rename) return conflict(edit.path);
    if (put) holder.put = put;
    if (gone) patch.gone = gone;
    if (rename !== undefined) patch.rename = rename;
  }
  return contradictionIn(root, '') ?? root;
}

const conflict = (path: string): string => `Two edits of ${path === '' ? 'the object' : path} conflict.`;

function placeOf(root: Patch, path: readonly string[]): Patch {
  let patch = root;
  for (const key of path) {
    const under: Patch = patch.under.get(key) ?? { under: new Map() };
    patch.under.set(key, under);
    patch = under;
  }
  return patch;
}

function contradictionIn({ put, gone, rename, under }: Patch, path: string): string | undefined {
  const below = [...under];
  if (put && 'value' in put && put.value === undefined) return `The value to set at ${path} is undefined.`;
  if (gone && (put || rename !== undefined)) return conflict(path);
  if ((put || gone === 'moved') && below.length > 0) return conflict(path);
  // Parts of a removed value may be moved out of it, but not edited.
  if (gone && !below.every(([, child]) => isMovedOut(child))) return conflict(path);
  for (const [key, child] of below) {
    const found = contradictionIn(child, joinPath(path, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

const isMovedOut = ({ gone, put, rename, under }: Patch): boolean =>
  gone === 'moved' || (!put && rename === undefined && under.size > 0 && [...under.values()].every(isMovedOut));

/** Whether all keys are list indexes, in a patch of a value that does not exist yet. */
export const isListPatch = ({ under }: Patch): boolean =>
  under.size > 0 && [...under.keys()].every((key) => /^\d+$/.test(key));

/** The patched value, or why the patch cannot be applied. */
export function outcomeOf(value: unknown, patch: Patch): { readonly value: unknown } | { readonly fault: string } {
  const faults: string[] = [];
  const after = patched({ value, path: '' }, patch, { root: value, faults });
  return faults[0] === undefined ? { value: after } : { fault: faults[0] };
}

interface ValueAtPath {
  readonly value: unknown;
  readonly path: string;
}

interface PatchContext {
  readonly root: unknown;
  readonly faults: string[];
}

function patched({ value, path }: ValueAtPath, patch: Patch, work: PatchContext): unknown {
  if (patch.put) return valuePut(patch.put, work.root);
  if (patch.under.size === 0) return value;
  if (Array.isArray(value)) return patchedList(value, { path, patch, work });
  if (value === undefined || value === null) {
    const empty = { path, patch, work };
    return isListPatch(patch) ? patchedList([], empty) : patchedMap({}, empty);
  }
  if (isMap(value)) return patchedMap(value, { path, patch, work });
  work.faults.push(`${path} is neither a map nor a list, so it cannot have fields.`);
  return value;
}

function valuePut(put: NonNullable<Patch['put']>, root: unknown): unknown {
  if ('value' in put) return put.value;
  return 'as' in put ? put.as : valueAt(root, put.from);
}

interface PatchedMember {
  readonly path: string;
  readonly patch: Patch;
  readonly work: PatchContext;
}

function patchedMap(value: Readonly<Record<string, unknown>>, { path, patch, work }: PatchedMember): unknown {
  const entries: [string, unknown][] = [];
  for (const key of Object.keys(value)) {
    const child = patch.under.get(key);
    const at = { value: value[key], path: joinPath(path, key) };
    if (!child) entries.push([key, at.value]);
    else if (child.gone) expectBelow(at, child, work);
    else entries.push([child.rename ?? key, patched(at, child, work)]);
  }
  for (const [key, child] of patch.under) {
    if (Object.hasOwn(value, key)) continue;
    const at = joinPath(path, key);
    if (expectNothing(child, at, work)) entries.push([key, patched({ value: undefined, path: at }, child, work)]);
  }
  const after = Object.fromEntries(entries);
  if (Object.keys(after).length < entries.length)
    work.faults.push(`${path || 'The object'} would have a duplicate key.`);
  return after;
}

function patchedList(value: readonly unknown[], { path, patch, work }: PatchedMember): unknown {
  const items: unknown[] = [];
  value.forEach((item, i) => {
    const child = patch.under.get(String(i));
    const at = { value: item, path: joinPath(path, i) };
    if (child?.rename !== undefined) work.faults.push(`${at.path} is a list item and has no key to rename.`);
    if (child?.gone) expectBelow(at, child, work);
    else items.push(child ? patched(at, child, work) : item);
  });
  for (const [key, child] of patch.under) {
    if (/^\d+$/.test(key) && Number(key) < value.length) continue;
    const at = joinPath(path, /^\d+$/.test(key) ? Number(key) : key);
    if (!/^\d+$/.test(key)) work.faults.push(`${path} is a list and has no field ${key}.`);
    else if (expectNothing(child, at, work)) items.push(patched({ value: undefined, path: at }, child, work));
  }
  return items;
}

/** A field that is moved out of a removed value must exist. */
function expectBelow({ value, path }: ValueAtPath, patch: Patch, work: PatchContext): void {
  for (const [key, child] of patch.under) {
    const at = { value: valueAt(value, [key]), path: joinPath(path, key) };
    if (at.value === undefined) work.faults.push(missing(at.path));
    expectBelow(at, child, work);
  }
}

/** A path that does not exist can only be set. */
function expectNothing({ gone, rename, put, under }: Patch, path: string, work: PatchContext): boolean {
  const sets = !gone && rename === undefined && (put !== undefined || under.size > 0);
  if (!sets) work.faults.push(missing(path));
  return sets;
}

const missing = (path: string): string => `This object has no ${path}.`;

/** Deep equality that ignores the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  if (!isMap(a) || !isMap(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isMap(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}
