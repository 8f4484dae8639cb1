// Expired nodes, and one to be rebalanced: Karpenter replaces them under Lull's rules (N6, N7).
import { expect, it } from 'vitest';
import { brokenPdbs, moreThan } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { emptiedTooEarly, takesOf } from './observer/takes.ts';
import type { ClaimLine } from './observer/timeline.ts';
import type { KubeObject } from './story/hand.ts';
import { pdb } from './story/objects.ts';
import { annotateNode, claimsOf, grow, nodeNames, parkedNodes, runningPods, takenNodes } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const hash = 'karpenter.sh/nodepool-hash';
const before = 'lull.dev/nodepool-hash-before';
const early = 'lull.dev/expire-after';

describeStory('expiry-and-rebalance', { install: ['--set', 'role=guide'] }, (story) => {
  let since = 0;
  let old: readonly string[];
  let moved = '';

  const agesInSeconds = async (): Promise<Record<string, number>> => {
    const nodes = await story.list('Node', 'karpenter.sh/nodepool=web');
    const age = ({ metadata }: KubeObject) => (Date.now() - Date.parse(metadata.creationTimestamp ?? '')) / 1000;
    return Object.fromEntries(nodes.map((node) => [node.metadata.name, age(node)]));
  };
  const lifetime = (value: string | null) =>
    story.patch('NodePool', 'web', { metadata: { annotations: { [early]: value } } });

  it('three nodes that Karpenter would delete after one day, without exception', async () => {
    await grow(story, { expireAfter: '24h', budgets: [{ nodes: '1' }] }, 3);
    await story.apply(pdb('web', { minAvailable: 2 }));
    await story.startLull({ role: 'guide' });
    await story.until('all are parked', async () => (await parkedNodes(story)).length === 3);
    old = await nodeNames(story);
    since = Date.now();
  });

  it('N6: a node with a rebalance recommendation is made to look drifted, and is replaced', async () => {
    [moved = ''] = old;
    await annotateNode(story, moved, { 'lull.dev/rebalance': 'true' });
    await story.until('it is gone', async () => !(await nodeNames(story)).includes(moved), { within: 120 });
    await story.until('its pod runs again', async () => (await runningPods(story)).length === 3);
  });

  it("N7: at a lower age, long before Karpenter's own, the two old ones are replaced one after the other", async () => {
    const rest = old.filter((node) => node !== moved);
    const ages = await agesInSeconds();
    await lifetime(`${Math.floor(Math.min(...rest.map((node) => ages[node] ?? 0)))}s`);
    const gone = async (): Promise<number> => {
      const there = await nodeNames(story);
      return rest.filter((node) => !there.includes(node)).length;
    };
    await story.until('one is gone', async () => (await gone()) === 1, { within: 120 });
    await story.until(
      'Karpenter has taken the other',
      async () => {
        const taken = await takenNodes(story);
        return (await gone()) === 2 || rest.some((node) => taken.includes(node));
      },
      { within: 120 },
    );
    // Otherwise the new nodes would expire, too.
    await lifetime(null);
    await story.until('both are gone', async () => (await gone()) === 2, { within: 120 });
    await story.until('all pods run', async () => (await runningPods(story)).length === 3, { within: 120 });
  });

  it('each was replaced before it was drained, one at a time, and only because of the nudge', async () => {
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, since)}`);
    expect(
      takesOf(timeline)
        .slice(0, 3)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...old].sort());
    expect(takesOf(timeline)[0]?.name).toBe(moved);
    expect(moreThan(1, timeline)).toEqual([]);
    expect(emptiedTooEarly(timeline)).toEqual([]);
    expect(brokenPdbs(timeline)).toEqual([]);
    const ofClaims = timeline.lines.filter((line): line is ClaimLine => line.kind === 'NodeClaim');
    for (const node of old) {
      const mine = ofClaims.filter((line) => line.node === node);
      const nudged = mine.findIndex((line, index) => index > 0 && line.hash !== mine[index - 1]?.hash);
      const drifted = mine.findIndex((line) => line.drifted === 'True');
      const deleted = mine.findIndex((line) => line.deleting);
      expect(nudged).toBeGreaterThan(0);
      expect(drifted).toBeGreaterThanOrEqual(nudged);
      expect(deleted).toBeGreaterThan(drifted);
    }
  });

  it('N6: no nudge is left on the remaining claims', async () => {
    const pool = await story.read('NodePool', 'web');
    await story.until(
      'all claims are as their pool asks',
      async () => {
        const claims = (await claimsOf(story)).filter(({ metadata }) => !metadata.deletionTimestamp);
        const isClean = ({ annotations = {} }: KubeObject['metadata']): boolean =>
          annotations[hash] === pool?.metadata.annotations?.[hash] && annotations[before] === undefined;
        return claims.length === 3 && claims.every(({ metadata }) => isClean(metadata));
      },
      { within: 120 },
    );
  });
});
