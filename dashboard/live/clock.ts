// What time is it in the cluster? Its clock may run faster than ours: the server ticks every second, and between two ticks it is reckoned.
import { signal } from '@preact/signals';

export const now = signal(0);
/** Seconds there in a second here. */
export const speed = signal(1);

/** Smooth enough for a countdown, and little work. */
const step = 250;
/** A tick comes every second; without one the clock stands still rather than run away. */
const longestGap = 1200;
/** Back by more than that is another cluster, or another run. */
const jump = 120;

let last: { readonly now: number; readonly here: number } | undefined;

export function tick(there: number): void {
  last = { now: there, here: performance.now() };
  show(there);
}

/** A clock that goes back a little, because the cluster was slower than was reckoned, waits instead. */
function show(at: number): void {
  if (at > now.value || now.value - at > jump * 1000 * speed.value) now.value = at;
}

export function startClock(): void {
  setInterval(() => {
    if (!last || document.hidden) return;
    const gap = Math.min(performance.now() - last.here, longestGap);
    show(Math.round(last.now + gap * speed.value));
  }, step);
}
