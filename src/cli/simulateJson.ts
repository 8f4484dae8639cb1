// How does a simulation read to a machine? L6: fields may be added, never renamed; absent means absent.
import type { Scenario } from '../sim/scenario/scenario.ts';
import type { Simulation } from '../sim/simulate.ts';
import { eventAsJson, instantAsText } from '../sim/story/event.ts';
import { formatDuration } from '../time/duration.ts';
import { formatInstant } from '../time/instant.ts';

export function simulationAsJson(scenario: Scenario, simulation: Simulation, seed: number): Record<string, unknown> {
  const { events, rounds, requests, summary, violations, broken, missing } = simulation.result();
  const { simulated, longestWait, ...rest } = summary;
  return {
    scenario: scenario.name,
    seed,
    from: formatInstant(simulation.from),
    to: formatInstant(simulation.to),
    events: events.map(eventAsJson),
    rounds,
    summary: {
      simulated: formatDuration(simulated),
      rounds,
      requests,
      ...rest,
      longestWait: longestWait && { ...longestWait, waited: formatDuration(longestWait.waited) },
      violations: violations.map(({ at, rule, message }) => ({ at: instantAsText(at), rule, message })),
      expected: scenario.expect.map(({ text }) => text),
      broken,
      missing,
    },
  };
}
