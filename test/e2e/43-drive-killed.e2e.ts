// kill -9 at random moments of a roll in drive, twenty times: each node is replaced once and each pod evicted once (G2).
import { expect, it } from 'vitest';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { chosenSeed, killThrough } from './story/moments.ts';
import { pdb } from './story/objects.ts';
import { claimsOf, grow, oneByOne, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

describeStory('drive-killed', { install: ['--set', 'role=drive'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;

  it('six nodes in three zones, which Karpenter does not disrupt', async () => {
    await grow(story, { budgets: oneByOne, karpenterBudgets: [{ nodes: '0' }] }, 6);
    await story.apply(pdb('web', { minAvailable: 5 }));
    lull = await story.startLull({ role: 'drive', flags: ['--no-lease'], ready: false });
  });

  it('G2: it is killed twenty times through the whole roll, often right after it wrote something', async () => {
    roll = await release(story, 'two');
    const livesThatWrote = await killThrough(story, lull, roll, { times: 20, seed: chosenSeed() });
    expect(livesThatWrote).toBeGreaterThan(4);
  });

  it('the roll ends, and the observer saw nothing twice, nothing too early and nothing beyond a limit', async () => {
    await story.until('all six nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, 6)).toEqual([]);
    expect(await claimsOf(story)).toHaveLength(6);
  });

  it('each node got one claim, and each pod was evicted once, by Lull alone', () => {
    const asked = story.audit().filter(({ at }) => Date.parse(at) >= roll.since);
    const done = (resource: string) =>
      asked.filter((it) => it.verb === 'create' && it.resource === resource && it.code < 300);
    expect(done('nodeclaims').map(({ user }) => user)).toEqual(Array(6).fill(lullUser));
    expect(done('pods/eviction').map(({ user }) => user)).toEqual(Array(6).fill(lullUser));
    expect(evictedTwice(asked)).toEqual([]);
    expect(asked.filter(({ user, decision }) => user === lullUser && decision === 'forbid')).toEqual([]);
  });
});
