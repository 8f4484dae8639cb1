// A placement board on raw objects, for tests: by the names of nodes and pods.
import { emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import type { Pod } from '../../src/cluster/model.ts';
import type { ClusterStore } from '../../src/cluster/store.ts';
import type { Board } from '../../src/engine/placement/board.ts';
import { BoardLease } from '../../src/engine/placement/boardLease.ts';
import type { ClusterBoard } from '../../src/engine/placement/clusterBoard.ts';
import { findLikely } from '../../src/engine/placement/likely.ts';
import type { Targets } from '../../src/engine/placement/nodeRows.ts';
import type { PodClass, RowId } from '../../src/engine/placement/tables.ts';
import { observe, type Situation } from '../../src/engine/situation.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import { at, noon, type Objects, type Plain, settings, storeOf } from '../build.ts';

export const situationOf = (cluster: ClusterStore, ledger: Ledger = emptyLedger): Situation =>
  observe({ cluster, ledger }, at(noon), settings());

/** The current facts, with no pending pod placed. */
export const boardOf = (situation: Situation): ClusterBoard => new BoardLease(situation.cluster).openEmpty(situation);

export const boardOn = (...objects: Objects): ClusterBoard => boardOf(situationOf(storeOf(...objects)));

/** first: in the order of the targets. likely: where the scheduler would most likely place it. */
export type Choice = 'first' | 'likely';

export const find = (board: Board, pod: PodClass, choice: Choice, targets: Targets): RowId | undefined =>
  choice === 'likely' ? findLikely(board, pod, targets) : board.find(pod, targets);

export const rawBoard = (objects: readonly KubeObject[]): ClusterBoard => boardOn(...(objects as readonly Plain[]));

export interface Asking {
  readonly choice?: Choice;
  readonly targets?: Targets;
  readonly ledger?: Ledger;
}

/** Where a pending pod would be placed, by name; it is one of the objects. */
export function whereGoes(
  pod: Plain,
  objects: Objects,
  { choice = 'first', targets = 'all', ledger }: Asking = {},
): string | undefined {
  const cluster = storeOf(pod, ...objects);
  const facts = boardOf(situationOf(cluster, ledger));
  const row = find(facts.board, facts.classOf(firstPending(cluster)), choice, targets);
  return row === undefined ? undefined : facts.board.rows.nameOf(row);
}

/** Every node that it could be placed on, by name. */
export function whereFits(pod: Plain, objects: Objects): string[] {
  const cluster = storeOf(pod, ...objects);
  return fitting(boardOf(situationOf(cluster)), firstPending(cluster));
}

export function fitting(facts: ClusterBoard, pod: Pod): string[] {
  const { board } = facts;
  const number = facts.classOf(pod);
  return rowsOf(board)
    .filter((row) => board.fits(number, row))
    .map((row) => board.rows.nameOf(row))
    .sort();
}

export const rowsOf = ({ rows }: Board): RowId[] =>
  Array.from({ length: rows.length }, (_, row) => row).filter((row) => rows.nameOf(row) !== '');

export function firstPending({ pendingPods }: ClusterStore): Pod {
  const [pod] = pendingPods;
  if (!pod) throw new Error('no pod is pending');
  return pod;
}
