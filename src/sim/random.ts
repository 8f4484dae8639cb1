// Seeded random numbers: the same seed gives the same numbers on every machine.

/** The sfc32 generator by Chris Doty-Humphrey. */
export class Random {
  readonly #seed: string;
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  constructor(seed: number | string) {
    this.#seed = String(seed);
    const hash = hashOf(this.#seed);
    this.#a = hash;
    this.#b = Math.imul(hash ^ 0x9e3779b9, 0x85ebca6b);
    this.#c = Math.imul(hash ^ 0x243f6a88, 0xc2b2ae35);
    // Similar seeds start with similar numbers: discard the first few.
    for (let round = 0; round < 12; round++) this.next();
  }

  /** At least 0 and less than 1. */
  next(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  }

  /** An integer of at least 0 and less than `below`. */
  whole(below: number): number {
    return Math.floor(this.next() * below);
  }

  between(from: number, to: number): number {
    return from + this.next() * (to - from);
  }

  pick<T>(list: readonly T[]): T {
    if (list.length === 0) throw new RangeError('There is nothing to pick from');
    return list[this.whole(list.length)] as T;
  }

  chance(p: number): boolean {
    return this.next() < p;
  }

  /** An independent stream: it does not depend on how many numbers were drawn from this one. */
  fork(name: string): Random {
    return new Random(`${this.#seed}/${name}`);
  }
}

/** FNV-1a with the finalizer of MurmurHash3. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
