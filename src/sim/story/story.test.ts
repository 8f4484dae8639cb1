// Story events from changes of objects.
import { describe, expect, it } from 'vitest';
import { claim, command, node, openStage, pod, withTrue } from '../../../test/sim/storyStage.ts';
import type { ApiRequest } from '../../runtime/port.ts';
import { minute, second } from '../../time/instant.ts';
import type { StoryEvent } from './storyEvent.ts';

const brief = ({ kind, text }: StoryEvent): string => `${kind}: ${text}`;
const zoneKey = 'topology.kubernetes.io/zone';
const turn = (domain: string | undefined, more: object = {}) => ({
  pool: 'web',
  topologyKey: zoneKey,
  ...(domain !== undefined && { domain }),
  takenAt: `turn of ${domain}`,
  ...more,
});

describe('L6: events from the ledger: nodes chosen, nodes released and turns', () => {
  it.each<{ name: string; before: object[]; now: object[]; told: string[] }>([
    {
      name: 'a new command chooses its node',
      before: [],
      now: [command('c1', 'web-1')],
      told: ['NodeChosen: web-1 is chosen (Drifted); its pods fit on other nodes.'],
    },
    {
      name: 'one with a replacement mentions it',
      before: [],
      now: [command('c1', 'web-1', { replacements: [{ name: 'c1-0' }] })],
      told: ['NodeChosen: web-1 is chosen (Drifted); one replacement is launched first.'],
    },
    {
      name: 'a step forward has no event',
      before: [command('c1', 'web-1')],
      now: [command('c1', 'web-1', { step: 'draining' })],
      told: [],
    },
    {
      name: 'a command that is released has its reason',
      before: [command('c1', 'web-1')],
      now: [command('c1', 'web-1', { step: 'released', why: 'window night has closed.' })],
      told: ['NodeReleased: web-1 is released: window night has closed.'],
    },
    {
      name: 'and is released once',
      before: [command('c1', 'web-1', { step: 'released' })],
      now: [],
      told: [],
    },
    {
      name: 'a command that is removed while its node stays is released',
      before: [command('c1', 'web-1', { step: 'chosen' })],
      now: [],
      told: ['NodeReleased: web-1 is released.'],
    },
    {
      name: 'one that is removed with its node gone has no event',
      before: [command('c1', 'web-9')],
      now: [],
      told: [],
    },
    {
      name: 'one that is already released when first seen has no event',
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
    { name: 'a turn is taken', before: [], now: [turn('a')], told: ['TurnTaken: Zone a of pool web takes the turn.'] },
    {
      name: 'a turn passes to the next',
      before: [turn('a')],
      now: [turn('b')],
      told: [
        'TurnPassed: Zone a of pool web passes the turn: done and healthy.',
        'TurnTaken: Zone b of pool web takes the turn.',
      ],
    },
    {
      name: 'a turn passes with something left behind',
      before: [turn('a')],
      now: [turn('b', { passedOver: ['a'] })],
      told: [
        'TurnPassed: Zone a of pool web passes the turn: its remaining nodes cannot be disrupted.',
        'TurnTaken: Zone b of pool web takes the turn.',
      ],
    },
    {
      name: 'a turn is passed by hand',
      before: [turn('a', { passAsked: '2026-03-10T12:00:00Z' })],
      now: [],
      told: ['TurnPassed: Zone a of pool web passes the turn: requested by a user.'],
    },
    {
      name: 'C14: those without the label are a domain too',
      before: [],
      now: [turn(undefined)],
      told: ['TurnTaken: The nodes of pool web without a zone take the turn.'],
    },
    {
      name: 'a domain of another label is called by it',
      before: [],
      now: [{ ...turn('7'), topologyKey: 'example.com/rack' }],
      told: ['TurnTaken: Rack 7 of pool web takes the turn.'],
    },
    {
      name: 'a turn that continues has no event',
      before: [turn('a')],
      now: [turn('a', { wellSince: 'now' })],
      told: [],
    },
  ])('C11: $name', ({ before, now, told }) => {
    const { story, writeLedger } = openStage();
    writeLedger([], before);
    const known = story.events.length;
    writeLedger([], now);
    expect(story.events.slice(known).map(brief)).toEqual(told);
  });
});

describe('P3: events from rolls', () => {
  it('a wave that begins, and no other change of a roll', () => {
    const { story, writeLedger } = openStage();
    const roll = { pool: 'web', startedAt: '2026-03-10T12:00:00Z', counted: 9, done: 0, wave: 0 };
    writeLedger([], [], [roll]);
    writeLedger([], [], [{ ...roll, done: 1 }]);
    writeLedger([], [], [{ ...roll, done: 1, wave: 1 }]);
    writeLedger([], [], [{ ...roll, done: 1, wave: 1, haltedAt: '2026-03-10T12:30:00Z' }]);
    expect(story.events.map(brief)).toEqual([
      'WaveBegun: A new roll of pool web begins.',
      'WaveBegun: Wave 2 of pool web begins: 1 of 9 nodes replaced and healthy.',
      'RollHalted: The roll of pool web is halted: replacements in a row failed.',
    ]);
  });
});

describe('L6: events from nodes and claims', () => {
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
      'NodeChosen: web-1 is chosen (Drifted); one replacement is launched first.',
      'NodeTainted: web-1 is tainted and takes no new pods.',
      'ReplacementLaunched: c1-0 is launched to replace web-1.',
      'ReplacementReady: c1-0 is ready after 42s.',
      'NodeTerminating: The instance of web-1 is being terminated.',
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

  it('a claim that replaces no node is reported as launched', () => {
    const { objects, story } = openStage();
    objects.create(claim('web-x'), 'karpenter');
    objects.write('NodeClaim', 'web-x', 'karpenter', (it) => withTrue(it, 'Initialized'));
    expect(story.events.map(brief)).toEqual([
      'NodeLaunched: web-x is launched.',
      'NodeReady: web-x is ready after 0s.',
    ]);
  });

  it.each([
    { name: 'a static pool', spec: { replicas: 2 }, isStatic: true },
    { name: 'another pool', spec: {}, isStatic: undefined },
  ])('a claim of $name is marked as such', ({ spec, isStatic }) => {
    const { objects, story } = openStage();
    objects.create({ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', metadata: { name: 'web' }, spec }, 'test');
    objects.create(claim('web-x'), 'karpenter');
    expect(story.events.at(-1)?.isStatic).toBe(isStatic);
  });

  it('a node that becomes NotReady is reported once', () => {
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
    expect(story.events.map(brief)).toEqual(['NodeNotReady: web-1 becomes NotReady.']);
  });
});

describe('L6: a pod that ends is reported with the request that ended it', () => {
  const evict: ApiRequest = { verb: 'evict', kind: 'Pod', namespace: 'shop', name: 'web-x', command: 'c1' };
  const remove: ApiRequest = {
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
      text: 'shop/web-x is deleted from web-1 at its deadline with a grace period of 20s.',
    },
  ])('$name', ({ request, kind, text }) => {
    const { story, objects } = setTheStage();
    story.during(request, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'lull-1'));
    expect(story.events).toMatchObject([
      { kind, text, node: 'web-1', pool: 'web', domain: 'b', pod: 'shop/web-x', command: 'c1' },
    ]);
  });

  it('a deletion by others is not reported as Lull’s', () => {
    const { story, objects } = setTheStage();
    objects.delete('Pod', 'shop/web-x', 'replicaset');
    expect(story.events).toEqual([]);
  });

  it('a deletion by others during Lull’s request is not reported as Lull’s', () => {
    const { story, objects } = setTheStage();
    story.during(evict, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'kubelet'));
    expect(story.events).toEqual([]);
  });

  it('a pod that is already ending is not reported again', () => {
    const { story, objects } = setTheStage();
    story.during(evict, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'lull-1'));
    story.during(remove, 'lull-1', () => objects.delete('Pod', 'shop/web-x', 'lull-1', { graceSeconds: 1 }));
    expect(story.events).toHaveLength(1);
  });
});
