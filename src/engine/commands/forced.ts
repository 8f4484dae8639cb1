// H2, H3: when is a pod forced that nothing else moves? Those of one PDB one at a time, spread out before the deadline.
import { asDuration, asInstant, type Duration, type Instant, minute, second } from '../../time/instant.ts';

export interface Doomed {
  /** `namespace/name` */
  readonly key: string;
  readonly graceSeconds: number;
  /** When the drain of its node began. */
  readonly drainAt: Instant;
  readonly deadline: Instant;
}

/** Long enough for a successor to come up in most cases. */
const widestSpacing = asDuration(2 * minute);

/** A pod that no PDB means: at the deadline less its own grace. */
export const forcedAt = ({ graceSeconds, drainAt, deadline }: Doomed): Instant =>
  asInstant(Math.max(drainAt, deadline - graceSeconds * second));

/**
 * The pods of one PDB, those with the earliest deadline first. Worked out anew from the pods that are still there, without
 * memory: the place from the end does not change when the first is gone, and whoever is next is never due before the one
 * before it was.
 */
export function spreadOut(pods: readonly Doomed[]): ReadonlyMap<string, Instant> {
  const inOrder = [...pods].sort((a, b) => a.deadline - b.deadline || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const spacing = spacingOf(inOrder);
  const moments = new Map<string, Instant>();
  let next = Number.POSITIVE_INFINITY;
  for (let index = inOrder.length - 1; index >= 0; index--) {
    const pod = inOrder[index] as Doomed;
    next = Math.min(pod.deadline - pod.graceSeconds * second, next - spacing);
    // Where graces are too long for all to be spread out, they are cut short rather than all asked to go at once.
    const share = ((pod.deadline - pod.drainAt) * (index + 1)) / (inOrder.length + 1);
    moments.set(pod.key, asInstant(Math.max(Math.floor(next), Math.ceil(pod.drainAt + share))));
  }
  return moments;
}

function spacingOf(pods: readonly Doomed[]): Duration {
  const shortest = Math.min(...pods.map(({ deadline, drainAt }) => Math.max(deadline - drainAt, 0)));
  return asDuration(Math.min(widestSpacing, shortest / (pods.length + 1)));
}
