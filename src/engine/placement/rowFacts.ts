// What does the board need to know of a node? What is free on it, who stands there, and who would need another place.
import type { Pod } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { isReschedulable } from '../../cluster/pod.ts';
import type { AttachLimits } from '../../cluster/volumes.ts';
import type { PodClass } from './board.ts';
import type { PodClasses } from './podClasses.ts';
import type { RowFacts, Tables } from './tables.ts';

export interface RowParts {
  readonly tables: Tables;
  readonly columns: ReadonlyMap<string, number>;
  readonly classes: PodClasses;
  readonly limits: AttachLimits | undefined;
  readonly worth: number;
}

/** `pods`: those of the facts, in the order in which they are to be placed. */
export interface RowRead {
  readonly facts: RowFacts;
  readonly pods: readonly Pod[];
}

export function readRow(view: NodeView, { tables, columns, classes, limits, worth }: RowParts): RowRead {
  const { name, labels, taints, unschedulable, allocatable } = view.node;
  const all = tables.resources.map((resource) => allocatable[resource] ?? 0);
  const free = [...all];
  const standing: PodClass[] = [];
  const leaving: { readonly pod: Pod; readonly number: PodClass }[] = [];
  for (const pod of view.pods) {
    if (!isRunning(pod)) continue;
    for (const resource in pod.requests) {
      const column = columns.get(resource);
      // Nothing asks for it that could be placed.
      if (column === undefined) continue;
      free[column] = (free[column] as number) - (pod.requests[resource] as number);
    }
    const isEnding = pod.deletingAt !== undefined;
    const number = classes.classOf(pod, isEnding);
    standing.push(number);
    if (isReschedulable(pod)) leaving.push({ pod, number: isEnding ? classes.classOf(pod) : number });
  }
  leaving.sort((a, b) => byPlacing(a.pod, b.pod));
  const facts: RowFacts = {
    name,
    labels,
    taints,
    unschedulable,
    free,
    allocatable: all,
    pods: leaving.map(({ number }) => number),
    standing,
    isTarget: false,
    isSettled: false,
    worth,
    limits: limits?.drivers ?? noLimits,
  };
  return { facts, pods: leaving.map(({ pod }) => pod) };
}

const noLimits = {};

/** The scheduler counts what a pod takes until it has ended, though it may be on its way. */
const isRunning = ({ phase }: Pod): boolean => phase !== 'Failed' && phase !== 'Succeeded';

/** Priority, then the largest first: what is hardest to place has the choice. */
const byPlacing = (a: Pod, b: Pod): number =>
  b.priority - a.priority ||
  (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0) ||
  (b.requests.memory ?? 0) - (a.requests.memory ?? 0);

/** Those that are alike stay in their order. */
export const inOrderOfPlacing = (pods: readonly Pod[]): Pod[] => [...pods].sort(byPlacing);
