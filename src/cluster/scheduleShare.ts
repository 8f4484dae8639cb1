// How many different schedules the pods of a namespace have between them, and whether they are still worked out (E13).
import type { Fault } from './fault.ts';
import type { Pod } from './model.ts';
import { isActive } from './pod.ts';

/** A pod with as many schedules, of both its windows together, is always worked out and counts for nothing. */
export const freeSchedules = 5;
/** Different schedules that the other pods of one namespace may have. Pods with the same text share theirs. */
export const mostSchedules = 1000;

/** What decides depends on the pods that there are, never on the order in which they came. */
export class ScheduleShare {
  readonly #pods = new Map<string, Pod>();
  /** By window: how many pods have it. Equal texts are one window. */
  readonly #uses = new Map<object, number>();
  #count = 0;

  get isSpent(): boolean {
    return this.#count > mostSchedules;
  }

  /** The pods that are held while the share is spent. */
  get pods(): Iterable<Pod> {
    return this.#pods.values();
  }

  has(pod: Pod): boolean {
    return counts(pod);
  }

  put(key: string, pod: Pod): void {
    if (!counts(pod)) return;
    this.#pods.set(key, pod);
    for (const { window, size } of windowsOf(pod)) {
      const uses = this.#uses.get(window) ?? 0;
      if (uses === 0) this.#count += size;
      this.#uses.set(window, uses + 1);
    }
  }

  remove(key: string, pod: Pod): void {
    if (!this.#pods.delete(key)) return;
    for (const { window, size } of windowsOf(pod)) {
      const uses = (this.#uses.get(window) ?? 0) - 1;
      if (uses > 0) this.#uses.set(window, uses);
      else if (this.#uses.delete(window)) this.#count -= size;
    }
  }
}

const counts = (pod: Pod): boolean => pod.rules?.sizes !== undefined && isActive(pod);

const schedulesOf = ({ rules }: Pod): number => (rules?.sizes?.allow ?? 0) + (rules?.sizes?.block ?? 0);

function windowsOf({ rules }: Pod): { readonly window: object; readonly size: number }[] {
  const { allow, block, sizes } = rules ?? {};
  return [
    ...(allow ? [{ window: allow, size: sizes?.allow ?? 0 }] : []),
    ...(block ? [{ window: block, size: sizes?.block ?? 0 }] : []),
  ];
}

/** As a refusal and a warning say it. */
export const notWorkedOut = (pod: Pod): string =>
  `its ${schedulesOf(pod)} schedules are not worked out, because the pods of namespace ${pod.namespace} have more than ${mostSchedules} different ones`;

export const spentFault = (pod: Pod): Fault => ({
  object: `Pod/${pod.namespace}/${pod.name}`,
  path: 'metadata.annotations',
  value: undefined,
  message: `This pod holds its node, since ${notWorkedOut(pod)}. Use at most ${freeSchedules} schedules a pod, or the same text on all pods.`,
  severity: 'warning',
});
