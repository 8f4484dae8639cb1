// What is wrong with the objects that were read? By object, so that one that is mended says nothing any more.
import type { Fault } from './fault.ts';
import { compareText } from './nodeView.ts';

export class FaultIndex {
  readonly #byObject = new Map<string, readonly Fault[]>();
  #sorted: readonly Fault[] | undefined;

  get sorted(): readonly Fault[] {
    this.#sorted ??= [...this.#byObject].sort(([a], [b]) => compareText(a, b)).flatMap(([, faults]) => faults);
    return this.#sorted;
  }

  put(object: string, faults: readonly Fault[]): void {
    if (faults.length === 0 && !this.#byObject.has(object)) return;
    if (faults.length > 0) this.#byObject.set(object, faults);
    else this.#byObject.delete(object);
    this.#sorted = undefined;
  }
}
