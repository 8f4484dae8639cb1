// How many pods may a PodDisruptionBudget spare? The arithmetic of Kubernetes' disruption controller, by itself.
import type { KubeObject } from '../../kubeObject.ts';
import { amountOf } from '../intOrPercent.ts';

export interface Healthy {
  /** What its pods should add up to: the scale of their controllers, or (for a plain minAvailable) as many as there are. */
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly currentHealthy: number;
  readonly disruptionsAllowed: number;
}

export interface Counts {
  /** All pods that it selects, whatever their state. */
  readonly pods: number;
  /** Of the controllers of those pods together; undefined where one has no scale, as a DaemonSet or a Job. */
  readonly scale: number | undefined;
  /** Ready, and neither ending nor just evicted. */
  readonly healthy: number;
}

/** undefined = it cannot be worked out, so nothing may go. */
export function healthyOf({ spec }: Pick<KubeObject, 'spec'>, { pods, scale, healthy }: Counts): Healthy | undefined {
  const wanted = wantedOf(spec ?? {}, pods, scale);
  if (!wanted) return undefined;
  const { expectedPods, desiredHealthy } = wanted;
  // Where no pods are expected nothing may go: the first that come would else be fair game.
  const spare = expectedPods <= 0 ? 0 : healthy - desiredHealthy;
  return { expectedPods, desiredHealthy, currentHealthy: healthy, disruptionsAllowed: Math.max(0, spare) };
}

type Wanted = Pick<Healthy, 'expectedPods' | 'desiredHealthy'>;

/** maxUnavailable stands before minAvailable. Both round up. */
function wantedOf(
  spec: Readonly<Record<string, unknown>>,
  pods: number,
  scale: number | undefined,
): Wanted | undefined {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable !== undefined) {
    const missing = scale === undefined ? undefined : amountOf(maxUnavailable, scale, 'up');
    if (scale === undefined || missing === undefined) return undefined;
    return { expectedPods: scale, desiredHealthy: Math.max(0, scale - missing) };
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods, desiredHealthy: minAvailable };
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  const least = scale === undefined ? undefined : amountOf(minAvailable, scale, 'up');
  return scale === undefined || least === undefined ? undefined : { expectedPods: scale, desiredHealthy: least };
}
