import { describe, expect, it } from 'vitest';
import type { Request } from '../../runtime/port.ts';
import { minute, second } from '../../time/instant.ts';
import type { StoryEvent } from './event.ts';
import { claim, command, node, openStage, pod, withTrue } from './stage.ts';

const brief = ({ kind, text }: StoryEvent): string => `${kind}: ${text}`;
const zoneKey = 'topology.kubernetes.io/zone';
const turn = (domain: string | undefined, more: object = {}) => ({
  pool: 'web',
  topologyKey: zoneKey,
  ...(domain !== undefined && { domain }),
  takenAt: `turn of ${domain}`,
  ...more,
});

describe('L6: the ledger tells who is chosen, who is released, and whose turn it is', () => {
  it.each<{ name: string; before: object[]; now: object[]; told: string[] }>([
    {
      name: 'a new command chooses its node',
      before: [],
      now: [command('c1', 'web-1')],
      told: ['NodeChosen: web-1 is chosen: Drifted, and its pods fit elsewhere.'],
    },
    {
      name: 'one with a replacement says so',
      before: [],
      now: [command('c1', 'web-1', { replacements: [{ name: 'c1-0' }] })],
      told: ['NodeChosen: web-1 is chosen: Drifted, to be replaced first.'],
    },
    {
      name: 'a step forward says nothing',
      before: [command('c1', 'web-1')],
      now: [command('c1', 'web-1', { step: 'draining' })],
      told: [],
    },
    {
      name: 'a command that is released says why',
      before: [command('c1', 'web-1')],
      now: [command('c1', 'web-1', { step: 'released', why: 'window night has closed.' })],
      told: ['NodeReleased: web-1 is released and stays: window night has closed.'],
    },
    {
      name: 'and is released once',
      before: [command('c1', 'web-1', { step: 'released' })],
      now: [],
      told: [],
    },
    {
      name: 'a command that is struck out while its node stays is released',
      before: [command('c1', 'web-1', { step: 'chosen' })],
      now: [],
      told: ['NodeReleased: web-1 is released and stays.'],
    },
    { name: 'one that is struck out with its node gone is over', before: [command('c1', 'web-9')], now: [], told: [] },
    {
      name: 'one that is found released was never chosen',
      before: [],
      now: [command('c1', 'web-1', { step: 'released' })],
      told: [],
    },
  ])('$name', ({ before, now, told }) => {
    const { objects, story, writeLedger } = openStage();
    objects.create(node('web-1'), 'test');
    writeLedger(before);
    const known = story.events.length;
    writeLedger(now);
    expect(story.events.slice(known).map(brief)).toEqual(told);
  });

  it.each<{ name: string; before: object[]; now: object[]; told: string[] }>([
    { name: 'a turn is taken', before: [], now: [turn('a')], told: ['TurnTaken: Zone a of pool web takes its turn.'] },
    {
      name: 'a turn passes to the next',
      before: [turn('a')],
      now: [turn('b')],
      told: [
        'TurnPassed: Zone a of pool web passes its turn: it is done and well.',
        'TurnTaken: Zone b of pool web takes its turn.',
      ],
    },
    {
      name: 'a turn passes with something left behind',
      before: [turn('a')],
      now: [turn('b', { passedOver: ['a'] })],
      told: [
        'TurnPassed: Zone a of pool web passes its turn: what is left there does not move.',
        'TurnTaken: Zone b of pool web takes its turn.',
      ],
    },
    {
      name: 'a turn is passed by hand',
      before: [turn('a', { passAsked: 'now' })],
      now: [],
      told: ['TurnPassed: Zone a of pool web passes its turn: somebody asked for it.'],
    },
    {
      name: 'C14: those without the label are a domain too',
      before: [],
      now: [turn(undefined)],
      told: ['TurnTaken: What has no zone of pool web takes its turn.'],
    },
    {
      name: 'a domain of another label is called by it',
      before: [],
      now: [{ ...turn('7'), topologyKey: 'example.com/rack' }],
      told: ['TurnTaken: Rack 7 of pool web takes its turn.'],
    },
    { name: 'a turn that goes on says nothing', before: [turn('a')], now: [turn('a', { wellSince: 'now' })], told: [] },
  ])('C11: $name', ({ before, now, told }) => {
    const { story, writeLedger } = openStage();
    writeLedger([], before);
    const known = story.events.length;
    writeLedger([], now);
    expect(story.events.slice(known).map(brief)).toEqual(told);
  });
});

describe('L6: nodes and claims tell the rest', () => {
  it('from the taint to the end', () => {
    const { objects, story, writeLedger, until } = openStage();
    objects.create(node('web-1'), 'test');
    objects.create(claim('web-1'), 'test');
    writeLedger([command('c1', 'web-1', { replacements: [{ name: 'c1-0' }] })]);
    objects.write('Node', 'web-1', 'lull-1', (it) => ({
      ...it,
      spec: { taints: [{ key: 'lull.dev/disrupted', value: 'c1', effect: 'NoSchedule' }] },
    }));
    objects.create(claim('c1-0', { command: 'c1' }), 'lull-1');
    until(42 * second);
    objects.write('NodeClaim', 'c1-0', 'karpenter', (it) => withTrue(it, 'Initialized'));
    objects.write('NodeClaim', 'web-1', 'karpenter', (it) => withTrue(it, 'InstanceTerminating'));
    until(minute);
    objects.delete('Node', 'web-1', 'karpenter');
    expect(story.events.slice(1).map(brief)).toEqual([
      'NodeChosen: web-1 is chosen: Drifted, to be replaced first.',
      'NodeTainted: web-1 takes no new pods.',
      'ReplacementLaunched: c1-0 is launched to replace web-1.',
      'ReplacementReady: c1-0 is ready after 42s.',
      'NodeTerminating: The machine of web-1 is given back.',
      'NodeGone: web-1 is gone, 1m after it was chosen.',
    ]);
    expect(story.events.at(-1)).toMatchObject({
      node: 'web-1',
      pool: 'web',
      domain: 'a',
      reason: 'Drifted',
      command: 'c1',
    });
  });

  it('a claim that is nobody’s replacement is launched for itself', () => {
    const { objects, story } = openStage();
    objects.create(claim('web-x'), 'karpenter');
    objects.write('NodeClaim', 'web-x', 'karpenter', (it) => withTrue(it, 'Initialized'));
    expect(story.events.map(brief)).toEqual([
      'NodeLaunched: web-x is launched.',
      'NodeReady: web-x is ready after 0s.',
    ]);
  });

  it('a node that falls silent is told once', () => {
    const { objects, story } = openStage();
    objects.create(node('web-1'), 'test');
    objects.write('Node', 'web-1', 'kubelet', (it) => ({
      ...it,
      status: { conditions: [{ type: 'Ready', status: 'Unknown' }] },
    }));
    objects.write('Node', 'web-1', 'kubelet', (it) => ({
      ...it,
      metadata: { ...it.metadata, annotations: { a: 'b' } },
    }));
    expect(story.events.map(brief)).toEqual(['NodeNotReady: web-1 is not Ready any more.']);
  });
});

describe('L6: a pod that ends is told by the request that ended it', () => {
  const evict: Request = { verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'web-x', command: 'c1' };
  const remove: Request = {
    verb: 'delete',
    kind: 'Pod',
    namespace: 'shop',
    name: 'web-x',
    graceSeconds: 20,
    command: 'c1',
  };

  function setTheStage() {
    const stage = openStage();
    stage.objects.create(node('web-1', 'b'), 'test');
    stage.objects.create(pod('web-x', 'web-1'), 'test');
    return stage;
  }

  it.each([
    { name: 'an eviction', request: evict, kind: 'PodEvicted', text: 'shop/web-x is evicted from web-1.' },
    {
      name: 'a deletion',
      request: remove,
      kind: 'PodDeleted',
      text: 'shop/web-x is deleted from web-1 with 20s to end: its time is up.',
    },
  ])('$name', ({ request, kind, text }) => {
    const { story, objects } = setTheStage();
    story.during(request, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'lull-1'));
    expect(story.events).toMatchObject([
      { kind, text, node: 'web-1', pool: 'web', domain: 'b', pod: 'shop/web-x', command: 'c1' },
    ]);
  });

  it('what others delete is not told as Lull’s', () => {
    const { story, objects } = setTheStage();
    objects.delete('Pod', 'shop/web-x', 'replicaset');
    expect(story.events).toEqual([]);
  });

  it('what others do while Lull’s request is carried out is not told as Lull’s', () => {
    const { story, objects } = setTheStage();
    story.during(evict, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'kubelet'));
    expect(story.events).toEqual([]);
  });

  it('a pod that ends already is not told again', () => {
    const { story, objects } = setTheStage();
    story.during(evict, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'lull-1'));
    story.during(remove, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'lull-1', { graceSeconds: 1 }));
    expect(story.events).toHaveLength(1);
  });
});
