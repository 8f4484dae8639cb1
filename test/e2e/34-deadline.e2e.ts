// terminationGracePeriod: a pod that opted out stays until the node's deadline minus its own grace period, and not less.
import { expect, it } from 'vitest';
import { exchanged, replacedMoreThanOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { lullUser } from './story/audit.ts';
import { deployment } from './story/objects.ts';
import { claimsOf, grow, type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const deadlineKey = 'karpenter.sh/nodeclaim-termination-timestamp';
const grace = 20;

describeStory('deadline', { install: ['--set', 'role=drive'] }, (story) => {
  let roll: Roll;
  let deadline: number;

  const asked = () => story.audit().filter(({ user }) => user === lullUser);
  const ended = (app: string, verb: string, resource: string) =>
    asked().filter(
      (it) => it.verb === verb && it.resource === resource && it.name.startsWith(`${app}-`) && it.code < 300,
    );

  it('a node with two pods, one of which may not be disrupted, must be gone within 40 seconds', async () => {
    const parts = { karpenterBudgets: [{ nodes: '0' }], zones: ['test-zone-a'], terminationGracePeriod: '40s' };
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const kept = { name: 'kept', replicas: 1, spread: false, cpu: '500m', graceSeconds: grace, annotations };
    await grow(story, { ...parts, budgets: [{ nodes: '1' }] }, 1);
    await story.apply(deployment(kept));
    await story.until('both pods run', async () => (await runningPods(story, 'kept')).length === 1);
    expect(await claimsOf(story)).toHaveLength(1);
    await story.startLull({ role: 'drive' });
    roll = await release(story, 'two');
  });

  it('H1: its drain begins, and its claim has the deadline', async () => {
    const [name] = roll.old;
    const text = await story.until('the deadline is written', async () => {
      const claim = await story.read('NodeClaim', name ?? '');
      return claim?.metadata.annotations?.[deadlineKey];
    });
    deadline = Date.parse(text);
    await story.until('the other pod was evicted', () => ended('web', 'create', 'pods/eviction').length > 0);
  });

  it('H2: the pod that opted out is deleted by Lull once, at the deadline minus its grace period, and not before', async () => {
    await story.until('the node is new', async () => (await roll.gone()) === 1, { within: 120 });
    const deletions = ended('kept', 'delete', 'pods');
    expect(deletions).toHaveLength(1);
    const at = Date.parse(deletions[0]?.at ?? '');
    story.say(`deleted ${((deadline - at) / 1000).toFixed(1)} s before the deadline; its grace is ${grace} s`);
    expect(at).toBeGreaterThanOrEqual(deadline - grace * 1000);
    expect(at).toBeLessThan(deadline);
    expect(ended('kept', 'create', 'pods/eviction')).toEqual([]);
  });

  it('the observer saw it there until then, and one node replaced by the other', async () => {
    await story.until('both pods run again', async () => {
      const pods = [...(await runningPods(story, 'web')), ...(await runningPods(story, 'kept'))];
      return pods.length === 2;
    });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    const kept = timeline.lines.filter((line) => line.kind === 'Pod').filter(({ app }) => app === 'kept');
    const leaving = kept.find(({ deleting }) => deleting !== undefined);
    expect(leaving?.at).toBeGreaterThanOrEqual(deadline - grace * 1000);
    // Counted from the request to the API server, which may be a moment later.
    expect(Date.parse(leaving?.deleting ?? '')).toBeLessThan(deadline + 5000);
    expect(exchanged(timeline).taken).toHaveLength(1);
    expect(replacedMoreThanOnce(timeline)).toEqual([]);
    expect(asked().filter(({ decision }) => decision === 'forbid')).toEqual([]);
  });
});
