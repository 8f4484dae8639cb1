// The lease as the watchdog thread keeps it for the main thread: work there begins and ends by messages.
import { openClient } from '../kube/client.ts';
import { findAccess } from '../kube/findAccess.ts';
import { type Held, whileLeading } from '../kube/leading.ts';
import { chance, steadyClock, wallClock } from '../kube/machine.ts';
import { between } from '../time/instant.ts';
import type { Annotations, FromWatchdog, LeaseWanted, SharedState, ToWatchdog, WatchdogData } from './watchdogState.ts';
import type { Vitals } from './watchdogVitals.ts';

export interface LeaseKeeping {
  readonly data: WatchdogData;
  readonly state: SharedState;
  readonly post: (message: FromWatchdog) => void;
  readonly vitals: Vitals;
}

/** Gives what the main thread's messages about the lease are to be handed to. */
export function watchdogLease(keeping: LeaseKeeping): (message: ToWatchdog) => void {
  const stop = new AbortController();
  const main = new MainWork(keeping);
  return (message) => {
    if (message.kind === 'annotations') main.annotations = message.annotations;
    else if (message.kind === 'ended') main.ended();
    else if (message.kind === 'stop') stop.abort();
    // Fails only by a defect, which ends the thread and so the process.
    else if (message.kind === 'lead') void keep(message.lease, main, { ...keeping, signal: stop.signal });
  };
}

async function keep(
  lease: LeaseWanted,
  main: MainWork,
  { data, state, post, vitals, signal }: LeaseKeeping & { readonly signal: AbortSignal },
): Promise<void> {
  // Connections and credentials of its own: nothing here waits for the main thread.
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

  /** The lease is not taken again before the main thread has said that its work is over. */
  work({ signal }: Held): Promise<void> {
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
