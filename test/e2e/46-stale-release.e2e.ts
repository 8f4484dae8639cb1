// A stale release of two pools while their nodes are drifted: one that Karpenter's own budget limits, and one that it does not (C17, N10).
import { expect, it } from 'vitest';
import { moreThan } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { RunningLull } from './story/lull.ts';
import { grow, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

/** No node may be disrupted while Lull is there. */
const budgets = [{ nodes: '0' }];
const nodes = 3;

interface Released {
  readonly pools: readonly {
    readonly pool: string;
    readonly nodes: readonly string[];
    readonly staysParked: boolean;
  }[];
}

describeStory('stale-release', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let bounded: Roll;
  let unbounded: Roll;

  it('two pools are parked and drift; Lull reports which one has no safety net', async () => {
    await grow(story, { budgets }, nodes);
    // A pool that only Lull limits.
    await grow(story, { name: 'batch', budgets, karpenterBudgets: [{ nodes: '100%' }] }, nodes);
    lull = await story.startLull({ role: 'guide' });
    for (const pool of ['web', 'batch'])
      await story.until(`${pool} is parked`, async () => (await parkedNodes(story, pool)).length === nodes);
    expect((await lull.get('/metrics')).text).toMatch(/^lull_pool_without_safety_net\{nodepool="batch"\} 1$/m);
    expect((await lull.get('/metrics')).text).not.toMatch(/^lull_pool_without_safety_net\{nodepool="web"\}/m);
    bounded = await release(story, 'two');
    unbounded = await release(story, 'two', 'batch');
  });

  it('Lull is killed; the stale release leaves the nodes of the unlimited pool parked, and its exit status says so', async () => {
    await lull.kill();
    const { code, stdout } = await story.until('the lease is old enough', async () => {
      const ran = await story.lull('release', '--if-stale', '10s', '--yes', '-o', 'json');
      return ran.code === 3 && ran;
    });
    story.say(stdout);
    expect(code).toBe(3);
    const { pools } = JSON.parse(stdout) as Released;
    expect(pools.map(({ pool, staysParked }) => `${pool} ${staysParked}`)).toEqual(['batch true', 'web false']);
    expect(await parkedNodes(story, 'batch')).toHaveLength(nodes);
  });

  it('an event on the pool says so', async () => {
    const events = await story.list('Event');
    expect(events.filter(({ reason }) => reason === 'StaysParked')).toMatchObject([
      { type: 'Warning', involvedObject: { kind: 'NodePool', name: 'batch' } },
    ]);
  });

  it("Karpenter's own budget binds in the limited pool, and the other keeps every node", async () => {
    await story.until('all nodes of web are new', () => bounded.isDone(), { within: 300 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, bounded.since)}`);
    expect(moreThan(1, timeline, { pool: 'web' })).toEqual([]);
    expect(takesOf(timeline, { pool: 'batch' })).toEqual([]);
    expect(await unbounded.gone()).toBe(0);
    expect(await parkedNodes(story, 'batch')).toHaveLength(nodes);
  });

  it('once the pool has a limit, the next stale release releases it', async () => {
    await story.patch('NodePool', 'batch', { spec: { disruption: { budgets: [{ nodes: '1' }] } } });
    const { code } = await story.lull('release', '--if-stale', '10s', '--yes');
    expect(code).toBe(0);
    await story.until('all nodes of batch are new', () => unbounded.isDone(), { within: 300 });
    expect(moreThan(1, await story.observer.timeline(), { pool: 'batch' })).toEqual([]);
  });
});
