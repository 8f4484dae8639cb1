// Which maintenance windows select a node? Nodes under the same windows share one list, so that what follows from it is worked out once.
import { asInstant } from '../time/instant.ts';
import type { MaintenanceWindow, Node } from './model.ts';
import { compareText } from './nodeView.ts';
import { SelectorIndex } from './selectorIndex.ts';

export class WindowIndex {
  readonly #windows = new Map<string, MaintenanceWindow>();
  readonly #bySelector = new SelectorIndex<MaintenanceWindow>();
  readonly #lists = new Map<string, readonly MaintenanceWindow[]>();
  #sorted: readonly MaintenanceWindow[] | undefined;

  /** By name. */
  get all(): readonly MaintenanceWindow[] {
    this.#sorted ??= [...this.#windows.values()].sort(byName);
    return this.#sorted;
  }

  /** Undefined takes it away. Whether anything but its status has changed: else the one that is known stays. */
  put(name: string, window: MaintenanceWindow | undefined): boolean {
    const known = this.#windows.get(name);
    if (known && window && meaningOf(known) === meaningOf(window)) return false;
    if (known) this.#bySelector.delete(known);
    this.#windows.delete(name);
    if (window) {
      this.#windows.set(name, window);
      this.#bySelector.put(window, window.selector ?? []);
    }
    this.#lists.clear();
    this.#sorted = undefined;
    return true;
  }

  over({ labels }: Node): readonly MaintenanceWindow[] {
    const mine = this.#bySelector.matching(labels).sort(byName);
    const key = mine.map(({ name }) => name).join(' ');
    const shared = this.#lists.get(key) ?? mine;
    this.#lists.set(key, shared);
    return shared;
  }
}

const byName = (a: MaintenanceWindow, b: MaintenanceWindow): number => compareText(a.name, b.name);

/** All of it as text. */
function meaningOf({ window, life, reasons, ...rest }: MaintenanceWindow): string {
  const begin = life.nextChange(asInstant(-Infinity));
  const end = begin === undefined ? undefined : life.nextChange(begin);
  return JSON.stringify({ ...rest, window: window.text, life: [life.text, begin, end], reasons: [...reasons] });
}
