// What does a snapshot hold (J4)? The objects of one moment, the ledger, and how it is decided: a recording of a single round.
import type { Ledger } from '../cluster/ledger.ts';
import type { Settings } from '../cluster/settings.ts';
import type { Json } from '../kinds/reader.ts';
import type { Instant } from '../time/instant.ts';
import { RecordingError, readLines } from './line.ts';
import { ledgerOf, settingsOf } from './replay.ts';

export interface SnapshotRead {
  readonly at: Instant;
  readonly objects: readonly Json[];
  readonly ledger: Ledger;
  readonly settings: Settings;
}

export function readSnapshot(text: string): SnapshotRead {
  const objects: Json[] = [];
  let [at, ledger, settings]: [Instant?, Ledger?, Settings?] = [];
  let last = 1;
  for (const { number, line } of readLines(text)) {
    last = number;
    if ('header' in line) settings = settingsOf(line.header.settings, number);
    else if ('put' in line) objects.push(line.put);
    else if ('round' in line) {
      at = line.round.at;
      if (line.round.ledger) ledger = ledgerOf(line.round.ledger, number);
    }
  }
  if (at === undefined || !ledger || !settings)
    throw new RecordingError(last, 'This snapshot has no settings, no round or no ledger. Ask for it again.');
  return { at, objects, ledger, settings };
}
