// Detects a story that does not end because virtual time does not advance.
import type { Simulation } from '../../src/sim/simulate.ts';
import { formatInstant } from '../../src/time/instant.ts';

/** A story of the model has a few thousand events, a long one twenty thousand. */
const mostEvents = 300_000;

/** The violation, if any: where time does not advance. */
export function runToTheEnd(simulation: Simulation): string[] {
  let events = 0;
  while (simulation.step()) {
    if (++events > mostEvents)
      return [`${formatInstant(simulation.now)} it does not go on: ${mostEvents} events, and no end in sight`];
  }
  return [];
}
