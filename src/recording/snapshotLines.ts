// What is a snapshot for those who try or forecast something? A recording of one moment, which goes on from what is remembered by then.
import type { Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Json } from '../kinds/reader.ts';
import type { Instant } from '../time/instant.ts';
import type { Observed } from './observed.ts';
import { Recorder } from './recorder.ts';

export interface SnapshotParts {
  readonly program: string;
  readonly settings: Settings;
  readonly observed: Observed;
  /** The last round; absent = there was none, and nothing can be gone on from. */
  readonly last?: { readonly at: Instant; readonly ledger: Ledger; readonly printed: Json } | undefined;
}

/** The objects' lines are made as they are read, from the objects as they are now. */
export const snapshotLines = (parts: SnapshotParts): Iterable<string> => flattened(lotsOf(parts));

function* flattened(lots: readonly (string | Iterable<string>)[]): Generator<string> {
  for (const lines of lots) {
    if (typeof lines === 'string') yield lines;
    else yield* lines;
  }
}

function lotsOf({ program, settings, observed, last }: SnapshotParts): readonly (string | Iterable<string>)[] {
  const lots: (string | Iterable<string>)[] = [];
  const write = (lines: string | Iterable<string>): void => void lots.push(lines);
  const recorder = new Recorder({ write, writeLater: write, program, settings, observed });
  if (last) recorder.round(last);
  recorder.end();
  return lots;
}
