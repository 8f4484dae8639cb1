// What does a command need of the outside, files apart? Everything a test has to stand in for.
import type { Duration, Instant } from '../time/instant.ts';

/** How a text is to be read, which says how it is escaped. `file` = as it is: a user's file, looked at before. */
export type Written = 'text' | 'json' | 'yaml' | 'github' | 'screen' | 'file';

export interface Io {
  readonly stdin: () => Promise<Uint8Array>;
  /** Whole lines; without a form, for people. */
  readonly stdout: (text: string, form?: Written) => void;
  readonly stderr: (text: string, form?: Written) => void;
  readonly now: () => Instant;
  /** The IANA name of the zone this machine shows its user. */
  readonly localZone: string;
  readonly width: number;
  readonly color: boolean;
  readonly version: string;
  /** As `commit 0123456789ab of 2026-11-15`. Absent = nobody knows. */
  readonly builtFrom?: string;
  /** Shows the stack of an internal error. */
  readonly debug: boolean;
  /** Shows how far a long command has come, in place of what it showed before; empty clears it. Absent = nobody watches. */
  readonly progress?: (text: string) => void;
  /** Lets real time pass. */
  readonly wait?: (length: Duration) => Promise<void>;
  /** Asks a person, yes or no. Absent = nobody is there to answer. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Where a Lull on this machine listens and is looked for unless an address is given; absent = the usual port. */
  readonly port?: number;
  /** The name of the user who runs it; absent = not known. */
  readonly user?: string;
  /** What the program was called by: `kubectl lull` where kubectl ran it. Absent = `lull`. */
  readonly calledAs?: string;
  /** Told when the user wants it to end (Ctrl-C); gives back how to stop listening. Absent = nobody can. */
  readonly onInterrupt?: (listener: () => void) => () => void;
  /** A screen that can be drawn anew, and how large it is now; absent = a pipe or a file. */
  readonly screen?: () => { readonly rows: number; readonly columns: number };
}

/** https://no-color.org and the habit of FORCE_COLOR, which stands before it. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0';
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
