// Which nodes leave together, and who has to move for it? The pods of the nodes, and guests: others that were to come there.
import type { Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import type { PodClass, Row } from '../placement/board.ts';
import type { FactsBoard } from '../placement/factsBoard.ts';
import { inOrderOfPlacing } from '../placement/rowFacts.ts';
import type { Situation } from '../situation.ts';
import { leaverOf } from './ground.ts';
import type { Leaver } from './leaver.ts';

export interface Group {
  readonly views: readonly NodeView[];
  readonly rows: readonly Row[];
  readonly leavers: readonly Leaver[];
}

/** A pod that has to move, and its class. */
export interface Mover {
  readonly pod: Pod;
  readonly number: PodClass;
}

export function groupOf(views: readonly NodeView[], board: FactsBoard, { settings }: Situation): Group {
  const rows = views.map(({ node }) => board.rowOf(node.name) as Row);
  return { views, rows, leavers: views.map((view) => leaverOf(view, settings)) };
}

/** In the order in which they are placed. */
export function moversOf({ rows }: Group, board: FactsBoard): readonly Mover[] {
  const movers = rows.flatMap((row) => {
    const numbers = board.podsOn(row);
    return board.podsFrom(row).map((pod, index) => ({ pod, number: numbers[index] as PodClass }));
  });
  if (rows.length === 1) return movers;
  const byPod = new Map(movers.map((mover) => [mover.pod, mover]));
  return inOrderOfPlacing(movers.map(({ pod }) => pod)).map((pod) => byPod.get(pod) as Mover);
}

/** Pods that wait for a place, or leave somewhere else, and were seated here for the time being. */
const guestsOf = ({ rows }: Group, board: FactsBoard): readonly PodClass[] =>
  rows.flatMap((row) => Array.from(board.podsOn(row)).slice(board.podsFrom(row).length));

/** The guest that finds no other place; undefined = all of them do, and stand there now. */
export function strandedGuest(group: Group, board: FactsBoard): PodClass | undefined {
  for (const number of guestsOf(group, board)) {
    const target = board.find(number, 'first', 'all');
    if (target === undefined) return number;
    board.take(number, target);
  }
  return undefined;
}

/** A pod of that class which waits for a place, or has to leave its node. */
export function guestPod(number: PodClass, board: FactsBoard, { cluster, inFlight }: Situation): Pod | undefined {
  const leaving = [...inFlight.keys()].flatMap((name) => cluster.node(name)?.reschedulable ?? []);
  return [...cluster.pendingPods, ...leaving].find((pod) => board.classOf(pod) === number);
}
