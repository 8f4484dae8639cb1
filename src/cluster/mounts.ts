// Who mounts a volume claim, and where do they run? Asked only where nobody has shown the volumes themselves.
import type { Pod } from './model.ts';
import { compareText } from './nodeView.ts';

export class Mounts {
  readonly #pods = new Map<string, Map<string, Pod>>();

  put(key: string, pod: Pod): void {
    for (const claim of pod.scheduling?.volumeClaims ?? []) {
      const pods = this.#pods.get(claim) ?? new Map<string, Pod>();
      pods.set(key, pod);
      this.#pods.set(claim, pods);
    }
  }

  remove(key: string, pod: Pod): void {
    for (const claim of pod.scheduling?.volumeClaims ?? []) {
      const pods = this.#pods.get(claim);
      pods?.delete(key);
      if (pods?.size === 0) this.#pods.delete(claim);
    }
  }

  /** The nodes that pods with this claim are bound to, by name. Undefined = there is no such pod. */
  nodesWith(claim: string): readonly string[] | undefined {
    const pods = [...(this.#pods.get(claim)?.values() ?? [])];
    const names = new Set(pods.flatMap(({ nodeName }) => (nodeName === undefined ? [] : [nodeName])));
    return names.size > 0 ? [...names].sort(compareText) : undefined;
  }
}
