// The cluster's board, leased to one decision at a time, with pending pods and pods of leaving nodes already assigned (F6).
import type { Command } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isDaemon, isReschedulable } from '../../cluster/pod.ts';
import type { Cluster } from '../../cluster/store.ts';
import { workloadOf } from '../../cluster/workload.ts';
import { asInstant, type Instant, second } from '../../time/instant.ts';
import { type InFlight, type Situation, targetsOf } from '../situation.ts';
import { ClusterBoard } from './clusterBoard.ts';
import { inOrderOfPlacing } from './rowFacts.ts';

/** By cluster: the board that no decision is using, if there is one. */
const idle = memo((_: Cluster): { board?: ClusterBoard | undefined } => ({}));

const noNodes: ReadonlySet<string> = new Set();

/**
 * One decision's own board. It reuses and updates the board of the last decision on the cluster. A decision that starts while another one
 * runs gets a new board, so that neither sees the other's trials.
 */
export class BoardLease {
  readonly #cluster: Cluster;
  #board: ClusterBoard | undefined;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#board = idle(cluster).board;
    idle(cluster).board = undefined;
  }

  /** Returns the board for the next decision. */
  release(): void {
    if (this.#board) idle(this.#cluster).board = this.#board;
    this.#board = undefined;
  }

  /** The board as the cluster is, with all trials undone. */
  openEmpty(situation: Situation): ClusterBoard {
    const known = this.#board;
    known?.removals.beginChange();
    const board = known?.update(situation) ? known : new ClusterBoard(situation);
    if (board !== known) board.update(situation);
    board.updateTargets(situation);
    this.#board = board;
    return board;
  }

  /** `judgedAgain`: leaving nodes whose pods the caller places again, so their earlier assignments are left out. */
  open(situation: Situation, judgedAgain: ReadonlySet<string> = noNodes): ClusterBoard {
    const opened = this.openEmpty(situation);
    const { board, removals } = opened;
    const { cluster, inFlight } = situation;
    const leaving = [...inFlight].filter(([name]) => !judgedAgain.has(name));
    for (const [name] of leaving) {
      const row = board.rows.of(name);
      if (row !== undefined) board.removeNode(row);
    }
    assignPending(opened, situation);
    const needs = openPodNeeds(cluster);
    const promised = new Set<string>();
    for (const it of leaving) for (const name of assignLeaving(opened, it, situation, needs)) promised.add(name);
    opened.promised = promised;
    removals.endChange();
    return opened;
  }
}

/** Pending pods use up room that other pods cannot have. */
function assignPending(opened: ClusterBoard, { cluster }: Situation): void {
  const { board } = opened;
  for (const pod of inOrderOfPlacing(cluster.pendingPods)) {
    if (isDaemon(pod)) continue;
    const number = opened.classOf(pod);
    const nominated = pod.nominatedNode === undefined ? undefined : board.rows.of(pod.nominatedNode);
    if (!pod.nominatedNode) board.assignFirst(number, 'all');
    else if (nominated !== undefined) board.assign(number, nominated);
  }
}

/** So do the pods of nodes that are already leaving. Returns the nodes that a command's pods need. */
function assignLeaving(
  opened: ClusterBoard,
  [name, { command }]: readonly [string, InFlight],
  { cluster }: Situation,
  needs: PodNeeds,
): readonly string[] {
  const { board } = opened;
  const view = cluster.node(name);
  if (!view) return [];
  const targets = command ? targetsOf(command, cluster) : [];
  const rows = targets.flatMap((target) => board.rows.of(target) ?? []);
  // Pods that were not promised to another node go to the command's replacements.
  const isAwaited = command !== undefined && command.replacements.length > 0 && !isReplaced(command);
  const needed: string[] = [];
  for (const pod of inOrderOfPlacing(needs.neededFrom(view, targets))) {
    const number = opened.classOf(pod);
    const target = rows.find((row) => board.rows.isTarget(row, 'all') && board.fits(number, row));
    const row = target ?? (isAwaited ? undefined : board.find(number, 'all'));
    if (row === undefined) continue;
    board.assign(number, row);
    if (command) needed.push(board.rows.nameOf(row));
  }
  return needed;
}

/** All its replacements have joined. */
const isReplaced = ({ step }: Command): boolean => step === 'draining' || step === 'terminating';

/** Pods that still need room: those on leaving nodes, and successors of evicted pods. */
interface PodNeeds {
  /** The pods of a leaving node that need room: those still running on it, and terminating ones without a successor. */
  neededFrom(view: NodeView, targets: readonly string[]): readonly Pod[];
}

function openPodNeeds(cluster: Cluster): PodNeeds {
  const met = new Set<Pod>();
  return {
    neededFrom: (view, targets) => {
      const ending = view.pods.filter((pod) => pod.deletingAt !== undefined && !isReschedulable(pod));
      if (ending.length === 0) return view.reschedulable;
      // A successor is pending, or most likely on one of the nodes that were promised.
      const come = [...cluster.pendingPods, ...targets.flatMap((name) => cluster.node(name)?.pods ?? [])];
      return [...view.reschedulable, ...ending.filter((pod) => !hasSuccessor(pod, come, met))];
    },
  };
}

/** Each successor counts for one terminated pod. Pods without a controller need none. */
function hasSuccessor(pod: Pod, come: readonly Pod[], met: Set<Pod>): boolean {
  const workload = workloadOf(pod);
  if (workload === undefined) return true;
  const began = endedFrom(pod);
  const successor = come.find(
    (it) => !met.has(it) && it.deletingAt === undefined && it.createdAt >= began && workloadOf(it) === workload,
  );
  if (successor) met.add(successor);
  return successor !== undefined;
}

/** When its deletion was requested, rounded down because creation timestamps are in whole seconds. */
const endedFrom = ({ deletingAt = asInstant(0), graceSeconds }: Pod): Instant =>
  asInstant(Math.floor((deletingAt - graceSeconds * second) / second) * second);
