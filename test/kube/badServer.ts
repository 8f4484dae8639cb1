// A bare TCP server that speaks just enough HTTP to fail on purpose: each test decides its answers, byte by byte if needed.

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: string;
  /** The connection of the request. */
  readonly from: string;
  /** The head of a chunked response, which continues until it is ended. */
  open(code?: number, headers?: string): void;
  /** One chunk with this line. */
  line(value: unknown): void;
  /** A chunk of any text. */
  chunk(text: string): void;
  /** Raw bytes. */
  raw(text: string): void;
  /** The correct end of a chunked response. */
  end(): void;
  /** A whole answer. */
  answer(code: number, body: unknown, headers?: string): void;
  /** Closes the connection in the middle. */
  cut(): void;
  reset(): void;
  readonly isClosed: () => boolean;
}

export interface BadServer {
  readonly url: URL;
  /** The next request, in order of arrival. */
  next(): Promise<Asked>;
  readonly waiting: () => number;
  close(): void;
}

export async function openBadServer(): Promise<BadServer> {
  const asked: Asked[] = [];
  const takers: ((asked: Asked) => void)[] = [];
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    let text = '';
    socket.on('data', (bytes) => {
      // One character per byte, so that they can be counted.
      text += bytes.toString('latin1');
      for (let end = endOf(text); end !== undefined; end = endOf(text)) {
        const request = readRequest(Buffer.from(text.slice(0, end), 'latin1').toString('utf8'), socket);
        text = text.slice(end);
        const taker = takers.shift();
        if (taker) taker(request);
        else asked.push(request);
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}`),
    next: () => {
      const first = asked.shift();
      return first ? Promise.resolve(first) : new Promise((resolve) => takers.push(resolve));
    },
    waiting: () => asked.length,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** Where the first complete request ends. */
function endOf(text: string): number | undefined {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const [, length = '0'] = /content-length: (\d+)/i.exec(text.slice(0, head)) ?? [];
  const end = head + 4 + Number(length);
  return text.length >= end ? end : undefined;
}

function readRequest(text: string, socket: Socket): Asked {
  const [method = '', target = ''] = text.split(' ', 2);
  const { pathname, searchParams } = new URL(target, 'http://server');
  const write = (bytes: string): void => {
    if (!socket.destroyed) socket.write(bytes);
  };
  const chunk = (body: string): void => write(`${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n`);
  return {
    method,
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: text,
    from: String(socket.remotePort),
    open: (code = 200, headers = '') =>
      write(`HTTP/1.1 ${code} X\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${headers}\r\n`),
    line: (value) => chunk(`${JSON.stringify(value)}\n`),
    chunk,
    raw: write,
    end: () => write('0\r\n\r\n'),
    answer: (code, body, headers = '') => {
      const said = typeof body === 'string' ? body : JSON.stringify(body);
      write(`HTTP/1.1 ${code} X\r\nContent-Length: ${Buffer.byteLength(said)}\r\n${headers}\r\n${said}`);
    },
    cut: () => socket.destroy(),
    reset: () => socket.resetAndDestroy(),
    isClosed: () => socket.destroyed,
  };
}
