// Consolidation beside AWS's own Karpenter, with its real prices: Lull plans with the catalogue of the controller's metrics (F5).
import { expect, it } from 'vitest';
import { moreThan, tookForReason } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { awsPool, describeAwsStory } from './story/aws.ts';
import { logOf, type RunningLull } from './story/lull.ts';
import { deployment } from './story/objects.ts';
import { pulse } from './story/pulse.ts';
import { parkedNodes, runningPods } from './story/roll.ts';

const typeKey = 'node.kubernetes.io/instance-type';

interface Verdict {
  readonly reason: string;
  readonly refusals: readonly { readonly code: string; readonly message: string }[];
}

describeAwsStory('aws-consolidation', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let began = 0;
  const passBy = pulse(story);
  const metrics = (): string => `http://127.0.0.1:${story.cluster.karpenterPorts.metrics}/metrics`;

  const types = async (): Promise<string> => {
    const nodes = await story.list('Node', 'karpenter.sh/nodepool=web');
    return nodes
      .map(({ metadata }) => metadata.labels?.[typeKey])
      .sort()
      .join(' ');
  };

  it('three instances with eight cores, one in each zone, hold a large and a small pod each', async () => {
    await story.apply(
      awsPool({
        cores: ['2', '4', '8'],
        budgets: [{ nodes: '1' }],
        karpenterBudgets: [{ nodes: '100%' }],
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        consolidateAfter: '5s',
      }),
      deployment({ name: 'filler', replicas: 3, cpu: '5' }),
    );
    await story.until('three large pods run', async () => (await runningPods(story, 'filler')).length === 3, {
      within: 120,
    });
    await story.apply(deployment({ name: 'web', replicas: 3, cpu: '1500m' }));
    await story.until('three small pods run beside them', async () => (await runningPods(story)).length === 3);
    expect(await types()).toBe('c5.2xlarge c5.2xlarge c5.2xlarge');
  });

  it("F5: Lull reads instance types and prices from the controller's metrics", async () => {
    // Karpenter writes them once a minute.
    await story.until(
      'Karpenter exports prices',
      async () => (await (await fetch(metrics())).text()).includes('offering_price_estimate{'),
      {
        within: 90,
      },
    );
    lull = await story.startLull({ flags: ['--set', `karpenterMetrics=${metrics()}`] });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === 3);
    const line = await story.until('the log has the prices', () =>
      logOf(lull)
        .split('\n')
        .find((it) => it.includes('instance types and prices from')),
    );
    story.say(line);
  });

  it('the large pods are gone: each instance is replaced by the cheapest one that its pod fits on, one at a time', async () => {
    began = Date.now();
    await story.remove('Deployment', 'filler');
    await story.until(
      'all three have two cores',
      async () => {
        await passBy();
        return (await types()) === 'c5.large c5.large c5.large' && (await runningPods(story)).length === 3;
      },
      { within: 420 },
    );
    const { lines, flushed } = await story.observer.timeline();
    const timeline = { lines: lines.filter(({ at }) => at >= began), flushed };
    story.say(`What the observer saw:\n${narrate(timeline, began)}`);
    expect(moreThan(1, timeline)).toEqual([]);
    expect(tookForReason(timeline, 'Underutilized', 1)).toEqual([]);
  });

  it('then nothing is cheaper: Lull knows it from the prices and offers no node', async () => {
    await story.until('all are parked', async () => (await parkedNodes(story)).length === 3);
    const verdicts = await story.until('a verdict on every node', async () => {
      const { verdicts } = JSON.parse((await lull.get('/api/round')).text) as { verdicts: Verdict[] };
      const found = verdicts.filter(({ reason }) => reason === 'Underutilized');
      return found.length === 3 && found;
    });
    const codes = verdicts.map(({ refusals }) => refusals.map(({ code }) => code).join());
    expect(new Set(codes)).toEqual(new Set(['NotCheaper']));
    expect(verdicts[0]?.refusals[0]?.message).toContain('0.085');
  });
});
