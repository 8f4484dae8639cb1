// A replacement that cannot launch blocks Karpenter: Lull deletes it at once, restores the node, and retries later.
import { expect, it } from 'vitest';
import { exchanged } from './observer/checks.ts';
import type { ClaimLine, Timeline } from './observer/timeline.ts';
import { lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { zoneKey } from './story/objects.ts';
import { claimsOf, grow, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const typeKey = 'node.kubernetes.io/instance-type';
const requirements = (instanceType: string) => [
  { key: zoneKey, operator: 'In', values: ['test-zone-a'] },
  { key: typeKey, operator: 'In', values: [instanceType] },
];

const made = ({ lines }: Timeline): readonly ClaimLine[] =>
  lines.filter((line) => line.kind === 'NodeClaim').filter(({ name }) => name.startsWith('drifted-'));

describeStory('cannot-launch', { install: ['--set', 'role=drive'] }, (story) => {
  let lull: RunningLull;

  const wish = async () => {
    const { verdicts } = JSON.parse((await lull.get('/api/round')).text);
    return verdicts.find(({ pool, reason }: Record<string, string>) => pool === 'web' && reason === 'Drifted');
  };

  it('N6: a template requires an instance type that does not exist: the claim is deleted as soon as its launch fails', async () => {
    const karpenterBudgets = [{ nodes: '0' }];
    await grow(story, { budgets: [{ nodes: '1' }], zones: ['test-zone-a'], karpenterBudgets }, 1);
    await grow(story, { name: 'other', karpenterBudgets }, 1);
    lull = await story.startLull({ role: 'drive' });
    await story.patch('NodePool', 'web', { spec: { template: { spec: { requirements: requirements('c-4000x') } } } });
    const lines = await story.until(
      'a replacement came and is gone',
      async () => {
        const seen = made(await story.observer.timeline());
        return seen.some(({ what }) => what === 'gone') && seen;
      },
      { within: 240 },
    );
    const [first, last] = [lines.find(({ what }) => what === 'appeared'), lines.find(({ what }) => what === 'gone')];
    // Karpenter itself deletes it only after five minutes.
    expect((last?.at ?? 0) - (first?.at ?? 0)).toBeLessThan(240_000);
  });

  it('F4: the node is untainted, its pod was never moved, and the pool backs off', async () => {
    await story.until('the node takes pods again', async () => {
      const nodes = await story.list('Node', 'karpenter.sh/nodepool=web');
      return nodes.length === 1 && nodes.every(({ spec }) => (spec.taints ?? []).length === 0);
    });
    const { node, refusals } = await story.until('the pool backs off', async () => {
      const found = await wish();
      return found?.refusals.some(({ code }: { code: string }) => code === 'PoolBackingOff') && found;
    });
    expect(refusals).toEqual([expect.objectContaining({ code: 'PoolBackingOff', liftsAt: expect.any(String) })]);
    expect((await story.lull('why', node, '--server', lull.url)).stdout).toContain('PoolBackingOff');
    const asked = story.audit().filter(({ user }) => user === lullUser);
    expect(asked.filter(({ resource }) => resource === 'pods/eviction')).toEqual([]);
    expect(asked.filter(({ decision }) => decision === 'forbid')).toEqual([]);
  });

  it('[b!] Karpenter continues: a pod of another pool gets its node', async () => {
    await story.patch('Deployment', 'other', { spec: { replicas: 2 } });
    await story.until('both run', async () => (await runningPods(story, 'other')).length === 2);
    expect(await claimsOf(story, 'other')).toHaveLength(2);
  });

  it('a template that can be launched again is rolled once the pool has backed off', async () => {
    const template = { spec: { requirements: requirements('c-4x-amd64-linux') } };
    await story.patch('NodePool', 'web', { spec: { template } });
    const roll = await release(story, 'two');
    await story.until('the node is new, and its pod runs', () => roll.isDone(), { within: 180 });
    const timeline = await story.observer.timeline();
    expect(exchanged(timeline, { pool: 'web' }).taken).toHaveLength(1);
    const asked = story.audit().filter(({ user, code }) => user === lullUser && code < 300);
    expect(asked.filter(({ resource }) => resource === 'pods/eviction')).toHaveLength(1);
  });
});
