// What is one kind of expectation? A word under `expect`, how it is read, and how it watches the run.
import type { Reader } from '../../../kinds/reader.ts';
import type { Expectation, Judge, Verdict } from '../expectation.ts';
import type { Context } from '../happenings/row.ts';

export interface ExpectationRow {
  readonly name: string;
  readonly means: string;
  readonly example: string;
  readonly read: (what: Reader, context: Context) => Expectation;
}

/** So many breaches of one expectation are told. */
const mostTold = 5;

/** Gathers what is broken; after a few, only how many more. */
export function breaches(): { add(sentence: string): void; judge: Judge } {
  const told: string[] = [];
  let more = 0;
  return {
    add: (sentence) => {
      if (told.length < mostTold) told.push(sentence);
      else more++;
    },
    judge: () => ({ broken: more === 0 ? told : [...told, `… and ${more} times more.`], missing: [] }),
  };
}

export const came: Verdict = { broken: [], missing: [] };
export const missing = (sentence: string): Verdict => ({ broken: [], missing: [sentence] });
export const broken = (sentence: string): Verdict => ({ broken: [sentence], missing: [] });
