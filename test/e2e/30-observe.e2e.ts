// Karpenter alone with Lull in observe: Lull changes nothing, and reports afterwards what its policy would have held.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { exchanged, moreThan, zonesAtOnce } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { lullUser } from './story/audit.ts';
import type { RunningLull } from './story/lull.ts';
import { deployment, nodepool, zoneKey } from './story/objects.ts';
import { oneByOne, type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

interface Verdict {
  readonly node: string;
  readonly outcome: string;
}

interface Shadow {
  readonly taken: readonly { readonly node: string; readonly verdict: string }[];
  readonly summary: {
    readonly held: number;
    readonly notAsked: number;
    readonly byCode: Readonly<Record<string, number>>;
    readonly atOnce: readonly {
      readonly topologyKey?: string;
      readonly nodes: number;
      readonly limit?: number;
      readonly zones?: readonly string[];
    }[];
  };
}

const zones = ['test-zone-a', 'test-zone-b', 'test-zone-c'];

/** A pod that only fits into its own zone. */
const inZone = (zone: string): object =>
  deployment({
    name: zone,
    replicas: 1,
    spread: false,
    spec: { nodeSelector: { 'karpenter.sh/nodepool': 'web', [zoneKey]: zone } },
  });

describeStory('observe', { install: ['--set', 'role=observe'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;
  const recording = () => join(story.cluster.folder, 'recording.gz');

  const running = async () => (await Promise.all(zones.map((zone) => runningPods(story, zone)))).flat();

  it('a node in each of three zones drifts, and Karpenter may not act yet', async () => {
    const pool = nodepool({ budgets: [...oneByOne, { nodes: '1' }], karpenterBudgets: [{ nodes: '0' }] });
    await story.apply(pool, ...zones.map(inZone));
    await story.until('three pods run', async () => (await running()).length === 3);
    // Karpenter looks every ten seconds: longer than that, and the next node is disrupted while the first waits for its replacement.
    await story.patch('KWOKNodeClass', 'default', { spec: { nodeRegistrationDelay: '15s' } });
    lull = await story.startLull({ role: 'observe', flags: ['--record', recording()] });
    roll = await release(story, 'two');
  });

  it("C5, N4: `lull why` says that Karpenter's own budget holds them, as it would in guide", async () => {
    const node = await story.until('all are seen to have drifted, and are held', async () => {
      const { verdicts } = JSON.parse((await lull.get('/api/round')).text) as { verdicts: readonly Verdict[] };
      return verdicts.length === 3 && verdicts.every(({ outcome }) => outcome === 'held') && verdicts[0]?.node;
    });
    expect((await lull.get('/metrics')).text).not.toMatch(/^lull_commands\{/m);
    for (const where of [
      ['--server', lull.url],
      ['--kubeconfig', story.cluster.kubeconfig],
    ]) {
      const { stdout } = await story.lull('why', node, ...where);
      expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
        'Karpenter reads spec.disruption.budgets of pool web as no node',
      );
      expect(stdout).not.toContain('under way');
    }
  });

  // Two of three, so that the difference is visible.
  it('Karpenter rolls them without Lull: the observer sees several zones at a time, and more nodes than the policy allows', async () => {
    await story.patch('NodePool', 'web', { spec: { disruption: { budgets: [{ nodes: '60%' }] } } });
    await story.until(
      'all three nodes are new, and their pods run',
      async () => (await roll.gone()) === 3 && (await running()).length === 3,
      { within: 240 },
    );
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(zonesAtOnce(timeline)).not.toEqual([]);
    expect(moreThan(1, timeline)).not.toEqual([]);
  });

  it('N1: Lull wrote only its own status, events and lease, and no request was refused', async () => {
    const asked = story.audit().filter(({ user }) => user === lullUser);
    const written = asked.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
    expect(new Set(written.map(({ resource }) => resource))).toEqual(new Set(['events', 'leases', 'nodepools/status']));
    expect(asked.filter(({ decision }) => decision === 'forbid')).toEqual([]);
    const { lines } = await story.observer.timeline();
    const nodes = lines.filter((line) => line.kind === 'Node');
    expect(nodes.filter(({ parked, taints }) => parked || taints.includes('lull.dev/disrupted'))).toEqual([]);
  });

  it('`lull shadow` reports for each node that Karpenter took what the policy would have held, and why', async () => {
    await lull.kill('SIGTERM');
    const { taken, summary } = await story.lullJson<Shadow>('shadow', recording());
    story.say(`What lull shadow prints:\n${(await story.lull('shadow', recording())).stdout}`);
    const seen = exchanged(await story.observer.timeline()).taken.map(({ name }) => name);
    expect(taken.map(({ node }) => node).toSorted()).toEqual(seen.toSorted());
    expect(summary).toMatchObject({ taken: 3, notAsked: 0 });
    expect(summary.held).toBeGreaterThan(0);
    // Two zones at a time, and more than the limit.
    const { NotItsTurn = 0, AnotherDomainInFlight = 0, BudgetSpent = 0 } = summary.byCode;
    expect(NotItsTurn + AnotherDomainInFlight).toBeGreaterThan(0);
    expect(BudgetSpent).toBeGreaterThan(0);
    const pool = summary.atOnce.find(({ topologyKey }) => topologyKey === undefined);
    expect(pool?.limit).toBe(1);
    expect(pool?.nodes).toBeGreaterThan(1);
    expect(pool?.zones?.length).toBeGreaterThan(1);
  });
});
