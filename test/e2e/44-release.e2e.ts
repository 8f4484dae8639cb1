// `lull release` in the middle of a roll: every object is as it was before Lull, and Karpenter continues alone (N10).
import { expect, it } from 'vitest';
import type { RunningLull } from './story/lull.ts';
import { pdb } from './story/objects.ts';
import { grow, oneByOne, parkedNodes, type Roll, release, takenNodes } from './story/roll.ts';
import { describeStory } from './story/story.ts';
import { everything, type Found, marksOf, tracesIn } from './story/traces.ts';

describeStory('release', { install: false }, (story) => {
  let before: readonly Found[];
  let installed: string[];
  let released: readonly Found[];
  let lull: RunningLull;
  let roll: Roll;

  it('a cluster without Lull', async () => {
    await grow(story, {}, 3);
    await grow(story, { name: 'api' }, 1);
    await story.apply(pdb('web', { minAvailable: 2 }));
    before = await all();
    expect(before.length).toBeGreaterThan(50);
    expect(tracesIn(before)).toEqual([]);
  });

  it('Lull is installed, parks the nodes, and completes half a roll', async () => {
    await story.lullJson('install', '--set', 'role=guide');
    installed = tracesIn(await all());
    const annotations = { 'lull.dev/budgets': JSON.stringify(oneByOne) };
    await story.patch('NodePool', 'web', { metadata: { annotations } });
    lull = await story.startLull({ role: 'guide' });
    for (const [pool, nodes] of [['web', 3] as const, ['api', 1] as const])
      await story.until(`all of ${pool} are parked`, async () => (await parkedNodes(story, pool)).length === nodes);
    roll = await release(story, 'two');
    await story.until('the first is gone', async () => (await roll.gone()) > 0, { within: 120 });
    await story.until('the next is taken', async () => (await takenNodes(story)).length > 0, { within: 120 });
  });

  it('while it leads nothing is released', async () => {
    const { code, stderr } = await story.lull('release', '--yes');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/leads|lease/)]);
    expect((await parkedNodes(story)).length).toBeGreaterThan(0);
  });

  it('N10: Lull is killed; after the release only the installed objects carry marks of it', async () => {
    await lull.kill();
    const { code, stdout, stderr } = await story.lull('release', '--yes');
    story.say(stdout);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    await story.patch('NodePool', 'web', { metadata: { annotations: { 'lull.dev/budgets': null } } });
    released = await all();
    // The policy that parks new nodes is removed together with the marks.
    expect(tracesIn(released)).toEqual(installed.filter((key) => !key.startsWith('MutatingAdmissionPolicy')));
    expect(await story.read('Lease', 'lull-system/lull')).toBeUndefined();
    expect(await story.list('DisruptionLedger')).toEqual([]);
  });

  it('everything is as before, except for what Karpenter changes', () => {
    const now = new Map(released.map((found) => [found.uid, found]));
    const left = before.flatMap((was) => {
      const is = now.get(was.uid);
      return is && !isTaken(is) ? [{ was, is }] : [];
    });
    const marks = (found: readonly Found[]): object => Object.fromEntries(found.map((it) => [it.key, marksOf(it)]));
    expect(marks(left.map(({ is }) => is))).toEqual(marks(left.map(({ was }) => was)));
    // The pool that is not rolled.
    expect(left.filter(({ is }) => isNodeOf('api', is))).toHaveLength(1);
  });

  it('Karpenter decides alone again, and ends the roll by itself', async () => {
    await story.until('all three nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
  });

  it('after the uninstall no mark is left', async () => {
    await story.lullJson('uninstall', '--with-crds', '--yes');
    await story.until('its namespace is gone', async () => !(await story.read('Namespace', 'lull-system')));
    expect(tracesIn(await all())).toEqual([]);
  });

  /** A new CRD is served only after a moment. */
  const all = (): Promise<readonly Found[]> =>
    story.until('every object of every kind is listed', () => everything(story.cluster.api));

  /** Objects that Karpenter removes are being deleted, or have Karpenter's taint. */
  const isTaken = ({ object: { metadata, spec } }: Found): boolean =>
    metadata.deletionTimestamp !== undefined ||
    (spec?.taints ?? []).some(({ key }: { key: string }) => key === 'karpenter.sh/disrupted');

  const isNodeOf = (pool: string, { key, object }: Found): boolean =>
    key.startsWith('Node/') && object.metadata.labels?.['karpenter.sh/nodepool'] === pool;
});
