import { describe, expect, it } from 'vitest';
import {
  at,
  decide,
  longAgo,
  machine,
  maintenanceWindow,
  node,
  type Objects,
  type Plain,
  pod,
  podSchedule,
  pool,
  zone,
} from '../../../test/build.ts';

const drifted = (name: string, where: string) => machine(name, { zone: where, drifted: longAgo });
const inA = { selector: { matchLabels: { [zone]: 'a' } } };
const day = { schedules: [{ cron: '0 9 * * *', duration: '8h' }] };
const night = { schedules: [{ cron: '0 2 * * *', duration: '4h' }] };
const windowsOf = (...objects: Objects) => decide([pool(), objects]).windows;

describe('D8: a maintenance window', () => {
  const nodes = [
    drifted('a1', 'a'),
    drifted('a2', 'a'),
    drifted('b1', 'b'),
    machine('a3', { zone: 'a' }),
    node('a4', { labels: { [zone]: 'a' } }),
  ];
  it.each([
    { it: 'active', spec: { ...inA, ...day }, open: true, nextChange: '2026-03-10T17:00:00Z', selected: 3, holding: 3 },
    {
      it: 'not active',
      spec: { ...inA, ...night },
      open: false,
      nextChange: '2026-03-11T02:00:00Z',
      selected: 3,
      holding: 0,
    },
    { it: 'always active', spec: {}, open: true, nextChange: undefined, selected: 4, holding: 4 },
    {
      it: 'for some actions',
      spec: { ...inA, actions: ['Drift'] },
      open: true,
      nextChange: undefined,
      selected: 3,
      holding: 2,
    },
    {
      it: 'before its notAfter',
      spec: { notAfter: '2026-04-01T00:00:00Z' },
      open: true,
      nextChange: '2026-04-01T00:00:00Z',
      selected: 4,
      holding: 4,
    },
    {
      it: 'before its notBefore',
      spec: { notBefore: '2026-04-01T00:00:00Z' },
      open: false,
      nextChange: '2026-04-01T00:00:00Z',
      selected: 4,
      holding: 0,
    },
    {
      it: 'Allow, open',
      spec: { mode: 'Allow', ...inA, ...day },
      open: true,
      nextChange: '2026-03-10T17:00:00Z',
      selected: 3,
      holding: 0,
    },
    {
      it: 'Allow, closed',
      spec: { mode: 'Allow', ...inA, ...night },
      open: false,
      nextChange: '2026-03-11T02:00:00Z',
      selected: 3,
      holding: 3,
    },
    {
      it: 'with a cap',
      spec: { ...inA, nodes: '1', actions: ['Drift'] },
      open: true,
      nextChange: undefined,
      selected: 3,
      holding: 1,
    },
  ])('$it: open $open, selected $selected, holding $holding', ({ spec, open, nextChange, selected, holding }) => {
    expect(windowsOf(nodes, maintenanceWindow('w', spec))).toEqual([
      {
        kind: 'MaintenanceWindow',
        name: 'w',
        open,
        ...(nextChange && { nextChange: at(nextChange) }),
        selected,
        holding,
      },
    ]);
  });

  it('holds a node once, regardless of the number of reasons', () => {
    const wishing = machine('n1', { drifted: longAgo, annotations: { 'lull.dev/rebalance': '' } });
    expect(windowsOf(wishing, maintenanceWindow('w'))).toMatchObject([{ holding: 1 }]);
  });

  it('each of several closed Allow windows holds what it selects', () => {
    const both = ['v', 'w'].map((name) => maintenanceWindow(name, { mode: 'Allow', ...night, actions: ['Drift'] }));
    expect(windowsOf(drifted('a1', 'a'), both).map(({ holding }) => holding)).toEqual([1, 1]);
  });

  it('is listed by name', () => {
    expect(windowsOf(['z', 'a', 'm'].map((name) => maintenanceWindow(name))).map(({ name }) => name)).toEqual([
      'a',
      'm',
      'z',
    ]);
  });
});

describe('D8: a PodDisruptionSchedule counts pods', () => {
  const rule = (spec: Plain) => podSchedule('s', { selector: { matchLabels: { app: 'web' } }, ...spec });
  const pods = [pod('a'), pod('b'), pod('c', 'n1', { labels: { app: 'x' } }), pod('d', 'n1', { phase: 'Succeeded' })];
  it.each([
    { it: 'closed', spec: { schedule: '0 2 * * *' }, open: false, nextChange: '2026-03-11T02:00:00Z', holding: 2 },
    { it: 'open', spec: { schedule: '0 12 * * *' }, open: true, nextChange: '2026-03-10T13:00:00Z', holding: 0 },
    {
      it: 'blocking',
      spec: { schedule: '0 12 * * *', mode: 'Block' },
      open: true,
      nextChange: '2026-03-10T13:00:00Z',
      holding: 2,
    },
  ])('$it: selected 2, holding $holding', ({ spec, open, nextChange, holding }) => {
    expect(windowsOf(machine('n1', { drifted: longAgo }), pods, rule(spec))).toEqual([
      { kind: 'PodDisruptionSchedule', name: 's', open, nextChange: at(nextChange), selected: 2, holding },
    ]);
  });
});
