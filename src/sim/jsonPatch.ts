// JSON Patch (RFC 6902): returns a new document that shares its unchanged parts with the old one, or an error.
import { type Json, sameJson } from './kubeObject.ts';

export interface RawPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'test' | 'move' | 'copy';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

export type PatchResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Applies all operations, or none. */
export function applyPatch(document: unknown, patch: readonly RawPatchOperation[]): PatchResult {
  try {
    return { ok: true, value: patch.reduce(applyOne, document) };
  } catch (error) {
    if (error instanceof PatchError) return { ok: false, message: error.message };
    throw error;
  }
}

/** Internal: caught by applyPatch. */
class PatchError extends Error {}

function applyOne(document: unknown, operation: RawPatchOperation): unknown {
  const { op, path } = operation;
  const tokens = tokensOf(path);
  switch (op) {
    case 'add':
      return change(document, tokens, { path, leaf: adding(operation.value ?? null) });
    case 'replace':
      return change(document, tokens, { path, leaf: replacing(operation.value ?? null) });
    case 'remove':
      return change(document, tokens, { path, leaf: removing });
    case 'test':
      return testOne(document, tokens, operation);
    case 'copy':
      return change(document, tokens, { path, leaf: adding(sourceOf(document, operation)) });
    case 'move':
      return moveOne(document, tokens, operation);
    default:
      throw new PatchError(`unexpected operation ${JSON.stringify(op)}`);
  }
}

function testOne(document: unknown, tokens: readonly string[], { path, value = null }: RawPatchOperation): unknown {
  const parent = tokens.slice(0, -1).reduce<unknown>((inside, token) => {
    if (!has(inside, token)) missing(path);
    return itemOf(inside, token);
  }, document);
  const last = tokens.at(-1);
  // As in the API server's library, a missing last field equals null: clients test for absence that way.
  if (last !== undefined && !isOpen(parent) && !has(parent, last)) missing(path);
  const found = last === undefined ? document : has(parent, last) ? itemOf(parent, last) : null;
  if (!sameJson(found, value)) throw new PatchError(`testing value ${path} failed`);
  return document;
}

function moveOne(document: unknown, tokens: readonly string[], operation: RawPatchOperation): unknown {
  const { path, from = '' } = operation;
  if (path.startsWith(`${from}/`)) throw new PatchError(`${from} cannot be moved into itself`);
  const value = sourceOf(document, operation);
  const rest = change(document, tokensOf(from), { path: from, leaf: removing });
  return change(rest, tokens, { path, leaf: adding(value) });
}

function sourceOf(document: unknown, { from }: RawPatchOperation): unknown {
  if (from === undefined) throw new PatchError('from is missing');
  return tokensOf(from).reduce<unknown>((inside, token) => {
    if (!has(inside, token)) missing(from);
    return itemOf(inside, token);
  }, document);
}

interface LeafEdit {
  /** The whole document. */
  root(path: string): unknown;
  list(list: readonly unknown[], token: string, path: string): unknown;
  map(map: Json, token: string, path: string): unknown;
}

interface PatchTarget {
  readonly path: string;
  readonly leaf: LeafEdit;
}

/** Copies only the objects on the path to the target. */
function change(inside: unknown, tokens: readonly string[], goal: PatchTarget): unknown {
  const [token, ...rest] = tokens;
  if (token === undefined) return goal.leaf.root(goal.path);
  const isLast = rest.length === 0;
  if (Array.isArray(inside)) {
    if (isLast) return goal.leaf.list(inside, token, goal.path);
    const index = indexIn(inside, token, goal.path);
    return inside.with(index, change(inside[index], rest, goal));
  }
  if (typeof inside !== 'object' || inside === null) return missing(goal.path);
  if (isLast) return goal.leaf.map(inside as Json, token, goal.path);
  if (!has(inside, token)) missing(goal.path);
  return withField(inside as Json, token, change((inside as Json)[token], rest, goal));
}

const adding = (value: unknown): LeafEdit => ({
  root: () => value,
  list: (list, token, path) =>
    list.toSpliced(token === '-' ? list.length : indexIn(list, token, path, list.length), 0, value),
  map: (map, token) => withField(map, token, value),
});

const replacing = (value: unknown): LeafEdit => ({
  root: () => value,
  list: (list, token, path) => list.with(indexIn(list, token, path), value),
  map: (map, token, path) => (has(map, token) ? withField(map, token, value) : missing(path)),
});

const removing: LeafEdit = {
  root: () => null,
  list: (list, token, path) => list.toSpliced(indexIn(list, token, path), 1),
  map: (map, token, path) => {
    if (!has(map, token)) missing(path);
    return Object.fromEntries(Object.entries(map).filter(([key]) => key !== token));
  },
};

/** Handles keys such as __proto__ like any other. */
function withField(map: Json, key: string, value: unknown): Json {
  if (key !== '__proto__') return { ...map, [key]: value };
  return Object.fromEntries([...Object.entries(map).filter(([each]) => each !== key), [key, value]]);
}

function tokensOf(path: string): readonly string[] {
  if (path === '') return [];
  if (!path.startsWith('/')) throw new PatchError(`path ${JSON.stringify(path)} does not begin with /`);
  const tokens = path.slice(1).split('/');
  return path.includes('~') ? tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~')) : tokens;
}

const isIndex = (token: string): boolean => /^(0|[1-9]\d*)$/.test(token);

/** Whether any field may be added. */
const isOpen = (inside: unknown): boolean => typeof inside === 'object' && inside !== null && !Array.isArray(inside);

const has = (inside: unknown, token: string): boolean =>
  Array.isArray(inside)
    ? isIndex(token) && Number(token) < inside.length
    : typeof inside === 'object' && inside !== null && Object.hasOwn(inside, token);

const itemOf = (inside: unknown, token: string): unknown =>
  Array.isArray(inside) ? inside[Number(token)] : (inside as Json)[token];

function indexIn(list: readonly unknown[], token: string, path: string, last = list.length - 1): number {
  if (!isIndex(token) || Number(token) > last) return missing(path);
  return Number(token);
}

function missing(path: string): never {
  throw new PatchError(`missing path: ${path}`);
}
