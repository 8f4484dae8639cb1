// Plays the story of a seed with the real controllers and lists all violations.

import { InlineSearcher } from '../../src/engine/search.ts';
import { openController } from '../../src/runtime/controller.ts';
import type { InvariantViolation } from '../../src/sim/checks/checks.ts';
import { type Simulation, simulate } from '../../src/sim/simulate.ts';
import { formatInstant } from '../../src/time/instant.ts';
import { Coverage } from './coverage.ts';
import { drawScenario, type Kind } from './generate/drawScenario.ts';
import { runToTheEnd } from './toTheEnd.ts';

export interface Outcome {
  readonly seed: number;
  /** Violations, as sentences. */
  readonly wrong: readonly string[];
  readonly coverage: Coverage;
  readonly simulation: Simulation;
}

export const sentence = ({ at, rule, message }: InvariantViolation): string =>
  `${formatInstant(at)} ${rule}: ${message}`;

export function runSeed(seed: number, kind: Kind = {}): Outcome {
  const { scenario, faults } = drawScenario(seed, kind);
  const coverage = new Coverage();
  for (const [index, name] of faults.entries()) coverage.note('fault', name, `${seed} ${index}`);
  const simulation = simulate(scenario, {
    reconciler: (port) =>
      openController(
        port,
        scenario.settings,
        { onRound: (round) => coverage.round(seed, round) },
        new InlineSearcher(),
      ),
  });
  const endless = runToTheEnd(simulation);
  if (endless.length === 0) simulation.checks.expectRest();
  return { seed, wrong: [...simulation.checks.violations.map(sentence), ...endless], coverage, simulation };
}
