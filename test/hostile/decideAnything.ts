// Decides on any objects as `lull decide` does, without texts and files.

import { renderRound } from '../../src/cli/decide/renderRound.ts';
import { roundAsJson } from '../../src/cli/decide/roundJson.ts';
import { Failure } from '../../src/cli/failure.ts';
import { utc } from '../../src/cli/formatTime.ts';
import { gatherDocuments } from '../../src/cli/input.ts';
import { paint } from '../../src/cli/span.ts';
import type { Settings } from '../../src/cluster/settings.ts';
import { decideRound } from '../../src/engine/round.ts';
import type { Document } from '../../src/kinds/text/documents.ts';
import type { Instant } from '../../src/time/instant.ts';
import type { Json } from './json.ts';

export interface Answer {
  /** The round, or why there is none (an unreadable ledger, G2). */
  readonly json?: string;
  readonly text?: string;
  readonly refused?: readonly { readonly message: string }[];
}

const nowhere = { file: 'f', line: 1, column: 1 };

export function decideAnything(objects: readonly unknown[], at: Instant, settings: Settings): Answer {
  try {
    const documents = objects.map((object): Document => ({ object: object as Json, position: () => nowhere }));
    const input = gatherDocuments(documents);
    const decided = decideRound(input, at, settings);
    const round = { ...decided, faults: [...decided.faults, ...input.faults] };
    const view = {
      cluster: input.cluster,
      counted: new Map(),
      role: settings.role,
      all: true,
      width: 80,
      now: at,
      zone: utc,
    };
    return {
      json: JSON.stringify(roundAsJson(round, input.ledger)),
      text: paint(renderRound(round, view), false),
    };
  } catch (error) {
    if (error instanceof Failure) return { refused: error.problems };
    throw error;
  }
}
