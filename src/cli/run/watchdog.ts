// The main thread's side of the watchdog thread: starts it, sends heartbeats, and works while the thread holds the lease.
import { Worker } from 'node:worker_threads';
import type { HeldLease, LeaseOptions } from '../../kube/lease.ts';
import { Failure } from '../failure.ts';
import {
  beatEvery,
  type FromWatchdog,
  type ProbeResponse,
  SharedState,
  type ToWatchdog,
  type WatchdogData,
} from './watchdogState.ts';

/** The lease's identity and callbacks; how it is requested is up to the thread. */
type LeadOptions = Pick<
  LeaseOptions,
  'namespace' | 'name' | 'identity' | 'signal' | 'annotations' | 'onHolder' | 'onFault'
>;

export type WhileLeading = (options: LeadOptions, work: (held: HeldLease) => Promise<void>) => Promise<void>;

interface WatchdogOptions extends Omit<WatchdogData, 'state'> {
  /** Returns the response to /readyz until the next heartbeat. */
  readonly readiness: () => ProbeResponse;
  /** Called when the thread has ended because of a defect: no lease is held from now on. */
  readonly onFailure: (error: Error) => void;
}

/** In the bundle it is one folder above the chunks; in the source it is next to this file. */
const threadFile = import.meta.url.endsWith('.ts') ? './watchdogThread.ts' : '../watchdogThread.mjs';

/** Throws a Failure if the probe port cannot be opened. */
export async function openWatchdog(options: WatchdogOptions): Promise<Watchdog> {
  const { readiness: _, onFailure: __, ...data } = options;
  const state = new SharedState();
  const workerData: WatchdogData = { ...data, state: state.buffer };
  const thread = new Worker(new URL(threadFile, import.meta.url), { workerData });
  // The process ends when the main thread is done.
  thread.unref();
  const watchdog = new Watchdog(thread, state, options);
  try {
    await watchdog.opened;
  } catch (error) {
    await watchdog.close();
    throw error instanceof Failure ? error : threadFailure(error);
  }
  return watchdog;
}

export class Watchdog {
  readonly #thread: Worker;
  readonly #state: SharedState;
  readonly #options: WatchdogOptions;
  readonly #timer: NodeJS.Timeout;
  readonly opened: Promise<void>;
  /** The address of the probes, if there are any. */
  url: string | undefined;
  #annotations: LeadOptions['annotations'];
  #onLease: ((message: FromWatchdog) => void) | undefined;
  #isClosed = false;
  /** What was posted last. */
  #posted = { ready: '', annotations: '' };

  constructor(thread: Worker, state: SharedState, options: WatchdogOptions) {
    this.#thread = thread;
    this.#state = state;
    this.#options = options;
    this.#timer = setInterval(() => this.#beat(), beatEvery).unref();
    this.opened = new Promise((resolve, reject) => {
      thread.on('message', (message: FromWatchdog) => {
        if (message.kind === 'open') {
          const { host } = options.probes ?? {};
          if (host !== undefined) this.url = `http://${host.includes(':') ? `[${host}]` : host}:${message.port}`;
          resolve();
        } else if (message.kind === 'unopened') reject(unopened(message.message, message.code));
        else this.#onLease?.(message);
      });
      thread.on('error', (error) => {
        reject(error);
        this.#fail(error);
      });
      thread.on('exit', () => this.#fail(new Error('it exited unexpectedly')));
    });
  }

  /** Like `whileLeading` in src/kube: works while the lease is held, again and again, until the signal aborts. */
  async whileLeading(options: LeadOptions, work: (held: HeldLease) => Promise<void>): Promise<void> {
    const { namespace, name, identity, annotations, signal } = options;
    this.#annotations = annotations;
    const failures: unknown[] = [];
    let lost: AbortController | undefined;
    const stop = (): void => {
      lost?.abort();
      this.#beat();
      this.#post({ kind: 'stop' });
    };
    const begin = async (): Promise<void> => {
      const ours = new AbortController();
      lost = ours;
      const isHeld = (): boolean => !ours.signal.aborted && this.#state.isHeld();
      try {
        // If the main thread was busy when the lease was acquired, the lease may be lost again by now.
        if (!signal.aborted && isHeld()) await work({ signal: ours.signal, isHeld });
      } catch (error) {
        failures.push(error);
        stop();
      } finally {
        ours.abort();
        this.#post({ kind: 'ended' });
      }
    };
    signal.addEventListener('abort', stop, { once: true });
    let working = Promise.resolve();
    await new Promise<void>((resolve) => {
      this.#onLease = (message) => {
        if (message.kind === 'leads') working = begin();
        else if (message.kind === 'lost') lost?.abort();
        else if (message.kind === 'holder') options.onHolder?.(message.holder);
        else if (message.kind === 'fault') options.onFault?.(message.message, message.code);
        else if (message.kind === 'released') resolve();
      };
      this.#beat();
      this.#post({ kind: 'lead', lease: { namespace, name, identity } });
      if (signal.aborted) stop();
    });
    lost?.abort();
    await working;
    signal.removeEventListener('abort', stop);
    if (failures.length > 0) throw failures[0];
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#thread.terminate();
  }

  #beat(): void {
    this.#state.beat();
    const ready = this.#options.readiness();
    const readyText = JSON.stringify(ready);
    if (readyText !== this.#posted.ready) this.#post({ kind: 'ready', ready });
    const annotations = this.#annotations?.() ?? {};
    const text = JSON.stringify(annotations);
    if (text !== this.#posted.annotations) this.#post({ kind: 'annotations', annotations });
    this.#posted = { ready: readyText, annotations: text };
  }

  #post(message: ToWatchdog): void {
    if (!this.#isClosed) this.#thread.postMessage(message);
  }

  #fail(error: unknown): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#state.loseHold();
    this.#options.onFailure(error instanceof Error ? error : new Error(String(error)));
    this.#onLease?.({ kind: 'released' });
  }
}

/** Ends the process: its successor starts with a working thread. */
export const threadFailure = (error: unknown): Failure =>
  new Failure(
    [{ message: `The thread that renews the lease failed: ${error instanceof Error ? error.message : error}` }],
    { cause: error },
  );

function unopened(message: string, code?: string): Failure {
  const why = code === 'EADDRINUSE' ? 'The port is in use.' : message;
  return new Failure([{ message: `${why} Choose another address with --probes.` }]);
}
