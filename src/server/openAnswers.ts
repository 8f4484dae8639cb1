// Tracks the responses being sent: how many per peer, and how many bytes slow clients have not read.
import type { ServerResponse } from 'node:http';
import type { ServerLimits } from './serverLimits.ts';

/** `once`: a response from memory. `bulk`: a long one that may have to wait. `live`: events. `recording`: the whole cluster, then events. */
export type AnswerKind = 'once' | 'bulk' | 'live' | 'recording';

interface OpenAnswer {
  readonly peer: string;
  readonly kind: AnswerKind;
  readonly since: number;
  /** Bytes that the client has not read. */
  waiting: () => number;
  /** Bytes passed to the kernel at the last sweep, and the number of sweeps since they last grew. */
  sent: number;
  idle: number;
}

/** A client may be idle for this many sweeps. Sweeps instead of time, since a long round blocks this process as well. */
const mostIdle = 6;

export class OpenAnswers {
  readonly #limits: ServerLimits;
  readonly #open = new Map<ServerResponse, OpenAnswer>();
  /** Clients disconnected because they did not keep up. */
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

  /** Why a new response of this kind is refused; undefined if it is not. */
  refuses(kind: AnswerKind, peer: string): string | undefined {
    if (kind === 'once') return undefined;
    const { streams, streamsOfPeer, recordings } = this.#limits;
    const isStream = (it: OpenAnswer): boolean => it.kind !== 'once';
    if (this.#count(isStream) >= streams) return `${streams} streams are open already. Close some of them.`;
    if (this.#count((it) => isStream(it) && it.peer === peer) >= streamsOfPeer)
      return `Your address has ${streamsOfPeer} open streams already. Close some of them.`;
    if (kind === 'recording' && this.#count((it) => it.kind === kind) >= recordings)
      return `${recordings} recordings are running already. Stop one of them.`;
    return undefined;
  }

  /** Whether a response of this length would need too much memory in addition to the unread ones. */
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

  /** Sets how to measure unread bytes, for a response that buffers more than Node does. */
  holds(response: ServerResponse, waiting: () => number): void {
    const open = this.#open.get(response);
    if (open) open.waiting = waiting;
  }

  /** Disconnects the streams with the most unread bytes until the total is within the limit. */
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

  /** Disconnects clients that have not read for a while, and aborts responses that take too long. */
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

  #count(is: (open: OpenAnswer) => boolean): number {
    let count = 0;
    for (const open of this.#open.values()) if (is(open)) count++;
    return count;
  }

  #sum(is: (open: OpenAnswer) => boolean): number {
    let sum = 0;
    for (const open of this.#open.values()) if (is(open)) sum += open.waiting();
    return sum;
  }
}
