// Limits of the HTTP server, and classes that enforce them: connections per peer, concurrent long responses.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const mebibyte = 1024 * 1024;

export interface ServerLimits {
  /** Open connections of all peers together; one more is closed immediately. */
  readonly connections: number;
  /** Open connections of one address, so that one peer cannot take all of them. */
  readonly connectionsOfPeer: number;
  /** Unanswered requests on one connection (HTTP pipelining). */
  readonly pipelined: number;
  /** Endless responses (/api/events, /api/recording) and long ones that may have to wait. */
  readonly streams: number;
  readonly streamsOfPeer: number;
  /** Each recording may keep a copy of the cluster in memory until the client has read it. */
  readonly recordings: number;
  /** Snapshots at a time: each lists the cluster and decides a round. Others wait. */
  readonly snapshots: number;
  /** Histories sent at a time. Others wait. */
  readonly histories: number;
  /** Unread bytes of one stream, beyond its initial content. */
  readonly bytesOfStream: number;
  /** Unread bytes of all clients together. */
  readonly bytes: number;
  /** Milliseconds within which a client with unread bytes must read some. */
  readonly stall: number;
  /** Milliseconds after which a finite response is aborted. */
  readonly longestAnswer: number;
  /** Milliseconds for the headers of a request, and for a TLS handshake. */
  readonly headers: number;
  /** Milliseconds for a whole request. */
  readonly request: number;
  /** Milliseconds for which an idle connection is kept. */
  readonly keepAlive: number;
  /** Bytes of all headers of a request together. */
  readonly headerBytes: number;
  readonly headerCount: number;
  /** Milliseconds between two checks of the certificate files. */
  readonly reload: number;
}

export const usualLimits: ServerLimits = {
  connections: 512,
  connectionsOfPeer: 256,
  pipelined: 16,
  streams: 100,
  streamsOfPeer: 50,
  recordings: 4,
  snapshots: 2,
  histories: 4,
  bytesOfStream: 8 * mebibyte,
  bytes: 64 * mebibyte,
  stall: 30_000,
  longestAnswer: 300_000,
  headers: 10_000,
  request: 30_000,
  keepAlive: 10_000,
  headerBytes: 16 * 1024,
  headerCount: 100,
  reload: 5000,
};

export class Connections {
  readonly #limits: ServerLimits;
  readonly #byPeer = new Map<string, number>();
  readonly #pending = new WeakMap<Socket, number>();

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** Closes the connection if its peer has too many. Node's maxConnections limits all peers together. */
  opened(socket: Socket): void {
    const peer = peerOf(socket);
    const count = (this.#byPeer.get(peer) ?? 0) + 1;
    this.#byPeer.set(peer, count);
    socket.on('close', () => {
      const left = (this.#byPeer.get(peer) ?? 1) - 1;
      if (left > 0) this.#byPeer.set(peer, left);
      else this.#byPeer.delete(peer);
    });
    if (count > this.#limits.connectionsOfPeer) socket.destroy();
  }

  /** How many requests of the connection are unanswered, including this one. */
  asked(socket: Socket, response: ServerResponse): number {
    const pending = (this.#pending.get(socket) ?? 0) + 1;
    this.#pending.set(socket, pending);
    response.on('close', () => this.#pending.set(socket, (this.#pending.get(socket) ?? 1) - 1));
    return pending;
  }
}

export const peerOf = ({ remoteAddress = '' }: Socket): string => remoteAddress.replace(/^::ffff:/, '');

/** Runs at most a fixed number of tasks at a time; others wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  /** Runs the task when a slot is free. */
  async enter(work: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
