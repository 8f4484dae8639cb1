// What does a recording show? Every round of it decided again, as the changes from one picture to the next.
import { type Change, Differ } from '../../src/engine/picture/change.ts';
import { drawPicture } from '../../src/engine/picture/picture.ts';
import { decideRound } from '../../src/engine/round.ts';
import { RecordingError } from '../../src/recording/line.ts';
import { replayMoments } from '../../src/recording/replay.ts';
import type { Recording } from './protocol.ts';

export function readRecording(text: string): Recording {
  const differ = new Differ();
  const items: { readonly change: Change }[] = [];
  try {
    for (const { at, facts, settings } of replayMoments(text))
      items.push({ change: differ.next(drawPicture(decideRound(facts, at, settings), facts.cluster)) });
  } catch (error) {
    // One that broke off is shown as far as it goes.
    if (!(error instanceof RecordingError) || items.length === 0)
      throw error instanceof RecordingError ? new Error(`Line ${error.line}: ${error.message}`) : error;
  }
  if (items.length === 0) throw new Error('No round was recorded in this file.');
  return { items };
}
