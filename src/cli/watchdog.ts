// The watchdog thread as the main thread sees it: opens it, shows it signs of life, and works while it holds the lease.
import { Worker } from 'node:worker_threads';
import type { Held } from '../kube/leading.ts';
import type { LeaseOptions } from '../kube/lease.ts';
import { Failure } from './failure.ts';
import {
  beatEvery,
  type FromWatchdog,
  type Probed,
  SharedState,
  type ToWatchdog,
  type WatchdogData,
} from './watchdogState.ts';

/** What is said of the lease; how it is asked for is the thread's business. */
export type LeadOptions = Pick<
  LeaseOptions,
  'namespace' | 'name' | 'identity' | 'signal' | 'annotations' | 'onHolder' | 'onFault'
>;

export type WhileLeading = (options: LeadOptions, work: (held: Held) => Promise<void>) => Promise<void>;

export interface WatchdogOptions extends Omit<WatchdogData, 'state'> {
  /** What /readyz is answered with until the next beat. */
  readonly readiness: () => Probed;
  /** The thread has ended by a defect: no lease is held from here on. */
  readonly onFailure: (error: Error) => void;
}

/** As the bundle has it beside itself; from source it is the file here. */
const threadFile = import.meta.url.endsWith('.ts') ? './watchdogThread.ts' : './watchdogThread.mjs';

/** Throws in words where the probe port cannot be opened. */
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
    throw error instanceof Failure ? error : failedFor(error);
  }
  return watchdog;
}

export class Watchdog {
  readonly #thread: Worker;
  readonly #state: SharedState;
  readonly #options: WatchdogOptions;
  readonly #timer: NodeJS.Timeout;
  readonly opened: Promise<void>;
  /** Where it is probed, if anywhere. */
  url: string | undefined;
  #annotations: LeadOptions['annotations'];
  #onLease: ((message: FromWatchdog) => void) | undefined;
  #isClosed = false;
  /** As they were posted last. */
  #said = { ready: '', annotations: '' };

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
      thread.on('exit', () => this.#fail(new Error('it has ended by itself')));
    });
  }

  /** As `whileLeading` of src/kube: works while the lease is held, again and again, until the signal. */
  async whileLeading(options: LeadOptions, work: (held: Held) => Promise<void>): Promise<void> {
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
        // Who was busy when it was taken may hear of it when it is lost already.
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
    if (readyText !== this.#said.ready) this.#post({ kind: 'ready', ready });
    const annotations = this.#annotations?.() ?? {};
    const text = JSON.stringify(annotations);
    if (text !== this.#said.annotations) this.#post({ kind: 'annotations', annotations });
    this.#said = { ready: readyText, annotations: text };
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

/** Whoever restarts the process starts with a thread that works. */
export const failedFor = (error: unknown): Failure =>
  new Failure(
    [{ message: `The thread that keeps the lease has failed: ${error instanceof Error ? error.message : error}` }],
    { cause: error },
  );

function unopened(message: string, code?: string): Failure {
  const why = code === 'EADDRINUSE' ? 'The port is busy.' : message;
  return new Failure([{ message: `${why} Name another place for probes with --probes.` }]);
}
