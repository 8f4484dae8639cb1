// A stream without an end, written at the pace of its reader; a reader that falls too far behind is disconnected.
import type { ServerResponse } from 'node:http';

/** What a socket takes at once. Longer buffers are written in slices, so that progress shows. */
const slice = 64 * 1024;

/** Lines that are not made yet keep what they are made from: so many lots of them may wait. */
const mostUnmade = 16;

export interface OutletOptions {
  /** Bytes that may wait beyond those of `begin`. */
  readonly mostWaiting: number;
  /** Disconnects the reader. */
  readonly drop: () => void;
  /** Called when bytes were added for a reader that has not taken those before. */
  readonly onBehind: () => void;
}

export class Outlet {
  readonly #response: ServerResponse;
  readonly #options: OutletOptions;
  /** Buffers and lines not made yet, in order. */
  #queue: (Buffer | Iterator<string>)[] = [];
  #queued = 0;
  #allowed: number;
  #isBlocked = false;

  constructor(response: ServerResponse, options: OutletOptions) {
    this.#response = response;
    this.#options = options;
    this.#allowed = options.mostWaiting;
    response.on('drain', () => {
      this.#isBlocked = false;
      this.#pump();
    });
    response.on('close', () => {
      this.#queue = [];
      this.#queued = 0;
    });
  }

  /** Bytes that the reader has not taken yet. */
  get waiting(): number {
    return this.#response.writableLength + this.#queued;
  }

  /** The reader has bytes waiting: what can be left out may be. */
  get isBehind(): boolean {
    return this.#isBlocked;
  }

  /** What the stream begins with. It may be longer than what may wait later. */
  begin(buffers: readonly Buffer[]): void {
    this.#allowed += buffers.reduce((sum, { length }) => sum + length, 0);
    for (const buffer of buffers) this.write(buffer);
  }

  /** What waits already decides, so that one long message alone disconnects no reader. */
  write(buffer: Buffer): void {
    if (this.#isTooFarBehind()) return;
    this.#queue.push(buffer);
    this.#queued += buffer.length;
    this.#pump();
    if (this.#isBlocked) this.#options.onBehind();
  }

  /** Lines that are made only when the reader has taken those before them. */
  writeLines(lines: Iterable<string>): void {
    if (this.#isTooFarBehind()) return;
    this.#queue.push(lines[Symbol.iterator]());
    this.#pump();
  }

  #isTooFarBehind(): boolean {
    if (this.#response.destroyed) return true;
    const unmade = this.#queue.filter((it) => !Buffer.isBuffer(it)).length;
    if (this.waiting <= this.#allowed && unmade < mostUnmade) return false;
    this.#options.drop();
    return true;
  }

  #pump(): void {
    while (!this.#isBlocked && !this.#response.destroyed) {
      const [first] = this.#queue;
      if (first === undefined) break;
      const next = Buffer.isBuffer(first) ? this.#sliceOf(first) : this.#lineOf(first);
      if (next !== undefined) this.#isBlocked = !this.#response.write(next);
    }
  }

  #sliceOf(buffer: Buffer): Buffer {
    const piece = buffer.subarray(0, slice);
    this.#queued -= piece.length;
    if (piece.length === buffer.length) this.#queue.shift();
    else this.#queue[0] = buffer.subarray(slice);
    return piece;
  }

  #lineOf(lines: Iterator<string>): string | undefined {
    const { done, value } = lines.next();
    if (!done) return `${value}\n`;
    this.#queue.shift();
    return undefined;
  }
}
