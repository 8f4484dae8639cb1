// Who leads? Whoever holds the lease: it works while it renews it, and stops at once where it cannot.
import type { Clock } from '../runtime/clock.ts';
import { asDuration, between, type Duration, second } from '../time/instant.ts';
import { Lease, type LeaseOptions } from './lease.ts';
import { pause } from './pause.ts';

export interface Held {
  /** Aborted as soon as the lease is lost. */
  readonly signal: AbortSignal;
  /** Whether it is held at this very moment: true only as long as nobody else may take it. */
  isHeld(): boolean;
}

const retryEvery = asDuration(2 * second);

/** Works while the lease is held, again and again, until the signal. Returns when the work has ended and the lease is given back. */
export async function whileLeading(options: LeaseOptions, work: (held: Held) => Promise<void>): Promise<void> {
  const lease = new Lease(options);
  while (!options.signal.aborted) {
    if (isAlive(options) && (await lease.tryToHold())) await workWhileHeld(lease, options, work);
    else await pause(options.clock, jittered(retryEvery, options.chance), options.signal);
  }
}

async function workWhileHeld(lease: Lease, options: LeaseOptions, work: (held: Held) => Promise<void>): Promise<void> {
  const { clock, signal, onHeld } = options;
  const lost = new AbortController();
  const stop = (): void => {
    lost.abort();
    onHeld?.(undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  const isHeld = (): boolean => !lost.signal.aborted && lease.isHeld();
  onHeld?.(lease.heldUntil);
  const working = work({ signal: lost.signal, isHeld }).finally(stop);
  // Whoever hears of a failure hears of it below.
  working.catch(() => undefined);
  try {
    while (!lost.signal.aborted) {
      const wait = Math.min(jittered(retryEvery, options.chance), Math.max(0, between(clock.now, lease.heldUntil)));
      await pause(clock, asDuration(wait), lost.signal);
      if (lost.signal.aborted) break;
      if (!lease.isHeld()) {
        stop();
        break;
      }
      if (isAlive(options)) await renew(lease, clock, lost.signal);
      if (!lease.isHeld()) stop();
      else if (!lost.signal.aborted) onHeld?.(lease.heldUntil);
    }
    await working;
  } finally {
    signal.removeEventListener('abort', stop);
    await lease.giveBack();
  }
}

const isAlive = (options: LeaseOptions): boolean => options.isAlive?.() !== false;

/** Waits for the answer no longer than the lease is held. */
async function renew(lease: Lease, clock: Clock, lost: AbortSignal): Promise<void> {
  const answered = new AbortController();
  const deadline = pause(
    clock,
    asDuration(between(clock.now, lease.heldUntil)),
    AbortSignal.any([lost, answered.signal]),
  );
  await Promise.race([lease.tryToHold(), deadline]);
  answered.abort();
}

/** Up to a fifth longer: those who wait must not all come at once. */
const jittered = (delay: Duration, chance: () => number): Duration =>
  asDuration(Math.round(delay * (1 + chance() / 5)));
