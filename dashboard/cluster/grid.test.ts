// Tests of the node board: places, sizes, groups, filters and the headline.
import { describe, expect, it } from 'vitest';
import { nodeRow, pictureOf, poolRow } from '../parts/pictures.ts';
import { choicesOf, filterNodes } from './filter.ts';
import { groupNodes } from './groups.ts';
import { describeNow } from './headline.ts';
import { chooseCell, columnsIn, heightOf, isCard, placeAt } from './layout.ts';
import { Slots } from './slots.ts';

describe('A node keeps its place', () => {
  it.each([
    {
      it: 'when another goes',
      steps: [
        ['a', 'b', 'c'],
        ['a', 'c'],
      ],
      places: ['a', undefined, 'c'],
    },
    {
      it: 'and who comes takes the free one',
      steps: [
        ['a', 'b', 'c'],
        ['a', 'c'],
        ['a', 'c', 'd'],
      ],
      places: ['a', 'd', 'c'],
    },
    { it: 'or the end', steps: [['b'], ['a', 'b']], places: ['b', 'a'] },
    { it: 'the end is given back', steps: [['a', 'b', 'c'], ['a']], places: ['a'] },
    {
      it: 'too many gaps close up',
      steps: [
        ['a', 'b', 'c', 'd', 'e', 'f'],
        ['a', 'f'],
      ],
      places: ['a', 'f'],
    },
  ])('$it', ({ steps, places }) => {
    const slots = new Slots();
    let last: readonly (string | undefined)[] = [];
    for (const names of steps) last = slots.arrange('g', names);
    expect(last).toEqual(places);
  });
});

describe('The size of a node', () => {
  it.each([6, 60, 600, 6000, 10_000])('%i nodes fit into the given height', (count) => {
    const rooms = [0, 1, 2].map(() => ({ width: 320, count: Math.ceil(count / 3) }));
    const cell = chooseCell([rooms], 640);
    expect(Math.max(...rooms.map((room) => heightOf(room, cell)))).toBeLessThanOrEqual(640);
    expect(isCard(cell)).toBe(count <= 60);
  });

  it('finds the place at a point, and none between two', () => {
    const cell = chooseCell([[{ width: 320, count: 3000 }]], 600);
    const columns = columnsIn(320, cell);
    const step = cell.width + cell.gap;
    expect(placeAt(step * 2 + 1, step + 1, 320, cell)).toBe(columns + 2);
    expect(placeAt(columns * step + 1, 1, 320, cell)).toBeUndefined();
  });
});

const rows = [
  nodeRow('web-1', {
    pool: 'web',
    domain: 'a',
    state: 'held',
    wishes: [{ reason: 'Drifted', outcome: 'held', codes: ['PdbSpent'] }],
  }),
  nodeRow('web-2', { pool: 'web', domain: 'b' }),
  nodeRow('db-1', { pool: 'db', domain: 'a' }),
  nodeRow('lost', {}),
];

describe('Groups', () => {
  it('have sequential pools first, nodes without a pool last', () => {
    const picture = pictureOf(rows, [poolRow('db'), poolRow('web', { sequential: true }), poolRow('idle')]);
    const groups = groupNodes(picture).map(
      ({ pool, count, domains }) => `${pool} ${count} ${domains.map((it) => it.domain)}`,
    );
    expect(groups).toEqual(['web 2 a,b', 'db 1 a', 'idle 0 ', 'undefined 1 ']);
  });

  it('join many domains into one', () => {
    const many = Array.from({ length: 3000 }, (_, index) =>
      nodeRow(`n${index}`, { pool: 'p', domain: `host-${index}` }),
    );
    const [group] = groupNodes(pictureOf(many, [poolRow('p')]));
    expect(group?.domains.length).toBe(24);
    expect(group?.domains.at(-1)).toMatchObject({ more: 2977 });
    expect(group?.domains.flatMap(({ nodes }) => nodes).length).toBe(3000);
  });
});

describe('Filters', () => {
  const picture = pictureOf(rows, []);
  it.each([
    [{}, undefined],
    [{ pool: 'web' }, ['web-1', 'web-2']],
    [{ pool: 'web', zone: 'a' }, ['web-1']],
    [{ code: 'PdbSpent' }, ['web-1']],
    [{ reason: 'Drifted', state: 'held' }, ['web-1']],
    [{ find: 'WEB-' }, ['web-1', 'web-2']],
    [{ find: 'nothing' }, []],
  ])('%j', (query, names) => {
    const matching = filterNodes(picture, query as Record<string, string>);
    expect(matching && [...matching]).toEqual(names);
  });

  it('list their options', () => {
    expect(choicesOf(picture, 'zone')).toEqual([
      { value: 'a', label: 'a', count: 2 },
      { value: 'b', label: 'b', count: 1 },
    ]);
    expect(choicesOf(picture, 'state')[0]).toEqual({ value: 'steady', label: 'steady', count: 3 });
  });
});

describe('The headline', () => {
  it.each([
    { it: 'nothing there', picture: pictureOf([], []), says: [/no nodes/] },
    { it: 'at rest', picture: pictureOf([nodeRow('a', {})], []), says: [/All is quiet/] },
    { it: 'held', picture: pictureOf(rows, []), says: [/^1 node of web is held by a rule\.$/] },
    { it: 'lost', picture: pictureOf([nodeRow('a', { state: 'lost' })], []), says: [/1 node is not Ready/] },
  ])('$it', ({ picture, says }) => {
    const sentences = describeNow(picture);
    expect(sentences.length).toBe(says.length);
    for (const [index, pattern] of says.entries()) expect(sentences[index]).toMatch(pattern);
  });
});
