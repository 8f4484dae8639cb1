// Where a pod may run, by Lull's placement and by the simulator's scheduler, on the objects of the real one.
import type { KubeObject } from '../story/hand.ts';
import type { Answer } from './stand.ts';

export interface Judge {
  readonly name: string;
  /** How it differs from the scheduler's answer; empty = they agree. */
  differs(objects: readonly KubeObject[], pod: KubeObject, answer: Answer): readonly string[];
}

/** What happens to the pods of a removed node, according to Lull. */
export interface Plan {
  /** By `namespace/name`, in the order of placement. */
  readonly order: readonly string[];
  readonly fits: boolean;
  /** Where Lull expects each to be placed, one after another. */
  readonly moves: readonly { readonly pod: string; readonly target: string }[];
  /** Lull's reason, if they do not fit. */
  readonly why?: string;
}

/** The scheduler must choose one of the nodes where the pod fits, and none exactly if it fits nowhere. */
export function placesDiffer(fitting: readonly string[], answer: Answer): readonly string[] {
  if ('pending' in answer)
    return fitting.length > 0 ? [`fits on ${fitting.join(', ')}, but it waits: ${answer.pending}`] : [];
  const where = fitting.length > 0 ? `only on ${fitting.join(', ')}` : 'nowhere';
  return fitting.includes(answer.node) ? [] : [`fits ${where}, but it was bound to ${answer.node}`];
}

/** As its owner would create it again. */
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
