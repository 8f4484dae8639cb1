import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { asDuration, minute } from '../../time/instant.ts';
import { Watchdog } from './watchdog.ts';
import { SharedState } from './watchdogState.ts';

/** A thread that holds the lease for an hour, and fails once the main thread is ready. */
const failing = `
const { parentPort, workerData } = require('node:worker_threads');
Atomics.store(new BigInt64Array(workerData.state), 0, process.hrtime.bigint() + 3_600_000_000_000n);
parentPort.on('message', ({ kind, ready }) => {
  if (kind === 'lead') parentPort.postMessage({ kind: 'leads' });
  if (ready?.status === 200) throw new Error('no memory left');
});
parentPort.postMessage({ kind: 'open' });
`;

/** A thread that acquired the lease and lost it before the main thread learns of either. */
const late = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', ({ kind }) => {
  if (kind === 'lead') for (const said of ['leads', 'lost']) parentPort.postMessage({ kind: said });
  if (kind === 'ended') parentPort.postMessage({ kind: 'holder', holder: 'another' });
  if (kind === 'stop') parentPort.postMessage({ kind: 'released' });
});
parentPort.postMessage({ kind: 'open' });
`;

const usual = {
  place: {},
  userAgent: 'test',
  log: 'text',
  stuckAfter: asDuration(5 * minute),
  readiness: () => ({ status: 200, text: '' }),
  onFailure: (error: Error) => {
    throw error;
  },
} as const;

it('K6: work does not begin under a lease that was lost before the main thread learned of it', async () => {
  const state = new SharedState();
  const stop = new AbortController();
  const watchdog = new Watchdog(new Worker(late, { eval: true }), state, usual);
  await watchdog.opened;
  let worked = 0;
  const holders: unknown[] = [];
  await watchdog.whileLeading(
    {
      namespace: 'n',
      name: 'lull',
      identity: 'a',
      signal: stop.signal,
      onHolder: (holder) => {
        holders.push(holder);
        stop.abort();
      },
    },
    async () => {
      worked++;
    },
  );
  expect([worked, holders]).toEqual([0, ['another']]);
  await watchdog.close();
});

describe('K6: a watchdog thread that fails', () => {
  it('ends the work at once: nothing is held from then on', async () => {
    const state = new SharedState();
    const stop = new AbortController();
    const failures: string[] = [];
    let isReady = false;
    const watchdog = new Watchdog(new Worker(failing, { eval: true, workerData: { state: state.buffer } }), state, {
      ...usual,
      readiness: () => ({ status: isReady ? 200 : 503, text: '' }),
      onFailure: ({ message }) => failures.push(message),
    });
    await watchdog.opened;
    const held: boolean[] = [];
    await watchdog.whileLeading(
      { namespace: 'n', name: 'lull', identity: 'a', signal: stop.signal },
      async ({ signal, isHeld }) => {
        held.push(isHeld());
        isReady = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        held.push(isHeld(), state.isHeld());
      },
    );
    expect(held).toEqual([true, false, false]);
    expect(failures).toEqual(['no memory left']);
    await watchdog.close();
  });
});
