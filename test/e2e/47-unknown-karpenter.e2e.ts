// A Karpenter that Lull does not know: everything stays parked, nothing is offered, and the log, the API and `lull why` report the reason, until it is known.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { moreThan } from './observer/checks.ts';
import { takesOf } from './observer/takes.ts';
import type { RunningLull } from './story/lull.ts';
import { deployment, nodepool } from './story/objects.ts';
import { grow, parkedNodes, type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

/** The Deployment from which Lull reads the version: the real Karpenter of these stories runs outside the cluster. */
const controller = (version: string): object => {
  const made = deployment({ name: 'karpenter', pool: 'system', replicas: 1 }) as { metadata: { labels?: object } };
  const labels = { 'app.kubernetes.io/name': 'karpenter', 'app.kubernetes.io/version': version };
  return { ...made, metadata: { ...made.metadata, labels: { ...made.metadata.labels, ...labels } } };
};

const why = 'Karpenter 2.0.0 is installed; Lull supports 1.x.';

interface Verdict {
  readonly pool: string;
  readonly reason: string;
  readonly refusals: readonly { readonly code: string; readonly message: string }[];
}

describeStory('unknown-karpenter', { install: ['--set', 'role=guide'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;

  it('N11: beside a version that it does not know, Lull parks every node and logs it', async () => {
    await story.apply(nodepool({ name: 'system' }), controller('2.0.0'));
    await story.until('it runs', async () => (await runningPods(story, 'karpenter')).length === 1);
    await grow(story, { budgets: [{ nodes: '1' }] }, 3);
    lull = await story.startLull({ role: 'guide' });
    expect(await parkedNodes(story)).toHaveLength(3);
    expect(readFileSync(lull.log, 'utf8')).toContain(why);
    const about: { withheld?: string } = JSON.parse((await lull.get('/api/about')).text);
    expect(about.withheld).toContain(why);
  });

  it('N11: a roll is not offered, a new node is parked too, and each held node names the cause', async () => {
    roll = await release(story, 'two');
    const drifted = await story.until('three nodes are drifted', async () => {
      const { verdicts }: { verdicts: Verdict[] } = JSON.parse((await lull.get('/api/round')).text);
      const mine = verdicts.filter(({ pool, reason }) => pool === 'web' && reason === 'Drifted');
      return mine.length === 3 && mine;
    });
    for (const { refusals } of drifted)
      expect(refusals.find(({ code }) => code === 'OffersWithheld')?.message).toContain(why);
    await story.patch('Deployment', 'web', { spec: { replicas: 4 } });
    await story.until('the fourth is parked', async () => (await parkedNodes(story)).length === 4);
    const { stdout } = await story.lull('why', 'pool/web', '--server', lull.url);
    expect(stdout).toContain(why);
    const blocked = await story.until('Karpenter has considered the three, and left them', async () => {
      const events = (await story.list('Event')).filter(
        ({ reason, involvedObject }) => reason === 'DisruptionBlocked' && involvedObject.kind === 'Node',
      );
      const names = new Set(events.map(({ involvedObject }) => involvedObject.name));
      return names.size >= 3 && names;
    });
    expect(blocked.size).toBeGreaterThanOrEqual(3);
    expect(takesOf(await story.observer.timeline())).toEqual([]);
    expect(await parkedNodes(story)).toHaveLength(4);
  });

  it('N11: beside a version that it knows, the next Lull continues, one at a time', async () => {
    await lull.kill('SIGTERM');
    await story.apply(controller('1.15.0'));
    await lull.start();
    await story.until('the roll is done', async () => (await roll.gone()) === 3, { within: 240 });
    expect(JSON.parse((await lull.get('/api/about')).text)).not.toHaveProperty('withheld');
    expect(moreThan(1, await story.observer.timeline())).toEqual([]);
  });
});
