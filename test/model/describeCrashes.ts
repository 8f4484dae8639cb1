// A share of the stories in which Lull dies. CI takes some crashes of each story, evenly spread; `npm run soak` takes every one.
import { describe, expect, it } from 'vitest';
import { crashPoints, play } from './crash.ts';
import { drawScenario } from './generate/drawScenario.ts';
import { playableScenarios } from './scenarios.ts';

const shards = 2;
const crashesEach = 6;
/** Fewer stories and fewer requests: more of their crashes. */
const crashesBesideKarpenter = 30;

/** Of the model: those in which nobody takes a pool away, after which nothing may ever end (a PDB holds Karpenter's own drain). */
const drawnSeeds: readonly number[] = [3, 10, 16, 21];

export function describeCrashes(shard: number): void {
  const stories = [...playableScenarios(), ...drawnSeeds.map((seed) => drawScenario(seed).scenario)];
  const mine = stories
    .filter((_, index) => index % shards === shard)
    .map((scenario) => ({ name: scenario.name, scenario }));

  describe.each(mine)('G2: $name', ({ scenario }) => {
    const calm = play(scenario);

    it('is told without anything that must not be', () => {
      expect(calm.wrong).toEqual([]);
    });

    it('ends alike wherever Lull crashes', () => {
      for (const crash of crashPoints(calm.requests, scenario.karpenter ? crashesBesideKarpenter : crashesEach)) {
        const { wrong, end } = play(scenario, { crashes: [crash] });
        const where = `a crash ${crash.when} request ${crash.request}`;
        expect({ wrong, end }, where).toEqual({ wrong: [], end: calm.end });
      }
    });

    it('ends alike with two controllers all along', () => {
      const { wrong, end } = play(scenario, { controllers: 2 });
      expect({ wrong, end }).toEqual({ wrong: [], end: calm.end });
    });
  });
}
