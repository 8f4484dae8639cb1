// Placement of the pods of disrupted nodes in whole rounds.
import { describe, expect, it } from 'vitest';
import {
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  marked,
  type Objects,
  pod,
  pool,
  refusalOf,
  startsOf,
  underway,
  verdictOf,
  zone,
} from '../../../test/build.ts';

const drifted = (name = 'n1', parts: NonNullable<Parameters<typeof machine>[1]> = {}) =>
  machine(name, { drifted: longAgo, ...parts });
const full = (name = 'n1') => pod(`p-${name}`, name, { cpu: '3' });
const commandOf = (objects: Objects, asking: Parameters<typeof decide>[1] = {}) =>
  decide(objects, asking).commands.find(({ nodes }) => nodes[0]?.name === 'n1');
const type = 'node.kubernetes.io/instance-type';

describe('F5: where the pods of a node go', () => {
  it('to other nodes first', () => {
    expect(commandOf([pool(), drifted(), full(), machine('n2')])).toMatchObject({
      promisedTo: ['n2'],
      replacements: [],
    });
  });

  it('to a replacement of its own shape, where there is no room', () => {
    const busy = [machine('n2'), full('n2')];
    expect(commandOf([pool(), drifted('n1', { labels: { [type]: 'm5' } }), full(), busy])).toMatchObject({
      promisedTo: [],
      replacements: [{ pool: 'web', instanceType: 'm5' }],
    });
  });

  it('to both', () => {
    const objects = [
      pool(),
      drifted(),
      pod('a', 'n1', { cpu: '1' }),
      pod('b', 'n1', { cpu: '2500m' }),
      machine('n2'),
      pod('c', 'n2', { cpu: '2' }),
    ];
    expect(commandOf(objects)).toMatchObject({ promisedTo: ['n2'], replacements: [{ pool: 'web' }] });
  });

  it('to several, where one is too small today', () => {
    const catalogue = [
      {
        name: 'half',
        cpu: '2',
        memory: '8Gi',
        pods: '110',
        offerings: [{ zone: 'a', capacityType: 'spot', price: 1 }],
      },
    ];
    const web = pool('web', { template: { requirements: [{ key: type, operator: 'In', values: ['half'] }] } });
    const pods = ['a', 'b', 'c'].map((name) => pod(name, 'n1', { cpu: '1200m' }));
    const replacements = commandOf([web, drifted('n1', { labels: { [type]: 'm5' } }), pods], {
      settings: { catalogue },
    })?.replacements;
    expect(replacements?.map(({ instanceType }) => instanceType)).toEqual(['half', 'half', 'half']);
    expect(new Set(replacements?.map(({ name }) => name)).size).toBe(3);
  });

  it('to one that is assumed, and the command says so', () => {
    const web = pool('web', { template: { requirements: [{ key: type, operator: 'In', values: ['m6'] }] } });
    expect(commandOf([web, drifted('n1', { labels: { [type]: 'm5' } }), full()])?.replacements).toMatchObject([
      { assumed: true },
    ]);
  });

  it('to none, where a pod fits no shape: it is named, with what it needs', () => {
    const picky = pod('p1', 'n1', { cpu: '3', spec: { nodeSelector: { disk: 'ssd' } } });
    const { message } = refusalOf(decide([pool(), drifted(), picky]), 'n1', 'Drifted', 'NoPlacement');
    expect(message).toContain('pod shop/p1 needs 3 cpu');
  });

  it('a pool that is deleted or not Ready makes no replacement', () => {
    const deleted = pool('web', { deleted: longAgo });
    const unready = pool('web', { status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    for (const web of [deleted, unready])
      expect(codesOf(decide([web, drifted(), full()]), 'n1', 'Drifted')).toEqual(['NoPlacement']);
    expect(startsOf(decide([unready, drifted(), full(), machine('n2')]))).toEqual(['n1 Drifted']);
  });
});

describe('F6: while a node is drained its zone is a domain, with a hard spread', () => {
  const spread = (name: string, on: string, more: object = {}) => {
    const labelSelector = { matchLabels: { app: 'web' } };
    const constraint = { topologyKey: zone, maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', labelSelector, ...more };
    return pod(name, on, { spec: { topologySpreadConstraints: [constraint] } });
  };
  const honor = { nodeTaintsPolicy: 'Honor' };

  it.each([
    {
      it: 'by default its pods get a replacement',
      more: {},
      says: { promisedTo: [], replacements: [{ pool: 'web' }] },
    },
    { it: 'where taints are honoured they go elsewhere', more: honor, says: { replacements: [] } },
  ])('of the node itself: $it', ({ more, says }) => {
    const others = ['b', 'c'].map((where) => [machine(where, { zone: where }), spread(`p-${where}`, where, more)]);
    const objects = [pool(), drifted('n1', { zone: 'a' }), spread('p', 'n1', more), others];
    expect(commandOf(objects)).toMatchObject(says);
  });

  it.each([
    {
      it: 'by default nothing takes them before it is gone',
      more: {},
      says: { outcome: 'held', codes: ['NoPlacement'] },
    },
    { it: 'where taints are honoured they go elsewhere', more: honor, says: { outcome: 'go', codes: [] } },
  ])('of one that leaves already: $it', ({ more, says }) => {
    const leaving = machine('n9', { zone: 'a', ...marked('drifted-n9') });
    const objects = [
      pool('web', { budgets: [{ nodes: '9' }] }),
      leaving,
      drifted('n1', { zone: 'b' }),
      spread('p', 'n1', more),
      machine('n2', { zone: 'b' }),
      spread('q', 'n2', more),
      machine('n3', { zone: 'c' }),
      spread('r', 'n3', more),
    ];
    const known = ledger({ commands: [underway('n9', { step: 'draining' })] });
    const { outcome, refusals } = verdictOf(decide(objects, { ledger: known }), 'n1', 'Drifted');
    expect({ outcome, codes: refusals.map(({ code }) => code) }).toEqual(says);
  });
});

describe('F5: where its own pool makes no replacement', () => {
  const noRoom = { spec: { limits: { nodes: '0' } } };
  const other = (name: string, weight: number, more: object = {}) => pool(name, { spec: { weight, ...more } });
  const poolOf = (...pools: Objects) => commandOf([...pools, drifted(), full(), busy])?.replacements[0]?.pool;
  /** Nodes of the other pools, so that it is known what those make. */
  const busy = ['light', 'heavy', 'alike'].map((name) => [machine(`m-${name}`, { pool: name }), full(`m-${name}`)]);

  it('another does: the heaviest first, then by name', () => {
    const pools = [other('light', 1), other('heavy', 50), other('alike', 50)];
    expect(poolOf(pool(), ...pools)).toBe('web');
    expect(poolOf(pool('web', noRoom), ...pools)).toBe('alike');
    expect(poolOf(pool('web', noRoom), other('light', 1), other('heavy', 50))).toBe('heavy');
  });

  it('not one that is static, deleted, not Ready, at its limits, or whose nodes would not take the pods', () => {
    const none = [
      other('light', 1, { replicas: 1 }),
      pool('light', { deleted: longAgo }),
      pool('light', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }),
      other('light', 1, { limits: { cpu: '4' } }),
      pool('light', { template: { taints: [{ key: 'team', effect: 'NoSchedule' }] } }),
    ];
    for (const it of none) expect(poolOf(pool('web', noRoom), it)).toBeUndefined();
  });

  it('a static pool keeps its own number', () => {
    expect(poolOf(pool('web', { spec: { replicas: 1, limits: { nodes: '1' } } }), other('light', 1))).toBeUndefined();
  });
});

describe('F6: DaemonSets on a replacement', () => {
  const daemonSet = (cpu: string, spec: object = {}) => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { namespace: 'kube-system', name: 'agent' },
    spec: { template: { spec: { containers: [{ resources: { requests: { cpu } } }], ...spec } } },
  });
  const goes = (...objects: Objects) => commandOf([pool(), drifted(), full(), ...objects]) !== undefined;

  it('take room there, as far as it admits them', () => {
    expect(goes()).toBe(true);
    expect(goes(daemonSet('1'))).toBe(true);
    expect(goes(daemonSet('1100m'))).toBe(false);
    expect(goes(daemonSet('1100m', { nodeSelector: { disk: 'ssd' } }))).toBe(true);
  });

  it('are those of the node that leaves, where none is known', () => {
    const agent = pod('agent', 'n1', { owner: 'DaemonSet/agent', cpu: '1100m' });
    expect(goes(agent)).toBe(false);
    expect(goes(agent, daemonSet('1'))).toBe(true);
  });
});

describe('F6: room that is promised is taken', () => {
  const roomy = machine('0', { allocatable: { cpu: '4' } });

  it('in this round', () => {
    const round = decide([pool(), roomy, drifted('n1'), full('n1'), drifted('n2'), full('n2')]);
    expect(round.commands.map(({ promisedTo, replacements }) => [promisedTo, replacements.length])).toEqual([
      [['0'], 0],
      [[], 1],
    ]);
  });

  it('to pending pods, nominated or not', () => {
    for (const status of [{ nominatedNodeName: '0' }, {}]) {
      const pending = pod('w', '', { cpu: '3', phase: 'Pending', status: { phase: 'Pending', ...status } });
      expect(commandOf([pool(), roomy, drifted(), full(), pending])).toMatchObject({
        promisedTo: [],
        replacements: [{}],
      });
    }
  });

  it('to pods of nodes that leave already', () => {
    const leaving = [machine('n2', { deleted: longAgo }), full('n2')];
    expect(commandOf([pool(), roomy, drifted(), full(), leaving])).toMatchObject({ promisedTo: [] });
  });

  it('a pending DaemonSet pod takes none', () => {
    const pending = pod('d', '', { cpu: '3', phase: 'Pending', owner: 'DaemonSet/log' });
    expect(commandOf([pool(), roomy, drifted(), full(), pending])).toMatchObject({ promisedTo: ['0'] });
  });

  it('what does not go gives it back', () => {
    const picky = pod('z', 'n1', { cpu: '1', spec: { nodeSelector: { disk: 'ssd' } } });
    const round = decide([
      pool(),
      roomy,
      machine('n1', { drifted: '2026-01-01T00:00:00Z' }),
      pod('a', 'n1', { cpu: '2' }),
      picky,
      drifted('n2'),
      full('n2'),
    ]);
    expect(startsOf(round)).toEqual(['n2 Drifted']);
    expect(round.commands[0]?.promisedTo).toEqual(['0']);
  });

  it('nodes that leave are not targets', () => {
    const round = decide([pool(), drifted('n1'), drifted('n2'), full('n2')]);
    expect(startsOf(round)).toEqual(['n1 Drifted', 'n2 Drifted']);
    expect(round.commands[1]).toMatchObject({ promisedTo: [], replacements: [{}] });
  });
});

describe('F5: nodes that are still starting', () => {
  const starting = machine('n2', { labels: { 'karpenter.sh/initialized': undefined } });

  it('are waited for where a pod will fit there', () => {
    const { message } = refusalOf(decide([pool(), drifted(), full(), starting]), 'n1', 'Drifted', 'NoPlacement');
    expect(message).toBe('pod shop/p-n1 will fit on n2, which is still starting');
  });

  it('are not where it will not', () => {
    const small = machine('n2', { labels: { 'karpenter.sh/initialized': undefined }, allocatable: { cpu: '1' } });
    expect(commandOf([pool(), drifted(), full(), small])?.replacements).toHaveLength(1);
  });

  it('are not where there is room elsewhere', () => {
    expect(commandOf([pool(), drifted(), full(), machine('n3'), starting])?.promisedTo).toEqual(['n3']);
  });

  it('a node that never finished starting does not wait for itself', () => {
    const stuck = machine('n1', { ready: 'False', labels: { 'karpenter.sh/initialized': undefined } });
    expect(startsOf(decide([pool(), stuck, pod('p1', 'n1', { cpu: '1' })]))).toEqual(['n1 Unhealthy']);
  });
});

describe('F5: in guide placement is Karpenter’s business', () => {
  const settings = { role: 'guide' };
  const nowhere = pod('p1', 'n1', { spec: { nodeSelector: { disk: 'ssd' } } });

  it('and is not asked', () => {
    const command = commandOf([pool(), drifted(), nowhere], { settings });
    expect(command).toMatchObject({ reason: 'Drifted', replacements: [], promisedTo: [] });
  });

  it('except for Underutilized', () => {
    const web = pool('web', { consolidateAfter: '0s' });
    const asked = { settings: { ...settings, minimumSavings: '1%' } };
    expect(codesOf(decide([web, machine('n1'), nowhere], asked), 'n1', 'Underutilized')).toEqual(['NoPlacement']);
  });
});

describe('A2: an interrupted node', () => {
  it('goes though its pods fit nowhere', () => {
    const node = machine('n1', { claim: { conditions: { Interrupted: longAgo } } });
    const nowhere = pod('p1', 'n1', { spec: { nodeSelector: { disk: 'ssd' } } });
    expect(startsOf(decide([pool(), node, nowhere]))).toEqual(['n1 Interrupted']);
  });
});
