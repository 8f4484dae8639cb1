import { describe, expect, it } from 'vitest';
import {
  at,
  machine,
  maintenanceWindow,
  type Objects,
  pod,
  podSchedule,
  pool,
  storeOf,
  zone,
} from '../../../test/build.ts';
import { drawTimeline, type Lane } from './timeline.ts';

const [from, to] = [at('2026-03-10T00:00:00Z'), at('2026-03-12T00:00:00Z')];
const lanes = (title: string, ...objects: Objects): readonly Lane[] => {
  const { groups } = drawTimeline(storeOf(...objects), { from, to, rule: 'fallback' });
  return groups.find((group) => group.title === title)?.lanes ?? [];
};
const describeBars = ({ bars }: Lane): string[] =>
  bars.map(({ from: start, to: end, kind, text }) => {
    const hour = (it: number): string => String((it - from) / 3_600_000);
    return `${hour(start)}-${hour(end)} ${kind}${text ? ` ${text}` : ''}`;
  });

describe('B7: the limit of a pool over time', () => {
  const night = { nodes: '3', schedule: '0 22 * * *', duration: '4h' };
  const others = [machine('n1', { zone: 'a' }), pod()];

  it.each([
    { it: 'always the same', budgets: [{ nodes: '2' }], bars: ['0-48 open 2'] },
    {
      it: 'different at night',
      budgets: [night, { nodes: '5' }],
      bars: ['0-2 open 3', '2-22 open 5', '22-26 open 3', '26-46 open 5', '46-48 open 3'],
    },
    {
      it: 'closed by day',
      budgets: [{ nodes: '0', schedule: '0 8 * * *', duration: '10h' }, { nodes: '1' }],
      bars: ['0-8 open 1', '8-18 blocked', '18-32 open 1', '32-42 blocked', '42-48 open 1'],
    },
    {
      it: 'unlimited in between',
      budgets: [night],
      bars: ['0-2 open 3', '2-22 unlimited', '22-26 open 3', '26-46 unlimited', '46-48 open 3'],
    },
    {
      it: 'merged where hits overlap',
      budgets: [{ nodes: '1', schedule: '0 * * * *', duration: '90m' }],
      bars: ['0-48 open 1'],
    },
  ])('$it', ({ budgets, bars }) => {
    const [lane] = lanes('web', pool('web', { budgets }), others);
    expect(lane?.label).toBe('every reason');
    expect(lane && describeBars(lane)).toEqual(bars);
  });

  it.each([
    { budgets: [], standsOut: 'unlimited' },
    { budgets: [{ nodes: '0' }], standsOut: 'closed for ever' },
    { budgets: [{ nodes: '1' }], standsOut: undefined },
  ])('is marked as $standsOut', ({ budgets, standsOut }) => {
    expect(lanes('web', pool('web', { budgets }), others)[0]?.standsOut).toBe(standsOut);
  });

  it('shows nothing of a window that opens at the end of the range', () => {
    const later = maintenanceWindow('later', { notBefore: '2026-03-12T00:00:00Z' });
    expect(lanes('Maintenance windows', pool(), others, later).map(describeBars)).toEqual([[]]);
  });

  it('C9: a topology budget limits only drift', () => {
    const shown = lanes('web', pool('web', { budgets: [{ nodes: '1', topologyKey: zone }] }), others);
    expect(shown.map((lane) => `${lane.label}: ${describeBars(lane)}`)).toContain('Drifted: 0-48 open 1 per zone');
  });

  it('D2: a window that blocks closes it', () => {
    const freeze = maintenanceWindow('freeze', { notBefore: '2026-03-10T06:00:00Z', notAfter: '2026-03-11T00:00:00Z' });
    const objects = [pool('web', { budgets: [{ nodes: '1' }] }), others, freeze];
    expect(lanes('web', ...objects).map(describeBars)).toEqual([['0-6 open 1', '6-24 blocked', '24-48 open 1']]);
    expect(lanes('Maintenance windows', ...objects).map(describeBars)).toEqual([['6-24 blocked']]);
  });
});

describe('E4, E7: the hours of pods', () => {
  it('are one lane for all pods with the same schedule', () => {
    const annotations = {
      'karpenter.sh/disruption-schedule': '0 22 * * *',
      'karpenter.sh/disruption-schedule-duration': '4h',
    };
    const night = ['p1', 'p2'].map((name) => pod(name, 'n1', { annotations }));
    const shown = lanes(
      'Pod schedules',
      pool(),
      machine('n1'),
      night,
      podSchedule('batch', { selector: {}, schedule: '0 2 * * *', mode: 'Block' }),
    );
    expect(shown.map((lane) => `${lane.detail}: ${describeBars(lane).join(' ')}`)).toEqual([
      expect.stringMatching(/^2 pods stay 0 2 \* \* \* for 1h: 2-3 blocked 26-27 blocked$/),
      expect.stringMatching(/^2 pods may be moved 0 22 \* \* \* for 4h: 0-2 open 22-26 open 46-48 open$/),
    ]);
  });
});

describe('Issue 15: schedules of pods', () => {
  it('are shown up to a maximum, and the title has the total', () => {
    const pods = Array.from({ length: 201 }, (_, i) =>
      pod(`p${i}`, 'n1', {
        annotations: { 'karpenter.sh/disruption-schedule': `${i % 60} ${Math.floor(i / 60)} * * *` },
      }),
    );
    const { groups } = drawTimeline(storeOf(machine('n1'), pods), { from, to, rule: 'fallback' });
    expect(groups.map(({ title, lanes }) => `${title}: ${lanes.length}`)).toContain('Pod schedules (200 of 201): 200');
  });
});

describe('E: pods with schedules of their own', () => {
  const night = { annotations: { 'karpenter.sh/disruption-schedule': '0 22 * * *' } };

  it.each([
    { it: 'one pod', names: ['p'], label: 'shop/p' },
    { it: 'pods of two owners', names: ['p', 'q'], label: 'shop/p and 1 more' },
    { it: 'pods of three owners', names: ['p', 'q', 'r'], label: 'shop/p and 2 more' },
  ])('share a lane whose label counts them: $it', ({ names, label }) => {
    const pods = names.map((name) => pod(name, 'n1', { ...night, owner: `StatefulSet/${name}` }));
    expect(lanes('Pod schedules', pool(), machine('n1'), pods).map((lane) => lane.label)).toEqual([label]);
  });
});
