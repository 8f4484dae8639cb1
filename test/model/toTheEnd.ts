// Detects a story that does not end because virtual time stands still.
import type { Simulation } from '../../src/sim/simulate.ts';
import { formatInstant } from '../../src/time/instant.ts';

/** A story of the model has some thousand events, a long one twenty thousand. */
const mostEvents = 300_000;

/** What is wrong: nothing, or where it stands still. */
export function runToTheEnd(simulation: Simulation): string[] {
  let events = 0;
  while (simulation.step()) {
    if (++events > mostEvents)
      return [`${formatInstant(simulation.now)} it does not go on: ${mostEvents} events, and no end in sight`];
  }
  return [];
}
