// Which is the next node in order that might have room? Over the nodes in order stands a tree of what the roomiest below it has.

/** Of these resources the tree knows: cpu, memory and number of pods, in this order. The rest is asked of each node. */
const treeColumns = 3;

export class RoomTree {
  #size = 1;
  #most = new Float64Array(2 * treeColumns).fill(-1);

  /** Forgets everything; no place has any room, not even for nothing. */
  reset(places: number): void {
    let size = 1;
    while (size < places) size *= 2;
    this.#size = size;
    this.#most = new Float64Array(2 * size * treeColumns).fill(-1);
  }

  /** For many at once; `build` must follow. */
  place(place: number, cpu: number, memory: number, pods: number): void {
    this.#write(place + this.#size, cpu, memory, pods);
  }

  build(): void {
    for (let node = this.#size - 1; node > 0; node--) this.#gather(node);
  }

  set(place: number, cpu: number, memory: number, pods: number): void {
    let node = place + this.#size;
    this.#write(node, cpu, memory, pods);
    for (node >>= 1; node > 0; node >>= 1) if (!this.#gather(node)) break;
  }

  /** The first place from here on that has that much of each; -1 = there is none. */
  next(from: number, cpu: number, memory: number, pods: number): number {
    const [most, size] = [this.#most, this.#size];
    if (from >= size) return -1;
    let node = from + size;
    for (;;) {
      const at = node * treeColumns;
      if ((most[at] as number) >= cpu && (most[at + 1] as number) >= memory && (most[at + 2] as number) >= pods) {
        if (node >= size) return node - size;
        node *= 2;
      } else {
        while (node & 1) node >>= 1;
        if (node === 0) return -1;
        node++;
      }
    }
  }

  #write(node: number, cpu: number, memory: number, pods: number): void {
    const at = node * treeColumns;
    this.#most[at] = cpu;
    this.#most[at + 1] = memory;
    this.#most[at + 2] = pods;
  }

  /** Whether anything changed. */
  #gather(node: number): boolean {
    const most = this.#most;
    const at = node * treeColumns;
    const below = at * 2;
    let changed = false;
    for (let column = 0; column < treeColumns; column++) {
      const left = most[below + column] as number;
      const right = most[below + treeColumns + column] as number;
      const value = Math.max(left, right);
      if (most[at + column] === value) continue;
      most[at + column] = value;
      changed = true;
    }
    return changed;
  }
}
