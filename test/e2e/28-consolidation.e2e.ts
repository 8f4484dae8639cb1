// Real consolidation beside Karpenter, without a catalogue: budgets by reason, a frozen zone, a closed pod schedule, and the final cost.
import { expect, it } from 'vitest';
import { moreThan, tookForReason } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import type { PodLine, Seen } from './observer/timeline.ts';
import type { KubeObject } from './story/hand.ts';
import { deployment, nodepool, zoneKey } from './story/objects.ts';
import { pulse } from './story/pulse.ts';
import { parkedNodes, runningPods } from './story/roll.ts';
import { describeStory, type Story } from './story/story.ts';

const pool = 'shop';
const large = 'c-4x-amd64-linux';
const sizes = ['c-1x-amd64-linux', 'c-2x-amd64-linux', large, 'c-8x-amd64-linux'];

/** The same with and without Lull. */
const net = [{ nodes: '50%' }];
const byReason = [
  { nodes: '2', reasons: ['Underutilized'] },
  { nodes: '1', reasons: ['Empty'] },
  { nodes: '0', reasons: ['Drifted'] },
];

const apart = (app: string): object => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app } } },
      ],
    },
  },
});

const memory = '100Mi';

/** Each on its own node: no node of the cluster has the instance type that would be just large enough for one. */
const web = deployment({ name: 'web', pool, replicas: 3, cpu: '600m', memory, spec: apart('web') });
const api = deployment({ name: 'api', pool, replicas: 6, cpu: '20m', memory, spread: false });
const night = deployment({ name: 'night', pool, replicas: 1, cpu: '500m', memory, spread: false });
const apps = { web: 3, api: 6, night: 1 };

const frozenZone = 'test-zone-c';
const freeze = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'MaintenanceWindow',
  metadata: { name: 'freeze' },
  spec: {
    note: 'zone c moves racks',
    selector: { matchExpressions: [{ key: zoneKey, operator: 'In', values: [frozenZone] }] },
  },
};

/** Opens for an hour on New Year's Day. */
const closed = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'PodDisruptionSchedule',
  metadata: { name: 'night' },
  spec: { selector: { matchLabels: { app: 'night' } }, mode: 'Allow', schedule: '0 0 1 1 *', duration: '1h' },
};

const nodesOf = (story: Story): Promise<readonly KubeObject[]> => story.list('Node', `karpenter.sh/nodepool=${pool}`);

const priceLabel = 'eks-node-viewer/instance-price';
const costOf = (nodes: readonly KubeObject[]): number =>
  nodes.reduce((sum, { metadata }) => sum + Number(metadata.labels?.[priceLabel] ?? Number.NaN), 0);

const shapesOf = (nodes: readonly KubeObject[]): string =>
  nodes
    .map(({ metadata }) => metadata.labels?.['node.kubernetes.io/instance-type']?.replace('-amd64-linux', ''))
    .sort()
    .join(' ');

async function allRun(story: Story): Promise<boolean> {
  const counts = await Promise.all(Object.keys(apps).map(async (app) => (await runningPods(story, app)).length));
  return counts.join() === Object.values(apps).join();
}

/** Six large nodes, two in each zone, with little on them: the same start each time. */
async function grow(story: Story, budgets?: readonly object[]): Promise<void> {
  const filler = deployment({ name: 'filler', pool, replicas: 6 });
  await story.apply(nodepool({ name: pool, ...(budgets && { budgets }), karpenterBudgets: net }), filler);
  await story.until('six large nodes', async () => (await runningPods(story, 'filler')).length === 6);
  await story.apply(web, api, night);
  await story.until('all pods run beside', () => allRun(story));
  expect(shapesOf(await nodesOf(story))).toBe('c-4x c-4x c-4x c-4x c-4x c-4x');
}

/** More instance types are allowed, and the pods that kept the nodes full are gone. */
async function thinOut(story: Story): Promise<void> {
  await story.remove('Deployment', 'filler');
  await story.until('they are gone', async () => (await story.list('Pod', 'app=filler')).length === 0);
  const [zones, , capacity] = (nodepool({ name: pool }) as KubeObject).spec.template.spec.requirements;
  const types = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: sizes };
  await story.patch('NodePool', pool, {
    spec: {
      template: { spec: { requirements: [zones, types, capacity] } },
      disruption: { consolidationPolicy: 'WhenEmptyOrUnderutilized', consolidateAfter: '0s' },
    },
  });
}

describeStory('consolidation', { install: 'crds' }, (story) => {
  let alone: number;

  let frozen: ReadonlySet<string>;
  let nightPod: string;
  let startedAt: number;
  const passBy = pulse(story);

  /** Large nodes that neither the freeze nor the schedule holds. */
  const largeOutside = async (): Promise<readonly KubeObject[]> => {
    const pod = await story.read('Pod', nightPod);
    return (await nodesOf(story)).filter(
      ({ metadata: { name, labels } }) =>
        labels?.['node.kubernetes.io/instance-type'] === large &&
        labels?.[zoneKey] !== frozenZone &&
        name !== pod?.spec.nodeName,
    );
  };

  it('Karpenter alone: the start, and the result', async () => {
    await grow(story);
    await thinOut(story);
    let last = '';
    let since = 0;
    // Karpenter looks every 10 s, and takes 15 s until it begins.
    await story.until(
      'it has finished',
      async () => {
        await passBy();
        const nodes = await nodesOf(story);
        const now = `${nodes.map(({ metadata, spec }) => `${metadata.name} ${JSON.stringify(spec.taints ?? [])}`).sort()}`;
        if (now !== last) [last, since] = [now, Date.now()];
        return Date.now() - since > 60_000 && (await allRun(story));
      },
      { within: 420 },
    );
    const nodes = await nodesOf(story);
    alone = costOf(nodes);
    expect(shapesOf(nodes)).not.toContain('c-4x');
    story.say(`Karpenter alone: ${alone.toFixed(4)} an hour, ${shapesOf(nodes)}`);
    for (const app of Object.keys(apps)) await story.remove('Deployment', app);
    await story.remove('NodePool', pool);
    await story.until('nothing of it is left', async () => (await nodesOf(story)).length === 0, { within: 120 });
  });

  it('the same start again, with Lull in guide: a frozen zone and a pod whose schedule is closed', async () => {
    // Only now: the policies of `lull install` would keep Karpenter off every new node.
    expect(await story.lull('install', '--set', 'role=guide')).toMatchObject({ code: 0 });
    await grow(story, byReason);
    await story.apply(freeze, closed);
    nightPod = (await runningPods(story, 'night'))[0]?.metadata.name ?? '';
    const inZone = (await nodesOf(story)).filter(({ metadata }) => metadata.labels?.[zoneKey] === frozenZone);
    frozen = new Set(inZone.map(({ metadata }) => metadata.name));
    expect(frozen.size).toBe(2);
    await story.startLull({ role: 'guide' });
    await story.until('all six are parked', async () => (await parkedNodes(story, pool)).length === 6);
    startedAt = Date.now();
    await thinOut(story);
  });

  it('F5: outside the frozen zone the only large node left is the one that the closed schedule holds', async () => {
    await story.until(
      'all nodes that may be disrupted are gone',
      async () => {
        await passBy();
        return (await largeOutside()).length === 0 && allRun(story);
      },
      { within: 600 },
    );
    const nodes = await nodesOf(story);
    expect(shapesOf(nodes)).toContain('c-1x');
    expect(nodes.filter(({ metadata }) => frozen.has(metadata.name))).toHaveLength(2);
    const [first = ''] = frozen;
    expect((await story.lull('why', first)).stdout).toContain('zone c moves racks');
    const timeline = await story.observer.timeline();
    const takes = takesOf(timeline, { pool }).filter(({ at }) => at > startedAt);
    expect(takes.filter(({ zone }) => zone === frozenZone)).toEqual([]);
    const isOfNight = (line: Seen): line is PodLine => line.kind === 'Pod' && line.name === `default/${nightPod}`;
    expect(timeline.lines.filter(isOfNight).filter(({ what, deleting }) => what === 'gone' || deleting)).toEqual([]);
  });

  it('freeze and schedule are lifted: the result costs no more than Karpenter alone', async () => {
    await story.remove('MaintenanceWindow', 'freeze');
    await story.remove('PodDisruptionSchedule', 'night');
    await story.until(
      'it costs no more than Karpenter alone',
      async () => {
        await passBy();
        return costOf(await nodesOf(story)) <= alone + 1e-6 && (await allRun(story));
      },
      { within: 900 },
    );
    const nodes = await nodesOf(story);
    story.say(`with Lull: ${costOf(nodes).toFixed(4)} an hour, ${shapesOf(nodes)}; alone ${alone.toFixed(4)}`);
  });

  it('C5: the budgets by reason held throughout', async () => {
    const timeline = await story.observer.timeline();
    const lines = timeline.lines.filter(({ at }) => at > startedAt);
    story.say(`What the observer saw:\n${narrate(timeline, startedAt)}`);
    expect(tookForReason({ ...timeline, lines }, 'Underutilized', 2)).toEqual([]);
    expect(tookForReason({ ...timeline, lines }, 'Empty', 1)).toEqual([]);
    expect(tookForReason({ ...timeline, lines }, 'Drifted', 0)).toEqual([]);
    expect(moreThan(3, { ...timeline, lines }, { pool })).toEqual([]);
  });
});
