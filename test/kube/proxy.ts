// A TCP proxy whose connection can be cut, to lose a server without stopping it.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  cutOff(isAway: boolean): void;
  close(): void;
}

export interface ProxyOptions {
  /** Everything from the server arrives this many milliseconds late; requests to it do not. */
  readonly late?: number;
}

export async function openProxy(to: URL, { late = 0 }: ProxyOptions = {}): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isAway = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (isAway) {
      near.destroy();
      return;
    }
    const far = connect(Number(to.port || 443), to.hostname);
    keep(far);
    near.pipe(far);
    if (late === 0) far.pipe(near);
    // In order: timers of equal length fire in the order in which they were set.
    else far.on('data', (piece) => setTimeout(() => near.writable && near.write(piece), late));
    near.on('close', () => far.destroy());
    far.on('close', () => setTimeout(() => near.destroy(), late));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cutOff: (away) => {
      isAway = away;
      if (away) cut();
    },
    close: () => {
      cut();
      server.close();
    },
  };
}
