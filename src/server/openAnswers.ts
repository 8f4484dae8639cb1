// The answers that are being sent: how many, to which peers, and how many bytes wait for slow readers.
import type { ServerResponse } from 'node:http';
import type { ServerLimits } from './limits.ts';

/** `once`: an answer from memory. `bulk`: a long one that may wait for its turn. `live`: events. `recording`: the whole cluster, then events. */
export type AnswerKind = 'once' | 'bulk' | 'live' | 'recording';

interface Open {
  readonly peer: string;
  readonly kind: AnswerKind;
  readonly since: number;
  /** Bytes that the reader has not taken. */
  waiting: () => number;
  /** Bytes the kernel had taken at the last sweep, and how many sweeps ago they last grew. */
  sent: number;
  idle: number;
}

/** So many sweeps make the time in which a reader must take something. Counted, since a long round stops the clock of the reader too. */
const mostIdle = 6;

export class OpenAnswers {
  readonly #limits: ServerLimits;
  readonly #open = new Map<ServerResponse, Open>();
  /** Readers that were disconnected because they did not keep up. */
  dropped = 0;

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** Clients that follow live. */
  get viewers(): number {
    return this.#count(({ kind }) => kind === 'live' || kind === 'recording');
  }

  get waiting(): number {
    return this.#sum(() => true);
  }

  /** Why no more answers of this kind are begun, as a sentence; undefined = they are. */
  refuses(kind: AnswerKind, peer: string): string | undefined {
    if (kind === 'once') return undefined;
    const { streams, streamsOfPeer, recordings } = this.#limits;
    const isStream = (it: Open): boolean => it.kind !== 'once';
    if (this.#count(isStream) >= streams) return `There are ${streams} open streams already. Close some of them.`;
    if (this.#count((it) => isStream(it) && it.peer === peer) >= streamsOfPeer)
      return `Your address has ${streamsOfPeer} open streams already. Close some of them.`;
    if (kind === 'recording' && this.#count((it) => it.kind === kind) >= recordings)
      return `${recordings} recordings are being made already. Stop one of them.`;
    return undefined;
  }

  /** Whether an answer of this length would hold too much memory beside those that wait already. */
  isTooMuch(length: number, peer: string): boolean {
    const { bytes } = this.#limits;
    const all = this.waiting;
    if (all === 0) return false;
    const own = this.#sum((it) => it.peer === peer);
    return all + length > bytes || (own > 0 && own + length > bytes / 2);
  }

  add(response: ServerResponse, peer: string, kind: AnswerKind): void {
    const now = performance.now();
    const waiting = (): number => response.writableLength;
    this.#open.set(response, { peer, kind, since: now, waiting, sent: 0, idle: 0 });
    response.on('close', () => this.#open.delete(response));
  }

  /** The answer keeps more than what waits in its response. */
  holds(response: ServerResponse, waiting: () => number): void {
    const open = this.#open.get(response);
    if (open) open.waiting = waiting;
  }

  /** Disconnects the streams with most bytes waiting until all together are within the limit. */
  shed(): void {
    let over = this.waiting - this.#limits.bytes;
    if (over <= 0) return;
    const streams = [...this.#open].filter(([, { kind }]) => kind !== 'once');
    for (const [response, { waiting }] of streams.toSorted(([, a], [, b]) => b.waiting() - a.waiting())) {
      if (over <= 0) return;
      over -= waiting();
      this.drop(response);
    }
  }

  /** Milliseconds between two sweeps. */
  get sweepEvery(): number {
    return Math.ceil(this.#limits.stall / mostIdle);
  }

  /** Disconnects readers that have taken nothing for a while though bytes wait, and answers that take too long. */
  sweep(now: number): void {
    for (const [response, open] of this.#open) {
      const { socket } = response;
      const sent = socket ? socket.bytesWritten - socket.writableLength : 0;
      const isIdle = response.headersSent && sent === open.sent && open.waiting() > 0;
      open.idle = isIdle ? open.idle + 1 : 0;
      open.sent = sent;
      const isTooLong =
        (open.kind === 'once' || open.kind === 'bulk') && now - open.since >= this.#limits.longestAnswer;
      if (open.idle >= mostIdle || isTooLong) this.drop(response);
    }
  }

  drop(response: ServerResponse): void {
    if (response.destroyed) return;
    this.dropped++;
    response.destroy();
  }

  #count(is: (open: Open) => boolean): number {
    let count = 0;
    for (const open of this.#open.values()) if (is(open)) count++;
    return count;
  }

  #sum(is: (open: Open) => boolean): number {
    let sum = 0;
    for (const open of this.#open.values()) if (is(open)) sum += open.waiting();
    return sum;
  }
}
