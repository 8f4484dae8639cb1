// The objects of one moment of a recording, the ledger among them: those of the last round at or before an instant.
import type { Json } from '../kinds/reader.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { type Line, RecordingError, readLines } from './line.ts';
import { goneOf, keyOf } from './observed.ts';

export interface MomentObjects {
  /** Of the round. */
  readonly at: Instant;
  readonly objects: readonly Json[];
}

/** Absent = the last round of all. */
export function objectsAt(text: string, until?: Instant): MomentObjects {
  const objects = new Map<string, Json>();
  let ledger: Json | undefined;
  let at: Instant | undefined;
  let sinceRound: Line[] = [];
  let last = 1;
  for (const { number, line } of readLines(text)) {
    last = number;
    if (!('round' in line)) {
      sinceRound.push(line);
      continue;
    }
    if (until !== undefined && line.round.at > until) break;
    for (const change of sinceRound) apply(objects, change);
    sinceRound = [];
    at = line.round.at;
    ledger = line.round.ledger ?? ledger;
  }
  if (at !== undefined) return { at, objects: [...objects.values(), ...(ledger ? [ledger] : [])] };
  const when = until === undefined ? '' : ` at or before ${formatInstant(until)}`;
  throw new RecordingError(last, `There is no round${when} in this recording.`);
}

function apply(objects: Map<string, Json>, change: Line): void {
  if ('keyframe' in change) objects.clear();
  else if ('put' in change) objects.set(keyOf(goneOf(change.put)), change.put);
  else if ('gone' in change) objects.delete(keyOf(change.gone));
}
