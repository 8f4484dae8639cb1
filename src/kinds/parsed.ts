// What comes out of a text before anyone asks what it means? Values that know their place, and what could not be read.

export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Parsed {
  readonly value: unknown;
  /** Of the field at this path, or of its nearest ancestor that is there. */
  readonly place: (path: readonly string[]) => Place;
}

export interface TextError extends Place {
  readonly message: string;
}

export interface ParsedText {
  readonly values: Parsed[];
  readonly errors: TextError[];
}

/** The same as it is read: errors are all there once the values are through. */
export interface OpenedText {
  readonly values: Iterable<Parsed>;
  readonly errors: TextError[];
}

/** Who has mended so many reads the text again; what follows them is not read. */
export const mostErrors = 100;

/** No Kubernetes object comes near it; what comes after may walk through a value without counting. */
export const maxDepth = 200;

export const tooDeep = `This is nested more than ${maxDepth} levels deep. Write the objects out plainly.`;

export const standsTwice = (key: string): string =>
  `The key ${JSON.stringify(key)} stands twice in one map. Remove one of the two.`;
