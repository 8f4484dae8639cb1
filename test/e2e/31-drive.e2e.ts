// A new image in drive, beside Karpenter: it rolls zone by zone, with replacements that Karpenter adopts.
import { expect, it } from 'vitest';
import { exchanged } from './observer/checks.ts';
import { flawsOf } from './observer/flaws.ts';
import { narrate } from './observer/narrate.ts';
import { evictedTwice, lullUser } from './story/audit.ts';
import type { KubeObject } from './story/hand.ts';
import type { RunningLull } from './story/lull.ts';
import { nodepool, pdb } from './story/objects.ts';
import { claimsOf, grow, oneByOne, type Roll, release, runningPods } from './story/roll.ts';
import { describeStory } from './story/story.ts';

/** Fields that a claim may inherit from a template. */
const template = {
  metadata: { annotations: { team: 'shop' } },
  spec: { terminationGracePeriod: '1h', taints: [{ key: 'shop', value: 'yes', effect: 'PreferNoSchedule' }] },
};

/** One on every node: a new node needs room for it too. */
const agent = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'agent', namespace: 'default' },
  spec: {
    selector: { matchLabels: { app: 'agent' } },
    template: {
      metadata: { labels: { app: 'agent' } },
      spec: {
        tolerations: [{ key: 'shop', operator: 'Exists' }],
        containers: [{ name: 'main', image: 'example.com/agent:1', resources: { requests: { cpu: '100m' } } }],
      },
    },
  },
};

describeStory('drive', { install: ['--set', 'role=drive'] }, (story) => {
  let lull: RunningLull;
  let roll: Roll;

  it('six nodes in three zones, created by Karpenter, which does not disrupt them', async () => {
    const parts = { budgets: oneByOne, karpenterBudgets: [{ nodes: '0' }], expireAfter: '720h' };
    await story.apply(agent, nodepool(parts));
    await story.patch('NodePool', 'web', { spec: { template } });
    await grow(story, parts, 6);
    // For the last step: Karpenter does not disrupt a node that it has just nominated for pods.
    await grow(story, { name: 'other' }, 1);
    await story.apply(pdb('web', { minAvailable: 5 }));
    lull = await story.startLull({ role: 'drive' });
  });

  it('the roll ends, and the observer saw zone after zone, one node at a time, nothing twice and no PDB violated', async () => {
    roll = await release(story, 'two');
    await story.until('all six nodes are new, and their pods run', () => roll.isDone(), { within: 240 });
    const timeline = await story.observer.timeline();
    story.say(`What the observer saw:\n${narrate(timeline, roll.since)}`);
    expect(flawsOf(timeline, 6)).toEqual([]);
  });

  it('N1: Lull acted itself: it created and deleted the claims and evicted each pod once, and nothing was refused', () => {
    const asked = story.audit().filter(({ at }) => Date.parse(at) >= roll.since);
    const done = (verb: string, resource: string) =>
      asked.filter((it) => it.verb === verb && it.resource === resource && it.code < 300);
    const users = (verb: string, resource: string) => new Set(done(verb, resource).map(({ user }) => user));
    expect(users('create', 'nodeclaims')).toEqual(new Set([lullUser]));
    expect(users('create', 'pods/eviction')).toEqual(new Set([lullUser]));
    expect(done('create', 'nodeclaims')).toHaveLength(6);
    // The fake provider of this Karpenter deletes a claim a second time, to end its instance.
    const deletions = Map.groupBy(done('delete', 'nodeclaims'), ({ name }) => name);
    expect(new Set(deletions.keys())).toEqual(roll.old);
    expect([...deletions.values()].map(([first]) => first?.user)).toEqual(Array(6).fill(lullUser));
    expect(evictedTwice(asked)).toEqual([]);
    expect(asked.filter(({ user, decision }) => user === lullUser && decision === 'forbid')).toEqual([]);
  });

  it('N6: a replacement has the same fields as a claim created by Karpenter', async () => {
    await lull.kill();
    const [made] = (await claimsOf(story)).filter(({ metadata }) => !roll.old.has(metadata.name));
    const before = new Set((await claimsOf(story)).map(({ metadata }) => metadata.name));
    await story.patch('Deployment', 'web', { spec: { replicas: 7 } });
    const own = await story.until('Karpenter creates a seventh', async () =>
      (await claimsOf(story)).find(({ metadata, status }) => !before.has(metadata.name) && status?.nodeName),
    );
    await story.until('its pod runs', async () => (await runningPods(story)).length === 7);
    expect(carried(made as KubeObject)).toEqual(carried(own));
  });

  it('Karpenter accepts them: free to disrupt, it replaces drifted nodes and nothing else', async () => {
    const kept = new Set((await claimsOf(story)).map(({ metadata }) => metadata.name));
    await story.patch('NodePool', 'web', { spec: { disruption: { budgets: [{ nodes: '10%' }] } } });
    const other = await release(story, 'two', 'other');
    await story.until('the node of the other pool is new', () => other.isDone(), { within: 120 });
    const web = await claimsOf(story);
    expect(new Set(web.map(({ metadata }) => metadata.name))).toEqual(kept);
    const conditions = web.flatMap(({ status }) => status.conditions);
    expect(conditions.filter(({ type, status }) => type === 'Drifted' && status === 'True')).toEqual([]);
    expect(exchanged(await story.observer.timeline(), { pool: 'web' }).taken).toHaveLength(6);
  });
});

/**
 * Without what differs between claims (names, zone), Lull's own mark, and what Karpenter writes only for a
 * metric. Karpenter repeats labels as requirements, and writes 1h as 1h0m0s and 1073741824 as 1Gi.
 */
function carried({ metadata, spec }: KubeObject): object {
  const { annotations = {}, labels = {}, ownerReferences, finalizers } = metadata;
  const notes = new Set(['lull.dev/command', 'karpenter.sh/nodeclaim-min-values-relaxed']);
  const { requirements, resources, terminationGracePeriod, ...rest } = spec;
  const own = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'];
  return {
    annotations: Object.fromEntries(Object.entries(annotations).filter(([key]) => !notes.has(key))),
    labels: Object.fromEntries(Object.entries(labels).filter(([key]) => !own.includes(key))),
    ownerReferences,
    finalizers,
    spec: rest,
    unlabelled: (requirements as Requirement[]).filter((it) => !isLabel(it, labels)),
    requests: { ...resources.requests, memory: resources.requests.memory.replace(/^1073741824$/, '1Gi') },
    terminationGracePeriod: terminationGracePeriod.replace(/^1h$/, '1h0m0s'),
  };
}

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

const isLabel = ({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean =>
  operator === 'In' && values?.length === 1 && labels[key] === values[0];
