// A new image on which no pod becomes ready: the roll stops in its first zone, reports it, and continues after the fix.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { brokenPdbs, moreThan, zonesAtOnce, zonesRevisited } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { KubeObject } from './story/hand.ts';
import { deployment, nodepool, pdb } from './story/objects.ts';
import { nodeNames, oneByOne, parkedNodes, type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const crashing = join(import.meta.dirname, 'story', 'crashing.stage.yaml');

describeStory('bad-image', { install: ['--set', 'role=guide'], flags: { kwok: ['--config', crashing] } }, (story) => {
  let bad: Roll;
  let mendedAt = 0;

  /** Pods that start from now on: all of them on nodes of the newest image, since the others have theirs. */
  const podsStart = (image: 'bad' | null) =>
    story.patch('ReplicaSet', 'web', { spec: { template: { metadata: { labels: { image } } } } });
  const turn = async (): Promise<{ reason: string; message: string } | undefined> => {
    const conditions: KubeObject[] = (await story.read('NodePool', 'web'))?.status?.conditions ?? [];
    return conditions.find(({ type }) => type === 'LullTurn') as unknown as { reason: string; message: string };
  };
  const readyPods = async (): Promise<number> =>
    (await runningPods(story)).filter(({ status }) =>
      status.conditions.some((it: { type: string; status: string }) => it.type === 'Ready' && it.status === 'True'),
    ).length;

  it('three zones with a node each, and a PDB that would permit the roll with one pod missing', async () => {
    await story.apply(nodepool({ budgets: oneByOne }), { ...deployment({ replicas: 3 }), kind: 'ReplicaSet' });
    await story.until('three pods are ready', async () => (await readyPods()) === 3);
    await story.apply(pdb('web', { minAvailable: 1 }));
    await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === 3);
  });

  it('C13: the first node comes up with the bad image, its pod does not, and the roll is stuck', async () => {
    await podsStart('bad');
    bad = await release(story, 'two');
    await story.until('the first is gone', async () => (await bad.gone()) > 0, { within: 120 });
    const stuck = await story.until(
      'the pool reports it',
      async () => {
        const now = await turn();
        return now?.reason === 'SettleStuck' && now;
      },
      { within: 240 },
    );
    expect(stuck.message).toMatch(/^zone test-zone-[abc] is done, but not healthy: 1 of 3 pods of /);
    expect(stuck.message).toMatch(/Waiting: zone test-zone-[abc], zone test-zone-[abc]\./);
    const told = await story.until('and an event', async () =>
      (await story.list('Event')).find(({ reason }) => reason === 'SettleStuck'),
    );
    expect(`${told.type} ${told.involvedObject.kind}/${told.involvedObject.name}`).toBe('Warning NodePool/web');
  });

  it('minutes later only that one node has been disrupted', async () => {
    expect(await bad.gone()).toBe(1);
    expect(await nodeNames(story, 'version=two')).toHaveLength(1);
    expect(await readyPods()).toBe(2);
    const timeline = await story.observer.timeline();
    expect(takesOf(timeline)).toHaveLength(1);
    expect(brokenPdbs(timeline)).toEqual([]);
  });

  it('a good image follows: the bad node is replaced first, then zone after zone', async () => {
    await podsStart(null);
    mendedAt = Date.now();
    await release(story, 'three');
    await story.until(
      'all nodes have it, and all pods are ready',
      async () => {
        const [all, good] = [await nodeNames(story), await nodeNames(story, 'version=three')];
        return all.length === 3 && good.length === 3 && (await readyPods()) === 3;
      },
      { within: 240 },
    );
    await story.until('the pool reports the end', async () => (await turn())?.reason === 'Rolled', { within: 120 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, bad.since)}`);
    const [first, second, ...others] = takesOf(timeline);
    expect(second?.at).toBeGreaterThan(mendedAt);
    expect(second?.zone).toBe(first?.zone);
    expect(new Set(others.map(({ zone }) => zone)).size).toBe(2);
    expect(others).toHaveLength(2);
    expect(zonesAtOnce(timeline)).toEqual([]);
    expect(zonesRevisited(timeline)).toEqual([]);
    expect(moreThan(1, timeline)).toEqual([]);
    expect(brokenPdbs(timeline)).toEqual([]);
  });
});
