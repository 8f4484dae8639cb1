// Parses a text into objects with the position of each field: any mix of YAML, JSON, JSON lines and lists (L1).
import type { Position } from '../../cluster/fault.ts';
import { isMap } from '../read/reader.ts';
import { openJsonLines, parseJsonText } from './jsonText.ts';
import { mostErrors, type ParsedText, type ParsedValue, type StreamedText, splitPath, type TextError } from './path.ts';
import { parseYamlText } from './yamlText.ts';

export interface Document {
  readonly object: Readonly<Record<string, unknown>>;
  /** The position of a field, or of its nearest existing ancestor. Computed only when called. */
  position(path: string): Position;
}

/** Input that cannot be parsed: then nothing of the file is applied (K1). */
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

/** Yields documents one by one, so that the caller need not hold all of them. Adds the errors to the list at the end. */
export function* eachDocument(text: string, file: string, inputErrors: InputError[]): Generator<Document, void> {
  const { values, errors } = openText(text);
  for (const parsed of values) {
    if (errors.length > mostErrors) continue;
    const documents: Document[] = [];
    collect({ parsed, value: parsed.value, path: [] }, file, documents, errors);
    yield* documents;
  }
  inputErrors.push(...firstErrors(errors).map((error) => ({ file, ...error })));
}

function firstErrors(errors: TextError[]): TextError[] {
  const first = errors.sort((a, b) => a.line - b.line || a.column - b.column).slice(0, mostErrors);
  const next = errors[mostErrors];
  return next ? [...first, { ...next, message: 'There are more errors here. Fix the errors above first.' }] : first;
}

/** A parsed value, or an item of a list in it. */
interface ParsedPart {
  readonly parsed: ParsedValue;
  readonly value: unknown;
  readonly path: readonly string[];
}

function collect(part: ParsedPart, file: string, documents: Document[], errors: TextError[]): void {
  const { parsed, value, path } = part;
  // Do not capture all of `parsed` in `position`, which lives longer: a large snapshot would stay in memory twice.
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
  if (!isMap(value)) {
    fail(`This is ${nameOf(value)}, not an object. ${writeObject}`);
    return;
  }
  const { kind } = value;
  if (typeof kind !== 'string' || kind === '') {
    fail(`This object has no kind. ${writeObject}`);
  } else if (kind === 'List' || (kind.endsWith('List') && Array.isArray(value.items))) {
    const items = value.items ?? [];
    if (Array.isArray(items)) {
      collect(
        { parsed, value: withKinds(kind, value.apiVersion, items), path: [...path, 'items'] },
        file,
        documents,
        errors,
      );
    } else fail(`The items of this list are ${nameOf(items)}. Write a list of objects.`);
  } else {
    documents.push({ object: value, position: (at) => ({ file, ...place([...path, ...splitPath(at)]) }) });
  }
}

const writeObject = 'Write apiVersion, kind and metadata, as kubectl prints them.';

/** The API server omits kind and apiVersion in the items of a `PodList`: take them from the list. */
function withKinds(listKind: string, apiVersion: unknown, items: unknown[]): unknown[] {
  if (listKind === 'List') return items;
  const kind = listKind.slice(0, -'List'.length);
  return items.map((item) => (isMap(item) && !('kind' in item) ? { apiVersion, kind, ...item } : item));
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (typeof value === 'string') return 'a string';
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`;
}

export function parseText(text: string): ParsedText {
  const plain = withoutMark(text);
  return parseJsonText(plain) ?? parseYamlText(plain);
}

/** Like parseText, but reads JSON lines one by one. */
function openText(text: string): StreamedText {
  return openJsonLines(withoutMark(text)) ?? parseText(text);
}

const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text);
