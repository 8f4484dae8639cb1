// Which window takes how many nodes? Each opening of a window or of a scheduled budget, and who goes through it.
import { formatInstant } from '../time/instant.ts';
import type { Passage } from './passage.ts';
import type { Run } from './run.ts';

export interface Taken extends Passage {
  readonly nodes: number;
}

/** In the order in which they open. One that goes while nothing had to open is not among them. */
export function takenOf(pool: string, { goings }: Run): readonly Taken[] {
  const passages = goings.filter((it) => it.pool === pool && it.reason === 'Drifted').flatMap(({ through }) => through);
  const opened = Map.groupBy(passages, ({ kind, name, index, from }) =>
    [kind, name, index, sayOpening(from)].join(' '),
  );
  return [...opened.values()]
    .map((same) => ({ ...(same[0] as Passage), nodes: same.length }))
    .sort((a, b) => (a.from ?? 0) - (b.from ?? 0));
}

const sayOpening = (from: Passage['from']): string => (from === undefined ? 'always' : formatInstant(from));
