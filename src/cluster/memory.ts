// Where is what was worked out from a value kept? With the value itself: it goes when the value is replaced, so it is never
// out of date, and unlike a WeakMap it costs the garbage collector nothing.

/** What pure functions remember of the value that carries it. No rule may read it but the one that wrote it. */
export type Memory = unknown[];

interface Rememberer {
  readonly memory: Memory;
}

export interface Slot<T> {
  recall(owner: Rememberer): T | undefined;
  keep(owner: Rememberer, value: T): T;
}

let slots = 0;

/** A place of one's own in every memory. */
export function openSlot<T>(): Slot<T> {
  const place = slots++;
  return {
    recall: ({ memory }) => memory[place] as T | undefined,
    keep: ({ memory }, value) => {
      memory[place] = value;
      return value;
    },
  };
}
