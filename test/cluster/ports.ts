// Ports of a real cluster: a block below the ephemeral range, so that a restarted component finds its port free.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { tryLock } from './lock.ts';
import { base } from './places.ts';

const [first, last, width] = [20_000, 32_000, 12];

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

/** The number of a port's block: no other running cluster on this machine has it. */
export const blockOf = (port: number): number => Math.floor((port - first) / width);

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
