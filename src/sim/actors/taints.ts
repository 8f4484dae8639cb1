// Does a pod tolerate a taint, and how are taints put on and taken off? As Kubernetes does it.
import type { Node, Taint, Toleration } from './manifest.ts';

export const taintKey = {
  notReady: 'node.kubernetes.io/not-ready',
  unreachable: 'node.kubernetes.io/unreachable',
} as const;

export function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  // Without a key it must be Exists, and means every taint.
  if (!key) return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}

export const isTolerated = (taint: Taint, tolerations: readonly Toleration[] = []): boolean =>
  tolerations.some((toleration) => tolerates(toleration, taint));

/** PreferNoSchedule keeps nobody away. */
export const keepsOff = ({ effect }: Taint): boolean => effect === 'NoSchedule' || effect === 'NoExecute';

export const taintsOf = ({ spec }: Node): readonly Taint[] => spec?.taints ?? [];

export const isTaint = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect;

/** A node that has no taints has no list of them: that is what patches test. */
function withTaints(node: Node, taints: readonly Taint[]): Node {
  const { taints: _, ...spec } = node.spec ?? {};
  return { ...node, spec: taints.length > 0 ? { ...spec, taints } : spec };
}

export const addTaints = (node: Node, added: readonly Taint[]): Node =>
  withTaints(node, [...taintsOf(node), ...added.filter((taint) => !taintsOf(node).some((own) => isTaint(own, taint)))]);

export const dropTaints = (node: Node, isDropped: (taint: Taint) => boolean): Node =>
  taintsOf(node).some(isDropped)
    ? withTaints(
        node,
        taintsOf(node).filter((taint) => !isDropped(taint)),
      )
    : node;
