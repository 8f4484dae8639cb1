// How many, by what is counted and where? Pairs of small numbers in one table of typed arrays: most pairs are never seen.

const empty = -1;

export class Counts {
  #tallies = new Int32Array(1024).fill(empty);
  #domains = new Int32Array(1024);
  #values = new Int32Array(1024);
  #size = 0;

  get(tally: number, domain: number): number {
    const place = this.#find(tally, domain);
    return this.#tallies[place] === empty ? 0 : (this.#values[place] as number);
  }

  /** What it comes to. */
  add(tally: number, domain: number, change: number): number {
    const place = this.#find(tally, domain);
    if (this.#tallies[place] !== empty) {
      const value = (this.#values[place] as number) + change;
      this.#values[place] = value;
      return value;
    }
    this.#tallies[place] = tally;
    this.#domains[place] = domain;
    this.#values[place] = change;
    // Half of it stays empty, so that nothing is looked for long.
    if (++this.#size * 2 > this.#tallies.length) this.#grow();
    return change;
  }

  #find(tally: number, domain: number): number {
    const mask = this.#tallies.length - 1;
    let place = (Math.imul(tally, 0x9e3779b1) ^ Math.imul(domain, 0x85ebca6b)) & mask;
    while (this.#tallies[place] !== empty && (this.#tallies[place] !== tally || this.#domains[place] !== domain)) {
      place = (place + 1) & mask;
    }
    return place;
  }

  #grow(): void {
    const [tallies, domains, values] = [this.#tallies, this.#domains, this.#values];
    this.#tallies = new Int32Array(tallies.length * 2).fill(empty);
    this.#domains = new Int32Array(tallies.length * 2);
    this.#values = new Int32Array(tallies.length * 2);
    this.#size = 0;
    for (let index = 0; index < tallies.length; index++) {
      const value = values[index] as number;
      // What has come to nothing is forgotten.
      if (tallies[index] !== empty && value !== 0) this.add(tallies[index] as number, domains[index] as number, value);
    }
  }
}
