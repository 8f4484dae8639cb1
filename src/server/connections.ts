// Connections to the server, counted by peer, and the requests of each that wait for their answers.
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerLimits } from './limits.ts';

export class Connections {
  readonly #limits: ServerLimits;
  readonly #byPeer = new Map<string, number>();
  readonly #pending = new WeakMap<Socket, number>();

  constructor(limits: ServerLimits) {
    this.#limits = limits;
  }

  /** Closes it where its peer has too many. The limit for all peers together is the server's own. */
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

  /** How many requests of its connection are unanswered, this one included. */
  asked(socket: Socket, response: ServerResponse): number {
    const pending = (this.#pending.get(socket) ?? 0) + 1;
    this.#pending.set(socket, pending);
    response.on('close', () => this.#pending.set(socket, (this.#pending.get(socket) ?? 1) - 1));
    return pending;
  }
}

export const peerOf = ({ remoteAddress = '' }: Socket): string => remoteAddress.replace(/^::ffff:/, '');
