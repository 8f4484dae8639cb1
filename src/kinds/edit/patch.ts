// What do several edits of one document come to together? One tree of changes, or what they cannot agree on.

import { joinPath, splitPath } from '../path.ts';
import { isSame } from './value.ts';

/** One change to a document; paths as in faults: dotted, with `[i]` for places and `[key]` for keys that hold dots. */
export type Edit =
  | { readonly path: string; readonly set: unknown }
  | { readonly path: string; readonly remove: true }
  | { readonly path: string; readonly rename: string };

/** A field goes elsewhere in its document, with the comments that belong to it. `[n]` behind the last item of a list appends. */
export interface Move {
  readonly path: string;
  readonly move: string;
  /** What it says there, where that is not what it said before. */
  readonly as?: unknown;
}

/** What happens at one place of a document, and below it. Paths are those before any edit. */
export interface Patch {
  readonly under: Map<string, Patch>;
  /** What stands here afterwards: a value, or what is fetched from another place. */
  put?: { readonly value: unknown } | { readonly from: readonly string[]; readonly as?: unknown };
  gone?: 'removed' | 'moved';
  rename?: string;
}

export function patchOf(edits: readonly (Edit | Move)[]): Patch | string {
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
    // The same said twice is no matter.
    if (put && holder.put && !isSame(put, holder.put)) return differs(edit.path);
    if (gone && patch.gone && gone !== patch.gone) return differs(edit.path);
    if (rename !== undefined && patch.rename !== undefined && rename !== patch.rename) return differs(edit.path);
    if (put) holder.put = put;
    if (gone) patch.gone = gone;
    if (rename !== undefined) patch.rename = rename;
  }
  return contradictionIn(root, '') ?? root;
}

const differs = (path: string): string => `Two edits say different things of ${path === '' ? 'the object' : path}.`;

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
  if (put && 'value' in put && put.value === undefined) return `There is nothing to set at ${path}.`;
  if (gone && (put || rename !== undefined)) return differs(path);
  if ((put || gone === 'moved') && below.length > 0) return differs(path);
  // Parts of what goes may be moved out of it; nothing else can happen to them.
  if (gone && !below.every(([, child]) => isMovedOut(child))) return differs(path);
  for (const [key, child] of below) {
    const found = contradictionIn(child, joinPath(path, key));
    if (found !== undefined) return found;
  }
  return undefined;
}

const isMovedOut = ({ gone, put, rename, under }: Patch): boolean =>
  gone === 'moved' || (!put && rename === undefined && under.size > 0 && [...under.values()].every(isMovedOut));

/** Keys that are places in a list, in a patch of something that is not there yet. */
export const isListPatch = ({ under }: Patch): boolean =>
  under.size > 0 && [...under.keys()].every((key) => /^\d+$/.test(key));
