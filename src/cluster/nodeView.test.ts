// Derived fields of a node view: counted, leaving, pool, cost, free room.
import { describe, expect, it } from 'vitest';
import { at, claim, longAgo, machine, node, noon, type Objects, pod, pool, storeOf } from '../../test/build.ts';
import type { NodeView } from './nodeView.ts';

function viewOf(...objects: Objects): NodeView {
  const [view] = storeOf(...objects).nodes;
  if (!view) throw new Error('there is no node');
  return view;
}

const without = (label: string) => ({ labels: { [label]: undefined } });
const initialized = 'karpenter.sh/initialized';

describe('C3: a node is counted', () => {
  it.each([
    { it: 'when it is managed and initialized', objects: machine(), counted: true },
    { it: 'not before it is initialized', objects: machine('n1', without(initialized)), counted: false },
    {
      it: 'not if the label has another value',
      objects: machine('n1', { labels: { [initialized]: 'false' } }),
      counted: false,
    },
    {
      it: 'while it reboots, initialized or not',
      objects: machine('n1', { ...without(initialized), claim: { conditions: { Rebooting: longAgo } } }),
      counted: true,
    },
    {
      it: 'though its machine is ending',
      objects: machine('n1', { claim: { conditions: { InstanceTerminating: longAgo } } }),
      counted: true,
    },
    { it: 'though it is not Ready', objects: machine('n1', { ready: 'Unknown' }), counted: true },
    { it: 'though it is deleting', objects: machine('n1', { deleted: noon }), counted: true },
    { it: 'not without a claim', objects: [node()], counted: false },
  ])('$it', ({ objects, counted }) => {
    expect(viewOf(...objects).state.counted).toBe(counted);
  });

  it('without a claim, where an older Provisioner made it', () => {
    const provisioner = {
      apiVersion: 'karpenter.sh/v1alpha5',
      kind: 'Provisioner',
      metadata: { name: 'old' },
      spec: {},
    };
    const made = node('n1', { labels: { 'karpenter.sh/nodepool': undefined, 'karpenter.sh/provisioner-name': 'old' } });
    expect(viewOf(provisioner, made)).toMatchObject({ managed: true, poolName: 'old', state: { counted: true } });
    expect(viewOf(made)).toMatchObject({ managed: false, state: { counted: false } });
  });
});

describe('C4: a node is leaving', () => {
  const since = at(noon);
  const taken = { key: 'karpenter.sh/disrupted', effect: 'NoSchedule' };
  const disrupted = { DisruptionReason: { status: 'True', reason: 'Drifted', lastTransitionTime: noon } };
  it.each([
    { it: 'when its claim is deleting', objects: machine('n1', { claim: { deleted: noon } }), leaving: { since } },
    { it: 'when it is itself deleting', objects: machine('n1', { deleted: noon }), leaving: { since } },
    {
      it: 'since the earlier of both',
      objects: machine('n1', { deleted: noon, claim: { deleted: longAgo } }),
      leaving: { since: at(longAgo) },
    },
    {
      it: "in a command of Karpenter's, with its reason",
      objects: machine('n1', { claim: { conditions: disrupted } }),
      leaving: { since, reason: 'Drifted' },
    },
    {
      it: 'in one whose reason Lull does not know',
      objects: machine('n1', { claim: { conditions: { DisruptionReason: { status: 'True', reason: 'Whim' } } } }),
      leaving: {},
    },
    {
      it: 'when its instance is terminating',
      objects: machine('n1', { claim: { conditions: { InstanceTerminating: longAgo } } }),
      leaving: {},
    },
    {
      it: "with Karpenter's taint alone, as Karpenter 1.1 marks it",
      objects: machine('n1', { spec: { taints: [taken] } }),
      leaving: {},
    },
    {
      it: 'not where the condition is False',
      objects: machine('n1', {
        spec: { taints: [taken] },
        claim: { conditions: { DisruptionReason: { status: 'False', reason: 'Drifted' } } },
      }),
      leaving: undefined,
    },
    { it: 'not without any of these', objects: machine(), leaving: undefined },
    { it: 'not if it is unmanaged', objects: [node('n1', { deleted: noon })], leaving: undefined },
  ])('$it', ({ objects, leaving }) => {
    expect(viewOf(...objects).state.leaving).toEqual(leaving);
  });
});

describe('The pool of a node', () => {
  it.each([
    { it: 'is that of its label', objects: machine('n1', { pool: 'web' }), poolName: 'web' },
    {
      it: 'is that of its claim until it has registered',
      objects: [
        node('n1', { labels: { 'karpenter.sh/registered': undefined, 'karpenter.sh/nodepool': undefined } }),
        claim('n1', { pool: 'api' }),
      ],
      poolName: 'api',
    },
    { it: 'is that of its own label afterwards', objects: [node('n1'), claim('n1', { pool: 'api' })], poolName: 'web' },
    {
      it: 'may be missing',
      objects: machine('n1', { labels: { 'karpenter.sh/nodepool': undefined } }),
      poolName: undefined,
    },
  ])('$it', ({ objects, poolName }) => {
    expect(viewOf(...objects).poolName).toBe(poolName);
  });
});

describe('F3: the disruption cost of a node', () => {
  it('is one and what its reschedulable pods cost', () => {
    const pods = [
      pod('a'),
      pod('b', 'n1', { spec: { priority: 2 ** 25 } }),
      pod('c', 'n1', { owner: 'DaemonSet/log' }),
      pod('d', 'n1', { phase: 'Succeeded' }),
    ];
    expect(viewOf(...machine(), ...pods).cost).toBe(1 + 1 + 2);
  });

  it('is 1 where there is none', () => {
    expect(viewOf(...machine()).cost).toBe(1);
  });
});

describe('F6: the room on a node', () => {
  const pods = [
    pod('a', 'n1', { cpu: '500m' }),
    pod('b', 'n1', { cpu: '250m', owner: 'DaemonSet/log' }),
    pod('c', 'n1', { cpu: '1', phase: 'Failed' }),
  ];

  it('is what its active pods leave', () => {
    expect(viewOf(...machine(), ...pods).free).toMatchObject({ cpu: 3250, pods: 108 });
  });

  it('is taken by DaemonSet pods on a replacement too', () => {
    expect(viewOf(...machine(), ...pods).daemons).toEqual({ cpu: 250, pods: 1 });
  });
});

describe('A view', () => {
  it('lists pods by namespace and name', () => {
    const pods = [
      pod('b', 'n1', { namespace: 'z' }),
      pod('c', 'n1', { namespace: 'a' }),
      pod('a', 'n1', { namespace: 'z' }),
    ];
    const names = viewOf(...machine(), ...pods).pods.map(({ namespace, name }) => `${namespace}/${name}`);
    expect(names).toEqual(['a/c', 'z/a', 'z/b']);
  });

  it('knows whether it is Ready, initialized and rebooting', () => {
    const rebooting = machine('n1', { ready: 'False', claim: { conditions: { Rebooting: longAgo } } });
    expect(viewOf(pool(), ...rebooting).state).toMatchObject({ ready: false, initialized: true, rebooting: true });
  });
});
