// What runs in the watchdog thread: renews the lease and answers probes while the main thread decides, as long as that one lives.
import { writeSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { steadyClock, wallClock } from '../kube/machine.ts';
import { openLog } from './liveLog.ts';
import { openProbes } from './probes.ts';
import { Silence } from './silence.ts';
import { watchdogLease } from './watchdogLease.ts';
import { beatEvery, type FromWatchdog, SharedState, type ToWatchdog, type WatchdogData } from './watchdogState.ts';
import { Vitals } from './watchdogVitals.ts';

/** Straight to the file: what a thread prints by its streams passes through the main thread, which may be busy. */
function toStderr(text: string): void {
  try {
    writeSync(2, text);
  } catch {
    // A pipe that is full or closed: the probes say the same.
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
