// The scenarios that can be played; the others are only decided.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readDocuments } from '../../src/kinds/text/documents.ts';
import { isScenario, readScenario } from '../../src/sim/scenario/readScenario.ts';
import type { Scenario } from '../../src/sim/scenario/scenario.ts';

const folder = join(import.meta.dirname, '../../scenarios');

export function playableScenarios(): Scenario[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .flatMap((name) => {
      const { documents } = readDocuments(readFileSync(join(folder, name), 'utf8'), name);
      if (!documents.some(isScenario)) return [];
      const { scenario, faults } = readScenario(documents);
      if (!scenario) throw new Error(`${name}: ${faults.map(({ message }) => message).join('; ')}`);
      return [scenario];
    });
}
