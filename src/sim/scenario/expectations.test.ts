// Expectations of scenarios: when each is met, broken or missing.
import { describe, expect, it } from 'vitest';
import { claim, command, node, openStage, pod, start } from '../../../test/sim/storyStage.ts';
import { Findings, nowhere } from '../../kinds/read/findings.ts';
import { type Json, Reader } from '../../kinds/read/reader.ts';
import { after, hour, minute } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { StoryEvent } from '../story/storyEvent.ts';
import { readExpectations } from './readScenario.ts';

type Stage = ReturnType<typeof openStage>;

/** Reads one expectation, plays, and counts what is broken and what is missing. */
function check(entry: Json, play: (stage: Stage) => void): { broken: number; missing: number; text: string } {
  const findings = new Findings(() => 'Scenario/test', 'error', nowhere);
  const context = { from: start, pools: ['web'] };
  const [expectation] = readExpectations(new Reader({ expect: [entry] }, findings), context);
  expect(findings.faults).toEqual([]);
  const stage = openStage();
  stage.objects.create(pool, 'test');
  for (const [name, zone] of nodes) {
    stage.objects.create(node(name, zone), 'test');
    stage.objects.create(withImage(claim(name), 'v1'), 'test');
  }
  const observed = { ...stage, from: start, to: after(start, hour), onEvent: stage.story.onEvent.bind(stage.story) };
  const result = expectation?.watch(observed);
  play(stage);
  const { broken, missing } = result?.() ?? { broken: ['no expectation'], missing: [] };
  return { broken: broken.length, missing: missing.length, text: [...broken, ...missing].join(' ') };
}

const nodes = [
  ['web-1', 'a'],
  ['web-2', 'a'],
  ['web-3', 'b'],
] as const;

const pool: KubeObject = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'web' },
  spec: { template: { metadata: { labels: { image: 'v1' } } } },
};

const withImage = (object: KubeObject, image: string): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, image } },
});

const release = ({ objects }: Stage): void => {
  objects.write('NodePool', 'web', 'script', (it) => ({
    ...it,
    spec: { template: { metadata: { labels: { image: 'v2' } } } },
  }));
};
const replaceAll = ({ objects }: Stage): void => {
  for (const [name] of nodes) objects.write('NodeClaim', name, 'test', (it) => withImage(it, 'v2'));
};
const take =
  (...names: string[]) =>
  ({ writeLedger }: Stage): void =>
    writeLedger(names.map((name) => command(`c-${name}`, name)));
const taint =
  (name: string) =>
  (stage: Stage): void => {
    stage.objects.write('Node', name, 'lull-1', (it) => ({
      ...it,
      spec: { taints: [{ key: 'lull.dev/disrupted', value: 'c' }] },
    }));
  };
const evict = ({ story, objects }: Stage): void => {
  objects.create(pod('train-x', 'web-1'), 'test');
  story.during({ verb: 'evict', kind: 'Pod', name: 'train-x' }, 'lull-1', () =>
    objects.delete('Pod', 'shop/train-x', 'lull-1'),
  );
};
const record =
  (event: Partial<StoryEvent>) =>
  ({ story }: Stage): void =>
    story.record({ kind: 'NodeGone', text: 'gone', ...event } as StoryEvent);
const wait =
  (elapsed: number) =>
  (stage: Stage): void =>
    stage.until(elapsed);
const none = { broken: 0, missing: 0 };

describe('An expectation', () => {
  it.each<{ name: string; entry: Json; play: ((stage: Stage) => void)[]; found: { broken: number; missing: number } }>([
    {
      name: 'finished: a pool whose claims match the template',
      entry: { finished: { pool: 'web' } },
      play: [],
      found: none,
    },
    {
      name: 'finished: not while they have an older template',
      entry: { finished: { pool: 'web' } },
      play: [release],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'finished: once all are replaced',
      entry: { finished: { pool: 'web' } },
      play: [release, replaceAll],
      found: none,
    },
    {
      name: 'finished: not while one is being disrupted',
      entry: { finished: { pool: 'web' } },
      play: [take('web-1')],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'finished: broken if finished too late',
      entry: { finished: { pool: 'web', by: '10m' } },
      play: [release, wait(11 * minute), replaceAll],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'finished: in time',
      entry: { finished: { pool: 'web', by: '10m' } },
      play: [release, wait(9 * minute), replaceAll, wait(11 * minute)],
      found: none,
    },
    {
      name: 'neverMore: at the limit',
      entry: { neverMore: { pool: 'web', nodes: 2 } },
      play: [take('web-1', 'web-3')],
      found: none,
    },
    {
      name: 'neverMore: one more',
      entry: { neverMore: { pool: 'web', nodes: 2 } },
      play: [take('web-1', 'web-2', 'web-3')],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'neverMore: one more in a zone',
      entry: { neverMore: { pool: 'web', nodes: 1, domain: 'a' } },
      play: [take('web-1', 'web-2')],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'neverMore: one more in another zone does not count',
      entry: { neverMore: { pool: 'web', nodes: 1, domain: 'a' } },
      play: [take('web-1', 'web-3')],
      found: none,
    },
    {
      name: 'oneDomainAtATime: one',
      entry: { oneDomainAtATime: { pool: 'web' } },
      play: [take('web-1', 'web-2')],
      found: none,
    },
    {
      name: 'oneDomainAtATime: one after the other',
      entry: { oneDomainAtATime: { pool: 'web' } },
      play: [take('web-1'), take('web-3')],
      found: none,
    },
    {
      name: 'oneDomainAtATime: two at a time',
      entry: { oneDomainAtATime: { pool: 'web' } },
      play: [take('web-1', 'web-3')],
      found: { broken: 1, missing: 0 },
    },
    { name: 'stays: a node', entry: { stays: { node: 'web-1' } }, play: [taint('web-2')], found: none },
    {
      name: 'stays: a node that is tainted',
      entry: { stays: { node: 'web-1' } },
      play: [taint('web-1')],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'stays: long enough',
      entry: { stays: { pool: 'web', until: '10m' } },
      play: [wait(10 * minute), taint('web-1')],
      found: none,
    },
    {
      name: 'stays: not long enough',
      entry: { stays: { pool: 'web', until: '10m' } },
      play: [wait(9 * minute), taint('web-1')],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'released: never',
      entry: { released: { node: 'web-1' } },
      play: [take('web-1')],
      found: { broken: 0, missing: 1 },
    },
    { name: 'released: once', entry: { released: { node: 'web-1' } }, play: [take('web-1'), take()], found: none },
    {
      name: 'halted: in the domain that started',
      entry: { halted: { pool: 'web', domain: 'a' } },
      play: [take('web-1')],
      found: none,
    },
    {
      name: 'halted: before the roll starts',
      entry: { halted: { pool: 'web', domain: 'a' } },
      play: [],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'halted: broken when another domain starts',
      entry: { halted: { pool: 'web', domain: 'a' } },
      play: [take('web-1'), take('web-3')],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'noEviction: of other pods',
      entry: { noEviction: { namespace: 'shop', name: 'web' } },
      play: [evict],
      found: none,
    },
    {
      name: 'noEviction: of a matching pod',
      entry: { noEviction: { namespace: 'shop', name: 'train-' } },
      play: [evict],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'movedOnlyIn: within the window',
      entry: { movedOnlyIn: { namespace: 'shop', windows: [{ from: '10m', to: '20m' }] } },
      play: [wait(10 * minute), evict],
      found: none,
    },
    {
      name: 'movedOnlyIn: at the end of the window',
      entry: { movedOnlyIn: { namespace: 'shop', windows: [{ from: '10m', to: '20m' }] } },
      play: [wait(20 * minute), evict],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'event: the exact number',
      entry: { event: { kind: 'NodeGone', count: 1 } },
      play: [record({})],
      found: none,
    },
    {
      name: 'event: too few',
      entry: { event: { kind: 'NodeGone', count: 2 } },
      play: [record({})],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'event: too many',
      entry: { event: { kind: 'NodeGone', count: 0 } },
      play: [record({})],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'event: too few before the deadline',
      entry: { event: { kind: 'NodeGone', atLeast: 1, before: '10m' } },
      play: [wait(10 * minute), record({})],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'event: with these fields',
      entry: { event: { kind: 'NodeGone', domain: 'a', reason: 'Drifted', count: 1 } },
      play: [
        record({ domain: 'a', reason: 'Drifted' }),
        record({ domain: 'b', reason: 'Drifted' }),
        record({ domain: 'a' }),
      ],
      found: none,
    },
    {
      name: 'event: none',
      entry: { event: { kind: 'NodeGone', none: true } },
      play: [record({})],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'event: events before `after` do not count',
      entry: { event: { kind: 'NodeGone', none: true, after: '10m' } },
      play: [record({})],
      found: none,
    },
    { name: 'atRest: nothing left over', entry: { atRest: true }, play: [take('web-1'), take()], found: none },
    {
      name: 'atRest: not with a command',
      entry: { atRest: true },
      play: [take('web-1')],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'atRest: not with a taint',
      entry: { atRest: true },
      play: [taint('web-1')],
      found: { broken: 0, missing: 1 },
    },
  ])('$name', ({ entry, play, found }) => {
    expect(check(entry, (stage) => play.forEach((act) => void act(stage)))).toMatchObject(found);
  });

  it('reports what it expected and what happened', () => {
    const { text } = check({ neverMore: { pool: 'web', nodes: 1 } }, take('web-1', 'web-2'));
    expect(text).toBe('At most 1 node of pool web at a time. But at 2026-11-16T08:00:00Z there were web-1, web-2.');
  });

  it('reports only the first breaches and the number of the others', () => {
    const { broken } = check({ noEviction: { namespace: 'shop' } }, (stage) => {
      for (let index = 0; index < 50; index++) evictNamed(stage, `pod-${index}`);
    });
    expect(broken).toBe(6);
  });
});

function evictNamed({ story, objects }: Stage, name: string): void {
  objects.create(pod(name, 'web-1'), 'test');
  story.during({ verb: 'evict', kind: 'Pod', name }, 'lull-1', () => objects.delete('Pod', `shop/${name}`, 'lull-1'));
}
