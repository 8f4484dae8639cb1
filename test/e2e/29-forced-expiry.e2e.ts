// A node that Lull holds past Karpenter's expireAfter: Karpenter deletes it, and log, events and metric say so, with what held it.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { grow, nodeNames } from './story/roll.ts';
import { describeStory } from './story/story.ts';

describeStory('forced-expiry', { install: ['--set', 'role=guide'] }, (story) => {
  it('N7: a forced expiry is reported in the log and on node and pool, and counted', async () => {
    await grow(story, { expireAfter: '60s', budgets: [{ nodes: '0' }] }, 1);
    const [old = ''] = await nodeNames(story);
    const lull = await story.startLull({ role: 'guide' });
    const told = await story.until(
      'events on node and pool',
      async () => {
        const events = (await story.list('Event')).filter(
          ({ reason, message }) => reason === 'ForcedExpiry' && message.startsWith(old),
        );
        return events.length === 2 && events;
      },
      { within: 180 },
    );
    const places = told.map(({ type, involvedObject: { kind, name } }) => `${type} ${kind}/${name}`);
    expect(places.sort()).toEqual([`Warning Node/${old}`, 'Warning NodePool/web']);
    expect(told[0]?.message).toMatch(
      / reached its expireAfter at .* and Karpenter deleted it, although Lull held it: .*budget/,
    );
    expect(readFileSync(lull.log, 'utf8')).toMatch(new RegExp(` expired +${old} of pool web reached its expireAfter`));
    expect((await lull.get('/metrics')).text).toMatch(/^lull_forced_expiries_total\{nodepool="web"\} [1-9]/m);
    await story.until('the node is gone', async () => !(await nodeNames(story)).includes(old), { within: 120 });
  });
});
