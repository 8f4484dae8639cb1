import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { openProbes, type Probes } from './probes.ts';

let probes: Probes | undefined;
afterEach(() => probes?.close());

const answers = {
  '/healthz': () => ({ status: 200, text: 'ok\n' }),
  '/readyz': () => ({ status: 503, text: 'starting\n' }),
};

async function open(): Promise<number> {
  probes = await openProbes({ host: '127.0.0.1', port: 0 }, answers);
  return probes.port;
}

describe('The probe port', () => {
  it('answers probes without a token, and nothing else', async () => {
    const url = `http://127.0.0.1:${await open()}`;
    const ask = async (path: string, init?: RequestInit) => {
      const reply = await fetch(`${url}${path}`, init);
      return [reply.status, await reply.text()];
    };
    expect(await ask('/healthz')).toEqual([200, 'ok\n']);
    expect(await ask('/readyz?verbose')).toEqual([503, 'starting\n']);
    expect(await ask('/healthz', { method: 'HEAD' })).toEqual([200, '']);
    expect(await ask('/healthz', { method: 'POST' })).toEqual([405, 'Use GET.\n']);
    for (const path of ['/', '/metrics', '/api/round', '/toString', '/healthz/..'])
      expect((await ask(path))[0]).toBe(404);
  });

  it('stays available to the kubelet in spite of idle connections', async () => {
    const port = await open();
    const idle: Socket[] = [];
    const isClosed = new Set<Socket>();
    for (let number = 0; number < 200; number++) {
      const socket = connect(port, '127.0.0.1');
      idle.push(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => isClosed.add(socket));
      await new Promise((resolve) => socket.once('connect', resolve));
    }
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    // The oldest was closed.
    const [first] = idle;
    if (first && !isClosed.has(first)) await new Promise((resolve) => first.once('close', resolve));
    for (const socket of idle) socket.destroy();
  });
});
