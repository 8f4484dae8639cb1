// Notices from the interruption queue beside AWS's own Karpenter, while Lull holds every node: which of them take a node, and how Lull names them.
import { expect, it } from 'vitest';
import type { Notice } from '../cluster/aws/account.ts';
import { describeAwsStory, eventsOn, growOnAws, hasCondition, instanceOf } from './story/aws.ts';
import type { KubeObject } from './story/hand.ts';
import { logOf, type RunningLull } from './story/lull.ts';
import { claimsOf, oneByOne, parkedNodes, runningPods } from './story/roll.ts';

const nodes = 3;

describeAwsStory('aws-queue', { install: ['--set', 'role=guide'] }, (story, account) => {
  let lull: RunningLull;
  let recommended = '';

  const otherClaim = async (): Promise<KubeObject> => {
    const claim = (await claimsOf(story)).find(({ metadata }) => metadata.name !== recommended);
    if (!claim) throw new Error('No claim found');
    return claim;
  };

  it('three nodes are parked', async () => {
    await growOnAws(story, { capacityType: 'spot', budgets: oneByOne }, nodes);
    lull = await story.startLull();
    await story.until('all are parked', async () => (await parkedNodes(story)).length === nodes);
  });

  it('a rebalance recommendation becomes an event', async () => {
    const claim = await otherClaim();
    recommended = claim.metadata.name;
    await account.notify('rebalance', instanceOf(claim));
    await story.until('Karpenter has read it', async () =>
      (await eventsOn(story, 'NodeClaim', claim.metadata.name)).some(
        ({ reason }) => reason === 'SpotRebalanceRecommendation',
      ),
    );
  });

  it.each<[Notice, string]>([
    ['scheduled-change', 'InstanceUnhealthy'],
    ['stopping', 'InstanceStopping'],
  ])('a notice of %s takes the node although it is parked, and its pod gets another', async (notice, reason) => {
    const claim = await otherClaim();
    await account.notify(notice, instanceOf(claim));
    await story.until('the claim is gone', async () => !(await story.read('NodeClaim', claim.metadata.name)), {
      within: 120,
    });
    const events = await eventsOn(story, 'NodeClaim', claim.metadata.name);
    expect(events.map((event) => event.reason)).toEqual(expect.arrayContaining([reason, 'TerminatingOnInterruption']));
    await story.until('N3: the log names the interruption', () =>
      logOf(lull).includes(
        `${claim.status.nodeName} of web: Karpenter removes it because of an interruption: ${reason}`,
      ),
    );
    await story.until(
      'as many nodes as before are ready and parked',
      async () => {
        const claims = await claimsOf(story);
        const isReady = claims.length === nodes && claims.every((it) => hasCondition(it, 'Initialized'));
        return isReady && (await runningPods(story)).length === nodes && (await parkedNodes(story)).length === nodes;
      },
      { within: 120 },
    );
  });

  it('the node with the recommendation is still there, and no request of Lull was refused', async () => {
    const claim = await story.read('NodeClaim', recommended);
    expect(claim).toBeDefined();
    expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    expect(await lull.isRunning()).toBe(true);
    expect(story.audit().filter(({ user, decision }) => user.endsWith(':lull') && decision === 'forbid')).toEqual([]);
  });
});
