// Reads and writes Kubernetes objects as plain data.
import { parseAllDocuments } from 'yaml';

export type Manifest = Readonly<Record<string, unknown>>;

export const parse = (text: string): Manifest[] =>
  parseAllDocuments(text).map((document) => document.toJS() as Manifest);

/** The value at a path; undefined if there is none. */
export function valueAt(object: unknown, ...path: string[]): unknown {
  let value = object;
  for (const key of path) value = (value as Manifest | undefined | null)?.[key];
  return value;
}

export const textAt = (object: unknown, ...path: string[]): string | undefined => {
  const value = valueAt(object, ...path);
  return typeof value === 'string' ? value : undefined;
};

/** A map; empty if there is none. */
export const mapAt = (object: unknown, ...path: string[]): Manifest =>
  (valueAt(object, ...path) as Manifest | undefined) ?? {};

export const nameOf = (object: Manifest): string => textAt(object, 'metadata', 'name') ?? '';
