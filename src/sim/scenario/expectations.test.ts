import { describe, expect, it } from 'vitest';
import { Findings, nowhere } from '../../kinds/findings.ts';
import { type Json, Reader } from '../../kinds/reader.ts';
import { after, hour, minute } from '../../time/instant.ts';
import type { KubeObject } from '../kubeObject.ts';
import type { StoryEvent } from '../story/event.ts';
import { claim, command, node, openStage, pod, start } from '../story/stage.ts';
import { readExpectations } from './readExpectations.ts';

type Stage = ReturnType<typeof openStage>;

/** Reads one expectation, plays, and asks what is broken and what is missing: their numbers. */
function judge(entry: Json, play: (stage: Stage) => void): { broken: number; missing: number; text: string } {
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
  const scene = { ...stage, from: start, to: after(start, hour), onEvent: stage.story.onEvent.bind(stage.story) };
  const verdict = expectation?.watch(scene);
  play(stage);
  const { broken, missing } = verdict?.() ?? { broken: ['no verdict'], missing: [] };
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
const renew = ({ objects }: Stage): void => {
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
const tell =
  (event: Partial<StoryEvent>) =>
  ({ story }: Stage): void =>
    story.tell({ kind: 'NodeGone', text: 'so it was', ...event } as StoryEvent);
const wait =
  (elapsed: number) =>
  (stage: Stage): void =>
    stage.until(elapsed);
const none = { broken: 0, missing: 0 };

describe('An expectation', () => {
  it.each<{ name: string; entry: Json; play: ((stage: Stage) => void)[]; found: { broken: number; missing: number } }>([
    { name: 'finished: a pool whose claims are of today', entry: { finished: { pool: 'web' } }, play: [], found: none },
    {
      name: 'finished: not while they are of yesterday',
      entry: { finished: { pool: 'web' } },
      play: [release],
      found: { broken: 0, missing: 1 },
    },
    { name: 'finished: when they are new', entry: { finished: { pool: 'web' } }, play: [release, renew], found: none },
    {
      name: 'finished: not while one is leaving',
      entry: { finished: { pool: 'web' } },
      play: [take('web-1')],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'finished: by a time that has passed it is too late',
      entry: { finished: { pool: 'web', by: '10m' } },
      play: [release, wait(11 * minute), renew],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'finished: in time',
      entry: { finished: { pool: 'web', by: '10m' } },
      play: [release, wait(9 * minute), renew, wait(11 * minute)],
      found: none,
    },
    {
      name: 'neverMore: as many',
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
      name: 'neverMore: one more elsewhere does not count',
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
      name: 'oneDomainAtATime: two at once',
      entry: { oneDomainAtATime: { pool: 'web' } },
      play: [take('web-1', 'web-3')],
      found: { broken: 1, missing: 0 },
    },
    { name: 'stays: a node', entry: { stays: { node: 'web-1' } }, play: [taint('web-2')], found: none },
    {
      name: 'stays: a node that is taken',
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
      name: 'halted: where it began',
      entry: { halted: { pool: 'web', domain: 'a' } },
      play: [take('web-1')],
      found: none,
    },
    {
      name: 'halted: before it began',
      entry: { halted: { pool: 'web', domain: 'a' } },
      play: [],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'halted: not at all',
      entry: { halted: { pool: 'web', domain: 'a' } },
      play: [take('web-1'), take('web-3')],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'noEviction: of others',
      entry: { noEviction: { namespace: 'shop', name: 'web' } },
      play: [evict],
      found: none,
    },
    {
      name: 'noEviction: of one of them',
      entry: { noEviction: { namespace: 'shop', name: 'train-' } },
      play: [evict],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'movedOnlyIn: in it',
      entry: { movedOnlyIn: { namespace: 'shop', windows: [{ from: '10m', to: '20m' }] } },
      play: [wait(10 * minute), evict],
      found: none,
    },
    {
      name: 'movedOnlyIn: as it ends',
      entry: { movedOnlyIn: { namespace: 'shop', windows: [{ from: '10m', to: '20m' }] } },
      play: [wait(20 * minute), evict],
      found: { broken: 1, missing: 0 },
    },
    { name: 'event: as many', entry: { event: { kind: 'NodeGone', count: 1 } }, play: [tell({})], found: none },
    {
      name: 'event: too few',
      entry: { event: { kind: 'NodeGone', count: 2 } },
      play: [tell({})],
      found: { broken: 0, missing: 1 },
    },
    {
      name: 'event: too many',
      entry: { event: { kind: 'NodeGone', count: 0 } },
      play: [tell({})],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'event: too few when the time is over',
      entry: { event: { kind: 'NodeGone', atLeast: 1, before: '10m' } },
      play: [wait(10 * minute), tell({})],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'event: with these fields',
      entry: { event: { kind: 'NodeGone', domain: 'a', reason: 'Drifted', count: 1 } },
      play: [tell({ domain: 'a', reason: 'Drifted' }), tell({ domain: 'b', reason: 'Drifted' }), tell({ domain: 'a' })],
      found: none,
    },
    {
      name: 'event: none',
      entry: { event: { kind: 'NodeGone', none: true } },
      play: [tell({})],
      found: { broken: 1, missing: 0 },
    },
    {
      name: 'event: not before its time',
      entry: { event: { kind: 'NodeGone', none: true, after: '10m' } },
      play: [tell({})],
      found: none,
    },
    { name: 'atRest: when nothing is left', entry: { atRest: true }, play: [take('web-1'), take()], found: none },
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
    expect(judge(entry, (stage) => play.forEach((act) => void act(stage)))).toMatchObject(found);
  });

  it('says what it expected and what it got', () => {
    const { text } = judge({ neverMore: { pool: 'web', nodes: 1 } }, take('web-1', 'web-2'));
    expect(text).toBe(
      'Never more than 1 nodes of pool web go at once. But at 2026-11-16T08:00:00Z it is web-1, web-2.',
    );
  });

  it('does not repeat itself without end', () => {
    const { broken } = judge({ noEviction: { namespace: 'shop' } }, (stage) => {
      for (let index = 0; index < 50; index++) evictNamed(stage, `pod-${index}`);
    });
    expect(broken).toBe(6);
  });
});

function evictNamed({ story, objects }: Stage, name: string): void {
  objects.create(pod(name, 'web-1'), 'test');
  story.during({ verb: 'evict', kind: 'Pod', name }, 'lull-1', () => objects.delete('Pod', `shop/${name}`, 'lull-1'));
}
