// How does a Lull that runs for weeks say what happens? One line an event on stderr, for people or for programs.
import { escapeControls } from '../kinds/escaping.ts';
import { formatExactly, formatInstant } from '../time/instant.ts';
import type { Io } from './io.ts';

/** Something that happened: a word, a sentence, and what a program may read of it. */
export interface Told {
  readonly kind: string;
  readonly text: string;
  readonly [field: string]: unknown;
}

export type Log = (told: Told) => void;

export const logForms = ['text', 'json'] as const;
export type LogForm = (typeof logForms)[number];

/** Kinds stand in a column; the longest usual one is `terminating`. */
const column = 11;

export const openLog =
  (io: Pick<Io, 'stderr' | 'now'>, form: LogForm): Log =>
  ({ kind, text, ...fields }) => {
    const line =
      form === 'json'
        ? JSON.stringify({ at: formatExactly(io.now()), kind, text, ...fields })
        : escapeControls(`${formatInstant(io.now())} ${kind.padEnd(column)} ${text}`);
    io.stderr(`${line}\n`, form);
  };
