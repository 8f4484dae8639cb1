// Which new nodes would take the pods that fit on no other node (F5)?
import type { Pod, Pool } from '../../cluster/model.ts';
import { subtract } from '../../cluster/nodeView.ts';
import type { PlannedReplacement } from './placement.ts';
import { admits } from './rooms.ts';
import type { Shape } from './shapes.ts';

interface Bin {
  readonly shape: Shape;
  readonly room: Record<string, number>;
}

/** One shape for all of them where there is one; else as few as first-fit needs. A pod that fits none is named. */
export function packIntoNew(pods: readonly Pod[], shapes: readonly Shape[]): { shapes: Shape[] } | { misfit: Pod } {
  for (const shape of shapes) {
    const bin = open(shape);
    if (pods.every((pod) => put(pod, bin))) return { shapes: [shape] };
  }
  const bins: Bin[] = [];
  const largestFirst = [...pods].sort((a, b) => (b.requests.cpu ?? 0) - (a.requests.cpu ?? 0));
  for (const pod of largestFirst) {
    if (bins.some((bin) => put(pod, bin))) continue;
    const bin = shapes.map(open).find((it) => put(pod, it));
    if (!bin) return { misfit: pod };
    bins.push(bin);
  }
  return { shapes: bins.map(({ shape }) => shape) };
}

const open = (shape: Shape): Bin => ({ shape, room: { ...shape.room } });

function put(pod: Pod, { shape, room }: Bin): boolean {
  for (const name in pod.requests) if ((pod.requests[name] as number) > Math.max(room[name] ?? 0, 0)) return false;
  if (!admits(pod, { name: '', labels: shape.labels, taints: shape.taints })) return false;
  subtract(room, pod.requests);
  return true;
}

export const planOf = (pool: Pool, { instanceType, assumed }: Shape): PlannedReplacement => ({
  pool: pool.name,
  ...(instanceType !== undefined && { instanceType }),
  ...(assumed && { assumed }),
});
