// Which objects does a file hold, and where does each field of them stand? Any mix of YAML, JSON, JSON lines and lists (L1).
import type { Position } from '../cluster/fault.ts';
import { mostErrors, type Parsed, type TextError } from './parsed.ts';
import { splitPath } from './path.ts';
import { openText } from './text.ts';

export interface Document {
  readonly object: Readonly<Record<string, unknown>>;
  /** The line of a field, or of its nearest ancestor that is there. Worked out only when asked. */
  position(path: string): Position;
}

/** Input that cannot be read at all: nothing is half applied (K1). */
export interface InputError {
  readonly file: string;
  readonly line: number;
  readonly column?: number;
  readonly message: string;
}

export function readDocuments(text: string, file: string): { documents: Document[]; errors: InputError[] } {
  const errors: InputError[] = [];
  return { documents: [...eachDocument(text, file, errors)], errors };
}

/** One after another, so that whoever is done with one can forget it. At the end what could not be read is told. */
export function* eachDocument(text: string, file: string, told: InputError[]): Generator<Document, void> {
  const { values, errors } = openText(text);
  for (const parsed of values) {
    if (errors.length > mostErrors) continue;
    const documents: Document[] = [];
    collect({ parsed, value: parsed.value, path: [] }, file, documents, errors);
    yield* documents;
  }
  told.push(...theFirst(errors).map((error) => ({ file, ...error })));
}

function theFirst(errors: TextError[]): TextError[] {
  const told = errors.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, mostErrors);
  const next = errors[mostErrors];
  return next
    ? [...told, { ...next, message: 'There is more here that cannot be read. Mend what was told so far first.' }]
    : told;
}

/** A value within what was parsed: the whole, or an item of a list. */
interface Part {
  readonly parsed: Parsed;
  readonly value: unknown;
  readonly path: readonly string[];
}

function collect(part: Part, file: string, documents: Document[], errors: TextError[]): void {
  const { parsed, value, path } = part;
  // Not all of what was parsed, which places outlive: a large snapshot would be held twice.
  const { place } = parsed;
  const fail = (message: string): void => {
    errors.push({ ...place(path), message });
  };
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length && errors.length <= mostErrors; i++) {
      collect({ parsed, value: value[i], path: [...path, String(i)] }, file, documents, errors);
    }
    return;
  }
  if (typeof value !== 'object' || value === null) {
    fail(`This is ${nameOf(value)}, not an object. Give apiVersion, kind and metadata, as kubectl prints them.`);
    return;
  }
  const object = value as Record<string, unknown>;
  const { kind } = object;
  if (typeof kind !== 'string' || kind === '') {
    fail('This object has no kind. Give apiVersion, kind and metadata, as kubectl prints them.');
  } else if (kind === 'List' || (kind.endsWith('List') && Array.isArray(object.items))) {
    const items = object.items ?? [];
    if (Array.isArray(items)) {
      collect({ parsed, value: withKinds(object, items), path: [...path, 'items'] }, file, documents, errors);
    } else fail(`The items of this list are ${nameOf(items)}. Give a list of objects.`);
  } else {
    documents.push({ object, position: (at) => ({ file, ...place([...path, ...splitPath(at)]) }) });
  }
}

/** The API server leaves kind and apiVersion away in the items of a `PodList`: the list has said them. */
function withKinds(list: Record<string, unknown>, items: unknown[]): unknown[] {
  if (list.kind === 'List') return items;
  const kind = (list.kind as string).slice(0, -'List'.length);
  return items.map((item) =>
    typeof item === 'object' && item !== null && !Array.isArray(item) && !('kind' in item)
      ? { apiVersion: list.apiVersion, kind, ...item }
      : item,
  );
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (typeof value === 'string') return 'a text';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}
