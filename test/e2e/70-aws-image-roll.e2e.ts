// A new AMI beside AWS's own Karpenter: it rolls zone by zone, with a spot interruption in the middle; then other causes of drift and loss.
import { expect, it } from 'vitest';
import { imageOf } from '../cluster/aws/start.ts';
import { exchanged, moreThan, zonesAtOnce, zonesRevisited } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import type { Timeline } from './observer/timeline.ts';
import { allDrifted, describeAwsStory, eventsOn, growOnAws, hasCondition, instanceOf, zoneOf } from './story/aws.ts';
import type { KubeObject } from './story/hand.ts';
import { logOf, type RunningLull } from './story/lull.ts';
import { claimsOf, oneByOne, parkedNodes, runningPods, takenNodes } from './story/roll.ts';
import type { Story } from './story/story.ts';

const budgets = [...oneByOne.map((budget) => ({ ...budget, settle: '5s' }))];

/** What happened since an instant, without the nodes that the cloud terminated by itself. */
function since({ lines, flushed }: Timeline, at: number, lost: readonly KubeObject[] = []): Timeline {
  const names = new Set(lost.flatMap(({ metadata, status }) => [metadata.name, status.nodeName]));
  return { lines: lines.filter((line) => line.at >= at && !names.has(line.name)), flushed };
}

/** Violations in a roll of this many nodes, one at a time, zone after zone. */
function flawsOfRoll(timeline: Timeline, nodes: number): readonly string[] {
  const { taken } = exchanged(timeline);
  return [
    ...zonesAtOnce(timeline),
    ...zonesRevisited(timeline),
    ...moreThan(1, timeline),
    ...(taken.length === nodes ? [] : [`${taken.length} nodes were taken instead of ${nodes}`]),
  ];
}

async function isRolled(story: Story, isNew: (claim: KubeObject) => boolean): Promise<boolean> {
  const claims = await claimsOf(story);
  if (claims.length !== 6 || !claims.every((claim) => isNew(claim) && hasCondition(claim, 'Initialized'))) return false;
  return (await runningPods(story)).length === 6 && (await parkedNodes(story)).length === 6;
}

describeAwsStory('aws-image-roll', { install: ['--set', 'role=guide'] }, (story, account) => {
  let lull: RunningLull;
  let lost: KubeObject;
  let began = 0;
  let image = '';

  it('instances join as nodes with the labels and taints of their user data, in three zones, and are parked', async () => {
    // Karpenter alone would mix the zones: its own budget allows every node at once.
    await growOnAws(story, { capacityType: 'spot', budgets, karpenterBudgets: [{ nodes: '100%' }] }, 6);
    const claims = await claimsOf(story);
    expect(claims.map(zoneOf).sort().join(' ')).toBe(
      'us-east-1a us-east-1a us-east-1b us-east-1b us-east-1c us-east-1c',
    );
    lull = await story.startLull();
    await story.until('all six are parked', async () => (await parkedNodes(story)).length === 6);
    expect(claims.some((claim) => hasCondition(claim, 'Drifted'))).toBe(false);
  });

  it('a new AMI is drift of every node (AMIDrift)', async () => {
    image = await account.publishImage('v20261115');
    began = Date.now();
    await story.patch('EC2NodeClass', 'default', { spec: { amiSelectorTerms: imageOf('v20261115') } });
    await story.until('all are drifted', () => allDrifted(story, 'AMIDrift'));
  });

  it('a spot interruption in the middle of the roll takes a parked node of another zone at once', async () => {
    const taken = await story.until('the first node is taken', async () => (await takenNodes(story))[0]);
    const claims = await claimsOf(story);
    const zone = claims.filter(({ status }) => status.nodeName === taken).map(zoneOf)[0];
    const victim = claims.find((claim) => zoneOf(claim) !== zone && hasCondition(claim, 'Drifted'));
    if (!victim) throw new Error(`No drifted claim outside ${zone}`);
    lost = victim;
    await account.notify('spot-interruption', instanceOf(lost));
    await story.until('Karpenter deletes its claim', async () => {
      const claim = await story.read('NodeClaim', lost.metadata.name);
      return claim === undefined || claim.metadata.deletionTimestamp !== undefined;
    });
    const reasons = (await eventsOn(story, 'NodeClaim', lost.metadata.name)).map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['SpotInterrupted', 'TerminatingOnInterruption']));
    await story.until('N3: the log names the interruption', () =>
      logOf(lull).includes(
        `${lost.status.nodeName} of web: Karpenter removes it because of an interruption: SpotInterrupted`,
      ),
    );
  });

  it('the roll ends: zone after zone, one node at a time; the pod of the lost node got a node with the new image', async () => {
    await story.until('all six have the new image', () => isRolled(story, ({ status }) => status.imageID === image), {
      within: 300,
    });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, began)}`);
    expect(flawsOfRoll(since(timeline, began, [lost]), 5)).toEqual([]);
  });

  it("an instance that is terminated behind Karpenter's back is replaced; no other node is touched", async () => {
    const at = Date.now();
    const before = await claimsOf(story);
    const victim = before[0];
    if (!victim) throw new Error('No claim found');
    await account.terminate(instanceOf(victim));
    await story.until(
      'another one has replaced it',
      async () =>
        (await isRolled(story, () => true)) && (await story.read('NodeClaim', victim.metadata.name)) === undefined,
      { within: 180 },
    );
    const kept = (await claimsOf(story)).filter(({ metadata }) =>
      before.some((it) => it.metadata.uid === metadata.uid),
    );
    expect(kept).toHaveLength(5);
    expect(moreThan(0, since(await story.observer.timeline(), at, [victim]))).toEqual([]);
  });

  it('a changed tag of the EC2NodeClass is drift too (NodeClassDrift), and rolls zone by zone', async () => {
    const at = Date.now();
    const old = new Set((await claimsOf(story)).map(({ metadata }) => metadata.name));
    await story.patch('EC2NodeClass', 'default', { spec: { tags: { team: 'web' } } });
    await story.until('all are drifted', () => allDrifted(story, 'NodeClassDrift'));
    await story.until('all six are new', () => isRolled(story, ({ metadata }) => !old.has(metadata.name)), {
      within: 300,
    });
    const timeline = since(await story.observer.timeline(), at);
    expect(flawsOfRoll(timeline, 6)).toEqual([]);
    const tagged = (await account.instances()).filter(({ state, tags }) => state === 'running' && tags.team === 'web');
    expect(tagged).toHaveLength(6);
  });

  it('no request of Lull was refused, and it still runs', async () => {
    const own = story.audit().filter(({ user, decision }) => user.endsWith(':lull') && decision === 'forbid');
    expect(own).toEqual([]);
    expect(await lull.isRunning()).toBe(true);
  });
});
