import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  marked,
  type Plain,
  pool,
  refusalOf,
  startsOf,
  underway,
  verdictOf,
} from '../../../test/build.ts';

const until = '2026-03-10T14:00:00Z';
const over = '2026-03-10T11:00:00Z';
const gpu = (more: Plain = {}): Plain => pool('web', { annotations: { 'lull.dev/approval': 'required', ...more } });
const drifted = (annotations: Plain = {}) =>
  machine('n1', { drifted: longAgo, annotations: annotations as Record<string, string> });
const approved = (value: string) => ({ 'lull.dev/approved': value });

describe('Q2: a pool that requires approval', () => {
  it('holds its nodes until a person has approved it, and says how', () => {
    const round = decide([gpu(), drifted()]);
    expect(refusalOf(round, 'n1', 'Drifted', 'NeedsApproval')).toEqual({
      code: 'NeedsApproval',
      message: 'pool web requires approval; to approve: lull approve node/n1',
      owner: { kind: 'NodePool', name: 'web' },
    });
    expect(verdictOf(round, 'n1', 'Drifted')).toMatchObject({ outcome: 'held', waitsFor: 'someone' });
  });

  it.each([
    ['the node', [gpu(), drifted(approved(`${until} by ann`))]],
    ['the pool', [gpu(approved(until)), drifted()]],
    ['the pool, after the approval of the node has ended', [gpu(approved(until)), drifted(approved(over))]],
  ])('lets go what is approved: %s', (_, objects) => {
    expect(startsOf(decide(objects))).toEqual(['n1 Drifted']);
    const later = decide(objects, { at: until });
    expect(codesOf(later, 'n1', 'Drifted')).toEqual(['NeedsApproval']);
    expect(refusalOf(later, 'n1', 'Drifted', 'NeedsApproval').message).toContain(`ended at ${until})`);
  });

  it('an approval that cannot be read is none', () => {
    expect(codesOf(decide([gpu(), drifted(approved('yes'))]), 'n1', 'Drifted')).toEqual(['NeedsApproval']);
    expect(codesOf(decide([gpu(approved('yes')), drifted()]), 'n1', 'Drifted')).toContain('PoolFault');
  });

  it('C8: any other value than required holds the pool', () => {
    expect(codesOf(decide([gpu({ 'lull.dev/approval': 'requird' }), drifted()]), 'n1', 'Drifted')).toEqual([
      'PoolFault',
    ]);
  });

  it('every reason but Interrupted needs it, repair included', () => {
    const ill = machine('n1', { ready: 'False', readySince: longAgo });
    expect(codesOf(decide([gpu(), ill]), 'n1', 'Unhealthy')).toContain('NeedsApproval');
    const warned = machine('n1', {
      spec: { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] },
    });
    expect(startsOf(decide([gpu(), warned]))).toEqual(['n1 Interrupted']);
  });

  it('B7: the round wakes when an approval ends', () => {
    const web = pool('web', {
      annotations: { 'lull.dev/approval': 'required', ...approved(until) },
      budgets: [{ nodes: '0' }],
    });
    expect(decide([web, drifted()]).wakeAt).toBe(at(until));
  });

  it('E12: an approval that ends before the other rules permit it never meets them', () => {
    const night = { nodes: '0', schedule: '0 9 * * *', duration: '9h' };
    const web = (value: string): Plain =>
      pool('web', { annotations: { 'lull.dev/approval': 'required', ...approved(value) }, budgets: [night] });
    const { possibleAt, neverMeet } = verdictOf(decide([web(until), drifted()]), 'n1', 'Drifted');
    expect(possibleAt).toBe('never');
    expect(neverMeet?.map(({ code }) => code)).toEqual(['NeedsApproval', 'BudgetSpent']);
    const long = verdictOf(decide([web('2026-03-11T00:00:00Z'), drifted()]), 'n1', 'Drifted');
    expect(long.possibleAt).toBe(at('2026-03-10T18:00:00Z'));
    // Without an approval a person must act, and the clock tells when the rest permits it.
    const none = verdictOf(decide([web(over), drifted()]), 'n1', 'Drifted');
    expect(none).toMatchObject({ possibleAt: at('2026-03-10T18:00:00Z'), waitsFor: 'someone' });
  });

  it('D6: a command that has evicted nothing is undone when the approval ends', () => {
    const replacing = ledger({ commands: [underway('n1', { step: 'replacing' })] });
    const tainted = machine('n1', { drifted: longAgo, spec: marked() });
    const round = decide([gpu(approved(over)), tainted], { ledger: replacing });
    expect(round.commands).toMatchObject([{ step: 'released', why: expect.stringContaining('NeedsApproval') }]);
    const goesOn = decide([gpu(approved(until)), tainted], { ledger: replacing });
    expect(goesOn.commands[0]?.step).not.toBe('released');
  });

  it('N3: in guide an offer is withdrawn when the approval ends', () => {
    const offered = ledger({ commands: [underway('n1', { step: 'offered', hands: 'karpenter' })] });
    const round = decide([gpu(approved(over)), drifted()], { ledger: offered, settings: { role: 'guide' } });
    expect(round.commands).toMatchObject([{ step: 'withdrawn', why: expect.stringContaining('NeedsApproval') }]);
  });
});

describe('Q2: a MaintenanceWindow with approval: true', () => {
  const day = { schedules: [{ cron: '0 9 * * *', duration: '8h' }], approval: true, note: 'ops on call' };

  it('asks for approval while it is open, and blocks nothing', () => {
    const objects = [pool(), drifted(), maintenanceWindow('hours', day)];
    expect(refusalOf(decide(objects), 'n1', 'Drifted', 'NeedsApproval')).toEqual({
      code: 'NeedsApproval',
      message: 'MaintenanceWindow hours requires approval (ops on call); to approve: lull approve node/n1',
      owner: { kind: 'MaintenanceWindow', name: 'hours' },
      liftsAt: at('2026-03-10T17:00:00Z'),
    });
    expect(verdictOf(decide(objects), 'n1', 'Drifted').possibleAt).toBe(at('2026-03-10T17:00:00Z'));
    expect(startsOf(decide(objects, { at: '2026-03-10T17:00:00Z' }))).toEqual(['n1 Drifted']);
    expect(startsOf(decide([pool(), drifted(approved(until)), maintenanceWindow('hours', day)]))).toEqual([
      'n1 Drifted',
    ]);
  });

  it('only for its actions', () => {
    const window = maintenanceWindow('hours', { ...day, actions: ['Consolidation'] });
    expect(startsOf(decide([pool(), drifted(), window]))).toEqual(['n1 Drifted']);
  });

  it.each([{ mode: 'Allow' }, { nodes: '2' }])('D7: with %j it is invalid, and blocks', (more) => {
    const window = maintenanceWindow('hours', { ...day, ...more });
    expect(codesOf(decide([pool(), drifted(), window]), 'n1', 'Drifted')).toEqual(['WindowFault']);
  });
});
