import { describe, expect, it } from 'vitest';
import {
  at,
  codesOf,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  node,
  type Objects,
  type Plain,
  pool,
  refusalOf,
  startsOf,
} from '../../../test/build.ts';

const drifted = (...names: string[]): Objects => names.map((name) => machine(name, { drifted: longAgo }));
const day = { cron: '0 9 * * *', duration: '8h' };
const goes = (objects: Objects): string =>
  startsOf(decide([pool(), objects]))
    .map((it) => it.split(' ')[0])
    .join(' ');
const cap = (nodes: string, spec: Plain = {}) => maintenanceWindow('w', { nodes, ...spec });

describe('D5: a window with nodes allows that many at a time', () => {
  const ten = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  it.each([
    { it: 'a count', window: cap('2'), goes: 'a b' },
    { it: 'a percentage of those it selects', window: cap('25%'), goes: 'a b c' },
    { it: 'rounded up', window: cap('1%'), goes: 'a' },
    { it: '0 blocks outright', window: cap('0'), goes: '' },
    { it: '0% blocks outright', window: cap('0%'), goes: '' },
    { it: 'while it is active', window: cap('2', { schedules: [day] }), goes: 'a b' },
    {
      it: 'not while it is inactive',
      window: cap('2', { schedules: [{ ...day, cron: '0 1 * * *' }] }),
      goes: ten.join(' '),
    },
    { it: 'only for its actions', window: cap('2', { actions: ['Repair'] }), goes: ten.join(' ') },
    { it: 'while an Allow window is open', window: cap('2', { mode: 'Allow', schedules: [day] }), goes: 'a b' },
    {
      it: 'none while an Allow window is closed',
      window: cap('2', { mode: 'Allow', schedules: [{ ...day, cron: '0 1 * * *' }] }),
      goes: '',
    },
  ])('$it: $goes', ({ window, goes: names }) => {
    expect(goes([drifted(...ten), window])).toBe(names);
  });

  it('a percentage is of managed nodes', () => {
    const others = ['x', 'y', 'z', 'u', 'v'].map((name) => node(name));
    expect(goes([drifted('a', 'b', 'c'), others, cap('34%')])).toBe('a b');
  });

  it('counts nodes of all pools together', () => {
    const api = machine('b', { pool: 'api', drifted: longAgo });
    expect(startsOf(decide([pool(), pool('api'), drifted('a'), api, cap('1')]))).toEqual(['a Drifted']);
  });

  it('nodes in flight for any reason count, regardless of its actions', () => {
    const busy = ledger({ commands: [command('a', { reason: 'Expired' })] });
    const round = decide([pool(), drifted('a', 'b'), cap('1', { actions: ['Drift'] })], { ledger: busy });
    expect(codesOf(round, 'b', 'Drifted')).toEqual(['WindowCapSpent']);
  });

  it('a node that is only not Ready is not in flight', () => {
    expect(goes([drifted('a'), machine('b', { ready: 'False', readySince: '2026-03-10T11:59:00Z' }), cap('1')])).toBe(
      'a',
    );
  });

  it('every capping window must have room', () => {
    const round = decide([pool(), drifted('a', 'b', 'c'), cap('2'), maintenanceWindow('v', { nodes: '1' })]);
    expect(startsOf(round)).toEqual(['a Drifted']);
    expect(refusalOf(round, 'b', 'Drifted', 'WindowCapSpent').owner?.name).toBe('v');
  });
});

describe('D3, D5: several Allow windows', () => {
  const allow = (name: string, spec: Plain) => maintenanceWindow(name, { mode: 'Allow', ...spec });
  it.each([
    {
      it: 'one of two with room is enough',
      windows: [allow('v', { nodes: '1' }), allow('w', { nodes: '2' })],
      goes: 'a b',
    },
    { it: 'one without a cap is enough', windows: [allow('v', { nodes: '1' }), allow('w', {})], goes: 'a b c' },
    {
      it: 'one that is closed does not count',
      windows: [allow('v', { nodes: '1' }), allow('w', { schedules: [{ ...day, cron: '0 1 * * *' }] })],
      goes: 'a',
    },
  ])('$it: $goes', ({ windows, goes: names }) => {
    expect(goes([drifted('a', 'b', 'c'), windows])).toBe(names);
  });
});

describe('D5: a cap that is spent', () => {
  const busy = ledger({ commands: [command('a')] });

  it('reports the limit, the nodes in flight and the note of the window', () => {
    const round = decide([pool(), drifted('a', 'b'), cap('1', { note: 'one at a time, ask Ada' })], { ledger: busy });
    const { message, owner } = refusalOf(round, 'b', 'Drifted', 'WindowCapSpent');
    expect(owner).toEqual({ kind: 'MaintenanceWindow', name: 'w' });
    expect(message).toBe('MaintenanceWindow w allows 1 of its nodes at a time; 1 in flight (one at a time, ask Ada)');
  });

  it.each([
    { it: 'when the window closes', spec: { schedules: [day] }, known: busy, liftsAt: '2026-03-10T17:00:00Z' },
    { it: 'never, where it does not close', spec: {}, known: busy, liftsAt: undefined },
    {
      it: 'never, for a node that lost the last unit in this round',
      spec: { schedules: [day] },
      known: ledger({}),
      liftsAt: undefined,
    },
    { it: 'never, on an Allow window', spec: { schedules: [day], mode: 'Allow' }, known: busy, liftsAt: undefined },
  ])('lifts $it', ({ spec, known, liftsAt }) => {
    const round = decide([pool(), drifted('a', 'b'), cap('1', spec)], { ledger: known });
    expect(refusalOf(round, 'b', 'Drifted', 'WindowCapSpent').liftsAt).toBe(liftsAt && at(liftsAt));
  });
});
