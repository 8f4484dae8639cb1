import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, changesOf, command, ledger, noon, type Plain, settings } from '../../../test/build.ts';
import { rawBoard, rowsOf } from '../../../test/placement/boards.ts';
import { randomCluster } from '../../../test/placement/randomCluster.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import { type Change, ClusterStore } from '../../cluster/store.ts';
import { observe } from '../situation.ts';
import type { Board, PodClass, Row } from './board.ts';
import { boardFrom } from './boardState.ts';
import type { FactsBoard } from './factsBoard.ts';
import { judgeRemoval, openBoard } from './openBoard.ts';
import type { Shape } from './shapes.ts';

const shape: Shape = {
  labels: { 'topology.kubernetes.io/zone': 'z1' },
  taints: [],
  allocatable: { cpu: 8000, memory: 2 ** 34, pods: 20 },
  room: { cpu: 8000, memory: 2 ** 34, pods: 20 },
};

/** All that a board can be asked, for every class and every node. */
function answers(board: FactsBoard): unknown {
  const rows = rowsOf(board);
  return board.tables.classes.map((_, pod) => [
    rows.map((row) => board.fits(pod, row)),
    board.find(pod, 'first', 'all'),
    board.find(pod, 'likely', 'all'),
    board.misfit(pod, 'all'),
  ]);
}

const tries = fc.array(
  fc.record({ what: fc.constantFrom('take', 'take', 'take', 'lift', 'add'), pod: fc.nat(), row: fc.nat() }),
  { maxLength: 30 },
);

function attempt(board: FactsBoard, { what, pod, row }: { what: string; pod: number; row: number }): void {
  const rows = rowsOf(board);
  const where = rows[row % rows.length] as Row;
  if (what === 'add') board.add(shape);
  else if (what === 'lift') board.lift(where);
  else board.take(pod % board.tables.classes.length, where);
}

describe('A board', () => {
  it('is as it was once what was tried is undone', () => {
    fc.assert(
      fc.property(fc.nat(400), tries, tries, (seed, kept, undone) => {
        const board = rawBoard(randomCluster(seed).objects);
        for (const it of kept) attempt(board, it);
        const before = answers(board);
        const mark = board.mark();
        for (const it of undone) attempt(board, it);
        board.undo(mark);
        expect(answers(board)).toEqual(before);
      }),
      { seed: 5, numRuns: 60 },
    );
  });

  it('answers from a copy, sent to a worker, as it does itself', () => {
    fc.assert(
      fc.property(fc.nat(400), tries, (seed, kept) => {
        const board = rawBoard(randomCluster(seed).objects);
        for (const it of kept) attempt(board, it);
        const copy = boardFrom(structuredClone(board.copy()));
        const names = rowsOf(board)
          .filter((row) => !board.isLifted(row))
          .map((row) => board.nameOf(row));
        const ask = (it: Board) =>
          board.tables.classes.map((_, pod: PodClass) => {
            const found = it.find(pod, 'first', 'all');
            return [
              found === undefined ? found : it.nameOf(found),
              names.map((name) => it.fits(pod, it.rowOf(name) as Row)),
            ];
          });
        expect(ask(copy)).toEqual(ask(board));
      }),
      { seed: 6, numRuns: 40 },
    );
  });
});

/** Every node's removal, by names: who stays without a place, and where the others go. */
function judged(cluster: ClusterStore, leaving: string | undefined): unknown {
  const known = leaving === undefined ? emptyLedger : ledger({ commands: [command(leaving)] });
  const board = openBoard(observe({ cluster, ledger: known }, at(noon), settings()));
  return cluster.nodes.map(({ node }) => {
    const row = board.rowOf(node.name) as Row;
    const { homelessAt, targets } = judgeRemoval(board, row);
    // Numbers of classes hang on who was met first, and say nothing.
    return [node.name, homelessAt, targets.map((it) => board.nameOf(it)).sort()];
  });
}

const storeWith = (changes: readonly Change[]): ClusterStore => {
  const store = new ClusterStore();
  for (const change of changes) store.apply(change);
  return store;
};

describe('A board that has followed the facts', () => {
  it('says what one says that was made from them anew, whatever came and went between', () => {
    fc.assert(
      fc.property(
        fc.nat(400),
        fc.array(fc.record({ which: fc.nat(), leaving: fc.option(fc.nat(), { nil: undefined }) }), {
          minLength: 1,
          maxLength: 25,
        }),
        (seed, steps) => {
          const all = changesOf(randomCluster(seed).objects as readonly Plain[]);
          const isIn = all.map((_, index) => index % 5 !== 4);
          const warm = storeWith(all.filter((_, index) => isIn[index]));
          judged(warm, undefined);
          for (const { which, leaving } of steps) {
            const index = which % all.length;
            const change = all[index] as Extract<Change, { put: unknown }>;
            isIn[index] = !isIn[index];
            if (isIn[index]) warm.apply(change);
            else warm.apply({ kind: change.kind, gone: keyOf(change.put) } as Change);
            const name = leaving === undefined ? undefined : warm.nodes[leaving % warm.nodes.length]?.node.name;
            expect(judged(warm, name)).toEqual(judged(storeWith(all.filter((_, it) => isIn[it])), name));
          }
        },
      ),
      { seed: 7, numRuns: 100 },
    );
  });
});

const keyOf = ({ name, namespace }: { readonly name?: string; readonly namespace?: string }): string =>
  namespace === undefined ? `${name}` : `${namespace}/${name}`;
