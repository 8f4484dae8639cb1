// What is one kind of happening? A word of the script, how it is read, and what it does.
import type { Reader } from '../../../kinds/reader.ts';
import type { Instant } from '../../../time/instant.ts';
import type { Happening } from '../happening.ts';

/** What the parts of a scenario may refer to. */
export interface Context {
  readonly from: Instant;
  readonly pools: readonly string[];
}

export interface HappeningRow {
  readonly name: string;
  /** For the reference. */
  readonly means: string;
  /** An entry as one would write it. */
  readonly example: string;
  /** What is wrong becomes a fault; then nothing is ever played. */
  readonly read: (what: Reader, context: Context) => Happening['happen'];
}
