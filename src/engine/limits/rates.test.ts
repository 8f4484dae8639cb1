import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  type Objects,
  type Plain,
  pool,
  refusalOf,
  startsOf,
  verdictOf,
} from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';

const web = (...budgets: readonly Plain[]): Plain => pool('web', { budgets });
const hourly = (nodes: string, more: Plain = {}): Plain => web({ nodes, per: '1h', ...more });
const drifted = (...names: readonly string[]): Objects => names.map((name) => machine(name, { drifted: longAgo }));
const deleting = (name: string, deleted: string, more: Plain = {}): Objects =>
  machine(name, { claim: { deleted }, ...more });
const begun = (minutes: Readonly<Record<string, number>>, leaving: readonly string[] = []): Ledger =>
  ledger({
    starts: [
      {
        kind: 'NodePool',
        name: 'web',
        minutes: Object.entries(minutes).map(([clock, nodes]) => ({ at: `2026-03-10T${clock}:00Z`, nodes })),
        leaving,
      },
    ],
  });
const goes = (objects: Objects, known?: Ledger, when?: string): readonly string[] =>
  startsOf(decide(objects, { ...(known && { ledger: known }), ...(when !== undefined && { at: when }) })).map(
    (it) => it.split(' ')[0] ?? '',
  );

describe('P1: at most `nodes` of a pool begin in any period', () => {
  it.each([
    { it: 'a count', budget: { nodes: '2', per: '1h' }, goes: 'a b' },
    { it: 'a percentage of counted nodes, rounded up', budget: { nodes: '21%', per: '1h' }, goes: 'a b' },
    { it: 'zero', budget: { nodes: '0', per: '1h' }, goes: '' },
    { it: 'for its reasons', budget: { nodes: '2', per: '1h', reasons: ['Drifted'] }, goes: 'a b' },
    { it: 'not for others', budget: { nodes: '2', per: '1h', reasons: ['Empty'] }, goes: 'a b c d e' },
    {
      it: 'while it is active',
      budget: { nodes: '2', per: '1h', schedule: '0 12 * * *', duration: '1h' },
      goes: 'a b',
    },
    {
      it: 'not while it is inactive',
      budget: { nodes: '2', per: '1h', schedule: '0 13 * * *', duration: '1h' },
      goes: 'a b c d e',
    },
  ])('$it: $goes', ({ budget, goes: names }) => {
    expect(goes([web(budget), drifted('a', 'b', 'c', 'd', 'e')]).join(' ')).toBe(names);
  });

  it('a start in a minute counts until the end of that minute plus the period, to the second', () => {
    const objects = [hourly('1'), drifted('a')];
    const known = begun({ '11:30': 1 });
    const round = decide(objects, { ledger: known });
    expect(refusalOf(round, 'a', 'Drifted', 'RateSpent')).toEqual({
      code: 'RateSpent',
      message:
        'budgets[0] of pool web allows 1 node to begin in any 1h; 1 began since 2026-03-10T11:30:00Z; the next may begin at 2026-03-10T12:31:00Z',
      owner: { kind: 'NodePool', name: 'web', index: 0 },
      liftsAt: at('2026-03-10T12:31:00Z'),
    });
    expect(verdictOf(round, 'a', 'Drifted')).toMatchObject({
      possibleAt: at('2026-03-10T12:31:00Z'),
      waitsFor: 'the clock',
    });
    expect(round.wakeAt).toBe(at('2026-03-10T12:31:00Z'));
    expect(round.rates).toEqual([
      {
        owner: { kind: 'NodePool', name: 'web', index: 0 },
        per: '1h',
        limit: 1,
        used: 1,
        left: 0,
        freeAt: at('2026-03-10T12:31:00Z'),
      },
    ]);
    expect(goes(objects, known, '2026-03-10T12:30:59Z')).toEqual([]);
    expect(goes(objects, known, '2026-03-10T12:31:00Z')).toEqual(['a']);
  });

  it('several rates all apply, and so does a limit of nodes at a time', () => {
    const budgets = [{ nodes: '3' }, { nodes: '2', per: '1h' }, { nodes: '4', per: '24h', reasons: ['Drifted'] }];
    const objects = [web(...budgets), drifted('a', 'b', 'c', 'd')];
    expect(goes(objects)).toEqual(['a', 'b']);
    const day = decide(objects, { ledger: begun({ '01:00': 3, '02:00': 1 }) });
    expect(refusalOf(day, 'a', 'Drifted', 'RateSpent')).toMatchObject({
      owner: { index: 2 },
      liftsAt: at('2026-03-11T01:01:00Z'),
    });
    expect(goes([web({ nodes: '1' }, { nodes: '2', per: '1h' }), drifted('a', 'b')])).toEqual(['a']);
  });

  it('a rate does not limit nodes at a time: without another budget nothing does', () => {
    const { allowances } = decide([hourly('1'), drifted('a')]);
    expect(allowances.find(({ reason }) => reason === 'Drifted')).toEqual({
      pool: 'web',
      reason: 'Drifted',
      consumed: 0,
    });
  });

  it('zero waits for a person; with hours it lifts when they end', () => {
    const held = (budget: Plain) => verdictOf(decide([web(budget), drifted('a')]), 'a', 'Drifted');
    const always = held({ nodes: '0', per: '1h' });
    expect(always).toMatchObject({ waitsFor: 'someone', possibleAt: 'now' });
    expect(always.refusals[0]).not.toHaveProperty('liftsAt');
    const hours = held({ nodes: '0', per: '1h', schedule: '0 12 * * *', duration: '2h' });
    expect(hours).toMatchObject({ waitsFor: 'the clock', possibleAt: at('2026-03-10T14:00:00Z') });
    expect(hours.refusals[0]?.liftsAt).toBe(at('2026-03-10T14:00:00Z'));
  });

  it('a zero holds nodes that never finished starting; another rate does not', () => {
    const starting = machine('a', { labels: { 'karpenter.sh/initialized': undefined }, drifted: longAgo });
    const codes = (nodes: string) =>
      codesOf(decide([hourly(nodes), starting], { ledger: begun({ '11:59': 5 }) }), 'a', 'Drifted');
    expect(codes('0')).toContain('RateSpent');
    expect(codes('1')).not.toContain('RateSpent');
  });

  it('E12: possibleAt is not before the hours in which a spent rate does not apply, or the end of its period', () => {
    const rate = { nodes: '1', per: '24h', schedule: '0 8 * * *', duration: '12h' };
    const only = (cron: string) => maintenanceWindow('w', { mode: 'Allow', schedules: [{ cron, duration: '1h' }] });
    const possible = (...more: Objects) =>
      verdictOf(decide([web(rate), drifted('a'), more], { ledger: begun({ '11:00': 1 }) }), 'a', 'Drifted').possibleAt;
    expect(possible()).toBe(at('2026-03-10T20:00:00Z'));
    expect(possible(only('0 10 * * *'))).toBe(at('2026-03-12T10:00:00Z'));
    expect(possible(only('30 10 * * *'))).toBe(at('2026-03-11T11:01:00Z'));
  });

  it('Interrupted is neither refused nor counted', () => {
    const reclaimed = machine('a', {
      spec: { taints: [{ key: 'aws-node-termination-handler/spot-itn', effect: 'NoSchedule' }] },
    });
    expect(goes([hourly('1'), reclaimed, drifted('b')])).toEqual(['a', 'b']);
    expect(goes([hourly('0'), reclaimed])).toEqual(['a']);
  });
});

describe('P2: a window with nodes and per limits what begins, over all pools', () => {
  const capped = (spec: Plain): Plain => maintenanceWindow('w', { nodes: '2', ...spec });
  const eleven = { cron: '0 11 * * *', duration: '3h' };
  const of = (minutes: Readonly<Record<string, number>>): Ledger => {
    const [record] = begun(minutes).starts ?? [];
    return { ...begun({}), starts: record ? [{ ...record, kind: 'MaintenanceWindow', name: 'w' }] : [] };
  };
  const objects = (spec: Plain): Objects => [
    pool(),
    pool('api'),
    drifted('a', 'b'),
    machine('c', { pool: 'api', drifted: longAgo }),
    capped(spec),
  ];

  it('in any period', () => {
    expect(goes(objects({ per: '1h' }))).toEqual(['a', 'b']);
    const round = decide(objects({ per: '1h' }), { ledger: of({ '11:10': 1, '11:20': 1 }) });
    expect(refusalOf(round, 'c', 'Drifted', 'RateSpent')).toEqual({
      code: 'RateSpent',
      message:
        'MaintenanceWindow w allows 2 nodes to begin in any 1h; 2 began since 2026-03-10T11:10:00Z; the next may begin at 2026-03-10T12:11:00Z',
      owner: { kind: 'MaintenanceWindow', name: 'w' },
      liftsAt: at('2026-03-10T12:11:00Z'),
    });
    expect(round.windows[0]?.holding).toBe(3);
  });

  it('in one opening of a Block window, until it closes', () => {
    const spec = { per: 'opening', schedules: [eleven] };
    expect(goes(objects(spec), of({ '10:59': 2 }))).toEqual(['a', 'b']);
    const round = decide(objects(spec), { ledger: of({ '11:00': 2 }) });
    expect(refusalOf(round, 'a', 'Drifted', 'RateSpent')).toMatchObject({
      message:
        'MaintenanceWindow w allows 2 nodes to begin in one opening; 2 began since 2026-03-10T11:00:00Z; the next may begin at 2026-03-10T14:00:00Z',
      liftsAt: at('2026-03-10T14:00:00Z'),
    });
  });

  it('in one opening of an Allow window: the next may begin in the next opening', () => {
    const spec = { mode: 'Allow', per: 'opening', schedules: [eleven] };
    const round = decide(objects(spec), { ledger: of({ '11:00': 2 }) });
    const refusal = refusalOf(round, 'a', 'Drifted', 'RateSpent');
    expect(refusal.message).toContain('the next may begin at 2026-03-11T11:00:00Z');
    expect(refusal).not.toHaveProperty('liftsAt');
    expect(verdictOf(round, 'a', 'Drifted')).toMatchObject({
      possibleAt: at('2026-03-11T11:00:00Z'),
      waitsFor: 'the clock',
    });
    expect(goes(objects(spec), of({ '11:00': 2 }), '2026-03-11T11:00:00Z')).toEqual(['a', 'b']);
  });

  it('D3: another open Allow window with room is enough, whichever way it is capped', () => {
    const spent = of({ '11:00': 2 });
    const rate = { mode: 'Allow', per: '1h', schedules: [eleven] };
    const other = (nodes: string) => maintenanceWindow('v', { mode: 'Allow', nodes, schedules: [eleven] });
    expect(goes([...objects(rate), other('1')], spent)).toEqual(['a']);
    const both = decide([...objects(rate), other('1')], { ledger: spent });
    expect(codesOf(both, 'b', 'Drifted')).toEqual(['WindowCapSpent', 'RateSpent']);
  });

  it('counts only nodes that it selects', () => {
    const selector = { matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'In', values: ['api'] }] };
    const gone = deleting('d', '2026-03-10T11:59:00Z');
    const round = decide([...objects({ per: '1h', nodes: '1', selector }), gone]);
    expect(startsOf(round)).toEqual(['a Drifted', 'b Drifted', 'c Drifted']);
    expect(round.ledger.starts).toBeUndefined();
  });
});
