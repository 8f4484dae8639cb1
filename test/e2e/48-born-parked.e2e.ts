// Lull is killed, the pool doubles, its image changes: new nodes are parked from birth and stay; without the policy the spec's budget holds (N2, C17).
import { expect, it } from 'vitest';
import { moreThan, zonesAtOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { atBirth, bornWith, parksAtBirth, policyName, scaleTo, takenSince } from './story/away.ts';
import type { RunningLull } from './story/lull.ts';
import { claimsOf, grow, nodeNames, oneByOne, parkedNodes, type Roll, release } from './story/roll.ts';
import { describeStory, type Story } from './story/story.ts';
import { everything, tracesIn } from './story/traces.ts';

const metricOf = async (lull: RunningLull): Promise<string | undefined> =>
  /^lull_born_parked (.*)$/m.exec((await lull.get('/metrics')).text)?.[1];

const markedClaims = async (story: Story): Promise<readonly string[]> =>
  (await claimsOf(story))
    .filter(({ metadata }) => metadata.annotations?.['lull.dev/parked'] !== undefined)
    .map(({ metadata }) => metadata.name);

describeStory('born-policy', { karpenter: false, install: ['--set', 'role=guide'] }, (story) => {
  const keep = 'karpenter.sh/do-not-disrupt';
  const born = { [keep]: 'true', 'lull.dev/parked': atBirth };

  it('N2: nodes and claims created for a pool are parked; annotations of the template are kept or left alone', async () => {
    await story.until('the policy is in force', () => parksAtBirth(story));
    expect(await bornWith(story)).toEqual(born);
    expect(await bornWith(story, { annotations: { note: 'hello' } })).toEqual({ ...born, note: 'hello' });
    expect(await bornWith(story, { annotations: { [keep]: '8h' } })).toEqual({
      ...born,
      'lull.dev/do-not-disrupt-before': '8h',
    });
    expect(await bornWith(story, { annotations: { [keep]: 'true' } })).toEqual({ [keep]: 'true' });
    expect(await bornWith(story, { labels: { team: 'a' } })).toEqual({});
  });
});

describeStory('born-parked', { install: false }, (story) => {
  let lull: RunningLull;
  let old: readonly string[];
  let roll: Roll;
  let deleted: readonly string[] = [];

  it('a pool that Lull guides, whose spec limits nothing, and one that it leaves alone', async () => {
    await grow(story, { budgets: oneByOne, karpenterBudgets: [{ nodes: '100%' }] });
    await story.patch('NodePool', 'web', { metadata: { labels: { team: 'web' } } });
    await grow(story, { name: 'free' }, 3);
    await story.lullJson('install', '--set', 'role=guide');
    await story.until('the policy is in force', () => parksAtBirth(story));
    lull = await story.startLull({ role: 'guide', flags: ['--set', 'pools=team=web'] });
    await story.until('all nine are parked', async () => (await parkedNodes(story)).length === 9);
    expect(await parkedNodes(story, 'free')).toEqual([]);
    old = await nodeNames(story);
  });

  it('Lull reports that new nodes are parked at creation: in its log, its metrics and on the pool', async () => {
    await story.until('its log says so', async () => lull.tail(50).includes('New nodes are parked at creation'));
    expect(await metricOf(lull)).toBe('1');
    await story.until('LullReady says so', async () => {
      const conditions: readonly { type: string; message: string }[] =
        (await story.read('NodePool', 'web'))?.status.conditions ?? [];
      return conditions.some(({ message }) => message.includes('New nodes are parked at creation.'));
    });
  });

  it('N2: Lull is killed; nine nodes are added, each parked at creation', async () => {
    await lull.kill();
    await scaleTo(story, 18);
    const nodes = await story.list('Node', 'karpenter.sh/nodepool=web');
    const born = nodes.filter(({ metadata }) => !old.includes(metadata.name));
    expect(born.map(({ metadata }) => metadata.annotations?.['lull.dev/parked'])).toEqual(Array(9).fill(atBirth));
    expect(born.every(({ metadata }) => metadata.annotations?.['karpenter.sh/do-not-disrupt'] === 'true')).toBe(true);
  });

  it('N2: the image changes; Karpenter rolls the pool that Lull does not govern, and disrupts no node of the other', async () => {
    roll = await release(story, 'two');
    const free = await release(story, 'two', 'free');
    await story.until('Karpenter has rolled the other pool', () => free.isDone(), { within: 240 });
    const timeline = await story.observer.timeline();
    story.say(narrate(timeline, roll.since));
    expect(takenSince(timeline, roll.since)).toEqual({ nodes: [], mostAtOnce: 0, mostZonesAtOnce: 0 });
    expect(takenSince(timeline, roll.since, 'free').nodes).toHaveLength(3);
  });

  it('N3: Lull is back, and offers nodes that were created parked like any other, one by one, zone after zone', async () => {
    await lull.start();
    await story.until(
      'three of them are gone',
      async () => {
        const { nodes } = takenSince(await story.observer.timeline(), roll.since);
        const names = new Set(await nodeNames(story));
        return nodes.filter((name) => !old.includes(name) && !names.has(name)).length >= 3;
      },
      { within: 300 },
    );
    const timeline = await story.observer.timeline();
    expect([...zonesAtOnce(timeline, { pool: 'web' }), ...moreThan(1, timeline, { pool: 'web' })]).toEqual([]);
    expect(await parkedNodes(story, 'free')).toEqual([]);
  });

  it('N2: claims of existing nodes have no marks left', async () => {
    await story.until('no initialized claim has a mark', async () => {
      const marked = new Set(await markedClaims(story));
      const claims = (await claimsOf(story)).filter(({ metadata }) => marked.has(metadata.name));
      const isUp = (conditions: readonly { type: string; status: string }[] = []): boolean =>
        conditions.some(({ type, status }) => type === 'Initialized' && status === 'True');
      return claims.every(({ status, metadata }) => metadata.deletionTimestamp || !isUp(status?.conditions));
    });
  });

  it('N10: after the release no object has a mark, and later nodes have none either', async () => {
    await lull.kill();
    const { code, stdout, stderr } = await story.lull('release', '--yes');
    story.say(stdout);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect(await story.read('MutatingAdmissionPolicy', policyName)).toBeUndefined();
    expect(await parksAtBirth(story)).toBe(false);
    deleted = await nodeNames(story);
    await story.patch('NodePool', 'web', { metadata: { annotations: { 'lull.dev/budgets': null } } });
    await story.until(
      'a node was created since',
      async () => (await nodeNames(story)).some((it) => !deleted.includes(it)),
      {
        within: 120,
      },
    );
    const all = await story.until('every object of every kind is listed', () => everything(story.cluster.api));
    const marked = tracesIn(all).filter((key) => /^(Node|NodeClaim|NodePool|Pod)\//.test(key));
    expect(marked).toEqual([]);
  });
});

describeStory('born-loose', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let old: readonly string[];
  let roll: Roll;

  it('a pool whose spec has a real limit; the policy is deleted, and Lull killed', async () => {
    await grow(story, { budgets: oneByOne, karpenterBudgets: [{ nodes: '1' }] });
    lull = await story.startLull({ role: 'guide' });
    await story.until('all nine are parked', async () => (await parkedNodes(story)).length === 9);
    old = await nodeNames(story);
    await lull.kill();
    await story.remove('MutatingAdmissionPolicyBinding', policyName);
    await story.remove('MutatingAdmissionPolicy', policyName);
    await story.until('the policy is not in force', async () => !(await parksAtBirth(story)));
  });

  it('C17: nine nodes are added, the image changes: Karpenter takes new nodes, no more at a time than the spec allows', async () => {
    await scaleTo(story, 18);
    expect((await parkedNodes(story)).toSorted()).toEqual(old);
    roll = await release(story, 'two');
    await story.until('three of them are gone', async () => (await roll.gone()) >= 3, { within: 240 });
    const timeline = await story.observer.timeline();
    story.say(narrate(timeline, roll.since));
    const { nodes, mostAtOnce } = takenSince(timeline, roll.since);
    expect(mostAtOnce).toBe(1);
    expect(nodes.filter((name) => old.includes(name))).toEqual([]);
  });

  it('Lull is back, reports what protects new nodes and what does not, and parks all of them', async () => {
    await lull.start();
    await story.until('its log says so', async () => lull.tail(50).includes(`${policyName} or its binding is missing`));
    expect(await metricOf(lull)).toBe('0');
    await story.until('the nodes that Karpenter has not taken are parked', async () => {
      const parked = new Set(await parkedNodes(story));
      const nodes = await story.list('Node', 'karpenter.sh/nodepool=web');
      const isFree = nodes.filter(
        ({ metadata, spec }) => !parked.has(metadata.name) && !metadata.deletionTimestamp && !spec.taints?.length,
      );
      return isFree.length <= 1;
    });
    const again = await story.lullJson<{ objects: { object: string; outcome: string }[] }>('install');
    expect(again.objects.filter(({ outcome }) => outcome === 'created').map(({ object }) => object)).toEqual([
      `MutatingAdmissionPolicy/${policyName}`,
      `MutatingAdmissionPolicyBinding/${policyName}`,
    ]);
    const { objects } = await story.lullJson<{ objects: { object: string; outcome: string }[] }>(
      'install',
      '--set',
      'role=observe',
    );
    expect(objects.filter(({ outcome }) => outcome === 'removed').map(({ object }) => object)).toEqual([
      `MutatingAdmissionPolicyBinding/${policyName}`,
      `MutatingAdmissionPolicy/${policyName}`,
    ]);
  });
});
