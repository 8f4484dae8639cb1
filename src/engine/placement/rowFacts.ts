// Reads a node view into the facts of its board row: free resources, running pods, and pods that would have to move.
import type { Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isReschedulable } from '../../cluster/pod.ts';
import type { AttachLimits } from '../../cluster/volumes.ts';
import type { PodClasses } from './podClasses.ts';
import type { PodClass, RowFacts, Tables } from './tables.ts';

export interface RowParts {
  readonly tables: Tables;
  readonly columns: ReadonlyMap<string, number>;
  readonly classes: PodClasses;
  readonly limits: AttachLimits | undefined;
  readonly worth: number;
}

/** `pods`: the pods to move, in the order in which they are placed. */
export interface RowRead {
  readonly facts: RowFacts;
  readonly pods: readonly Pod[];
}

/** A pod that has to move, and its class. */
export interface PodToMove {
  readonly pod: Pod;
  readonly number: PodClass;
}

export function readRow(view: NodeView, { tables, columns, classes, limits, worth }: RowParts): RowRead {
  const { name, labels, taints, unschedulable, allocatable } = view.node;
  const all = tables.resources.map((resource) => allocatable[resource] ?? 0);
  const free = [...all];
  const running: PodClass[] = [];
  const leaving: PodToMove[] = [];
  for (const pod of view.pods) {
    if (!isRunning(pod)) continue;
    for (const resource in pod.requests) {
      const column = columns.get(resource);
      // No pod that can be placed asks for this resource.
      if (column === undefined) continue;
      free[column] = (free[column] ?? 0) - (pod.requests[resource] ?? 0);
    }
    const isEnding = pod.deletingAt !== undefined;
    const number = classes.classOf(pod, isEnding);
    running.push(number);
    if (isReschedulable(pod)) leaving.push({ pod, number: isEnding ? classes.classOf(pod) : number });
  }
  const ordered = movesInOrder(leaving);
  const facts: RowFacts = {
    name,
    labels,
    taints,
    unschedulable,
    free,
    allocatable: all,
    pods: ordered.map(({ number }) => number),
    running,
    worth,
    limits: limits?.drivers ?? noLimits,
  };
  return { facts, pods: ordered.map(({ pod }) => pod) };
}

const noLimits = {};

/** The scheduler counts a terminating pod's requests until it has ended. */
const isRunning = ({ phase }: Pod): boolean => phase !== 'Failed' && phase !== 'Succeeded';

/** By priority, then largest first: the pods that are hardest to place choose first. */
const byPlacing = (a: Pod, b: Pod): number =>
  b.priority - a.priority ||
  (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
  (b.requests.memory ?? 0) - (a.requests.memory ?? 0);

/** A stable sort. */
export const inOrderOfPlacing = (pods: readonly Pod[]): Pod[] => [...pods].sort(byPlacing);

export const movesInOrder = (pods: readonly PodToMove[]): PodToMove[] =>
  [...pods].sort((a, b) => byPlacing(a.pod, b.pod));
