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

export function snapshotLines({ program, settings, observed, last }: SnapshotParts): readonly string[] {
  const lines: string[] = [];
  const recorder = new Recorder({ write: (line) => lines.push(line), program, settings, observed });
  if (last) recorder.round(last);
  recorder.end();
  return lines;
}
