// Guide with the rights of observe: does Lull say at once what is refused and what to do, and go on as soon as that is done (K5)?
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { RunningLull } from './story/lull.ts';
import { grow, oneByOne, parkedNodes } from './story/roll.ts';
import { describeStory } from './story/story.ts';

describeStory('refused', { install: ['--set', 'role=observe'] }, (story) => {
  let lull: RunningLull;
  let told: string;

  it('the ledger may not be written: the log says so, with the command that helps, and so does /readyz', async () => {
    await grow(story, { budgets: oneByOne }, 1);
    lull = await story.startLull({ role: 'guide', ready: false });
    told = await story.until('it says so', () => / refused +(.*)/.exec(readFileSync(lull.log, 'utf8'))?.[1]);
    expect(told).toMatch(/^The ledger may not be written, so nothing is started: 403: .* cannot create resource/);
    const ready = await lull.get('/readyz');
    expect([ready.code, ready.text.trim()]).toEqual([503, told]);
    expect(await parkedNodes(story)).toEqual([]);
  });

  it('it can be asked all the same', async () => {
    expect((await lull.get('/api/round')).code).toBe(200);
  });

  it('the command it names, as it names it, brings the rights: it goes on by itself', async () => {
    const [, words = ''] = /`lull ([^`]+)`/.exec(told) ?? [];
    expect(words).toMatch(/^install /);
    expect((await story.lull(...words.split(' '))).code).toBe(0);
    await story.until('the node is parked', async () => (await parkedNodes(story)).length === 1, { within: 120 });
    await story.until('it is ready', async () => (await lull.get('/readyz')).code === 200);
    expect(readFileSync(lull.log, 'utf8')).toMatch(/ granted +commit goes through, after/);
  });
});
