// What is one kind of fault? A word of the script, how it is read, how it begins and how it is undone.
import type { Reader } from '../../../kinds/reader.ts';
import type { Duration } from '../../../time/instant.ts';
import type { Stage } from '../happening.ts';
import type { Context } from './row.ts';

/** One kind of fault. It is undone when its time is over. */
export interface FaultRow {
  readonly name: string;
  readonly means: string;
  readonly example: string;
  /** Words beside its own and `for`. */
  readonly with: readonly string[];
  readonly read: (what: Reader, context: Context) => Fault;
}

export interface Fault {
  /** How its beginning is told; absent where it tells itself. */
  readonly begins?: string;
  readonly ends?: string;
  readonly pool?: string;
  readonly begin: (stage: Stage, length: Duration | undefined) => void;
  /** Absent = it ends by itself. */
  readonly end?: (stage: Stage) => void;
}
