// Does every round come out as it was (J4)? Decided again from the recorded facts, and compared byte by byte.
import type { Ledger } from '../cluster/ledger.ts';
import { decideRound } from '../engine/round.ts';
import type { Round } from '../engine/verdict.ts';
import type { Json } from '../kinds/reader.ts';
import { type Instant, latest } from '../time/instant.ts';
import { replayMoments } from './replay.ts';

export interface Replay {
  /** How many were decided again, the one that differs included. */
  readonly rounds: number;
  readonly from?: Instant;
  readonly to?: Instant;
  readonly differs?: Differing;
}

/** The first round that came out otherwise. */
export interface Differing {
  readonly line: number;
  readonly at: Instant;
  readonly recorded: Json;
  readonly decided: Json;
}

/** `print` is what the recorder printed rounds with. */
export function decideAgain(text: string, print: (round: Round, before: Ledger) => unknown): Replay {
  let soFar: Replay = { rounds: 0 };
  const moments = replayMoments(text);
  let step = moments.next();
  for (; !step.done; step = moments.next()) {
    const { at, facts, settings, printed, line } = step.value;
    soFar = { rounds: soFar.rounds + 1, from: soFar.from ?? at, to: at };
    const again = JSON.stringify(print(decideRound(facts, at, settings), facts.ledger));
    if (again === printed) continue;
    const [recorded, decided] = [JSON.parse(printed) as Json, JSON.parse(again) as Json];
    return { ...soFar, differs: { line, at, recorded, decided } };
  }
  // Nothing may have happened after the last round, and that was recorded too.
  const to = latest(soFar.to, step.value);
  return to === undefined ? soFar : { ...soFar, to };
}
