// A freeze in the middle of a roll in guide: what has begun ends, nothing new begins, and the roll continues afterwards.
import { expect, it } from 'vitest';
import { brokenPdbs, exchanged, moreThan, replacedMoreThanOnce, zonesAtOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { RunningLull } from './story/lull.ts';
import { pdb } from './story/objects.ts';
import { grow, nodeNames, oneByOne, parkedNodes, type Roll, release, takenNodes } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const freeze = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name: 'news' },
  spec: {
    note: 'the shop is on the news',
    actions: ['Drift'],
    selector: { matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['web'] }] },
  },
};

describeStory('freeze-mid-roll', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let web: Roll;
  let frozenAt: number;
  let liftedAt: number;

  it('a pool of three zones is rolled, one node at a time', async () => {
    await grow(story, { budgets: oneByOne }, 3);
    await grow(story, { name: 'api', budgets: [{ nodes: '1' }] }, 2);
    await story.apply(pdb('web', { minAvailable: 2 }));
    lull = await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === 3);
    web = await release(story, 'two');
    await story.until('Karpenter has taken the first', async () => (await takenNodes(story)).length > 0);
  });

  it('D6: a freeze is created; Karpenter finishes what it has begun', async () => {
    await story.apply(freeze);
    frozenAt = Date.now();
    await story.until('the first is gone', async () => (await web.gone()) > 0, { within: 120 });
  });

  it('nothing new begins in the frozen pool, while another pool is rolled to its end', async () => {
    const api = await release(story, 'two', 'api');
    await story.until('the other pool is new', () => api.isDone(), { within: 180 });
    const takes = takesOf(await story.observer.timeline());
    expect(takes.filter(({ pool, at }) => pool === 'api' && at > frozenAt)).toHaveLength(2);
    expect(takes.filter(({ pool, at }) => pool === 'web' && at > frozenAt)).toEqual([]);
    expect(await web.gone()).toBeLessThan(3);
    const [held = ''] = await nodeNames(story, 'version!=two');
    const why = await story.lull('why', held, '--server', lull.url);
    expect(why.stdout, why.stderr).toContain('the shop is on the news');
  });

  it('the freeze is lifted, and the roll continues to its end', async () => {
    liftedAt = Date.now();
    await story.remove('MaintenanceWindow', 'news');
    await story.until('all three nodes are new, and their pods run', () => web.isDone(), { within: 240 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, web.since)}`);
    expect(takesOf(timeline, { pool: 'web' }).filter(({ at }) => at > liftedAt).length).toBeGreaterThan(0);
    expect(zonesAtOnce(timeline, { pool: 'web' })).toEqual([]);
    expect(moreThan(1, timeline)).toEqual([]);
    expect(brokenPdbs(timeline)).toEqual([]);
    expect(exchanged(timeline, { pool: 'web' }).taken).toHaveLength(3);
    expect(replacedMoreThanOnce(timeline, { pool: 'web' })).toEqual([]);
  });
});
