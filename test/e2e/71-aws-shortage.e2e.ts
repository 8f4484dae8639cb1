// A shortage in the zone that has the turn, beside AWS's own Karpenter: no node is lost, no other zone jumps the queue, and the roll continues once there is capacity.
import { expect, it } from 'vitest';
import { exchanged, moreThan, zonesAtOnce, zonesRevisited } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import { allDrifted, describeAwsStory, growOnAws, hasCondition, zoneOf } from './story/aws.ts';
import { logOf, type RunningLull } from './story/lull.ts';
import { claimsOf, oneByOne, parkedNodes, runningPods } from './story/roll.ts';

const nodes = 3;

describeAwsStory('aws-shortage', { install: ['--set', 'role=guide'] }, (story, account) => {
  let lull: RunningLull;
  let began = 0;
  let turn = '';
  const zones = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

  it('a node in each of three zones is parked', async () => {
    await growOnAws(story, { budgets: oneByOne, karpenterBudgets: [{ nodes: '100%' }] }, nodes);
    lull = await story.startLull();
    await story.until('all are parked', async () => (await parkedNodes(story)).length === nodes);
  });

  it('EC2 has no capacity in the zone that has the turn: the launch fails, and the node stays', async () => {
    // Lull chooses which zone comes first: none has capacity until that is known.
    for (const zone of zones) await account.setShortage(zone, true);
    began = Date.now();
    await story.patch('EC2NodeClass', 'default', { spec: { tags: { release: 'two' } } });
    await story.until('all are drifted', () => allDrifted(story, 'NodeClassDrift'));
    const event = await story.until('Karpenter reports that it cannot launch', async () => {
      const events = await story.list('Event');
      return events.find(({ reason }) => reason === 'InsufficientCapacityError');
    });
    expect(event.message).toContain('InsufficientInstanceCapacity');
    await story.until('Karpenter gives up the command', async () => {
      const taken = await story.list('Node', 'karpenter.sh/nodepool=web');
      return taken.every(
        ({ spec }) => !(spec.taints ?? []).some(({ key }: { key: string }) => key === 'karpenter.sh/disrupted'),
      );
    });
    expect(await runningPods(story)).toHaveLength(nodes);
    const [first] = takesOf(await story.observer.timeline());
    turn = first?.zone ?? '';
    for (const zone of zones) if (zone !== turn) await account.setShortage(zone, false);
    story.say(`${turn} has the turn and no capacity`);
  });

  it('F4: Lull offers the node again, while the other zones wait although they have capacity', async () => {
    await story.until('the node is offered again', () => logOf(lull).split(' offered ').length > 2, { within: 120 });
    const takes = takesOf(await story.observer.timeline());
    expect(new Set(takes.map(({ zone }) => zone))).toEqual(new Set([turn]));
    expect(await parkedNodes(story)).toHaveLength(nodes - 1);
    expect(await runningPods(story)).toHaveLength(nodes);
  });

  it('capacity is back: Karpenter takes the node when it has forgotten the shortage, and the roll ends zone by zone', async () => {
    await account.setShortage(turn, false);
    const old = began;
    await story.until(
      'all are new',
      async () => {
        const claims = await claimsOf(story);
        const isNew = claims.every(
          (claim) => Date.parse(claim.metadata.creationTimestamp ?? '') > old && hasCondition(claim, 'Initialized'),
        );
        return isNew && claims.length === nodes && (await parkedNodes(story)).length === nodes;
      },
      { within: 420 },
    );
    const { lines, flushed } = await story.observer.timeline();
    const timeline = { lines: lines.filter(({ at }) => at >= began), flushed };
    story.say(`What the observer saw:\n${narrate(timeline, began)}`);
    expect([...zonesAtOnce(timeline), ...zonesRevisited(timeline), ...moreThan(1, timeline)]).toEqual([]);
    expect(exchanged(timeline).taken).toHaveLength(nodes);
    expect(new Set((await claimsOf(story)).map(zoneOf)).size).toBe(nodes);
  });
});
