// Waiting for something that arrives over a socket: turn by turn of the event loop, without a clock.
import { setImmediate } from 'node:timers/promises';

export const turn = (): Promise<void> => setImmediate();

export async function until(what: () => boolean): Promise<void> {
  while (!what()) await turn();
}
