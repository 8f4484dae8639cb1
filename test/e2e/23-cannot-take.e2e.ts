// An offer that Karpenter cannot take: it is withdrawn with Karpenter's own reason, and another node is offered instead.
import { expect, it } from 'vitest';
import { moreThan } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { NodeLine } from './observer/timeline.ts';
import type { KubeObject } from './story/hand.ts';
import { deployment, zoneKey } from './story/objects.ts';
import { annotateNode, grow, nodeNames, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const hold = 'lull.dev/hold';
const own = { 'karpenter.sh/nodepool': 'web', [zoneKey]: 'test-zone-a' };

/** A pod that requires the old nodes: it does not fit on new ones. */
const pinned = deployment({
  name: 'pinned',
  replicas: 1,
  spread: false,
  cpu: '500m',
  spec: { nodeSelector: { ...own, version: 'one' } },
});

describeStory('cannot-take', { install: ['--set', 'role=guide'] }, (story) => {
  let roll: Roll;
  let [stuck, next] = ['', ''];

  const told = async (component: string, reason: string, node: string): Promise<readonly KubeObject[]> =>
    (await story.list('Event')).filter(
      (it) =>
        it.reason === reason &&
        it.involvedObject.name === node &&
        (it.source?.component || it.reportingComponent) === component,
    );

  it('two nodes, one with a pod that fits nowhere else', async () => {
    const zones = ['test-zone-a', 'test-zone-b'];
    await grow(story, { zones, labels: { version: 'one' }, budgets: [{ nodes: '1' }] }, 2);
    await story.apply(pinned);
    await story.until('it runs', async () => {
      const [pod] = await story.list('Pod', 'app=pinned');
      return pod?.status.phase === 'Running';
    });
    [stuck = ''] = await nodeNames(story, `${zoneKey}=test-zone-a`);
    [next = ''] = await nodeNames(story, `${zoneKey}=test-zone-b`);
    expect((await story.list('Pod', 'app=pinned'))[0]?.spec.nodeName).toBe(stuck);
    await story.startLull({ role: 'guide', flags: ['--set', 'offerTimeout=45s'] });
    await story.until('both are parked', async () => (await parkedNodes(story)).length === 2);
  });

  it('the roll begins with that node, as requested by an annotation', async () => {
    await annotateNode(story, next, { [hold]: 'first the other one' });
    roll = await release(story, 'two');
    await story.until('it is offered', async () => !(await parkedNodes(story)).includes(stuck));
    await annotateNode(story, next, { [hold]: null });
    // Karpenter emits at most one event of this kind per node in two minutes: it may just have reported that the node is parked.
    const karpenter = story.cluster.component('karpenter');
    await karpenter.stop('SIGKILL');
    await karpenter.start();
  });

  it("N3: it is withdrawn after a while, with Karpenter's own reason", async () => {
    await story.until('it is parked again', async () => (await parkedNodes(story)).includes(stuck), {
      within: 120,
    });
    const [withdrawn] = await story.until('the withdrawal is reported', async () => {
      const events = await told('lull', 'Withdrawn', stuck);
      return events.length > 0 && events;
    });
    const blocked = (await told('karpenter', 'DisruptionBlocked', stuck)).map(({ message }) => String(message));
    story.say(`Karpenter: ${blocked.join(' | ')}\n           Lull: ${withdrawn?.message}`);
    expect(withdrawn?.message).toContain('Karpenter did not take it within 45s: ');
    expect(blocked.filter((words) => withdrawn?.message.includes(words.slice(0, 60)))).not.toEqual([]);
  });

  it('it counts against the budget for another minute, since Karpenter may just have chosen it; then the next node is offered', async () => {
    await story.until('the next one is gone', async () => !(await nodeNames(story)).includes(next), { within: 180 });
    const timeline = await story.observer.timeline();
    const lines = (node: string): NodeLine[] =>
      timeline.lines.filter((line): line is NodeLine => line.kind === 'Node' && line.name === node);
    expect(takesOf(timeline).map(({ name }) => name)).toEqual([next]);
    const offered = lines(stuck).findIndex((line, index, all) => !line.parked && all[index - 1]?.parked);
    const back = lines(stuck).find((line, index) => index > offered && line.parked);
    const then = lines(next).find((line, index, all) => !line.parked && all[index - 1]?.parked);
    // The observer may see one later than the other.
    expect((then?.at ?? 0) - (back?.at ?? Number.POSITIVE_INFINITY)).toBeGreaterThan(45_000);
  });

  it('the obstacle is removed, and the node is disrupted as well', async () => {
    const selector = { nodeSelector: { version: null } };
    await story.patch('Deployment', 'pinned', { spec: { template: { spec: selector } } });
    await story.until('both nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(takesOf(timeline).map(({ name }) => name)).toEqual([next, stuck]);
    expect(moreThan(1, timeline)).toEqual([]);
  });
});
