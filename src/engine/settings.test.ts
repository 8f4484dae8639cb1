import { describe, expect, it } from 'vitest';
import {
  decide,
  longAgo,
  machine,
  maintenanceWindow,
  type Objects,
  type Plain,
  pod,
  pool,
  startsOf,
} from '../../test/build.ts';
import { defaultSettings } from '../cluster/settings.ts';

const drifted = machine('n1', { drifted: longAgo });
const others: Objects = ['x1', 'x2', 'x3', 'x4', 'x5', 'x6'].map((name) =>
  machine(name, { annotations: { 'lull.dev/hold': '' } }),
);
const unready = (name: string, readySince = longAgo) => machine(name, { ready: 'False', readySince });

describe('M: a setting that the engine reads changes what starts', () => {
  const small = pool('web', {
    budgets: [{ nodes: '0', reasons: ['Empty'] }, { nodes: '9', reasons: ['Drifted'] }, { nodes: '1' }],
  });
  const both = ['n1', 'n2'].map((name) => machine(name, { drifted: longAgo }));
  it.each<{ key: string; value: unknown; objects: Objects; byDefault: string[]; changed: string[] }>([
    {
      key: 'pools',
      value: 'team=a',
      objects: [pool('web', { labels: { team: 'b' } }), drifted],
      byDefault: ['n1 Drifted'],
      changed: [],
    },
    {
      key: 'defaultBudgets',
      value: 'ceiling',
      objects: [small, both],
      byDefault: ['n1 Drifted', 'n2 Drifted'],
      changed: ['n1 Drifted'],
    },
    {
      key: 'endingMachines',
      value: 'ignore',
      objects: [
        pool('web', { budgets: [{ nodes: '1' }] }),
        drifted,
        machine('m1', { deleted: longAgo, claim: { conditions: { InstanceTerminating: longAgo } } }),
      ],
      byDefault: [],
      changed: ['n1 Drifted'],
    },
    {
      key: 'expiration',
      value: 'forceful',
      objects: [pool('web', { budgets: [{ nodes: '0' }] }), machine('n1', { claim: { spec: { expireAfter: '1h' } } })],
      byDefault: [],
      changed: ['n1 Expired'],
    },
    {
      key: 'expireLead',
      value: '1h',
      objects: [pool(), machine('n1', { claim: { spec: { expireAfter: '230h' } } }), pod()],
      byDefault: ['n1 Expired'],
      changed: [],
    },
    {
      key: 'drift',
      value: 'computed',
      objects: [pool('web', { templateLabels: { tier: 'db' } }), machine('n1'), pod()],
      byDefault: [],
      changed: ['n1 Drifted'],
    },
    {
      key: 'repairAfter',
      value: '5m',
      objects: [pool(), unready('n1', '2026-03-10T11:50:00Z'), others],
      byDefault: [],
      changed: ['n1 Unhealthy'],
    },
    {
      key: 'repairBreaker',
      value: '0',
      objects: [pool(), unready('n1'), others],
      byDefault: ['n1 Unhealthy'],
      changed: [],
    },
    {
      key: 'windowMargin',
      value: '6h',
      objects: [
        pool(),
        drifted,
        maintenanceWindow('w', { mode: 'Allow', schedules: [{ cron: '0 9 * * *', duration: '8h' }] }),
      ],
      byDefault: ['n1 Drifted'],
      changed: [],
    },
    {
      key: 'catalogue',
      value: [
        {
          name: 'big',
          cpu: '64',
          memory: '64Gi',
          pods: '110',
          offerings: [{ zone: 'a', capacityType: 'spot', price: 1 }],
        },
      ],
      objects: [
        pool('web', { template: { requirements: [{ key: 'size', operator: 'DoesNotExist' }] } }),
        machine('n1', { drifted: longAgo, labels: { size: 'small' } }),
        pod('p1', 'n1', { spec: { nodeSelector: { 'node.kubernetes.io/instance-type': 'big' } } }),
      ],
      byDefault: [],
      changed: ['n1 Drifted'],
    },
  ])('$key', ({ key, value, objects, byDefault, changed }) => {
    expect(startsOf(decide(objects))).toEqual(byDefault);
    expect(startsOf(decide(objects, { settings: { [key]: value } as Plain }))).toEqual(changed);
  });

  it('the role says whose hands, and what is asked for at once', () => {
    const of = (role: string) => {
      const round = decide([pool(), drifted, pod()], { settings: { role } });
      return [round.commands[0]?.hands, round.commands[0]?.step, round.actions.length];
    };
    expect(['observe', 'guide', 'drive'].map(of)).toEqual([
      ['lull', 'tainted', 0],
      ['karpenter', 'offered', 0],
      ['lull', 'tainted', 1],
    ]);
  });
});

describe('M: pools', () => {
  const objects = [
    pool('web', { labels: { team: 'a' } }),
    pool('api', { labels: { team: 'b' } }),
    drifted,
    machine('m1', { pool: 'api', drifted: longAgo }),
  ];
  const round = decide(objects, { settings: { pools: 'team=a' } });

  it('that are not governed have no verdicts and no allowances', () => {
    expect(round.verdicts.map(({ pool: owner }) => owner)).not.toContain('api');
    expect(round.allowances.map(({ pool: owner }) => owner)).not.toContain('api');
    expect(startsOf(round)).toEqual(['n1 Drifted']);
  });

  it('still take pods of others: their nodes are there', () => {
    const [command] = decide([...objects, pod('p1', 'n1')], { settings: { pools: 'team=a' } }).commands;
    expect(command?.promisedTo).toEqual(['m1']);
  });
});

describe('M: the defaults', () => {
  it('are those of the contract', () => {
    const minute = 60_000;
    expect(defaultSettings).toEqual({
      role: 'observe',
      defaultBudgets: 'fallback',
      endingMachines: 'count',
      expiration: 'graceful',
      expireLead: 'auto',
      drift: 'claims',
      repairAfter: 30 * minute,
      repairBreaker: { percent: 20 },
      windowMargin: 0,
      consolidationPause: 15_000,
      replacementTimeout: 10 * minute,
      replacementSlow: 2 * minute,
      drainTimeout: 60 * minute,
      offerTimeout: 2 * minute,
      offerTimeoutUnderutilized: 6 * minute,
      minimumSavings: 0,
      podMoveCost: 0,
      spotToSpot: false,
      catalogue: [],
      karpenterMetrics: 'auto',
    });
  });
});
