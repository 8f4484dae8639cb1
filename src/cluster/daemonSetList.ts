// Which DaemonSets are there? In the order of their names: the same list for as long as none of them says anything else.
import type { DaemonSet } from './daemonSet.ts';
import { compareText } from './nodeView.ts';

export class DaemonSetList {
  readonly #byKey = new Map<string, DaemonSet>();
  #sorted: readonly DaemonSet[] | undefined;

  get sorted(): readonly DaemonSet[] {
    this.#sorted ??= [...this.#byKey].sort(([a], [b]) => compareText(a, b)).map(([, daemonSet]) => daemonSet);
    return this.#sorted;
  }

  /** Undefined takes it away. */
  put(key: string, daemonSet: DaemonSet | undefined): void {
    if (JSON.stringify(this.#byKey.get(key)) === JSON.stringify(daemonSet)) return;
    if (daemonSet) this.#byKey.set(key, daemonSet);
    else this.#byKey.delete(key);
    this.#sorted = undefined;
  }
}
