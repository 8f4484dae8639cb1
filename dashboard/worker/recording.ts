// Replays a recording: decides every round again and returns the changes between pictures.

import { drawPicture } from '../../src/engine/picture/picture.ts';
import { Differ, type PictureChange } from '../../src/engine/picture/pictureChange.ts';
import { decideRound } from '../../src/engine/round.ts';
import { RecordingError } from '../../src/recording/recordingLine.ts';
import { replayRounds } from '../../src/recording/replay.ts';
import type { Recording } from './protocol.ts';

export function readRecording(text: string): Recording {
  const differ = new Differ();
  const items: { readonly change: PictureChange }[] = [];
  try {
    for (const { at, facts, settings } of replayRounds(text))
      items.push({ change: differ.next(drawPicture(decideRound(facts, at, settings), facts.cluster)) });
  } catch (error) {
    // An incomplete recording is shown as far as it goes.
    if (!(error instanceof RecordingError) || items.length === 0)
      throw error instanceof RecordingError ? new Error(`Line ${error.line}: ${error.message}`) : error;
  }
  if (items.length === 0) throw new Error('The file has no recorded rounds.');
  return { items };
}
