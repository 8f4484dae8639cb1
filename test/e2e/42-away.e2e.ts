// API server and etcd are down for half a minute during a roll, later Karpenter is killed: Lull waits and continues (K2).
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { pdb } from './story/objects.ts';
import { grow, nodeNames, oneByOne, parkedNodes, type Roll, release, takenNodes } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const half = 30_000;

/**
 * KWOK is not a kubelet: a pod that the node controller marks not ready, since no lease was renewed meanwhile, never becomes ready again. And
 * it resumes its nodes only when their earlier leases have expired.
 */
const flags = {
  'kube-controller-manager': ['--node-monitor-grace-period=10m'],
  kwok: ['--node-lease-duration-seconds=12'],
} as const;

describeStory('away', { install: ['--set', 'role=guide'], flags }, (story) => {
  let lull: RunningLull;
  let roll: Roll;

  it('three nodes in three zones are rolled, and Karpenter has taken the first', async () => {
    await grow(story, { budgets: oneByOne }, 3);
    await story.apply(pdb('web', { minAvailable: 2 }));
    lull = await story.startLull({ role: 'guide' });
    await story.until('all three are parked', async () => (await parkedNodes(story)).length === 3);
    roll = await release(story, 'two');
    await story.until('the first is taken, and its successor is there', isHalfDone, { within: 120 });
  });

  it('K2: the API server and etcd are killed; Lull is healthy, and logs that the API server does not answer', async () => {
    const { cluster } = story;
    await cluster.component('kube-apiserver').stop('SIGKILL');
    await cluster.component('etcd').stop('SIGKILL');
    const from = Date.now();
    await story.until('it logs that', () =>
      / away +The API server does not answer/.test(readFileSync(lull.log, 'utf8')),
    );
    await story.until('30 s are over', () => Date.now() - from > half);
    expect((await lull.get('/healthz')).code).toBe(200);
    expect((await lull.get('/readyz')).code).toBe(503);
    await cluster.component('etcd').start();
    await cluster.component('kube-apiserver').start();
  });

  it('they are back: it leads again by itself, and the first node is replaced', async () => {
    await story.until('it is ready', async () => (await lull.get('/readyz')).code === 200, { within: 120 });
    await story.until('the first is gone', async () => (await roll.gone()) > 0, { within: 180 });
  });

  it('Karpenter is killed while it disrupts the next node; once it is back the roll ends', async () => {
    await story.until('the next is taken, and its successor is there', isHalfDone, { within: 180 });
    await story.cluster.component('karpenter').stop('SIGKILL');
    await story.cluster.component('karpenter').start();
    await story.until('all three nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
  });

  it('the observer saw nothing twice, nothing too early and nothing beyond a limit', async () => {
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, 3)).toEqual([]);
    expect(evictedTwice(story.audit())).toEqual([]);
    expect(await lull.isRunning()).toBe(true);
  });

  /** Not earlier: the fake provider forgets a node that it was about to create. */
  const isHalfDone = async (): Promise<boolean> =>
    (await takenNodes(story)).length > 0 && (await nodeNames(story)).length > 3;
});
