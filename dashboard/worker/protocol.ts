// The messages between page and worker: numbered questions, each with one or more answers.

import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { PictureChange } from '../../src/engine/picture/pictureChange.ts';
import type { Forecast } from '../../src/forecast/poolForecasts.ts';

export type Question =
  /** Loads the server's current snapshot; the headers have the token. */
  | { readonly kind: 'load'; readonly headers: Readonly<Record<string, string>> }
  | { readonly kind: 'forecast' }
  /** What Lull would decide with this policy. */
  | { readonly kind: 'decide'; readonly yaml: string }
  /** The explanation and the lint findings. */
  | { readonly kind: 'read'; readonly yaml: string }
  /** The forecast with this policy. */
  | { readonly kind: 'forecast-if'; readonly yaml: string }
  | { readonly kind: 'patch'; readonly yaml: string }
  | { readonly kind: 'recording'; readonly text: string };

export interface Loaded {
  readonly at: number;
  readonly nodes: number;
  /** The policy as YAML. */
  readonly yaml: string;
}

/** The progress of loading: megabytes received, then objects read. */
export type Loading = { readonly megabytes: number } | { readonly read: number; readonly total: number };

export interface Mark {
  readonly line?: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly suggestion?: string;
  readonly rule?: string;
}

/** Undefined fields = the policy is invalid; the marks say why. */
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

export interface ExplainedObject {
  readonly title: string;
  readonly sentences: readonly string[];
}

export interface Reading {
  readonly marks: readonly Mark[];
  readonly words: readonly ExplainedObject[];
}

export interface PatchText {
  /** Empty = no change. */
  readonly text: string;
}

export interface Recording {
  readonly items: readonly { readonly change: PictureChange }[];
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

export interface WorkerRequest {
  readonly id: number;
  readonly question: Question;
}

export type WorkerResponse =
  | { readonly id: number; readonly answer: unknown; readonly isLast: boolean }
  | { readonly id: number; readonly error: string };
