// What must hold? The entries under `expect`: a closed table of words, one row each.
import type { Reader } from '../../kinds/reader.ts';
import type { Expectation } from './expectation.ts';
import { atRest, event, halted, released } from './expectations/events.ts';
import { finished, neverMore, oneDomainAtATime, stays } from './expectations/nodes.ts';
import { movedOnlyIn, noEviction } from './expectations/pods.ts';
import type { ExpectationRow } from './expectations/row.ts';
import type { Context } from './happenings/row.ts';
import { refuseUnknown, theOnly } from './known.ts';

export const expectations: readonly ExpectationRow[] = [
  finished,
  neverMore,
  oneDomainAtATime,
  stays,
  released,
  halted,
  movedOnlyIn,
  noEviction,
  event,
  atRest,
];

const names = expectations.map(({ name }) => name);

export function readExpectations(spec: Reader, context: Context): Expectation[] {
  return spec.maps('expect').flatMap((entry) => {
    refuseUnknown(entry, names);
    const name = theOnly(entry, names, 'an expectation');
    const row = expectations.find((it) => it.name === name);
    if (!row) return [];
    // What only has to be said takes true in place of a map.
    return [row.read(row === atRest ? entry : entry.map(row.name), context)];
  });
}
