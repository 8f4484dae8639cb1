// The watchdog thread: renews the lease and answers probes while the main thread decides, as long as the main thread is alive.
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openClient } from '../../kube/client.ts';
import { findAccess } from '../../kube/findAccess.ts';
import { type HeldLease, whileLeading } from '../../kube/lease.ts';
import { chance, steadyClock, wallClock } from '../../kube/machine.ts';
import { between } from '../../time/instant.ts';
import { openLog } from './liveLog.ts';
import { openProbes } from './probes.ts';
import {
  type Annotations,
  beatEvery,
  type FromWatchdog,
  type LeaseRequest,
  SharedState,
  type ToWatchdog,
  type WatchdogData,
} from './watchdogState.ts';
import { Silence, Vitals } from './watchdogVitals.ts';

interface LeaseKeeping {
  readonly data: WatchdogData;
  readonly state: SharedState;
  readonly post: (message: FromWatchdog) => void;
  readonly vitals: Vitals;
}

/** Returns the handler for the main thread's messages about the lease. */
export function watchdogLease(keeping: LeaseKeeping): (message: ToWatchdog) => void {
  const stop = new AbortController();
  const main = new MainWork(keeping);
  return (message) => {
    if (message.kind === 'annotations') main.annotations = message.annotations;
    else if (message.kind === 'ended') main.ended();
    else if (message.kind === 'stop') stop.abort();
    // Only a defect makes it fail; that ends the thread and so the process.
    else if (message.kind === 'lead') void keep(message.lease, main, { ...keeping, signal: stop.signal });
  };
}

async function keep(
  lease: LeaseRequest,
  main: MainWork,
  { data, state, post, vitals, signal }: LeaseKeeping & { readonly signal: AbortSignal },
): Promise<void> {
  // Its own connections and credentials: nothing here waits for the main thread.
  const client = openClient(findAccess(data.place).access, steadyClock, data.userAgent);
  await whileLeading(
    {
      ...lease,
      client,
      clock: steadyClock,
      wallNow: () => wallClock.now,
      chance,
      signal,
      annotations: () => main.annotations,
      isAlive: () => vitals.isAlive(),
      onHeld: (until) => {
        if (until === undefined) state.loseHold();
        else state.holdFor(() => between(steadyClock.now, until));
      },
      onHolder: (holder) => post({ kind: 'holder', ...(holder !== undefined && { holder }) }),
      onFault: (message, code) => post({ kind: 'fault', message, ...(code !== undefined && { code }) }),
    },
    (held) => main.work(held),
  );
  client.close();
  post({ kind: 'released' });
}

class MainWork {
  readonly #keeping: LeaseKeeping;
  annotations: Annotations = {};
  #ended: (() => void) | undefined;

  constructor(keeping: LeaseKeeping) {
    this.#keeping = keeping;
  }

  /** The lease is not acquired again before the main thread has reported that its work is over. */
  work({ signal }: HeldLease): Promise<void> {
    const { post, vitals } = this.#keeping;
    post({ kind: 'leads' });
    const lost = (): void => {
      vitals.isLost = this.#ended !== undefined;
      post({ kind: 'lost' });
    };
    signal.addEventListener('abort', lost, { once: true });
    return new Promise((resolve) => {
      this.#ended = () => {
        this.#ended = undefined;
        signal.removeEventListener('abort', lost);
        vitals.isLost = false;
        resolve();
      };
    });
  }

  ended(): void {
    this.#ended?.();
  }
}

/** Writes to the file descriptor: a thread's streams pass through the main thread, which may be busy. */
function toStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // The pipe is full or closed: the probes report the same.
  }
}

const data = workerData as WatchdogData;
const state = new SharedState(data.state);
const post = (message: FromWatchdog): void => parentPort?.postMessage(message);
const log = openLog({ stderr: toStderr, now: () => wallClock.now }, data.log);
const silence = new Silence(() => state.beats, steadyClock);
const vitals = new Vitals({ silence, stuckAfter: data.stuckAfter, log });
const lease = watchdogLease({ data, state, post, vitals });

setInterval(() => vitals.look(), beatEvery);

parentPort?.on('message', (message: ToWatchdog) => {
  if (message.kind === 'ready') vitals.ready = message.ready;
  else lease(message);
});

const { probes } = data;
if (!probes) post({ kind: 'open' });
else
  openProbes(probes, { '/healthz': () => vitals.health(), '/readyz': () => vitals.readiness() }).then(
    ({ port }) => post({ kind: 'open', port }),
    (error: NodeJS.ErrnoException) =>
      post({ kind: 'unopened', message: error.message, ...(error.code && { code: error.code }) }),
  );
