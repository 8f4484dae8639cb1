import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  longAgo,
  machine,
  maintenanceWindow,
  type Objects,
  type Plain,
  pod,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';
import { budgetReasons } from '../../cluster/reason.ts';

const day = { cron: '0 9 * * *', duration: '8h' };
const night = { cron: '0 2 * * *', duration: '4h' };
const drifted = machine('n1', { zone: 'a', drifted: longAgo });
const owner = { kind: 'MaintenanceWindow', name: 'w' };
const codes = (...windows: Objects): string =>
  codesOf(decide([pool(), drifted, windows]), 'n1', 'Drifted').join(' ') || 'goes';
const code = (spec: Plain): string => codes(maintenanceWindow('w', spec));
const expression = (key: string, operator: string, ...values: string[]): Plain => ({
  selector: { matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] },
});

describe('D1: an action names its reasons', () => {
  /** One node for each reason that a window may name. */
  const nodes = [
    pool('web', { consolidateAfter: '0s' }),
    machine('0', { allocatable: { cpu: '64' } }),
    pod('stay', '0', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } }),
    machine('empty'),
    machine('under'),
    pod('u', 'under'),
    machine('drifted', { drifted: longAgo }),
    machine('expired', { claim: { spec: { expireAfter: '1h' } } }),
    machine('rebalance', { annotations: { 'lull.dev/rebalance': '' } }),
    machine('unhealthy', { ready: 'False' }),
  ];
  it.each([
    { actions: ['Expiration'], reasons: ['Expired'] },
    { actions: ['Consolidation'], reasons: ['Empty', 'Underutilized'] },
    { actions: ['EmptyConsolidation'], reasons: ['Empty'] },
    { actions: ['NonEmptyConsolidation'], reasons: ['Underutilized'] },
    { actions: ['Drift'], reasons: ['Drifted'] },
    { actions: ['Rebalance'], reasons: ['Rebalance'] },
    { actions: ['Repair'], reasons: ['Unhealthy'] },
    { actions: ['Drift', 'Repair'], reasons: ['Unhealthy', 'Drifted'] },
    { actions: undefined, reasons: budgetReasons },
  ])('$actions block $reasons', ({ actions, reasons }) => {
    const { verdicts } = decide([nodes, maintenanceWindow('w', { actions })]);
    const blocked = verdicts
      .filter(({ refusals }) => refusals.some((it) => it.code === 'WindowBlocks'))
      .map(({ reason }) => reason);
    expect(budgetReasons.filter((reason) => blocked.includes(reason))).toEqual(reasons);
  });

  it('nothing blocks an interruption', () => {
    const node = machine('n1', { claim: { conditions: { Interrupted: longAgo } } });
    expect(startsOf(decide([pool(), node, maintenanceWindow('w')]))).toEqual(['n1 Interrupted']);
  });
});

describe('D2: a window blocks while it is active', () => {
  it.each([
    { it: 'always, without schedules', spec: {}, says: 'WindowBlocks' },
    { it: 'while open', spec: { schedules: [day] }, says: 'WindowBlocks' },
    { it: 'not while closed', spec: { schedules: [night] }, says: 'goes' },
    { it: 'while one of its schedules is', spec: { schedules: [night, day] }, says: 'WindowBlocks' },
    {
      it: 'in its zone',
      spec: { schedules: [{ cron: '0 13 * * *', duration: '1h', timeZone: 'Europe/Berlin' }] },
      says: 'WindowBlocks',
    },
    { it: 'on the nodes it selects', spec: expression('topology.kubernetes.io/zone', 'In', 'a'), says: 'WindowBlocks' },
    { it: 'on no others', spec: expression('topology.kubernetes.io/zone', 'In', 'b'), says: 'goes' },
    { it: 'by NotIn', spec: expression('topology.kubernetes.io/zone', 'NotIn', 'a'), says: 'goes' },
    { it: 'by Exists', spec: expression('team', 'Exists'), says: 'goes' },
    { it: 'by DoesNotExist', spec: expression('team', 'DoesNotExist'), says: 'WindowBlocks' },
    { it: 'by Gt', spec: expression('team', 'Gt', '1'), says: 'goes' },
  ])('$it: $says', ({ spec, says }) => {
    expect(code(spec)).toBe(says);
  });

  it('every window must allow it: each that does not is named', () => {
    expect(codes(maintenanceWindow('a'), maintenanceWindow('b', { schedules: [night] }), maintenanceWindow('c'))).toBe(
      'WindowBlocks WindowBlocks',
    );
  });

  it('it says who, why and until when', () => {
    const round = decide([pool(), drifted, maintenanceWindow('w', { schedules: [day], note: 'quarter end, ask Ada' })]);
    const refusal = refusalOf(round, 'n1', 'Drifted', 'WindowBlocks');
    expect(refusal).toMatchObject({ owner, liftsAt: at('2026-03-10T17:00:00Z') });
    expect(refusal.message).toContain('quarter end, ask Ada');
  });

  it('one that is always active never lifts', () => {
    expect(
      refusalOf(decide([pool(), drifted, maintenanceWindow('w')]), 'n1', 'Drifted', 'WindowBlocks'),
    ).not.toHaveProperty('liftsAt');
  });
});

describe('D3: mode Allow', () => {
  const allow = (name: string, spec: Plain) => maintenanceWindow(name, { mode: 'Allow', ...spec });
  const other = expression('topology.kubernetes.io/zone', 'In', 'b');
  it.each([
    { it: 'open', windows: [allow('w', { schedules: [day] })], says: 'goes' },
    { it: 'closed', windows: [allow('w', { schedules: [night] })], says: 'WindowNotOpen' },
    { it: 'always open without schedules', windows: [allow('w', {})], says: 'goes' },
    { it: 'over other nodes', windows: [allow('w', { schedules: [night], ...other })], says: 'goes' },
    { it: 'over another action', windows: [allow('w', { schedules: [night], actions: ['Repair'] })], says: 'goes' },
    {
      it: 'two, one of them open',
      windows: [allow('a', { schedules: [night] }), allow('b', { schedules: [day] })],
      says: 'goes',
    },
    {
      it: 'two, both closed: said once',
      windows: [allow('a', { schedules: [night] }), allow('b', { schedules: [night] })],
      says: 'WindowNotOpen',
    },
    {
      it: 'open, and another one blocks',
      windows: [allow('a', { schedules: [day] }), maintenanceWindow('b')],
      says: 'WindowBlocks',
    },
    {
      it: 'closed, and another one blocks',
      windows: [allow('a', { schedules: [night] }), maintenanceWindow('b')],
      says: 'WindowBlocks WindowNotOpen',
    },
  ])('$it: $says', ({ windows, says }) => {
    expect(codes(...windows)).toBe(says);
  });

  it('names the one that opens first, and when', () => {
    const evening = allow('thursday', { schedules: [{ cron: '0 20 * * *', duration: '1h' }], note: 'after trade' });
    const round = decide([pool(), drifted, allow('nightly', { schedules: [night] }), evening]);
    const refusal = refusalOf(round, 'n1', 'Drifted', 'WindowNotOpen');
    expect(refusal).toMatchObject({
      owner: { kind: 'MaintenanceWindow', name: 'thursday' },
      liftsAt: at('2026-03-10T20:00:00Z'),
    });
    expect(refusal.message).toBe(
      'it may be disrupted only in MaintenanceWindow nightly (every day 02:00–06:00 UTC) or MaintenanceWindow thursday (every day 20:00–21:00 UTC) (after trade)',
    );
  });
});

describe('D4: the life of a window', () => {
  const [past, future] = ['2026-03-01T00:00:00Z', '2026-04-01T00:00:00Z'];
  it.each([
    { it: 'within', spec: { notBefore: past, notAfter: future }, says: 'WindowBlocks' },
    { it: 'before', spec: { notBefore: future }, says: 'goes' },
    { it: 'after', spec: { notAfter: past }, says: 'goes' },
    { it: 'start in', spec: { notBefore: '2026-03-10T12:00:00Z' }, says: 'WindowBlocks' },
    { it: 'end out', spec: { notAfter: '2026-03-10T12:00:00Z' }, says: 'goes' },
    { it: 'an Allow window before it', spec: { mode: 'Allow', schedules: [night], notBefore: future }, says: 'goes' },
    { it: 'an Allow window after it', spec: { mode: 'Allow', schedules: [night], notAfter: past }, says: 'goes' },
    {
      it: 'an Allow window within',
      spec: { mode: 'Allow', schedules: [night], notBefore: past },
      says: 'WindowNotOpen',
    },
  ])('$it: $says', ({ spec, says }) => {
    expect(code(spec)).toBe(says);
  });

  it('an ended Allow window does not open what another keeps closed', () => {
    const ended = maintenanceWindow('a', { mode: 'Allow', notAfter: past });
    expect(codes(ended, maintenanceWindow('b', { mode: 'Allow', schedules: [night] }))).toBe('WindowNotOpen');
  });

  it.each([
    { it: 'a freeze lifts when it ends', spec: { notAfter: future }, code: 'WindowBlocks', liftsAt: future },
    {
      it: 'or when its schedule closes first',
      spec: { notAfter: future, schedules: [day] },
      code: 'WindowBlocks',
      liftsAt: '2026-03-10T17:00:00Z',
    },
    {
      it: 'an Allow window that ends closed lets go',
      spec: { mode: 'Allow', schedules: [night], notAfter: '2026-03-10T18:00:00Z' },
      code: 'WindowNotOpen',
      liftsAt: '2026-03-10T18:00:00Z',
    },
  ] as const)('$it', ({ spec, code: wanted, liftsAt }) => {
    const round = decide([pool(), drifted, maintenanceWindow('w', spec)]);
    expect(refusalOf(round, 'n1', 'Drifted', wanted).liftsAt).toBe(at(liftsAt));
  });
});

describe('D4: the note says who and why', () => {
  const busy = machine('n0', { deleted: longAgo });
  it.each([
    { code: 'WindowBlocks', spec: {} },
    { code: 'WindowNotOpen', spec: { mode: 'Allow', schedules: [night] } },
    { code: 'WindowCapSpent', spec: { nodes: '1' } },
    { code: 'WindowFault', spec: { nodes: 'many' } },
    { code: 'ClosesTooSoon', spec: { mode: 'Allow', schedules: [day] } },
  ] as const)('with every refusal: $code', ({ code: wanted, spec }) => {
    const window = maintenanceWindow('w', { ...spec, note: 'ask Ada' });
    const round = decide([pool(), drifted, busy, window], { settings: { windowMargin: '6h' } });
    expect(refusalOf(round, 'n1', 'Drifted', wanted).message).toContain('(ask Ada)');
  });
});

describe('D7: an invalid window fails closed', () => {
  const elsewhere = expression('topology.kubernetes.io/zone', 'In', 'b');
  const badSelector = expression('topology.kubernetes.io/zone', 'Like', 'b');
  it.each([
    { it: 'a bad schedule blocks', spec: { schedules: [{ cron: 'nightly', duration: '1h' }] }, says: 'WindowFault' },
    {
      it: 'a schedule that never fires blocks',
      spec: { schedules: [{ cron: '0 0 30 2 *', duration: '1h' }] },
      says: 'WindowFault',
    },
    { it: 'a bad date blocks', spec: { notAfter: 'yesterday' }, says: 'WindowFault' },
    { it: 'bad nodes block', spec: { nodes: 'many' }, says: 'WindowFault' },
    { it: 'only the nodes it selects', spec: { nodes: 'many', ...elsewhere }, says: 'goes' },
    { it: 'only its actions', spec: { nodes: 'many', actions: ['Repair'] }, says: 'goes' },
    { it: 'a bad selector blocks all nodes', spec: badSelector, says: 'WindowFault' },
    { it: 'a bad selector blocks its actions alone', spec: { ...badSelector, actions: ['Repair'] }, says: 'goes' },
    { it: 'a bad action blocks all actions', spec: { actions: ['Repair', 'Sleep'] }, says: 'WindowFault' },
    {
      it: 'an Allow window with a bad schedule blocks',
      spec: { mode: 'Allow', schedules: [{ cron: 'nightly', duration: '1h' }] },
      says: 'WindowFault',
    },
  ])('$it', ({ spec, says }) => {
    expect(code(spec)).toBe(says);
  });

  it.each([
    { it: 'a bad selector', spec: badSelector },
    { it: 'a bad action', spec: { actions: ['Drift', 'Sleep'] } },
  ])('an Allow window with $it permits nothing, though it is open', ({ spec }) => {
    expect(code({ ...spec, mode: 'Allow', schedules: [day] })).toBe('WindowFault');
    expect(
      codes(
        maintenanceWindow('a', { ...spec, mode: 'Allow' }),
        maintenanceWindow('b', { mode: 'Allow', schedules: [night] }),
      ),
    ).not.toBe('goes');
  });

  it.each([
    { it: 'a bad selector', spec: badSelector },
    { it: 'a bad action', spec: { actions: ['Drift', 'Sleep'] } },
  ])('a window with a cap and $it blocks outright', ({ spec }) => {
    expect(code({ ...spec, nodes: '1' })).toBe('WindowFault');
  });

  it('says what is wrong, and never lifts', () => {
    const round = decide([pool(), drifted, maintenanceWindow('w', { nodes: 'many' })]);
    const refusal = refusalOf(round, 'n1', 'Drifted', 'WindowFault');
    expect(refusal).toMatchObject({ owner });
    expect(refusal.message).toMatch(/^MaintenanceWindow w cannot be read, so it blocks: .*many/);
    expect(refusal).not.toHaveProperty('liftsAt');
  });
});
