// How is a while waited for? By the clock that was brought, and no longer than until the signal.
import type { Clock } from '../runtime/clock.ts';
import type { Duration } from '../time/instant.ts';

export function pause(clock: Clock, delay: Duration, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = clock.in(delay, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
