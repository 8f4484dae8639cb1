// How is a server lost without stopping it? A wire in between that can be cut, whatever is spoken over it.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Proxy {
  readonly port: number;
  cutOff(isAway: boolean): void;
  close(): void;
}

export async function openProxy(to: URL): Promise<Proxy> {
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
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
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
