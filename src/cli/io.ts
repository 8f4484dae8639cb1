// What does a command need of the outside, files apart? Everything a test has to stand in for.
import type { Instant } from '../time/instant.ts';

export interface Io {
  readonly stdin: () => Promise<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly now: () => Instant;
  /** The IANA name of the zone this machine shows its user. */
  readonly localZone: string;
  readonly width: number;
  readonly color: boolean;
  readonly version: string;
  /** Shows the stack of an internal error. */
  readonly debug: boolean;
}

/** https://no-color.org and the habit of FORCE_COLOR, which stands before it. */
export function wantsColor(env: Readonly<Record<string, string | undefined>>, isTerminal: boolean): boolean {
  if (env.FORCE_COLOR !== undefined && env.FORCE_COLOR !== '') return env.FORCE_COLOR !== '0';
  return isTerminal && !env.NO_COLOR && env.TERM !== 'dumb';
}
