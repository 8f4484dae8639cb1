import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  type Plain,
  pool,
  refusalOf,
  startsOf,
  verdictOf,
} from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';

const eleven = '2026-03-10T11:00:00Z';
const waits = (wait: string, more: Plain = {}): Plain =>
  pool('web', { annotations: { 'lull.dev/drift-after': wait }, ...more });
const byBudget = (driftAfter: string): Plain => ({ nodes: '100%', reasons: ['Drifted'], driftAfter });

describe('P7: a drifted node waits for driftAfter', () => {
  it('until exactly that long after its condition became True', () => {
    const objects = [waits('1h'), machine('n1', { drifted: '2026-03-10T11:00:01Z' })];
    const round = decide(objects);
    expect(refusalOf(round, 'n1', 'Drifted', 'DriftTooRecent')).toEqual({
      code: 'DriftTooRecent',
      message: 'it has been drifted since 2026-03-10T11:00:01Z, less than driftAfter (1h)',
      owner: { kind: 'NodePool', name: 'web' },
      liftsAt: at('2026-03-10T12:00:01Z'),
    });
    expect(verdictOf(round, 'n1', 'Drifted')).toMatchObject({
      outcome: 'held',
      possibleAt: at('2026-03-10T12:00:01Z'),
      waitsFor: 'the clock',
    });
    expect(round.wakeAt).toBe(at('2026-03-10T12:00:01Z'));
    expect(startsOf(decide(objects, { at: '2026-03-10T12:00:01Z' }))).toEqual(['n1 Drifted']);
  });

  it('E12: possibleAt is the first instant after it that the other rules permit too', () => {
    const freeze = { nodes: '0', schedule: '0 11 * * *', duration: '3h' };
    const round = decide([waits('90m', { budgets: [freeze] }), machine('n1', { drifted: eleven })]);
    expect(verdictOf(round, 'n1', 'Drifted').possibleAt).toBe(at('2026-03-10T14:00:00Z'));
  });

  it('a budget may say so; of several waits the longest counts, whichever budget limits the pool', () => {
    const budgets = [{ nodes: '1' }, byBudget('2h'), byBudget('30m')];
    const drifted = machine('n1', { drifted: eleven });
    const lifting = (web: Plain) => refusalOf(decide([web, drifted]), 'n1', 'Drifted', 'DriftTooRecent');
    expect(lifting(pool('web', { budgets }))).toMatchObject({
      owner: { kind: 'NodePool', name: 'web', index: 1 },
      liftsAt: at('2026-03-10T13:00:00Z'),
    });
    const longer = lifting(waits('3h', { budgets }));
    expect(longer.owner).toEqual({ kind: 'NodePool', name: 'web' });
    expect(longer.liftsAt).toBe(at('2026-03-10T14:00:00Z'));
  });

  it('holds no other reason, and nothing without it or with 0s', () => {
    const late = machine('n1', { drifted: eleven, claim: { spec: { expireAfter: '24h' } } });
    expect(codesOf(decide([waits('9h'), late]), 'n1', 'Expired')).not.toContain('DriftTooRecent');
    for (const web of [pool(), waits('0s')])
      expect(startsOf(decide([web, machine('n1', { drifted: eleven })]))).toEqual(['n1 Drifted']);
  });

  it('N4: in guide it also holds what Karpenter would take for drift instead', () => {
    const late = machine('n1', { drifted: eleven, claim: { spec: { expireAfter: '24h' } } });
    const round = decide([waits('9h'), late], { settings: { role: 'guide' } });
    expect(refusalOf(round, 'n1', 'Expired', 'DriftTooRecent').message).toMatch(/^Karpenter would disrupt it for/);
  });

  it('without a transition it is not known since when: the node stays', () => {
    const unknown = machine('n1', { claim: { conditions: { Drifted: { status: 'True' } } } });
    const round = decide([waits('1h'), unknown]);
    const { message, liftsAt } = refusalOf(round, 'n1', 'Drifted', 'DriftTooRecent');
    expect(message).toBe('Lull does not know since when it has been drifted, so driftAfter holds it');
    expect(liftsAt).toBeUndefined();
  });
});

describe('P7: where Lull finds drift itself', () => {
  const image = (version: string, wait = '1h'): Plain => waits(wait, { templateLabels: { image: version } });
  const old = machine('n1', { claim: { labels: { image: 'v1' } } });
  const asked = (web: Plain, when: string, known?: Ledger, settings: Plain = {}) =>
    decide([web, old], { at: when, settings: { drift: 'computed', ...settings }, ...(known && { ledger: known }) });

  it('it counts from when Lull first saw the template, which the ledger remembers', () => {
    const first = asked(image('v2'), eleven);
    expect(refusalOf(first, 'n1', 'Drifted', 'DriftTooRecent').liftsAt).toBe(at('2026-03-10T12:00:00Z'));
    expect(first.ledger.templates).toMatchObject([{ pool: 'web', since: at(eleven) }]);
    const later = asked(image('v2'), '2026-03-10T11:59:59Z', first.ledger);
    expect(refusalOf(later, 'n1', 'Drifted', 'DriftTooRecent').liftsAt).toBe(at('2026-03-10T12:00:00Z'));
    expect(later.ledger).toBe(first.ledger);
    expect(startsOf(asked(image('v2'), '2026-03-10T12:00:00Z', first.ledger))).toEqual(['n1 Drifted']);
  });

  it('another template starts the clock again, and a longer wait does not', () => {
    const first = asked(image('v2'), eleven).ledger;
    expect(asked(image('v3'), '2026-03-10T12:00:00Z', first).ledger.templates).toMatchObject([
      { since: at('2026-03-10T12:00:00Z') },
    ]);
    const longer = refusalOf(
      asked(image('v2', '2h'), '2026-03-10T12:00:00Z', first),
      'n1',
      'Drifted',
      'DriftTooRecent',
    );
    expect(longer.liftsAt).toBe(at('2026-03-10T13:00:00Z'));
  });

  it('a node that was created later has been drifted no longer than it exists', () => {
    const first = asked(image('v2'), longAgo).ledger;
    const young = machine('n2', { created: eleven, claim: { created: eleven, labels: { image: 'v1' } } });
    const round = decide([image('v2', '2h'), young], { settings: { drift: 'computed' }, ledger: first });
    expect(refusalOf(round, 'n2', 'Drifted', 'DriftTooRecent').liftsAt).toBe(at('2026-03-10T13:00:00Z'));
  });

  it('a ledger of an older Lull is read, and what is no longer needed is forgotten', () => {
    const before = ledger({ version: 1 });
    expect(before.templates).toBeUndefined();
    expect(asked(pool(), eleven, before).ledger.templates).toBeUndefined();
    const known = asked(image('v2'), eleven, before).ledger;
    expect(asked(pool('web', { templateLabels: { image: 'v1' } }), eleven, known).ledger.templates).toEqual([]);
  });

  it('observe remembers nothing, so it does not know', () => {
    const round = asked(image('v2'), eleven, undefined, { role: 'observe' });
    expect(refusalOf(round, 'n1', 'Drifted', 'DriftTooRecent').liftsAt).toBeUndefined();
    expect(round.ledger.templates).toBeUndefined();
  });
});
