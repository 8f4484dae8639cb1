// Karpenter's own CRD is applied again and erases Lull's fields (N9): Lull continues from its copy, and reports it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { crds } from '../cluster/places.ts';
import { moreThan } from './observer/checks.ts';
import { narrate } from './observer/narrate.ts';
import { emptiedTooEarly, takesOf } from './observer/takes.ts';
import type { ClaimLine, NodeLine, Timeline } from './observer/timeline.ts';
import type { KubeObject } from './story/hand.ts';
import type { RunningLull } from './story/lull.ts';
import { nodepool } from './story/objects.ts';
import { grow, oneByOne } from './story/roll.ts';
import { describeStory } from './story/story.ts';

const nodePools = 'nodepools.karpenter.sh';
const copy = 'lull.dev/budgets-seen';
const lifetime = 25;

describeStory('stock-crd', { install: ['--set', 'role=guide', '--patch-nodepool-crd'] }, (story) => {
  let lull: RunningLull;
  let erasedAt = 0;

  const pool = async (name = 'web'): Promise<KubeObject | undefined> => story.read('NodePool', name);
  const seen = async (): Promise<string | undefined> => (await pool())?.metadata.annotations?.[copy];

  /** As an upgrade of Karpenter does. */
  const applyStock = async (): Promise<void> => {
    const file = readdirSync(crds).find((name) => name.includes('nodepools')) ?? '';
    const stock: KubeObject = parse(readFileSync(join(crds, file), 'utf8'));
    const resourceVersion = (await story.read('CustomResourceDefinition', nodePools))?.metadata.resourceVersion;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${nodePools}`;
    const body = { ...stock, metadata: { ...stock.metadata, resourceVersion } };
    await story.cluster.api.must({ method: 'PUT', path, body });
  };

  it("with the patched CRD a pool's spec has an age limit; nodes are replaced at that age, and Lull keeps a copy", async () => {
    const parts = { zones: ['test-zone-a', 'test-zone-b'], budgets: [{ nodes: '1' }] };
    await grow(story, { ...parts, disruption: { expireAfter: `${lifetime}s` } }, 2);
    lull = await story.startLull({ role: 'guide' });
    await story.until('the copy exists', seen);
    expect(JSON.parse((await seen()) ?? '{}')).toMatchObject({ expireAfter: `${lifetime}s` });
    await story.until('one is gone', async () => gone(await story.observer.timeline(), 0).length > 0, { within: 180 });
  });

  it('N4: a field that Karpenter would misread is a fault of that pool only, and the message says where it belongs', async () => {
    await story.apply(nodepool({ name: 'zones', karpenterBudgets: oneByOne }));
    const ready = await story.until('the fault is reported', async () => {
      const conditions: KubeObject[] = (await pool('zones'))?.status?.conditions ?? [];
      const its = conditions.find(({ type }) => type === 'LullReady');
      return its?.reason === 'PoolFault' && its;
    });
    expect(ready.message).toMatch(/spec\.disruption\.budgets\[0\]\.topologyKey.*annotation lull\.dev\/budgets/);
    await story.remove('NodePool', 'zones');
  });

  it('the stock CRD is applied again, and the next write to the pool erases the field for good', async () => {
    await applyStock();
    await story.until('the field is gone', async () => {
      await story.patch('NodePool', 'web', { metadata: { labels: { touched: String(Date.now()) } } });
      return (await pool())?.spec.disruption.expireAfter === undefined;
    });
    erasedAt = Date.now();
    expect(await seen()).toContain(`"expireAfter":"${lifetime}s"`);
  });

  it('N9: Lull reports it, and new nodes are still replaced at that age', async () => {
    const told = await story.until('the loss is reported', async () =>
      (await story.list('Event')).find(
        (it) => it.source?.component === 'lull' && it.involvedObject.name === 'web' && it.message.includes(copy),
      ),
    );
    expect(told.message).toContain('has lost the fields that only the patched CRD stores');
    await story.until(
      'one that was created since is gone',
      async () => gone(await story.observer.timeline(), erasedAt).length > 0,
      { within: 240 },
    );
    expect((await pool())?.spec.disruption.expireAfter).toBeUndefined();
  });

  it('the copy is deleted, as the warning suggests: nodes no longer expire', async () => {
    await story.patch('NodePool', 'web', { metadata: { annotations: { [copy]: null } } });
    await story.until(
      'no node is to be disrupted',
      async () => {
        const { verdicts, commands } = JSON.parse((await lull.get('/api/round')).text) as Record<string, unknown[]>;
        return verdicts?.length === 0 && commands?.length === 0;
      },
      { within: 180 },
    );
    expect(await seen()).toBeUndefined();
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, erasedAt)}`);
    expect(moreThan(1, timeline)).toEqual([]);
    expect(emptiedTooEarly(timeline)).toEqual([]);
    // Ages are reported in whole seconds.
    expect(agesWhenTaken(timeline).filter((age) => age < lifetime - 1)).toEqual([]);
  });
});

/** Nodes that were created after that moment, taken, and are gone. */
function gone(timeline: Timeline, since: number): readonly NodeLine[] {
  const taken = new Set(takesOf(timeline).map(({ uid }) => uid));
  const nodes = timeline.lines.filter((line): line is NodeLine => line.kind === 'Node' && taken.has(line.uid));
  const born = new Set(nodes.filter(({ what, at }) => what === 'appeared' && at > since).map(({ uid }) => uid));
  return nodes.filter(({ what, uid }) => what === 'gone' && born.has(uid));
}

function agesWhenTaken(timeline: Timeline): number[] {
  const claims = timeline.lines.filter((line): line is ClaimLine => line.kind === 'NodeClaim');
  return takesOf(timeline).map(({ name, at }) => {
    const created = claims.find(({ node }) => node === name)?.created ?? '';
    return (at - Date.parse(created)) / 1000;
  });
}
