// A cluster that does not change behind the real server, and sockets to send requests to it.
import { connect, type Socket } from 'node:net';
import { emptyLedger } from '../src/cluster/ledger.ts';
import type { ApiRequest, ApiResponse } from '../src/runtime/port.ts';
import type { News, ReportedEvent, RoundSource } from '../src/server/roundSource.ts';
import { at, decide, longAgo, machine, noon, pod, pool, storeOf } from './build.ts';

const objects = [pool('web'), machine('web-1', { drifted: longAgo }), machine('web-2'), pod('p', 'web-2')];

export interface Stage extends RoundSource {
  readonly sent: ApiRequest[];
  tell(news: News): void;
  readonly listeners: Set<unknown>;
}

/** A cluster that does not change, and a port that records the requests. */
export function stage({
  known = emptyLedger,
  answers = [] as ApiResponse[],
  isReady = true,
  record = undefined as RoundSource['record'],
  stalled = undefined as string | undefined,
  json = { at: noon, verdicts: [] } as unknown,
  now = noon,
} = {}): Stage {
  const cluster = storeOf(...objects);
  const round = decide(objects);
  const listeners = new Set<(news: News) => void>();
  const sent: ApiRequest[] = [];
  return {
    sent,
    listeners,
    now: () => at(now),
    stalled: () => stalled,
    latest: () => (isReady ? { round, cluster, ledger: known, role: 'observe', json } : undefined),
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: (news) => {
      for (const listener of listeners) listener(news);
    },
    port: {
      view: () => ({ cluster, ledger: { record: known, version: '7' }, unsynced: [], seen: {}, written: {} }),
      send: (request) => {
        sent.push(request);
        return answers[sent.length - 1] ?? { status: 'done' };
      },
    },
    ...(record && { record }),
  };
}

export const story = (text: string): News => ({
  kind: 'story',
  event: { kind: 'NodeGone', text } satisfies ReportedEvent,
});

/** Sends raw bytes, and returns everything received. */
export function raw(url: string, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => socket.end(bytes));
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

/** Sends a request and never reads the response. */
export const neverReads = (url: string, path: string, localAddress = '127.0.0.1'): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const { port, host } = new URL(url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress }, () => {
      socket.pause();
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`, () => resolve(socket));
    });
    // A server that disconnects it may do so with a reset.
    socket.on('error', reject);
  });

/** Waits for a condition, however long it takes. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
}
