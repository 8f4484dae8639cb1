// Where a pod may run, by Lull's placement and by the simulator's scheduler, on the objects of the real one.
import type { KubeObject } from '../story/hand.ts';
import type { Answer } from './stand.ts';

export interface Judge {
  readonly name: string;
  /** What it says otherwise than the scheduler has answered; nothing = they agree. */
  differs(objects: readonly KubeObject[], pod: KubeObject, answer: Answer): readonly string[];
}

/** What becomes of the pods of a node that leaves, as Lull has it. */
export interface Plan {
  /** By `namespace/name`, in the order in which they are placed. */
  readonly order: readonly string[];
  readonly fits: boolean;
  /** Where Lull expects each to go, one after another. */
  readonly moves: readonly { readonly pod: string; readonly target: string }[];
  /** In Lull's words, where they do not. */
  readonly why?: string;
}

/** The scheduler must have chosen one of the nodes where the pod fits, and none exactly where it fits nowhere. */
export function placesDiffer(fitting: readonly string[], answer: Answer): readonly string[] {
  if ('pending' in answer)
    return fitting.length > 0 ? [`fits on ${fitting.join(', ')}, but it waits: ${answer.pending}`] : [];
  const where = fitting.length > 0 ? `only on ${fitting.join(', ')}` : 'nowhere';
  return fitting.includes(answer.node) ? [] : [`fits ${where}, but it was bound to ${answer.node}`];
}

/** As its owner would make it again. */
export function unbound({ apiVersion, kind, metadata, spec }: KubeObject): KubeObject {
  const { name, namespace = 'default', labels, annotations, ownerReferences } = metadata;
  const { nodeName: _, ...rest } = spec;
  return {
    apiVersion,
    kind,
    metadata: JSON.parse(JSON.stringify({ name, namespace, labels, annotations, ownerReferences })),
    spec: rest,
  };
}
