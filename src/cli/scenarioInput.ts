// Reads a scenario from a file; reports all its errors, or none is used (K1).
import { readScenario } from '../sim/scenario/readScenario.ts';
import type { Scenario } from '../sim/scenario/scenario.ts';
import { Failure } from './failure.ts';
import { asProblem, documentsIn } from './input.ts';
import type { Io } from './io.ts';
import { readSources } from './sources.ts';

export async function scenarioIn(file: string, io: Io): Promise<Scenario> {
  const { scenario, faults } = readScenario(documentsIn(await readSources([file], io)));
  if (scenario) return scenario;
  throw new Failure(faults.filter(({ severity }) => severity === 'error').map(asProblem));
}
