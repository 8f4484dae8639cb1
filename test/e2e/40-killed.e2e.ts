// kill -9 at random moments of a roll in guide, twenty times: the next process resumes, nothing happens twice or too often.
import { expect, it } from 'vitest';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { chosenSeed, killThrough } from './story/moments.ts';
import { pdb } from './story/objects.ts';
import { grow, oneByOne, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

describeStory('killed', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;

  it('six nodes in three zones are parked', async () => {
    await grow(story, { budgets: oneByOne }, 6);
    await story.apply(pdb('web', { minAvailable: 5 }));
    // A killed process keeps its lease for a while: without leases the next one leads at once.
    lull = await story.startLull({ role: 'guide', flags: ['--no-lease'], ready: false });
    await story.until('all six are parked', async () => (await parkedNodes(story)).length === 6);
  });

  it('G2: it is killed twenty times through the whole roll, often right after it wrote something', async () => {
    roll = await release(story, 'two');
    const livesThatWrote = await killThrough(story, lull, roll, { times: 20, seed: chosenSeed() });
    expect(livesThatWrote).toBeGreaterThan(4);
  });

  it('the roll ends, and the observer saw nothing twice, nothing too early and nothing beyond a limit', async () => {
    await story.until('all six nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
    await story.until('all are parked again', async () => (await parkedNodes(story)).length === 6);
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, 6)).toEqual([]);
    expect(evictedTwice(story.audit())).toEqual([]);
    expect(story.audit().filter(({ user, decision }) => user === lullUser && decision === 'forbid')).toEqual([]);
  });
});
