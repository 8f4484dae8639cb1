// A rate limit in guide (P1): two nodes begin in any five minutes, also across a crash of Lull.
import { expect, it } from 'vitest';
import { narrate } from './observer/narrate.ts';
import type { Timeline } from './observer/timeline.ts';
import type { RunningLull } from './story/lull.ts';
import { grow, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

interface Round {
  readonly verdicts: readonly { readonly refusals: readonly { readonly code: string; readonly liftsAt?: string }[] }[];
  readonly rates?: readonly { readonly limit: number; readonly used: number; readonly left: number }[];
}

const minute = 60_000;

describeStory('rate', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;

  const round = async (): Promise<Round> => JSON.parse((await lull.get('/api/round')).text);
  const heldUntil = async (): Promise<string | undefined> =>
    (await round()).verdicts.flatMap(({ refusals }) => refusals).find(({ code }) => code === 'RateSpent')?.liftsAt;

  it('of four drifted nodes two are replaced, and the others are held until the period is over', async () => {
    await grow(story, { budgets: [{ nodes: '2', per: '5m' }], karpenterBudgets: [{ nodes: '100%' }] }, 4);
    lull = await story.startLull({ role: 'guide' });
    await story.until('all four are parked', async () => (await parkedNodes(story)).length === 4);
    roll = await release(story, 'two');
    await story.until('two are gone', async () => (await roll.gone()) === 2, { within: 120 });
    const liftsAt = await story.until('the others are held until a known instant', heldUntil);
    expect(Date.parse(liftsAt)).toBeGreaterThanOrEqual(roll.since + 5 * minute);
    expect((await round()).rates).toMatchObject([{ limit: 2, used: 2, left: 0 }]);
  });

  it('G2: a Lull that is killed remembers which nodes were started', async () => {
    const before = await heldUntil();
    await lull.kill();
    await lull.start();
    expect(await story.until('it decides again', heldUntil)).toBe(before);
    expect(await roll.gone()).toBe(2);
  });

  it('the others follow, and the observer saw at most two start in any five minutes', async () => {
    await story.until('all four are new, and their pods run', () => roll.isDone(), { within: 480 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    const begun = beginnings(timeline);
    expect(begun).toHaveLength(4);
    expect(begun.slice(2).every((at, index) => at - (begun[index] ?? 0) > 5 * minute)).toBe(true);
  });
});

/** When each claim was first seen taken or deleted, in order. */
function beginnings({ lines }: Timeline): number[] {
  const first = new Map<string, number>();
  for (const line of lines) {
    if (line.kind !== 'NodeClaim' || first.has(line.name)) continue;
    if (line.deleting !== undefined || line.reason !== undefined) first.set(line.name, line.at);
  }
  return [...first.values()].sort((a, b) => a - b);
}
