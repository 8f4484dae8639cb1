// Users request rolls and approve them beside a real Karpenter, with their own credentials (Q1, Q2, N6).
import { expect, it } from 'vitest';
import { moreThan } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { takesOf } from './observer/takes.ts';
import { claimsOf, grow, nodeNames, parkedNodes, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const before = 'lull.dev/nodepool-hash-before';

describeStory('people', { install: ['--set', 'role=guide'] }, (story) => {
  let since = 0;
  let old: readonly string[];
  let gone: string[] = [];

  const isGone = async (node: string): Promise<boolean> => !(await nodeNames(story)).includes(node);
  const why = async (target: string): Promise<string> => (await story.lull('why', target)).stdout;
  const settled = async (): Promise<boolean> =>
    (await runningPods(story)).length === 3 && (await parkedNodes(story)).length === 3;

  it('three nodes, none of which has drifted', async () => {
    await grow(story, { budgets: [{ nodes: '1' }] }, 3);
    await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === 3);
    old = await nodeNames(story);
    since = Date.now();
  });

  it('Q1: a node whose replacement a user requests is replaced, and no other', async () => {
    const [first = ''] = old;
    const { code, stdout } = await story.lull('roll', `node/${first}`, '--author', 'ann', '--note', 'bad disk');
    expect(stdout).toContain(`requested: replace node ${first}`);
    expect(code).toBe(0);
    gone = [first];
    await story.until('it is gone', async () => isGone(first), { within: 120 });
    await story.until('its pod runs again, and all nodes are parked', settled, { within: 120 });
    expect((await nodeNames(story)).filter((node) => old.includes(node))).toHaveLength(2);
  });

  it('Q2: a pool that requires approval holds the roll that a user requests', async () => {
    await story.patch('NodePool', 'web', { metadata: { annotations: { 'lull.dev/approval': 'required' } } });
    await story.lull('roll', 'web', '--author', 'ann', '--note', 'new kernel');
    const [, second = ''] = old;
    await story.until('it waits for approval', async () => (await why(`node/${second}`)).includes('NeedsApproval'));
    expect(await why(`node/${second}`)).toContain('by ann: new kernel');
    expect(await why('pool/web')).toMatch(/roll requested .* by ann: new kernel/);
  });

  it('Q2: the node that a user approves is replaced, and the others stay', async () => {
    const [, second = '', third = ''] = old;
    const { stdout } = await story.lull('approve', `node/${second}`, '--author', 'bob', '--note', 'job is done');
    expect(stdout).toContain(`approved: disruption of node ${second} until`);
    gone.push(second);
    await story.until('it is gone', async () => isGone(second), { within: 120 });
    await story.until('its pod runs again, and all nodes are parked', settled, { within: 120 });
    expect(await isGone(third)).toBe(false);
    expect(await why(`node/${third}`)).toContain('NeedsApproval');
  });

  it('Q1: a request that is cancelled leaves nothing behind', async () => {
    const [, , third = ''] = old;
    expect((await story.lull('roll', 'web', '--cancel')).stdout).toContain('cancelled for pool web');
    await story.until('it has no wish', async () => !(await why(`node/${third}`)).includes('Drifted'));
    const claims = await claimsOf(story);
    expect(claims.filter(({ metadata }) => metadata.annotations?.[before] !== undefined)).toEqual([]);
  });

  it('Karpenter took these two, one at a time', async () => {
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, since)}`);
    expect(takesOf(timeline).map(({ name }) => name)).toEqual(gone);
    expect(moreThan(1, timeline)).toEqual([]);
  });
});
