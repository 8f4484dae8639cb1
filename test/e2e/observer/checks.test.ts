import { describe, expect, it } from 'vitest';
import { brokenPdbs, exchanged, moreThan, replacedMoreThanOnce, zonesAtOnce, zonesRevisited } from './checks.ts';
import { narrate } from './narrate.ts';
import { flightsOf, type Seen, type Timeline } from './timeline.ts';

const line = (at: number, kind: string, name: string, rest: object): Seen =>
  ({ at, kind, name, uid: name, what: 'changed', pool: 'web', taints: [], labels: {}, ...rest }) as unknown as Seen;
const node = (at: number, name: string, rest: object = {}): Seen =>
  line(at, 'Node', name, { zone: `zone-${name[0]}`, ...rest });
const taken = { taints: ['karpenter.sh/disrupted'] };
const gone = { what: 'gone', ...taken };
const claim = (at: number, name: string, rest: object): Seen => line(at, 'NodeClaim', name, rest);
const told = (...lines: readonly Seen[]): Timeline => ({ lines, flushed: new Set() });
const flying = (timeline: Timeline): string[] =>
  flightsOf(timeline).map(({ at, nodes }) => `${at}:${nodes.map(({ name }) => name).join()}`);

describe('A node is in flight', () => {
  const cases: [string, Timeline, string[]][] = [
    [
      "from Karpenter's taint until it is gone",
      told(node(1, 'a1'), node(2, 'a1', taken), node(3, 'a1', gone)),
      ['2:a1', '3:'],
    ],
    ["from Lull's taint on", told(node(2, 'a1', { taints: ['lull.dev/disrupted'] })), ['2:a1']],
    ['no more when the taint is taken off', told(node(2, 'a1', taken), node(3, 'a1')), ['2:a1', '3:']],
    [
      'while its claim is being deleted',
      told(node(1, 'a1'), claim(2, 'c1', { node: 'a1', deleting: 'now' })),
      ['2:a1'],
    ],
    [
      'after its claim is gone, while the node itself still exists',
      told(
        node(1, 'a1'),
        claim(2, 'c1', { node: 'a1', deleting: 'now' }),
        claim(3, 'c1', { node: 'a1', deleting: 'now', what: 'gone' }),
      ),
      ['2:a1'],
    ],
    ['while it is being deleted', told(node(1, 'a1', { deleting: 'now' })), ['1:a1']],
    ['not for any other taint or mark', told(node(1, 'a1', { taints: ['example.com/a'], parked: 'now' })), []],
  ];
  it.each(cases)('%s', (_, timeline, expected) => expect(flying(timeline)).toEqual(expected));
});

describe('The checks find', () => {
  const oneAfterAnother = told(node(1, 'a1', taken), node(2, 'a1', gone), node(3, 'b1', taken), node(4, 'b1', gone));
  const together = told(node(1, 'a1', taken), node(2, 'b1', taken), node(3, 'a1', gone));
  const backAgain = told(...oneAfterAnother.lines, node(5, 'a2', taken));

  it('two zones of one pool in flight at a time, but not of two pools', () => {
    expect(zonesAtOnce(oneAfterAnother)).toEqual([]);
    expect(zonesAtOnce(together)).toHaveLength(1);
    expect(zonesAtOnce(told(node(1, 'a1', taken), node(2, 'b1', { ...taken, pool: 'api' })))).toEqual([]);
    expect(zonesAtOnce(together, { pool: 'api' })).toEqual([]);
  });

  it('a zone that is revisited', () => {
    expect(zonesRevisited(oneAfterAnother)).toEqual([]);
    expect(zonesRevisited(backAgain)).toEqual([expect.stringContaining('a2 is taken in zone-a, which was left')]);
  });

  it('more in flight than allowed, by pool and by zone', () => {
    expect(moreThan(1, oneAfterAnother)).toEqual([]);
    expect(moreThan(1, together)).toHaveLength(1);
    expect(moreThan(1, together, { by: 'zone' })).toEqual([]);
    expect(moreThan(1, told(node(1, 'a1', taken), node(2, 'a2', taken)), { by: 'zone' })).toHaveLength(1);
  });

  it('a second replacement of one node', () => {
    const came = (at: number, name: string): Seen => claim(at, name, { what: 'appeared' });
    const before = [came(0, 'old'), node(1, 'a1', taken)];
    const once = told(...before, came(2, 'new'), node(3, 'a1', gone));
    expect(exchanged(once).launched.map(({ name }) => name)).toEqual(['new']);
    expect(replacedMoreThanOnce(once)).toEqual([]);
    expect(replacedMoreThanOnce(told(...once.lines, came(4, 'more')))).toHaveLength(1);
    expect(replacedMoreThanOnce(told(...before, node(3, 'a1', gone)))).toHaveLength(1);
  });

  it('E10: a healthy pod taken that its PDB still needed', () => {
    const pdb = line(0, 'PodDisruptionBudget', 'default/web', { selector: { app: 'web' }, desired: 1 });
    const pod = (at: number, name: string, rest: object): Seen =>
      line(at, 'Pod', `default/${name}`, { ready: 'True', labels: { app: 'web' }, ...rest });
    const both = [pdb, pod(1, 'p1', {}), pod(1, 'p2', {})];
    const first = told(...both, pod(2, 'p1', { deleting: 'now' }));
    expect(brokenPdbs(first)).toEqual([]);
    expect(brokenPdbs(told(...first.lines, pod(3, 'p2', { what: 'gone' })))).toHaveLength(1);
    // One that was not healthy, and one that no PDB covers.
    expect(brokenPdbs(told(...first.lines, pod(3, 'p1', { deleting: 'now', what: 'gone' })))).toEqual([]);
    const other = { labels: { app: 'other' } };
    expect(brokenPdbs(told(pdb, pod(1, 'p3', other), pod(2, 'p3', { ...other, deleting: 'now' })))).toEqual([]);
  });
});

it('The timeline reads as a story', () => {
  const parked = { parked: 'now' };
  const lines = [
    node(1000, 'a1', { what: 'appeared', ...parked }),
    node(2000, 'a1'),
    node(3500, 'a1', taken),
    node(9000, 'a1', gone),
  ];
  const rows = narrate(told(...lines)).split('\n');
  expect(rows.map((row) => row.replace(/\s+/g, ' ').trim())).toEqual([
    '0.0 s web zone-a node a1 appears, parked',
    '1.0 s web zone-a node a1 is offered',
    '2.5 s web zone-a node a1 is tainted karpenter.sh/disrupted',
    '8.0 s web zone-a node a1 is gone',
  ]);
});
