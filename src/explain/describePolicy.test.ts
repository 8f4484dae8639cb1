// Tests of the sentences about pools, maintenance windows and pods.
import { describe, expect, it } from 'vitest';
import type { Pod } from '../cluster/model.ts';
import { defaultSettings, type Settings } from '../cluster/settings.ts';
import { ClusterStore } from '../cluster/store.ts';
import { readObject } from '../kinds/readObject.ts';
import { type Instant, parseInstant } from '../time/instant.ts';
import { describePolicy, type PolicyText } from './describePolicy.ts';

const tuesday = parseInstant('2026-11-17T10:20:00Z') as Instant;

/** In drive mode only Lull reads the budgets. */
function tell(objects: readonly object[], settings: Partial<Settings> = {}): PolicyText {
  const cluster = new ClusterStore();
  const pods: Pod[] = [];
  for (const object of objects) {
    const read = readObject(object);
    if (read.kind === 'ignored' || read.kind === 'DisruptionLedger') throw new Error('no object of a policy');
    if (read.kind === 'Pod') pods.push(read.record);
    cluster.put(read);
  }
  return describePolicy({ cluster, settings: { ...defaultSettings, role: 'drive', ...settings }, now: tuesday }, pods);
}

const pool = (disruption: object, more: { spec?: object; template?: object } = {}): object => ({
  kind: 'NodePool',
  metadata: { name: 'default' },
  spec: { disruption, ...more.spec, template: { spec: more.template ?? {} } },
});

interface NodeParts {
  readonly zone?: string;
  readonly annotations?: object;
  readonly claim?: object;
}

const node = (name: string, { zone, annotations = {}, claim = {} }: NodeParts = {}): object[] => [
  {
    kind: 'Node',
    metadata: {
      name,
      creationTimestamp: '2026-11-01T00:00:00Z',
      annotations,
      labels: {
        'karpenter.sh/nodepool': 'default',
        'karpenter.sh/registered': 'true',
        'karpenter.sh/initialized': 'true',
        ...(zone && { 'topology.kubernetes.io/zone': zone }),
      },
    },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
  },
  { kind: 'NodeClaim', metadata: { name }, spec: claim, status: { nodeName: name } },
];

const nodes = (count: number, zone?: string): object[] =>
  Array.from({ length: count }, (_, index) => node(`${zone ?? 'n'}-${index}`, zone ? { zone } : {})).flat();

const groups = (words: PolicyText): string[] =>
  (words.pools[0]?.groups ?? []).map(({ subject, text }) => `${subject}: ${text}`);
const notes = (words: PolicyText): readonly string[] => words.pools[0]?.notes ?? [];

describe('The sentences about the reasons of a pool', () => {
  const others = 'Unhealthy, Empty, Expired, Rebalance and Underutilized';

  it.each([
    { name: 'nothing', disruption: {}, says: ['Every reason: any time, at most 10% of the pool at a time.'] },
    {
      name: 'a number',
      disruption: { budgets: [{ nodes: '3' }] },
      says: ['Every reason: any time, at most 3 nodes at a time.'],
    },
    {
      name: 'one',
      disruption: { budgets: [{ nodes: '1' }, { nodes: '50%' }] },
      says: ['Every reason: any time, one node at a time.'],
    },
    {
      name: 'a number and a percentage, of which either may be the smaller',
      disruption: { budgets: [{ nodes: '20%' }, { nodes: '5' }, { nodes: '30%' }, { nodes: '7' }] },
      says: ['Every reason: any time, at most 20% of the pool at a time, but never more than 5 nodes.'],
    },
    {
      name: 'all',
      disruption: { budgets: [{ nodes: '100%' }] },
      says: ['Every reason: any time, all nodes at a time (100%).'],
    },
    {
      name: 'none, always',
      disruption: { budgets: [{ nodes: '0', reasons: ['Drifted'] }, { nodes: '10%' }] },
      says: [`${others}: any time, at most 10% of the pool at a time.`, 'Drifted: at no time.'],
    },
    {
      name: 'reasons without a budget',
      disruption: { budgets: [{ nodes: '80%', reasons: ['Empty', 'Drifted', 'Underutilized'] }] },
      says: [
        'Unhealthy, Expired and Rebalance: any time, without a limit (no budget applies).',
        'Empty, Drifted and Underutilized: any time, at most 80% of the pool at a time.',
      ],
    },
    {
      name: 'hours without a budget',
      disruption: {
        budgets: [{ nodes: '0', schedule: '0 17 * * mon-fri', duration: '16h', timeZone: 'Europe/Berlin' }],
      },
      says: [
        'Every reason: Monday to Friday from 17:00 until 09:00 the next day (Berlin), not at all; at all other times (Tuesday to Friday 09:00–17:00 and Saturday 09:00 until Monday 17:00), without a limit (no budget applies).',
      ],
    },
    {
      name: 'a monthly schedule',
      disruption: { budgets: [{ nodes: '5' }, { nodes: '0', schedule: '0 0 1 * *', duration: '24h' }] },
      says: [
        'Every reason: any time, at most 5 nodes at a time. But on the 1st of the month all day (UTC): not at all.',
      ],
    },
    {
      name: 'a schedule that fires too often to list its hours',
      disruption: { budgets: [{ nodes: '5' }, { nodes: '0', schedule: '*/15 * * * *', duration: '5m' }] },
      says: [
        'Every reason: any time, at most 5 nodes at a time. But every 15 minutes for 5 min each (UTC): not at all.',
      ],
    },
    {
      name: 'one zone after another',
      disruption: {
        budgets: [
          { nodes: '1', topologyKey: 'topology.kubernetes.io/zone', sequential: true, settle: '10m', patience: '2h' },
        ],
      },
      says: [
        `${others}: any time, without a limit (no budget applies).`,
        'Drifted: any time, one node at a time, one zone after another, the next once this zone has been healthy for 10 min, a zone without progress for 2 h loses the turn.',
      ],
    },
    {
      name: 'all racks at the same time, beside a budget for the pool',
      disruption: { budgets: [{ nodes: '2', topologyKey: 'example.com/rack' }, { nodes: '10%' }] },
      says: [
        `${others}: any time, at most 10% of the pool at a time.`,
        'Drifted: any time, at most 2 nodes of a rack at a time, all racks at the same time, and together with all other reasons at most 10% of the pool at a time.',
      ],
    },
    {
      name: 'a topology budget of 0',
      disruption: { budgets: [{ nodes: '0', topologyKey: 'topology.kubernetes.io/zone' }, { nodes: '10%' }] },
      says: [`${others}: any time, at most 10% of the pool at a time.`, 'Drifted: at no time.'],
    },
    {
      name: 'only empty nodes',
      disruption: { consolidationPolicy: 'WhenEmpty' },
      says: [
        'Unhealthy, Empty, Drifted, Expired and Rebalance: any time, at most 10% of the pool at a time.',
        'Underutilized: never: only empty nodes are consolidated (consolidationPolicy: WhenEmpty).',
      ],
    },
    {
      name: 'never',
      disruption: { consolidateAfter: 'Never', repairAfter: 'Never' },
      template: { expireAfter: 'Never' },
      says: [
        'Unhealthy: never: nodes are not repaired (repairAfter: Never).',
        'Empty and Underutilized: never: nothing is consolidated (consolidateAfter: Never).',
        'Drifted and Rebalance: any time, at most 10% of the pool at a time.',
        'Expired: never: nodes do not expire (expireAfter: Never).',
      ],
    },
  ])('$name', ({ disruption, template = {}, says }) => {
    expect(groups(tell([pool(disruption, { template })]))).toEqual(says);
  });

  it('include today’s numbers if there are nodes', () => {
    const budgets = [{ nodes: '10%' }, { nodes: '20', reasons: ['Empty'] }];
    expect(groups(tell([pool({ budgets }), ...nodes(14)]))).toEqual([
      'Unhealthy, Drifted, Expired, Rebalance and Underutilized: any time, at most 10% of the pool at a time (2 of 14 nodes today).',
      'Empty: any time, at most 20 nodes at a time (the pool has 14 today).',
    ]);
  });

  it('include today’s numbers of its zones', () => {
    const budgets = [{ nodes: '25%', topologyKey: 'topology.kubernetes.io/zone', sequential: true }];
    expect(groups(tell([pool({ budgets }), ...nodes(8, 'a'), ...nodes(1, 'b'), ...nodes(1)]))[1]).toBe(
      'Drifted: any time, at most 25% of a zone at a time (today 2 of 8 in a, 1 of 1 in b and 1 of 1 without the label), one zone after another.',
    );
  });

  it('C8: report that an invalid pool disrupts nothing', () => {
    expect(tell([pool({ budgets: [{ nodes: 'many' }] })]).pools[0]?.blocked).toMatch(
      /^is invalid, so only interrupted nodes are disrupted: spec\.disruption\.budgets\[0\]\.nodes: /,
    );
  });

  it('follow the settings', () => {
    const budgets = [{ nodes: '2' }, { nodes: '5', reasons: ['Drifted'] }];
    expect(groups(tell([pool({ budgets })], { defaultBudgets: 'ceiling', expiration: 'forceful' }))).toEqual([
      'Unhealthy, Empty, Drifted, Rebalance and Underutilized: any time, at most 2 nodes at a time.',
      'Expired: immediately, regardless of budgets and windows (setting expiration: forceful).',
    ]);
  });
});

describe('The notes of a pool', () => {
  it.each([
    {
      name: 'the shared counter',
      disruption: { budgets: [{ nodes: '1', reasons: ['Drifted'] }, { nodes: '100%' }] },
      says: [
        'All reasons share one counter: Drifted starts only while no other node of the pool is being disrupted or not Ready, for any reason.',
      ],
    },
    {
      name: 'no budgets',
      disruption: {},
      says: ['There are no budgets in spec.disruption.budgets, so the default of 10% applies to every reason.'],
    },
    {
      name: 'an empty list',
      disruption: { budgets: [] },
      says: ['The list of budgets is empty, which sets no limit. Without it, 10% would apply.'],
    },
    {
      name: 'budgets without effect',
      disruption: {
        budgets: [
          { nodes: '10%' },
          { nodes: '30%', schedule: '0 0 * * sat', duration: '48h' },
          { nodes: '1', topologyKey: 'topology.kubernetes.io/zone', reasons: ['Empty'] },
          { nodes: '10%' },
        ],
      },
      says: [
        'budgets[1] (30%, Saturday and Sunday all day (UTC)) has no effect: whenever it applies, another budget decides.',
        'budgets[2] (1 for Empty) has no effect: a budget with topologyKey applies only to Drifted.',
        'budgets[3] (10%) has no effect: whenever it applies, another budget decides.',
      ],
    },
    {
      name: 'lifetimes',
      disruption: { budgets: [{ nodes: '2' }], consolidateAfter: '5m', repairAfter: '10m' },
      template: { expireAfter: '336h', terminationGracePeriod: '48h' },
      says: [
        'An empty or underutilized node may be disrupted 5 min after a pod last arrived or left (consolidateAfter).',
        'A node expires when it is 14 days old (expireAfter).',
        'A node is unhealthy when it has not been Ready for 10 min (repairAfter).',
        'A node has 2 days to drain (terminationGracePeriod): drift, expiry and repair do not wait for pods that may not be moved.',
      ],
    },
    {
      name: 'P7: drift that waits, also by a budget that never decides the limit',
      disruption: {
        budgets: [
          { nodes: '1' },
          { nodes: '100%', reasons: ['Drifted'], driftAfter: '72h' },
          { nodes: '0', reasons: ['Drifted'] },
        ],
      },
      says: ['A node is replaced for drift only after it has been drifted for 3 days (driftAfter of budgets[1]).'],
    },
    {
      name: 'P1: rates',
      disruption: {
        budgets: [
          { nodes: '1' },
          { nodes: '5', per: '24h' },
          { nodes: '1', per: '1h' },
          { nodes: '10%', per: '90m', reasons: ['Drifted'], schedule: '0 9 * * mon-fri', duration: '8h' },
        ],
      },
      says: [
        'At most 5 nodes of the pool begin to be disrupted in any 24 hours, for any reason (budgets[1]).',
        'At most 1 node of the pool begins to be disrupted in any 1 hour, for any reason (budgets[2]).',
        'At most 10% of the nodes of the pool begin to be disrupted in any 1 h 30 min, for Drifted, while it is active (Monday to Friday 09:00–17:00 UTC) (budgets[3]).',
      ],
    },
    {
      name: 'P3: waves',
      disruption: {
        budgets: [{ nodes: '10%', reasons: ['Drifted'], waves: ['1', '10%'], settle: '10m' }, { nodes: '10%' }],
      },
      says: [
        'Drifted nodes are replaced in waves: first 1 node, then up to 10% of the pool, then the rest; the pool must be healthy for 10 min before the next wave begins (waves of budgets[0]).',
        'A roll is halted after 3 replacements in a row have failed (haltAfter of budgets[0]).',
      ],
    },
    {
      name: 'N7: an expiry before Karpenter’s own',
      disruption: { budgets: [{ nodes: '2' }], expireAfter: '600h' },
      says: [
        'A node is due for replacement when it is 25 days old; at 30 days Karpenter terminates it, regardless of budgets and windows.',
      ],
    },
  ])('$name', ({ disruption, template = {}, says }) => {
    expect(notes(tell([pool(disruption, { template })]))).toEqual(says);
  });

  it('E2: name the nodes that are kept', () => {
    const objects = [
      ...node('a', { annotations: { 'lull.dev/hold': 'being debugged' } }),
      ...node('b', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
      ...node('c', { annotations: { 'karpenter.sh/do-not-disrupt': '720h' } }),
      ...node('d', { annotations: { 'karpenter.sh/do-not-disrupt': '1h' } }),
      ...node('e', {
        annotations: { 'karpenter.sh/do-not-consolidate': 'true', 'karpenter.sh/do-not-repair': 'true' },
      }),
      ...node('f', { claim: { terminationGracePeriod: '1h' } }),
    ];
    expect(notes(tell([pool({ budgets: [{ nodes: '2' }] }), ...objects]))).toEqual([
      '1 node (f) have a deadline for draining (terminationGracePeriod): drift, expiry and repair do not wait for pods that may not be moved.',
      '1 node is not disrupted for any reason (lull.dev/hold): a (being debugged).',
      '2 nodes are not disrupted unless unhealthy (karpenter.sh/do-not-disrupt): b and c (until 1 December 2026 00:00 UTC).',
      '1 node is not disrupted when empty or underutilized (karpenter.sh/do-not-consolidate): e.',
      '1 node is not disrupted when unhealthy (karpenter.sh/do-not-repair): e.',
    ]);
  });
});

const window = (name: string, spec: object): object => ({ kind: 'MaintenanceWindow', metadata: { name }, spec });
const inZones = (...values: string[]): object => ({
  matchExpressions: [{ key: 'topology.kubernetes.io/zone', operator: 'In', values }],
});

describe('The sentence about a maintenance window', () => {
  const office = [{ cron: '0 9 * * mon-fri', duration: '8h', timeZone: 'Europe/Berlin' }];

  it.each([
    { name: 'nothing', spec: {}, says: 'blocks everything except interruption at all times on every node.' },
    {
      name: 'hours, actions and nodes',
      spec: { schedules: office, actions: ['Drift', 'Consolidation'], selector: inZones('a', 'b') },
      says: 'blocks drift and consolidation Monday to Friday 09:00–17:00 Berlin on nodes with zone a or b.',
    },
    {
      name: 'D3: Allow, with a note',
      spec: { mode: 'Allow', schedules: office, actions: ['EmptyConsolidation', 'Repair'], note: 'ask Ann' },
      says: 'allows repair and removal of empty nodes only Monday to Friday 09:00–17:00 Berlin on every node; note: ask Ann.',
    },
    {
      name: 'D4: dates',
      spec: { notBefore: '2026-12-20T00:00:00Z', notAfter: '2027-01-04T06:00:00+01:00' },
      says: 'blocks everything except interruption from 20 December 2026 00:00 UTC until 4 January 2027 05:00 UTC (not yet started) on every node.',
    },
    {
      name: 'D5: a number',
      spec: { schedules: office, nodes: '3', selector: inZones('a') },
      says: 'limits everything except interruption Monday to Friday 09:00–17:00 Berlin to 3 of its nodes at a time, counted across all pools, on nodes with zone a.',
    },
    {
      name: 'D5: a percentage while it is open',
      spec: { mode: 'Allow', schedules: office, nodes: '10%' },
      says: 'allows everything except interruption only Monday to Friday 09:00–17:00 Berlin, and then 10% of its nodes at a time, counted across all pools, on every node.',
    },
    {
      name: 'several schedules in several zones',
      spec: { schedules: [...office, { cron: '0 2 1 * *', duration: '4h' }], actions: ['Drift'] },
      says: 'blocks drift Monday to Friday 09:00–17:00 Berlin, and on the 1st of the month 02:00–06:00 UTC on every node.',
    },
    {
      name: 'R1: a day counted within the month',
      spec: { mode: 'Allow', schedules: [{ cron: '0 22 * * sat#1', duration: '4h', timeZone: 'Europe/Berlin' }] },
      says: 'allows everything except interruption only on the first Saturday of the month from 22:00 until 02:00 the next day (Berlin) on every node.',
    },
    {
      name: 'R2: every other week, and an exception',
      spec: {
        mode: 'Allow',
        schedules: [
          { cron: '0 2 * * sat', duration: '4h', every: '2w', anchor: '2026-11-02', exceptDates: ['2026-12-26'] },
        ],
        actions: ['Drift'],
      },
      says: 'allows drift only Saturday 02:00–06:00 UTC, every 2 weeks (such as the week of 2 November 2026), except on 26 December 2026 on every node.',
    },
    {
      name: 'D7: an invalid value',
      spec: { schedules: [{ cron: 'noon', duration: '1h' }], actions: ['Drift'], selector: inZones('a') },
      says: expect.stringMatching(
        /^is invalid, so it blocks drift at all times on nodes with zone a\. spec\.schedules\[0\]\.cron: "noon" is not a valid schedule/,
      ),
    },
  ])('$name', ({ spec, says }) => {
    expect(tell([window('w', spec)]).windows).toEqual([{ name: 'w', text: says }]);
  });

  it('D3: names the other Allow windows', () => {
    const allow = { mode: 'Allow', schedules: office, actions: ['Drift'] };
    expect(
      tell([window('one', allow), window('two', allow), window('three', { ...allow, actions: ['Repair'] })]).windows[0]
        ?.text,
    ).toBe(
      'allows drift only Monday to Friday 09:00–17:00 Berlin on every node, or while two is open, if it selects the same node.',
    );
  });

  it('counts the nodes it selects', () => {
    const objects = [pool({}), ...nodes(3, 'a'), ...nodes(2, 'b')];
    const [some, none] = tell([
      ...objects,
      window('a', { selector: inZones('a') }),
      window('c', { selector: inZones('c') }),
    ]).windows;
    expect(some?.text).toContain('(3 of 5 nodes today)');
    expect(none?.text).toContain('(none of 5 nodes today)');
  });
});

describe('Windows in the sentences of a pool', () => {
  const night = { mode: 'Allow', actions: ['Drift'], schedules: [{ cron: '0 20 * * *', duration: '10h' }] };

  it('are included in the hours if they select all its nodes', () => {
    expect(groups(tell([pool({ budgets: [{ nodes: '2' }] }), ...nodes(3, 'a'), window('night', night)]))[1]).toBe(
      'Drifted: every day 06:00–20:00 UTC, not at all; at all other times (every day from 20:00 until 06:00 the next day), at most 2 nodes at a time; includes window night.',
    );
  });

  it('are described separately if they select some nodes, have dates or a node cap', () => {
    const words = tell([
      pool({ budgets: [{ nodes: '2' }] }),
      ...nodes(3, 'a'),
      ...nodes(2, 'b'),
      window('some', { ...night, selector: inZones('b') }),
      window('freeze', { actions: ['Drift'], notBefore: '2026-12-20T00:00:00Z' }),
      window('few', { actions: ['Repair'], nodes: '1' }),
      window('over', { actions: ['Repair'], notAfter: '2026-01-01T00:00:00Z' }),
    ]);
    expect(groups(words)).toEqual([
      'Unhealthy: any time, at most 2 nodes at a time; see also window few.',
      'Empty, Expired, Rebalance and Underutilized: any time, at most 2 nodes at a time.',
      'Drifted: any time, at most 2 nodes at a time; see also windows freeze and some.',
    ]);
    expect(notes(words)).toEqual([
      'Also, window few (on all its nodes) limits repair at all times to 1 of its nodes at a time, counted across all pools.',
      'Also, window freeze (on all its nodes) blocks drift from 20 December 2026 00:00 UTC (not yet started).',
      'Also, window some (on 2 of 5 nodes) allows drift every day, but only from 20:00 until 06:00 the next day (UTC).',
    ]);
  });

  it('are matched by the labels of a pool without nodes', () => {
    const selector = (key: string, ...values: string[]) => ({ matchExpressions: [{ key, operator: 'In', values }] });
    const words = tell([
      pool({ budgets: [{ nodes: '2' }] }),
      window('mine', { actions: ['Repair'], selector: selector('karpenter.sh/nodepool', 'default') }),
      window('not-mine', { selector: selector('karpenter.sh/nodepool', 'other') }),
      window('perhaps', { actions: ['Drift'], selector: inZones('a') }),
    ]);
    expect(groups(words)).toEqual([
      'Unhealthy: at no time; includes window mine.',
      'Empty, Expired, Rebalance and Underutilized: any time, at most 2 nodes at a time.',
      'Drifted: any time, at most 2 nodes at a time; see also window perhaps.',
    ]);
    expect(notes(words)).toEqual([
      'Also, window perhaps (on those of its nodes that it selects) blocks drift at all times.',
    ]);
  });

  it('are not included if another Allow window selects some of the nodes', () => {
    const words = tell([
      pool({ budgets: [{ nodes: '2' }] }),
      ...nodes(3, 'a'),
      ...nodes(2, 'b'),
      window('all', night),
      window('some', { ...night, selector: inZones('b') }),
    ]);
    expect(groups(words)[1]).toBe('Drifted: any time, at most 2 nodes at a time; see also windows all and some.');
  });
});

const pod = (
  name: string,
  annotations: object,
  more: { owner?: object; labels?: object; start?: string } = {},
): object => ({
  kind: 'Pod',
  metadata: {
    namespace: 'db',
    name,
    annotations,
    labels: more.labels ?? {},
    ...(more.owner && { ownerReferences: [{ controller: true, uid: 'u', ...more.owner }] }),
  },
  spec: { nodeName: 'not-given' },
  status: more.start ? { startTime: more.start } : {},
});
const saturday = { 'karpenter.sh/disruption-schedule': '0 2 * * 6', 'karpenter.sh/disruption-schedule-duration': '4h' };
const office = {
  'karpenter.sh/disruption-block-schedule': '0 9 * * 1-5',
  'karpenter.sh/disruption-block-duration': '8h',
};
const optOut = (value: string): object => ({ 'karpenter.sh/do-not-disrupt': value });

describe('The sentences about pods', () => {
  it.each([
    { annotations: saturday, says: 'may be moved only Saturday 02:00–06:00 UTC' },
    { annotations: office, says: 'may be moved at any time except Monday to Friday 09:00–17:00 UTC' },
    {
      annotations: { ...saturday, ...office },
      says: 'may be moved only Saturday 02:00–06:00 UTC, but not Monday to Friday 09:00–17:00 UTC',
    },
    {
      annotations: { 'karpenter.sh/disruption-schedule': '0 0 31 2 *' },
      says: 'may never be moved, because its schedule never fires',
    },
    { annotations: { 'karpenter.sh/disruption-schedule': '* * * * *' }, says: 'may be moved at all times' },
    {
      annotations: {
        'karpenter.sh/disruption-block-schedule': '0 * * * *',
        'karpenter.sh/disruption-block-duration': '1h',
      },
      says: 'may never be moved, because it is blocked at all times',
    },
    { annotations: optOut('true'), says: 'may not be moved (do-not-disrupt)' },
    {
      annotations: { ...optOut('true'), ...saturday },
      says: 'may not be moved (do-not-disrupt), regardless of its schedule',
    },
    { annotations: optOut('10h'), says: 'may not be moved until 17 November 2026 18:00 UTC (do-not-disrupt)' },
    {
      annotations: { ...optOut('10h'), ...saturday },
      says: 'may not be moved until 17 November 2026 18:00 UTC (do-not-disrupt), and then only Saturday 02:00–06:00 UTC',
    },
    {
      annotations: { ...optOut('true'), ...saturday, 'karpenter.sh/do-not-disrupt-reasons': 'Empty,Drifted' },
      says: 'may not be moved for Empty and Drifted (do-not-disrupt), and for other reasons only Saturday 02:00–06:00 UTC',
    },
  ])('$says', ({ annotations, says }) => {
    const words = tell([pod('p', annotations, { start: '2026-11-17T08:00:00Z' })]).pods;
    expect(words).toEqual([{ workload: 'Pod db/p', pods: 1, sentence: `Pod db/p ${says}.` }]);
  });

  it('are absent if the protection has ended or there is none', () => {
    expect(tell([pod('a', optOut('1h'), { start: '2026-11-17T08:00:00Z' }), pod('b', {})]).pods).toEqual([]);
  });

  it('are joined for pods of one workload with the same rule', () => {
    const set = { owner: { kind: 'StatefulSet', name: 'postgres' } };
    const of = (hash: string) => ({
      owner: { kind: 'ReplicaSet', name: `web-${hash}` },
      labels: { 'pod-template-hash': hash },
    });
    const objects = [
      pod('postgres-0', saturday, set),
      pod('postgres-1', saturday, set),
      pod('postgres-2', office, set),
      pod('web-1', saturday, of('7d4b9c')),
      pod('web-2', saturday, of('85fd2a')),
    ];
    expect(tell(objects).pods.map(({ sentence }) => sentence)).toEqual([
      '2 pods of Deployment db/web may be moved only Saturday 02:00–06:00 UTC.',
      '2 pods of StatefulSet db/postgres may be moved only Saturday 02:00–06:00 UTC.',
      '1 pod of StatefulSet db/postgres may be moved at any time except Monday to Friday 09:00–17:00 UTC.',
    ]);
  });

  it.each([
    {
      spec: { selector: { matchLabels: { app: 'db' } }, schedule: '0 2 * * 6', duration: '4h' },
      says: 'pods with label app db may be moved only Saturday 02:00–06:00 UTC (1 pod in the input).',
    },
    {
      spec: {
        selector: {},
        namespaceSelector: { matchLabels: { team: 'a' } },
        mode: 'Block',
        schedule: '0 9 * * mon-fri',
      },
      says: 'every pod in namespaces with label team a may be moved at any time except Monday to Friday 09:00–10:00 UTC (no pods in the input).',
    },
    {
      spec: { selector: {}, schedule: 'never' },
      says: expect.stringMatching(
        /^is invalid, so these pods may not be moved: every pod \(1 pod in the input\)\. spec\.schedule: /,
      ),
    },
  ])('PodDisruptionSchedule: $says', ({ spec, says }) => {
    const schedule = { kind: 'PodDisruptionSchedule', metadata: { name: 's' }, spec };
    expect(tell([schedule, pod('p', {}, { labels: { app: 'db' } })]).podSchedules).toEqual([{ name: 's', text: says }]);
  });
});

describe('The sentences about every pool', () => {
  it('appear once, with the settings that differ from the default', () => {
    expect(tell([pool({})]).everywhere).toHaveLength(3);
    const unusual = { defaultBudgets: 'ceiling', windowMargin: 600_000 } as Partial<Settings>;
    expect(tell([pool({})], unusual).everywhere.slice(3)).toEqual([
      'Budgets without reasons also apply to named reasons, as in Karpenter (setting defaultBudgets: ceiling).',
      'No new disruption starts in the last 10 min before hours end (setting windowMargin).',
    ]);
  });

  it('are absent without a pool', () => {
    expect(tell([window('w', {})]).everywhere).toEqual([]);
  });
});

describe('C5, N4: with Karpenter, both readings of the budgets', () => {
  const observe = { role: 'observe' } as const;
  const ceiling = { budgets: [{ nodes: '10%' }, { nodes: '100%', reasons: ['Drifted'] }] };

  it('are described in one line each if they differ', () => {
    const words = tell([pool(ceiling), ...nodes(40)], observe);
    expect(groups(words).filter((line) => line.startsWith('Drifted'))).toEqual([
      'Drifted: any time, all nodes at a time (100%).',
      'Drifted, as Karpenter reads the spec: any time, at most 10% of the pool at a time (4 of 40 nodes today).',
    ]);
    expect(notes(words)).toContainEqual(expect.stringContaining('The smaller limit of both readings applies'));
  });

  it.each([
    { name: 'both readings are equal', disruption: { budgets: [{ nodes: '10%' }] } },
    { name: 'the spec is in an older spelling', disruption: { budgets: [{ maxUnavailable: '5' }] } },
    {
      name: 'Karpenter cannot read the spec',
      disruption: { budgets: [{ nodes: '1', topologyKey: 'topology.kubernetes.io/zone' }] },
    },
  ])('are described once if $name', ({ disruption }) => {
    const told = tell([pool(disruption)], observe);
    expect(told.pools[0]?.groups.some(({ reader }) => reader)).toBe(false);
  });

  it('are not described in drive mode', () => {
    expect(tell([pool(ceiling)]).pools[0]?.groups.some(({ reader }) => reader)).toBe(false);
  });
});
