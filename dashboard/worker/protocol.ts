// What do the page and its worker say to each other? Questions by number, and to each one or more answers.
import type { Change } from '../../src/engine/picture/change.ts';
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { Forecast } from '../../src/forecast/forecast.ts';

export type Question =
  /** The snapshot that the server has now; the headers are those of whoever may ask. */
  | { readonly kind: 'load'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'forecast' }
  /** What would another policy decide now? */
  | { readonly kind: 'decide'; readonly yaml: string }
  /** What is to be said of it, in words and by the linter? */
  | { readonly kind: 'read'; readonly yaml: string }
  /** When would it be done? */
  | { readonly kind: 'forecast-if'; readonly yaml: string }
  | { readonly kind: 'patch'; readonly yaml: string }
  | { readonly kind: 'recording'; readonly text: string };

export interface Loaded {
  readonly at: number;
  readonly nodes: number;
  /** The policy as one would write it. */
  readonly yaml: string;
}

/** How far the copy has come: so many objects of so many are read; before that, so much has arrived. */
export type Loading = { readonly megabytes: number } | { readonly read: number; readonly total: number };

export interface Mark {
  readonly line?: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly suggestion?: string;
  readonly rule?: string;
}

/** Undefined fields = it could not be read, and the marks say why. */
export interface Decided {
  readonly marks: readonly Mark[];
  readonly nodes?: number;
  readonly counts?: Readonly<Record<'before' | 'after', Readonly<Record<string, number>>>>;
  readonly differences?: readonly Difference[];
  readonly milliseconds?: number;
}

export interface Difference {
  readonly name: string;
  readonly before: NodeRow;
  readonly after: NodeRow;
}

export interface Words {
  readonly title: string;
  readonly sentences: readonly string[];
}

export interface Reading {
  readonly marks: readonly Mark[];
  readonly words: readonly Words[];
}

export interface PatchText {
  /** Nothing to do = empty. */
  readonly text: string;
}

export interface Recording {
  readonly items: readonly { readonly change: Change }[];
}

export interface Answers {
  readonly load: Loaded;
  readonly forecast: Forecast;
  readonly decide: Decided;
  readonly read: Reading;
  readonly 'forecast-if': Forecast | undefined;
  readonly patch: PatchText;
  readonly recording: Recording;
}

export interface Asked {
  readonly id: number;
  readonly question: Question;
}

export type Told =
  | { readonly id: number; readonly answer: unknown; readonly isLast: boolean }
  | { readonly id: number; readonly error: string };
