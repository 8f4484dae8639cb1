// A board on raw objects, as tests ask it: by the names of nodes and pods.
import { emptyLedger, type Ledger } from '../../src/cluster/ledger.ts';
import type { Pod } from '../../src/cluster/model.ts';
import type { ClusterStore } from '../../src/cluster/store.ts';
import type { Choice, Row, Targets } from '../../src/engine/placement/board.ts';
import { boardOf, type FactsBoard } from '../../src/engine/placement/factsBoard.ts';
import { observe, type Situation } from '../../src/engine/situation.ts';
import type { KubeObject } from '../../src/sim/kubeObject.ts';
import { at, noon, type Objects, type Plain, settings, storeOf } from '../build.ts';

export const situationOf = (cluster: ClusterStore, ledger: Ledger = emptyLedger): Situation =>
  observe({ cluster, ledger }, at(noon), settings());

/** The facts as they are, with nobody seated who waits. */
export const boardOn = (...objects: Objects): FactsBoard => boardOf(situationOf(storeOf(...objects)));

export const rawBoard = (objects: readonly KubeObject[]): FactsBoard => boardOn(...(objects as readonly Plain[]));

export interface Asking {
  readonly choice?: Choice;
  readonly targets?: Targets;
  readonly ledger?: Ledger;
}

/** Where a pod that waits would go, by name; it is one of the objects. */
export function whereGoes(
  pod: Plain,
  objects: Objects,
  { choice, targets = 'all', ledger }: Asking = {},
): string | undefined {
  const cluster = storeOf(pod, ...objects);
  const board = boardOf(situationOf(cluster, ledger));
  const row = board.find(board.classOf(firstPending(cluster)), choice, targets);
  return row === undefined ? undefined : board.nameOf(row);
}

/** Every node that it could go to, by name. */
export function whereFits(pod: Plain, objects: Objects): string[] {
  const cluster = storeOf(pod, ...objects);
  return fitting(boardOf(situationOf(cluster)), firstPending(cluster));
}

export function fitting(board: FactsBoard, pod: Pod): string[] {
  const number = board.classOf(pod);
  return rowsOf(board)
    .filter((row) => board.fits(number, row))
    .map((row) => board.nameOf(row))
    .sort();
}

export const rowsOf = (board: FactsBoard): Row[] =>
  Array.from({ length: board.length }, (_, row) => row).filter((row) => board.nameOf(row) !== '');

export function firstPending({ pendingPods }: ClusterStore): Pod {
  const [pod] = pendingPods;
  if (!pod) throw new Error('no pod waits');
  return pod;
}
