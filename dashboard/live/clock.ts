// The clock of the cluster, which may run faster than real time; interpolated between the server's ticks.
import { signal } from '@preact/signals';

export const now = signal(0);
/** Cluster seconds per real second. */
export const speed = signal(1);

/** Update interval: smooth enough for a countdown. */
const step = 250;
/** The server ticks every second; without a tick the clock stops instead of running away. */
const longestGap = 1200;
/** A larger step back means another cluster or another run. */
const jump = 120;

let last: { readonly now: number; readonly here: number } | undefined;

export function tick(there: number): void {
  last = { now: there, here: performance.now() };
  show(there);
}

/** Ignores small steps back, which happen if the cluster was slower than estimated. */
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
