// Properties of the board: undo, copies, and incremental updates.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, changesOf, command, ledger, noon, type Plain, settings } from '../../../test/build.ts';
import { find, rawBoard, rowsOf } from '../../../test/placement/boards.ts';
import { randomCluster } from '../../../test/placement/randomCluster.ts';
import { emptyLedger } from '../../cluster/ledger.ts';
import { type Change, ClusterStore } from '../../cluster/store.ts';
import { observe } from '../situation.ts';
import { type Board, boardFrom } from './board.ts';
import { BoardLease } from './boardLease.ts';
import { misfitOf } from './misfit.ts';
import type { NodeShape } from './nodeShapes.ts';
import type { RowId } from './tables.ts';

const shape: NodeShape = {
  labels: { 'topology.kubernetes.io/zone': 'z1' },
  taints: [],
  allocatable: { cpu: 8000, memory: 2 ** 34, pods: 20 },
  room: { cpu: 8000, memory: 2 ** 34, pods: 20 },
};

/** The results of all queries, for every class and node. */
function answers(board: Board): unknown {
  const rows = rowsOf(board);
  return board.tables.classes.map((_, pod) => [
    rows.map((row) => board.fits(pod, row)),
    find(board, pod, 'first', 'all'),
    find(board, pod, 'likely', 'all'),
    misfitOf(board, pod, 'all'),
  ]);
}

const tries = fc.array(
  fc.record({ what: fc.constantFrom('take', 'take', 'take', 'lift', 'add'), pod: fc.nat(), row: fc.nat() }),
  { maxLength: 30 },
);

function attempt(board: Board, { what, pod, row }: { what: string; pod: number; row: number }): void {
  const rows = rowsOf(board);
  const where = rows[row % rows.length] as RowId;
  if (what === 'add') board.add(shape);
  else if (what === 'lift') board.removeNode(where);
  else board.assign(pod % board.tables.classes.length, where);
}

describe('A board', () => {
  it('is unchanged after trials are undone', () => {
    fc.assert(
      fc.property(fc.nat(400), tries, tries, (seed, kept, undone) => {
        const { board } = rawBoard(randomCluster(seed).objects);
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

  it('gives the same results as its copy in a worker', () => {
    fc.assert(
      fc.property(fc.nat(400), tries, (seed, kept) => {
        const { board } = rawBoard(randomCluster(seed).objects);
        for (const it of kept) attempt(board, it);
        const copy = boardFrom(structuredClone(board.copy()));
        const names = rowsOf(board)
          .filter((row) => !board.rows.isRemoved(row))
          .map((row) => board.rows.nameOf(row));
        const ask = (it: Board) =>
          board.tables.classes.map((_, pod) => {
            const found = it.find(pod, 'all');
            return [
              found === undefined ? found : it.rows.nameOf(found),
              names.map((name) => it.fits(pod, it.rows.of(name) as RowId)),
            ];
          });
        expect(ask(copy)).toEqual(ask(board));
      }),
      { seed: 6, numRuns: 40 },
    );
  });
});

/** Every node's removal by names: pods without a node, and where the others go. */
function judged(cluster: ClusterStore, leaving: string | undefined): unknown {
  const known = leaving === undefined ? emptyLedger : ledger({ commands: [command(leaving)] });
  const lease = new BoardLease(cluster);
  const { board, removals } = lease.open(observe({ cluster, ledger: known }, at(noon), settings()));
  const judgedNodes = cluster.nodes.map(({ node }) => {
    const { unplacedAt, assignments } = removals.of(board.rows.of(node.name) as RowId);
    // Class IDs depend on the order of arrival, so they are left out.
    return [node.name, unplacedAt, assignments.map(({ row }) => board.rows.nameOf(row))];
  });
  lease.release();
  return judgedNodes;
}

const storeWith = (changes: readonly Change[]): ClusterStore => {
  const store = new ClusterStore();
  for (const change of changes) store.apply(change);
  return store;
};

describe('A board that is updated incrementally', () => {
  it('gives the same results as a new board, after any changes', () => {
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
            else warm.remove(change.kind, keyOf(change.put));
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
