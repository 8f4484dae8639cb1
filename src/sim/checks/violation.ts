// What was broken? One entry of what the checks find: when, which rule, and a sentence.
import type { Instant } from '../../time/instant.ts';

export interface Violation {
  readonly at: Instant;
  /** The clause that says so: `C6`, `G2`. */
  readonly rule: string;
  readonly message: string;
}

/** A violation whose instant is that of what is judged. */
export type Finding = Omit<Violation, 'at'>;

export const finding = (rule: string, message: string): Finding => ({ rule, message });
