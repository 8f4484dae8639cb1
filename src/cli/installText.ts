// What became of each object, for people? One line an object, and what is left to say.
import type { ActsAs } from '../server/source.ts';
import { alignColumns, wrap } from './columns.ts';
import type { Problem } from './failure.ts';
import type { Done } from './installApply.ts';
import { dim, emptyLine, type Line, plain, type Span, styled } from './span.ts';
import { sayActsAs } from './whichCluster.ts';

export interface Installed {
  readonly context: string;
  /** Whom it acted as, where the kubeconfig impersonates. */
  readonly as?: ActsAs;
  readonly namespace: string;
  readonly role: string;
  readonly objects: readonly Done[];
  readonly notes: readonly string[];
}

export function renderInstalled({ context, as, role, objects, notes }: Installed, width: number): Line[] {
  const rows = objects.map((done): Line[] => [[inColor(done)], [plain(done.object)], [dim(asideOf(done))]]);
  return [
    [plain(`Lull in ${context}, to ${role}${sayActsAs(as)}`)],
    ...alignColumns(rows, { indent: 2, width }),
    ...notes.flatMap((note): Line[] => [emptyLine, ...wrap([plain(note)], width)]),
  ];
}

function inColor({ outcome }: Done): Span {
  switch (outcome) {
    case 'created':
      return styled('green', outcome);
    case 'changed':
      return styled('yellow', outcome);
    case 'conflict':
    case 'failed':
      return styled('red', outcome);
    default:
      return dim(outcome);
  }
}

/** What went wrong is told once, as an error. */
const asideOf = (done: Done): string => (isFailure(done) ? '' : (done.message ?? ''));

const isFailure = ({ outcome }: Done): boolean => outcome === 'failed' || outcome === 'conflict';

export const failuresIn = (done: readonly Done[]): readonly Problem[] =>
  done.filter(isFailure).map(({ object, outcome, message = '' }) => ({
    object,
    message:
      outcome === 'conflict' ? `${message} ${remedy}` : `${message} What stands above is done; install again to go on.`,
  }));

const remedy = 'Nothing of it was written. Take the fields with --force-conflicts, or leave them to whoever has them.';
