// Does a story end? Virtual time can stand still while something asks for the same thing for ever; then nobody waits for it.
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
