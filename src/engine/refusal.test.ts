import { describe, expect, it } from 'vitest';
import {
  claim,
  command,
  decide,
  healthGate,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  node,
  noon,
  type Objects,
  type Plain,
  pdb,
  pod,
  pool,
  verdictOf,
  zone,
} from '../../test/build.ts';
import type { Reason } from '../cluster/reason.ts';
import { type Refusal, type RefusalCode, refusalCodes } from './refusal.ts';

/** The smallest situation in which the node n1 is refused with a code. */
interface Row {
  readonly code: RefusalCode;
  readonly reason: Reason;
  readonly objects: Objects;
  readonly settings?: Plain;
  readonly known?: Plain;
  /** The object whose rule refuses; undefined = the node's own state. */
  readonly owner?: Refusal['owner'];
  /** Whether it lifts by itself in this situation. */
  readonly lifts: boolean;
}

const drifted = (parts: NonNullable<Parameters<typeof machine>[1]> = {}) =>
  machine('n1', { drifted: longAgo, ...parts });
const others: Objects = ['x1', 'x2', 'x3', 'x4', 'x5'].map((name) =>
  machine(name, { annotations: { 'lull.dev/hold': '' } }),
);
const web = { kind: 'NodePool', name: 'web' };
const n1 = { kind: 'Node', name: 'n1' };
const p1 = { kind: 'Pod', namespace: 'shop', name: 'p1' };
const w = { kind: 'MaintenanceWindow', name: 'friday' };
const perZone = { nodes: '1', topologyKey: zone };
const sequential = pool('web', { budgets: [{ ...perZone, sequential: true, settle: '10m' }] });
const turn = { pool: 'web', topologyKey: zone, domain: 'b', takenAt: noon, progressAt: noon };
const inWaves = pool('web', {
  budgets: [{ nodes: '100%', reasons: ['Drifted'], waves: ['1'], settle: '10m' }],
});
const roll = { pool: 'web', startedAt: longAgo, waveAt: longAgo, counted: 5, done: 1, wave: 0 };
const consolidating = pool('web', { consolidateAfter: '0s' });
const day = { cron: '0 9 * * *', duration: '8h' };
const night = { cron: '0 2 * * *', duration: '4h' };
const requests = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`example.com/r-${i}`, '1']));
const manyResources = { containers: [{ name: 'c', resources: { requests } }] };
const full = pod('p1', 'n1', { cpu: '3' });
const priced = (price: string) => machine('n1', { zone: 'a', labels: { 'eks-node-viewer/instance-price': price } });

const rows: readonly Row[] = [
  {
    code: 'NotInitialized',
    reason: 'Drifted',
    objects: [pool(), drifted({ labels: { 'karpenter.sh/initialized': undefined } })],
    lifts: false,
  },
  {
    code: 'NotReady',
    reason: 'Drifted',
    objects: [pool(), drifted({ ready: 'False', readySince: '2026-03-10T11:59:00Z' })],
    lifts: false,
  },
  {
    code: 'Rebooting',
    reason: 'Drifted',
    objects: [pool(), drifted({ claim: { conditions: { Rebooting: noon } } })],
    lifts: false,
  },
  {
    code: 'AlreadyUnderway',
    reason: 'Rebalance',
    objects: [pool(), drifted({ annotations: { 'lull.dev/rebalance': '' } })],
    lifts: false,
  },
  { code: 'PoolMissing', reason: 'Drifted', objects: [drifted()], lifts: false },
  {
    code: 'PoolFault',
    reason: 'Drifted',
    objects: [pool('web', { budgets: [{ nodes: 'many' }] }), drifted()],
    owner: web,
    lifts: false,
  },
  {
    code: 'PoolBackingOff',
    reason: 'Drifted',
    objects: [pool(), drifted()],
    known: { backoffs: [{ pool: 'web', until: '2026-03-10T12:01:00Z', delay: '1m' }] },
    owner: web,
    lifts: true,
  },
  {
    code: 'ReplacementSlow',
    reason: 'Drifted',
    objects: [pool(), drifted(), claim('late', { nodeName: null, conditions: { Initialized: { status: 'Unknown' } } })],
    settings: { role: 'guide' },
    owner: { kind: 'NodeClaim', name: 'late-claim' },
    lifts: false,
  },
  { code: 'PolicyOff', reason: 'Empty', objects: [pool(), machine()], owner: web, lifts: false },
  {
    code: 'NotStable',
    reason: 'Empty',
    objects: [pool('web', { consolidateAfter: '1h' }), machine('n1', { claim: { lastPodEvent: noon } })],
    owner: web,
    lifts: true,
  },
  {
    code: 'DriftTooRecent',
    reason: 'Drifted',
    objects: [pool('web', { annotations: { 'lull.dev/drift-after': '9000h' } }), drifted()],
    owner: web,
    lifts: true,
  },
  {
    code: 'NodeOptedOut',
    reason: 'Drifted',
    objects: [pool(), drifted({ annotations: { 'karpenter.sh/do-not-disrupt': '720h' } })],
    owner: n1,
    lifts: true,
  },
  {
    code: 'ConsolidationOptedOut',
    reason: 'Empty',
    objects: [consolidating, machine('n1', { annotations: { 'karpenter.sh/do-not-consolidate': 'true' } })],
    owner: n1,
    lifts: false,
  },
  {
    code: 'RepairOptedOut',
    reason: 'Unhealthy',
    objects: [pool(), machine('n1', { ready: 'False', annotations: { 'karpenter.sh/do-not-repair': 'true' } }), others],
    owner: n1,
    lifts: false,
  },
  {
    code: 'Held',
    reason: 'Drifted',
    objects: [pool(), drifted({ annotations: { 'lull.dev/hold': 'ask Ada' } })],
    owner: n1,
    lifts: false,
  },
  {
    code: 'Nominated',
    reason: 'Drifted',
    objects: [pool(), drifted(), pod('p1', '', { phase: 'Pending', status: { nominatedNodeName: 'n1' } })],
    lifts: false,
  },
  {
    code: 'PodOptedOut',
    reason: 'Drifted',
    objects: [pool(), drifted(), pod('p1', 'n1', { annotations: { 'karpenter.sh/do-not-disrupt': '720h' } })],
    owner: p1,
    lifts: true,
  },
  {
    code: 'PodScheduleClosed',
    reason: 'Drifted',
    objects: [pool(), drifted(), pod('p1', 'n1', { annotations: { 'karpenter.sh/disruption-schedule': night.cron } })],
    owner: p1,
    lifts: true,
  },
  {
    code: 'PodBlocked',
    reason: 'Drifted',
    objects: [
      pool(),
      drifted(),
      pod('p1', 'n1', { annotations: { 'karpenter.sh/disruption-block-schedule': '30 11 * * *' } }),
    ],
    owner: p1,
    lifts: true,
  },
  {
    code: 'PdbSpent',
    reason: 'Drifted',
    objects: [pool(), drifted(), pod(), pdb('guard', 0)],
    owner: { kind: 'PodDisruptionBudget', namespace: 'shop', name: 'guard' },
    lifts: false,
  },
  {
    code: 'PdbOverlap',
    reason: 'Drifted',
    objects: [pool(), drifted(), pod(), pdb('web', 1), pdb('all', 1, { selector: {} })],
    owner: p1,
    lifts: false,
  },
  {
    code: 'NamespaceCrowded',
    reason: 'Drifted',
    objects: [pool(), drifted(), pod('p1', 'n1', { spec: manyResources })],
    owner: p1,
    lifts: false,
  },
  {
    code: 'WindowBlocks',
    reason: 'Drifted',
    objects: [pool(), drifted(), maintenanceWindow('friday', { schedules: [day] })],
    owner: w,
    lifts: true,
  },
  {
    code: 'WindowNotOpen',
    reason: 'Drifted',
    objects: [pool(), drifted(), maintenanceWindow('friday', { mode: 'Allow', schedules: [night] })],
    owner: w,
    lifts: true,
  },
  {
    code: 'WindowCapSpent',
    reason: 'Drifted',
    objects: [
      pool(),
      drifted(),
      machine('n0', { deleted: noon }),
      maintenanceWindow('friday', { nodes: '1', schedules: [day] }),
    ],
    owner: w,
    lifts: true,
  },
  {
    code: 'WindowFault',
    reason: 'Drifted',
    objects: [pool(), drifted(), maintenanceWindow('friday', { nodes: 'many' })],
    owner: w,
    lifts: false,
  },
  {
    code: 'HealthGateClosed',
    reason: 'Drifted',
    objects: [pool(), drifted(), healthGate('slo')],
    owner: { kind: 'HealthGate', name: 'slo' },
    lifts: false,
  },
  {
    code: 'HealthGateUnknown',
    reason: 'Drifted',
    objects: [pool(), drifted(), healthGate('slo', { check: { http: { url: 'http://web.shop' } } })],
    owner: { kind: 'HealthGate', name: 'slo' },
    lifts: false,
  },
  {
    code: 'NeedsApproval',
    reason: 'Drifted',
    objects: [pool('web', { annotations: { 'lull.dev/approval': 'required' } }), drifted()],
    owner: web,
    lifts: false,
  },
  {
    code: 'ClosesTooSoon',
    reason: 'Drifted',
    objects: [pool(), drifted(), maintenanceWindow('friday', { mode: 'Allow', schedules: [day] })],
    settings: { windowMargin: '6h' },
    owner: w,
    lifts: false,
  },
  {
    code: 'BudgetSpent',
    reason: 'Drifted',
    objects: [
      pool('web', { budgets: [{ nodes: '1' }, { nodes: '0', schedule: day.cron, duration: day.duration }] }),
      drifted(),
    ],
    owner: { ...web, index: 1 },
    lifts: true,
  },
  {
    code: 'RateSpent',
    reason: 'Drifted',
    objects: [pool('web', { budgets: [{ nodes: '1', per: '1h' }] }), drifted()],
    known: {
      starts: [{ kind: 'NodePool', name: 'web', minutes: [{ at: '2026-03-10T11:30:00Z', nodes: 1 }] }],
    },
    owner: { ...web, index: 0 },
    lifts: true,
  },
  {
    code: 'DomainBudgetSpent',
    reason: 'Drifted',
    objects: [
      pool('web', { budgets: [{ ...perZone, nodes: '0', schedule: day.cron, duration: day.duration }] }),
      drifted(),
    ],
    owner: { ...web, index: 0 },
    lifts: true,
  },
  {
    code: 'NotItsTurn',
    reason: 'Drifted',
    objects: [sequential, drifted(), machine('b1', { zone: 'b', drifted: longAgo })],
    owner: { ...web, index: 0 },
    lifts: false,
  },
  {
    code: 'AnotherDomainInFlight',
    reason: 'Drifted',
    objects: [
      sequential,
      drifted({ zone: 'a' }),
      machine('b1', { zone: 'b', drifted: longAgo }),
      machine('c1', { zone: 'c', drifted: longAgo }),
    ],
    known: { commands: [command('b1'), command('c1')] },
    owner: { ...web, index: 0 },
    lifts: false,
  },
  {
    code: 'DomainSettling',
    reason: 'Drifted',
    objects: [sequential, drifted({ zone: 'a' }), machine('b1', { zone: 'b' })],
    known: { turns: [{ ...turn, wellSince: '2026-03-10T11:55:00Z' }] },
    owner: { ...web, index: 0 },
    lifts: true,
  },
  {
    code: 'WaveFull',
    reason: 'Drifted',
    objects: [inWaves, drifted()],
    known: { rolls: [{ ...roll, done: 0, inFlight: ['n2'] }], commands: [command('n2')] },
    owner: { ...web, index: 0 },
    lifts: false,
  },
  {
    code: 'WaveSettling',
    reason: 'Drifted',
    objects: [inWaves, drifted()],
    known: { rolls: [{ ...roll, wellSince: '2026-03-10T11:55:00Z' }] },
    owner: { ...web, index: 0 },
    lifts: true,
  },
  {
    code: 'RollHalted',
    reason: 'Drifted',
    objects: [inWaves, drifted()],
    known: { rolls: [{ ...roll, haltedAt: longAgo }] },
    owner: { ...web, index: 0 },
    lifts: false,
  },
  {
    code: 'RepairBreaker',
    reason: 'Unhealthy',
    objects: [pool(), machine('n1', { ready: 'False' }), machine('n2', { ready: 'False' })],
    owner: web,
    lifts: false,
  },
  {
    code: 'NoPlacement',
    reason: 'Drifted',
    objects: [pool('web', { spec: { limits: { cpu: '1' } } }), drifted(), full],
    lifts: false,
  },
  { code: 'NotCheaper', reason: 'Underutilized', objects: [consolidating, priced('2'), full], lifts: false },
  { code: 'NoPriceKnown', reason: 'Underutilized', objects: [consolidating, machine(), full], lifts: false },
  {
    code: 'KarpenterDeclined',
    reason: 'Underutilized',
    objects: [consolidating, machine(), full],
    settings: { role: 'guide' },
    known: { declined: [{ node: 'n1', at: '2026-03-10T11:55:00Z' }] },
    lifts: true,
  },
  {
    code: 'KarpenterBudget',
    reason: 'Drifted',
    objects: [
      pool('web', { budgets: [{ nodes: '0' }], annotations: { 'lull.dev/budgets': '[{nodes: "1"}]' } }),
      drifted(),
    ],
    settings: { role: 'guide' },
    owner: web,
    lifts: false,
  },
  {
    code: 'OffersWithheld',
    reason: 'Drifted',
    objects: [pool(), drifted()],
    settings: { role: 'guide', withhold: 'Karpenter is away.' },
    lifts: false,
  },
];

function refusalIn({ code, reason, objects, settings = {}, known = {} }: Row): Refusal {
  const { refusals } = verdictOf(decide(objects, { settings, ledger: ledger(known) }), 'n1', reason);
  const refusal = refusals.find((it) => it.code === code);
  if (!refusal) throw new Error(`${reason} is refused with ${refusals.map((it) => it.code)}`);
  return refusal;
}

describe('L3: the codes', () => {
  it('all have a row in this table, in order', () => {
    expect(rows.map(({ code }) => code)).toEqual(Object.keys(refusalCodes));
  });

  it.each(rows)('$code has a message, a meaning and help', (row) => {
    const { means, help } = refusalCodes[row.code];
    for (const text of [refusalIn(row).message, means, help]) expect(text).toMatch(/^\S.{5,}\S$/);
  });
});

describe('J1: the owner of the rule', () => {
  it.each(rows.filter(({ owner }) => owner))('$code: $owner', (row) => {
    expect(refusalIn(row).owner).toMatchObject(row.owner ?? {});
  });

  it.each(rows.filter(({ owner }) => !owner))('$code has no owner', (row) => {
    expect(refusalIn(row)).not.toHaveProperty('owner');
  });

  const named = (text: string | undefined): boolean => text !== undefined && text !== 'web' && text !== 'n1';
  it.each(rows.filter(({ owner }) => named(owner?.name)))('$code: the message names it too', (row) => {
    expect(refusalIn(row).message).toContain(row.owner?.name);
  });
});

describe('J1: when it lifts by itself', () => {
  it.each(rows)('$code: $lifts', (row) => {
    const { liftsAt } = refusalIn(row);
    expect(liftsAt !== undefined).toBe(row.lifts);
  });
});

describe('L3: a node that loses the last unit to another', () => {
  const both = ['n0', 'n1'].map((name) => machine(name, { zone: 'a', drifted: longAgo }));
  it.each([
    { code: 'BudgetSpent', objects: [pool('web', { budgets: [{ nodes: '1' }] }), both] },
    { code: 'DomainBudgetSpent', objects: [pool('web', { budgets: [perZone] }), both] },
    { code: 'WindowCapSpent', objects: [pool(), both, maintenanceWindow('friday', { nodes: '1' })] },
    { code: 'PdbSpent', objects: [pool(), machine('0'), both, pod('p0', 'n0'), pod('p1', 'n1'), pdb('web', 1)] },
  ] as const)("is refused by that limit's code: $code", ({ code, objects }) => {
    const round = decide(objects);
    expect(round.commands.map(({ nodes }) => nodes[0]?.name)).toEqual(['n0']);
    expect(verdictOf(round, 'n1', 'Drifted').refusals.map((it) => it.code)).toEqual([code]);
  });
});

describe('L3: a node whose pool is unknown', () => {
  it('has a message for a missing label and one for a missing pool', () => {
    const bare = [
      node('n1', { labels: { 'karpenter.sh/nodepool': undefined } }),
      claim('n1', { labels: { 'karpenter.sh/nodepool': undefined }, conditions: { Drifted: longAgo } }),
    ];
    expect(verdictOf(decide(bare), 'n1', 'Drifted').refusals[0]?.message).toBe(
      'the node has no label karpenter.sh/nodepool',
    );
    expect(verdictOf(decide([drifted()]), 'n1', 'Drifted').refusals[0]?.message).toBe('NodePool web does not exist');
  });
});
