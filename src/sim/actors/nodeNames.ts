// What is the next node of a pool called? `web-10`, if `web-9` was the last one ever: no name comes twice.
import type { Objects } from '../objects.ts';

export class NodeNames {
  readonly #last = new Map<string, number>();

  constructor(objects: Objects) {
    objects.onChange(({ type, object }) => {
      if (type === 'ADDED' && object.kind === 'Node') this.#see(object.metadata.name);
    });
  }

  next(pool: string): string {
    const number = (this.#last.get(pool) ?? 0) + 1;
    this.#last.set(pool, number);
    return `${pool}-${number}`;
  }

  #see(name: string): void {
    const [, pool, digits] = /^(.+)-(\d{1,9})$/.exec(name) ?? [];
    if (pool !== undefined) this.#last.set(pool, Math.max(this.#last.get(pool) ?? 0, Number(digits)));
  }
}
