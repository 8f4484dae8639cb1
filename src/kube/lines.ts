// Where does a line of a stream end? Pieces of bytes in, whole lines out, however they were cut.

/** An object in etcd has at most 1.5 MB; an event around it, escaped, some more. What goes on beyond this is no event. */
export const longestLine = 16 * 2 ** 20;

const newline = 0x0a;

export class Lines {
  readonly #onLine: (line: string) => void;
  #pieces: Buffer[] = [];
  #length = 0;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** False = a line has become longer than any may be. */
  take(bytes: Buffer): boolean {
    let from = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, from)) {
      const line = this.#pieces.length === 0 ? bytes.subarray(from, end) : this.#join(bytes.subarray(from, end));
      if (line.length > 0) this.#onLine(line.toString('utf8'));
      from = end + 1;
    }
    if (from < bytes.length) {
      this.#pieces.push(bytes.subarray(from));
      this.#length += bytes.length - from;
    }
    return this.#length <= longestLine;
  }

  #join(last: Buffer): Buffer {
    const line = Buffer.concat([...this.#pieces, last]);
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
