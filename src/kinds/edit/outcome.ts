// What will a document be after its edits? Worked out on the value alone, so that the edited text can be checked against it.

import { joinPath } from '../path.ts';
import { isMap } from '../reader.ts';
import { isListPatch, type Patch } from './patch.ts';
import { valueAt } from './value.ts';

/** The value, or why there is none. */
export function outcomeOf(value: unknown, patch: Patch): { readonly value: unknown } | { readonly fault: string } {
  const faults: string[] = [];
  const after = patched({ value, path: '' }, patch, { root: value, faults });
  return faults[0] === undefined ? { value: after } : { fault: faults[0] };
}

interface Place {
  readonly value: unknown;
  readonly path: string;
}

interface Work {
  readonly root: unknown;
  readonly faults: string[];
}

function patched({ value, path }: Place, patch: Patch, work: Work): unknown {
  if (patch.put) return valuePut(patch.put, work.root);
  if (patch.under.size === 0) return value;
  if (Array.isArray(value)) return patchedList(value, { path, patch, work });
  if (value === undefined || value === null) {
    const empty = { path, patch, work };
    return isListPatch(patch) ? patchedList([], empty) : patchedMap({}, empty);
  }
  if (isMap(value)) return patchedMap(value, { path, patch, work });
  work.faults.push(`${path} is no map and no list, so nothing can stand below it.`);
  return value;
}

function valuePut(put: NonNullable<Patch['put']>, root: unknown): unknown {
  if ('value' in put) return put.value;
  return 'as' in put ? put.as : valueAt(root, put.from);
}

interface Inside {
  readonly path: string;
  readonly patch: Patch;
  readonly work: Work;
}

function patchedMap(value: Readonly<Record<string, unknown>>, { path, patch, work }: Inside): unknown {
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
    work.faults.push(`A key of ${path || 'the object'} would stand twice.`);
  return after;
}

function patchedList(value: readonly unknown[], { path, patch, work }: Inside): unknown {
  const items: unknown[] = [];
  value.forEach((item, i) => {
    const child = patch.under.get(String(i));
    const at = { value: item, path: joinPath(path, i) };
    if (child?.rename !== undefined) work.faults.push(`${at.path} is an item of a list and has no key.`);
    if (child?.gone) expectBelow(at, child, work);
    else items.push(child ? patched(at, child, work) : item);
  });
  for (const [key, child] of patch.under) {
    if (/^\d+$/.test(key) && Number(key) < value.length) continue;
    const at = joinPath(path, /^\d+$/.test(key) ? Number(key) : key);
    if (!/^\d+$/.test(key)) work.faults.push(`${path} is a list and has no ${key}.`);
    else if (expectNothing(child, at, work)) items.push(patched({ value: undefined, path: at }, child, work));
  }
  return items;
}

/** What is moved out of a part that goes must be there. */
function expectBelow({ value, path }: Place, patch: Patch, work: Work): void {
  for (const [key, child] of patch.under) {
    const at = { value: valueAt(value, [key]), path: joinPath(path, key) };
    if (at.value === undefined) work.faults.push(missing(at.path));
    expectBelow(at, child, work);
  }
}

/** A place that does not exist can only be set. */
function expectNothing({ gone, rename, put, under }: Patch, path: string, work: Work): boolean {
  const sets = !gone && rename === undefined && (put !== undefined || under.size > 0);
  if (!sets) work.faults.push(missing(path));
  return sets;
}

const missing = (path: string): string => `There is no ${path} in this object.`;
