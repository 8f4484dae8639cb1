// Which ports may a cluster have? A block of its own, below those that the system hands out: stopped for a while, a component finds its port free again.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { tryLock } from './lock.ts';
import { base } from './places.ts';

const [first, last, width] = [20_000, 31_990, 10];

export interface Ports {
  readonly ports: readonly number[];
  /** Names the process that holds the block: the cluster may outlive the one that started it. */
  readonly lockFile: string;
}

export async function takePorts(): Promise<Ports> {
  for (let tries = 0; tries < 200; tries++) {
    const start = first + width * randomInt((last - first) / width);
    const lockFile = join(base, 'ports', String(start));
    if (!tryLock(lockFile)) continue;
    const ports = Array.from({ length: width }, (_, index) => start + index);
    const free = await Promise.all(ports.map(isFree));
    if (free.every(Boolean)) return { ports, lockFile };
  }
  throw new Error(`No ${width} free ports in a row between ${first} and ${last}. Try: npm run cluster:down -- --all`);
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
