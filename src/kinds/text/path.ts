// Field paths such as `spec.budgets[1]`, and parsed values and errors with their positions in a text.
const plainKey = /^[A-Za-z_][\w-]*$/;
const step = /\[([^\]]*)\]|([^.[\]]+)/g;

/** `spec` + `budgets` + 1 = `spec.budgets[1]`; `metadata.annotations` + `lull.dev/hold` = `metadata.annotations[lull.dev/hold]`. */
export function joinPath(path: string, key: string | number): string {
  if (typeof key === 'number' || !plainKey.test(key)) return `${path}[${key}]`;
  return path === '' ? key : `${path}.${key}`;
}

/** The keys and indexes of a path, outermost first. */
export function splitPath(path: string): string[] {
  return Array.from(path.matchAll(step), (match) => match[1] ?? match[2] ?? '');
}

export interface LineColumn {
  readonly line: number;
  readonly column: number;
}

export interface ParsedValue {
  readonly value: unknown;
  /** The position of the field at this path, or of its nearest existing ancestor. */
  readonly place: (path: readonly string[]) => LineColumn;
}

export interface TextError extends LineColumn {
  readonly message: string;
}

export interface ParsedText {
  readonly values: ParsedValue[];
  readonly errors: TextError[];
}

/** Values parsed on demand: errors are complete once all values are read. */
export interface StreamedText {
  readonly values: Iterable<ParsedValue>;
  readonly errors: TextError[];
}

/** Parsing stops after this many errors: the user fixes these first. */
export const mostErrors = 100;

/** No Kubernetes object is nested nearly as deep. With this limit, later code may recurse without counting. */
export const maxDepth = 200;

export const tooDeep = `This is nested more than ${maxDepth} levels deep. Flatten it.`;

export const duplicateKey = (key: string): string =>
  `Duplicate key ${JSON.stringify(key)} in one map. Remove one of the two.`;
