import { describe, expect, it } from 'vitest';
import {
  at,
  command,
  decide,
  ledger,
  longAgo,
  machine,
  maintenanceWindow,
  noon,
  type Objects,
  pod,
  pool,
  storeOf,
  zone,
} from '../../../test/build.ts';
import type { Ledger } from '../../cluster/ledger.ts';
import type { StoryEvent } from '../../sim/story/storyEvent.ts';
import { after, asDuration, second } from '../../time/instant.ts';
import { findZone } from '../../time/zone.ts';
import { utc } from '../formatTime.ts';
import { paint, widthOf } from '../span.ts';
import { renderUp, type Showing } from './upView.ts';

const events: readonly StoryEvent[] = Array.from({ length: 50 }, (_, index) => ({
  at: after(at(noon), asDuration(index * second)),
  kind: 'NodeGone',
  text: `event ${index} of a cluster in which a great deal happens, one thing after another`,
}));

function showing(objects: Objects, known?: Ledger): Showing {
  const round = decide(objects, known ? { ledger: known } : {});
  const decided = { cluster: storeOf(...objects), round, role: 'drive' } as const;
  return {
    title: 'test',
    url: 'http://here',
    now: at(noon),
    speed: 20,
    isOver: false,
    notes: [],
    zone: utc,
    decided,
    events,
  };
}

const picture = (it: Showing, size = { rows: 40, columns: 100 }): string[] =>
  paint(renderUp(it, size), false).trimEnd().split('\n');

const row = (lines: readonly string[], title: string): string | undefined =>
  lines
    .find((line) => line.startsWith(title))
    ?.slice(title.length)
    .trim();

describe('The picture of lull up', () => {
  const nodes = [
    pool('web', { budgets: [{ nodes: '1', topologyKey: zone, sequential: true }] }),
    machine('web-1', { zone: 'a', drifted: longAgo }),
    machine('web-9', { zone: 'b', drifted: longAgo }),
    machine('web-10', { zone: 'b' }),
    machine('web-11', { zone: 'b', ready: 'False', readySince: '2026-03-10T11:59:00Z' }),
    machine('web-12', { zone: 'c', labels: { 'karpenter.sh/initialized': undefined } }),
    machine('web-13', { zone: 'c', claim: { deleted: '2026-03-10T11:59:00Z' } }),
    ['web-1', 'web-9', 'web-10', 'web-11', 'web-12', 'web-13'].map((name) => pod(`on-${name}`, name)),
  ];
  const known = ledger({
    commands: [
      command('web-1', {
        step: 'replacing',
        stepAt: noon,
        nodes: [{ name: 'web-1', claim: 'web-1-claim', domain: 'a' }],
        replacements: [{ name: 'r', pool: 'web' }],
      }),
    ],
  });
  const lines = picture(showing(nodes, known));

  it('has a row for each pool, a column for each zone, a sign for each node, counted as people do', () => {
    expect(lines.find((line) => line.includes('zone a'))).toMatch(/^ +zone a +zone b +zone c$/);
    expect(row(lines, 'web ')).toMatch(/^\S1 +●9 ●10 ✗11 +◌12 ○13$/);
  });

  it('says what its signs mean, and how many there are', () => {
    expect(lines.some((line) => /✗ not Ready 1 {3}◌ starting 1 .*● healthy 1/.test(line))).toBe(true);
  });

  it('says whose turn it is, what moves, what is held and why', () => {
    expect(row(lines, 'turn')).toMatch(/^web: a, then b/);
    expect(row(lines, 'under way')).toMatch(/^web-1 .*\(Drifted\) since/);
    expect(row(lines, 'held')).toMatch(
      /^web-9 is held until the cluster changes: budgets\[0\] of pool web allows 1 node of zone b/,
    );
  });

  it('says what comes next, on its clock and on ours', () => {
    const annotations = { 'karpenter.sh/disruption-schedule': '10 12 * * *' };
    const timed = [pool(), machine('web-1', { drifted: longAgo }), pod('p', 'web-1', { annotations })];
    expect(row(picture(showing(timed)), 'next')).toBe('pod shop/p may be moved at 12:10:00, in 10m (30s here)');
    expect(row(picture({ ...showing(timed), speed: 1 }), 'next')).toBe('pod shop/p may be moved at 12:10:00, in 10m');
  });

  it('prints every time in the zone of --zone', () => {
    const window = { cron: '0 20 * * *', duration: '1h' };
    const held = [
      pool(),
      machine('web-1', { drifted: longAgo }),
      maintenanceWindow('nights', { mode: 'Allow', schedules: [window] }),
    ];
    const lines = picture({ ...showing(held), zone: findZone('Asia/Tokyo') ?? utc });
    expect(lines[0]).toMatch(/Tue 10 Mar 21:00:00 Asia\/Tokyo/);
    expect(row(lines, 'held')).toMatch(/^web-1 is held until Wed 05:00: /);
    expect(row(lines, 'next')).toBe('nights opens at 05:00:00, in 8h (24m here)');
    expect(lines.filter((line) => line.includes('event 49'))).toEqual([expect.stringMatching(/^21:00:49 /)]);
    expect(lines.join('\n')).not.toMatch(/UTC|12:\d\d/);
  });

  it.each([
    [5, /● ● ● ● ●/],
    [40, /●×40/],
  ])('%i nodes in one place are shown as %s', (count, sign) => {
    const many = Array.from({ length: count }, (_, index) => machine(`web-${index}`, { zone: 'a' }));
    const busy = Array.from({ length: count }, (_, index) => pod(`p${index}`, `web-${index}`));
    expect(row(picture(showing([pool(), many, busy])), 'web ')).toMatch(sign);
  });

  it('fits 60 columns, with its address in full', () => {
    const url = 'http://127.0.0.1:7727';
    const lines = picture({ ...showing(nodes, known), title: 'zone-by-zone-rollout', url }, { rows: 40, columns: 60 });
    expect(lines[1]).toBe(url);
    for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(60);
  });

  it('ends with the newest events, as many as there is room for', () => {
    const shown = lines.filter((line) => line.includes('event'));
    expect(lines).toHaveLength(40);
    expect(shown.at(-1)).toContain('event 49');
    expect(shown.length).toBeGreaterThan(20);
  });

  it.each([
    [24, 80],
    [10, 40],
    [6, 20],
    [1, 5],
  ])('fits a screen of %i rows and %i columns', (rows, columns) => {
    const small = picture(showing(nodes, known), { rows, columns });
    expect(small.length).toBeLessThanOrEqual(Math.max(rows, 4));
    for (const line of small) expect(widthOf(line)).toBeLessThanOrEqual(columns);
  });

  it('is there before the first round', () => {
    const { decided: _, ...rest } = showing([]);
    expect(picture({ ...rest, decided: undefined }).join('\n')).toContain('starting the cluster');
  });
});
