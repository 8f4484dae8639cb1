// How is something waited for that comes over a socket? Turn by turn of the event loop, without a clock: it comes, or the test's own time is over.
import { setImmediate } from 'node:timers/promises';

export const turn = (): Promise<void> => setImmediate();

export async function until(what: () => boolean): Promise<void> {
  while (!what()) await turn();
}
