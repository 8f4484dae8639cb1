// The interface between commands and the process: streams, clock, terminal. All output is escaped here (K8).
import { escapeGithub, escapeJson, escapeText, escapeYaml } from '../kinds/text/escaping.ts';
import type { Duration, Instant } from '../time/instant.ts';

/** What reads a text, which decides how it is escaped. `file` = not at all: a user's own file, checked by the caller. */
type StreamFormat = 'text' | 'json' | 'yaml' | 'github' | 'screen' | 'file';

export interface Io {
  readonly stdin: () => Promise<Uint8Array>;
  /** Writes whole lines; `text` by default. */
  readonly stdout: (text: string, form?: StreamFormat) => void;
  readonly stderr: (text: string, form?: StreamFormat) => void;
  readonly now: () => Instant;
  /** The IANA name of this machine's time zone. */
  readonly localZone: () => string;
  /** How far this machine's clock is ahead of UTC then. Unlike the name of the zone, it is known without loading Intl's data. */
  readonly localOffset: (at: Instant) => Duration;
  /** Columns to wrap text at; Infinity = not at all. */
  readonly width: number;
  readonly color: boolean;
  readonly version: string;
  /** As `commit 0123456789ab of 2026-11-15`; absent if unknown. */
  readonly builtFrom?: string;
  /** Whether to print the stack of an internal error. */
  readonly debug: boolean;
  /** Replaces the progress line of a long command; empty clears it. Absent = stderr is not a terminal. */
  readonly progress?: (text: string) => void;
  /** Waits in real time. */
  readonly wait?: (length: Duration) => Promise<void>;
  /** Asks the user, yes or no. Absent = not interactive. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** The default port of a Lull on this machine (LULL_PORT). */
  readonly port?: number;
  /** The user's name; absent if unknown. */
  readonly user?: string;
  /** How the program was called: `kubectl lull` as a kubectl plugin. Absent = `lull`. */
  readonly calledAs?: string;
  /** Calls the listener on Ctrl-C or SIGTERM; returns a function that removes it. */
  readonly onInterrupt?: (listener: () => void) => () => void;
  /** The current size of the terminal; absent = a pipe or a file. */
  readonly screen?: () => { readonly rows: number; readonly columns: number };
}

/** Terminals report 0 or a few columns where they do not know their size. */
const leastWidth = 60;
const usualWidth = 80;

/** Output to a pipe or a file is not wrapped, so that a finding is one line, unless LULL_COLUMNS asks for it. */
export function outputWidth(
  env: Readonly<Record<string, string | undefined>>,
  terminal: { readonly columns?: number } | undefined,
): number {
  const wanted = [env.LULL_COLUMNS, ...(terminal ? [terminal.columns, env.COLUMNS] : [])].map(Number);
  return wanted.find((columns) => columns >= leastWidth) ?? (terminal ? usualWidth : Number.POSITIVE_INFINITY);
}

/** FORCE_COLOR takes precedence over NO_COLOR (https://no-color.org). */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0';
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}

/** The escape sequences that `paint` writes: picocolors' codes for our styles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are matched on purpose
const colors = /\u{1b}\[(?:1|2|22|31|32|33|36|39)m/gu;
/** Those, and the ones `openScreen` moves the cursor and clears with. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are matched on purpose
const drawing = /\u{1b}\[(?:(?:1|2|22|31|32|33|36|39)m|\?1049[hl]|\?25[hl]|[HJK])|\r$/gu;

/** The same streams, with everything escaped that a terminal or a CI system would interpret as a command. */
export function guarded(io: Io): Io {
  const { stdout, stderr, progress, confirm } = io;
  const escaped = (text: string, form: StreamFormat = 'text'): string => {
    switch (form) {
      case 'text':
        return escapeText(text, io.color ? colors : undefined);
      case 'screen':
        return escapeText(text, drawing);
      case 'json':
        return escapeJson(text);
      case 'yaml':
        return escapeYaml(text);
      case 'github':
        return escapeGithub(text);
      case 'file':
        return text;
    }
  };
  return {
    ...io,
    stdout: (text, form) => stdout(escaped(text, form)),
    stderr: (text, form) => stderr(escaped(text, form)),
    ...(progress && { progress: (text: string) => progress(escapeText(text)) }),
    ...(confirm && { confirm: (question: string) => confirm(escapeText(question)) }),
  };
}
