// One shard of the scenarios in which Lull crashes. CI tries some crash points of each, evenly spread; `npm run soak` tries all.
import { describe, expect, it } from 'vitest';
import { crashPoints, play } from './crash.ts';
import { drawScenario } from './generate/drawScenario.ts';
import { playableScenarios } from './scenarios.ts';

const shards = 2;
const crashesEach = 6;
/** There are fewer scenarios with Karpenter and they have fewer requests, so more crash points of each are tried. */
const crashesBesideKarpenter = 30;

/** Seeds whose scenarios delete no pool: after that a PDB may hold Karpenter's own drain forever. */
const drawnSeeds: readonly number[] = [3, 10, 16, 21];

export function describeCrashes(shard: number): void {
  const stories = [...playableScenarios(), ...drawnSeeds.map((seed) => drawScenario(seed).scenario)];
  const mine = stories
    .filter((_, index) => index % shards === shard)
    .map((scenario) => ({ name: scenario.name, scenario }));

  describe.each(mine)('G2: $name', ({ scenario }) => {
    const calm = play(scenario);

    it('violates no rule without a crash', () => {
      expect(calm.wrong).toEqual([]);
    });

    it('ends the same wherever Lull crashes', () => {
      for (const crash of crashPoints(calm.requests, scenario.karpenter ? crashesBesideKarpenter : crashesEach)) {
        const { wrong, end } = play(scenario, { crashes: [crash] });
        const where = `a crash ${crash.when} request ${crash.request}`;
        expect({ wrong, end }, where).toEqual({ wrong: [], end: calm.end });
      }
    });

    it('ends the same with two controllers running', () => {
      const { wrong, end } = play(scenario, { controllers: 2 });
      expect({ wrong, end }).toEqual({ wrong: [], end: calm.end });
    });
  });
}
