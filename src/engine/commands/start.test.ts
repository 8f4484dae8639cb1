import { describe, expect, it } from 'vitest';
import { at, decide, longAgo, machine, noon, type Objects, type Plain, pod, pool, zone } from '../../../test/build.ts';
import type { Command } from '../../cluster/ledger.ts';

const drifted = machine('n1', { drifted: longAgo });
const full = pod('p1', 'n1', { cpu: '3' });

function commandOf(objects: Objects, asking: { at?: string; settings?: Plain } = {}): Command {
  const [command] = decide(objects, asking).commands;
  if (!command) throw new Error('nothing was started');
  return command;
}

describe('G2: a command', () => {
  it('records what it takes, why and since when', () => {
    expect(commandOf([pool(), drifted])).toEqual({
      id: expect.stringMatching(/^drifted-[0-9a-z]{10}$/),
      reason: 'Drifted',
      pool: 'web',
      hands: 'lull',
      nodes: [{ name: 'n1', claim: 'n1-claim' }],
      replacements: [],
      promisedTo: [],
      step: 'tainted',
      startedAt: at(noon),
      stepAt: at(noon),
      podsMoved: 0,
    });
  });

  it('has an id that follows from what it takes: decided twice, it is one', () => {
    const one = commandOf([pool(), drifted]).id;
    expect(commandOf([pool(), machine('x'), drifted]).id).toBe(one);
    expect(commandOf([pool(), drifted], { at: '2026-03-10T12:00:01Z' }).id).not.toBe(one);
    expect(commandOf([pool(), machine('n2', { drifted: longAgo })]).id).not.toBe(one);
    expect(commandOf([pool(), machine('n1', { annotations: { 'lull.dev/rebalance': '' } })]).id).not.toBe(one);
  });

  it('has another id for another node of the same name', () => {
    const [made = {}, claim = {}] = drifted;
    const again = { ...made, metadata: { ...(made.metadata as Plain), uid: 'uid-again' } };
    expect(commandOf([pool(), again, claim]).id).not.toBe(commandOf([pool(), drifted]).id);
  });

  it('names its replacements after itself, so that a repeated create is recognised', () => {
    const { id, replacements } = commandOf([pool(), drifted, full]);
    expect(replacements).toEqual([{ name: `${id}-0`, pool: 'web' }]);
  });

  it('says to whom its pods were promised, each once', () => {
    const { promisedTo } = commandOf([
      pool(),
      drifted,
      pod('a'),
      pod('b'),
      pod('c', 'n1', { cpu: '4' }),
      machine('n2', { allocatable: { cpu: '8' } }),
      machine('n3'),
    ]);
    expect(promisedTo).toEqual(['n2']);
  });

  it('remembers the domain of its node where a sequential budget holds', () => {
    const zoned = machine('n1', { zone: 'a', drifted: longAgo });
    const budgets = (more: Plain = {}) => [{ nodes: '1', topologyKey: zone, sequential: true, ...more }];
    expect(commandOf([pool('web', { budgets: budgets() }), zoned]).nodes).toEqual([
      { name: 'n1', claim: 'n1-claim', domain: 'a' },
    ]);
    const closed = { schedule: '0 1 * * *', duration: '1h' };
    expect(commandOf([pool('web', { budgets: budgets(closed) }), zoned]).nodes).toEqual([
      { name: 'n1', claim: 'n1-claim' },
    ]);
  });
});

describe('G1: the first step', () => {
  const consolidating = pool('web', { consolidateAfter: '0s' });
  const target = [machine('n2'), pod('stay', 'n2', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
  it.each([
    { it: 'graceful consolidation is judged again', objects: [consolidating, machine('n1')], step: 'chosen' },
    { it: 'Underutilized too', objects: [consolidating, machine('n1'), pod(), target], step: 'chosen' },
    { it: 'drift is tainted', objects: [pool(), drifted], step: 'tainted' },
  ])('by our own hands: $it', ({ objects, step }) => {
    expect(commandOf(objects)).toMatchObject({ hands: 'lull', step });
  });

  it("by Karpenter's hands it is offered", () => {
    expect(commandOf([consolidating, machine('n1')], { settings: { role: 'guide' } })).toMatchObject({
      hands: 'karpenter',
      step: 'offered',
    });
  });
});

describe('G8: the first action', () => {
  const actions = (node: Objects, role: string) => decide([pool(), node, pod()], { settings: { role } }).actions;
  const parked = { 'karpenter.sh/do-not-disrupt': 'true', 'lull.dev/parked': '2026-03-01T00:00:00Z', other: 'kept' };

  it('observe asks for nothing', () => {
    expect(actions(drifted, 'observe')).toEqual([]);
  });

  it('drive adds its taint, tested against the list as it was seen', () => {
    const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule', timeAdded: '2026-03-01T00:00:00Z' }];
    const [action] = actions(machine('n1', { drifted: longAgo, spec: { taints } }), 'drive');
    const ours = {
      key: 'lull.dev/disrupted',
      value: expect.stringMatching(/^drifted-/),
      effect: 'NoSchedule',
      timeAdded: noon,
    };
    expect(action).toEqual({
      verb: 'patch',
      kind: 'Node',
      name: 'n1',
      command: expect.stringMatching(/^drifted-/),
      patch: [
        { op: 'test', path: '/spec/taints', value: taints },
        { op: 'add', path: '/spec/taints', value: [...taints, ours] },
      ],
    });
  });

  it('drive tests that there was no taint', () => {
    expect(actions(drifted, 'drive')[0]?.patch?.[0]).toEqual({ op: 'test', path: '/spec/taints', value: null });
  });

  it('drive waits before it touches what it consolidates', () => {
    expect(decide([pool('web', { consolidateAfter: '0s' }), machine()]).actions).toEqual([]);
  });

  it('N2: guide takes its own parking off, in one patch with a test', () => {
    expect(actions(machine('n1', { drifted: longAgo, annotations: parked }), 'guide')).toEqual([
      {
        verb: 'patch',
        kind: 'Node',
        name: 'n1',
        patch: [
          { op: 'test', path: '/metadata/annotations/karpenter.sh~1do-not-disrupt', value: 'true' },
          { op: 'test', path: '/metadata/annotations/lull.dev~1parked', value: '2026-03-01T00:00:00Z' },
          { op: 'remove', path: '/metadata/annotations/karpenter.sh~1do-not-disrupt' },
          { op: 'remove', path: '/metadata/annotations/lull.dev~1parked' },
        ],
        command: expect.any(String),
      },
    ]);
  });

  it('N2: guide has nothing to take off a node that is not parked', () => {
    expect(actions(drifted, 'guide')).toEqual([]);
  });
});
