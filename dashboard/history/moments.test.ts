// Tests of the history: pictures of past rounds and the description of changes.
import { describe, expect, it } from 'vitest';
import { Differ, emptyPicture } from '../../src/engine/picture/pictureChange.ts';
import { asInstant } from '../../src/time/instant.ts';
import { nodeRow, pictureOf, poolRow } from '../parts/pictures.ts';
import { describeChanges } from './difference.ts';
import { Moments } from './moments.ts';

const pictures = Array.from({ length: 130 }, (_, index) =>
  pictureOf([nodeRow(`n${index % 7}`, { pods: index }), nodeRow('same', {})], [], { at: asInstant(1000 * index) }),
);
const differ = new Differ();
const moments = new Moments(
  emptyPicture,
  pictures.flatMap((picture, index) => [
    ...(index % 10 === 3 ? [{ story: { kind: 'NodeGone', text: `story ${index}` } }] : []),
    { change: differ.next(picture) },
  ]),
);

describe('Past rounds', () => {
  it.each([0, 1, 49, 50, 51, 100, 129])('%i is restored', (index) => {
    expect(moments.picture(index)).toEqual(pictures[index]);
    expect(moments.atOf(index)).toBe(1000 * index);
  });

  it.each([
    [-5, 0],
    [0, 0],
    [1999, 1],
    [2000, 2],
    [1e9, 129],
  ])('at %i is round %i', (at, index) => {
    expect(moments.indexAt(at)).toBe(index);
  });

  it('have their events', () => {
    expect(moments.storyOf(13)).toEqual([{ kind: 'NodeGone', text: 'story 13' }]);
    expect(moments.storyOf(14)).toEqual([]);
  });
});

describe('Changes', () => {
  const turn = { topologyKey: 'zone', takenAt: asInstant(0), progressAt: asInstant(0), passedOver: [] };
  const window = { kind: 'MaintenanceWindow', name: 'freeze', selected: 1, holding: 0 } as const;
  const before = pictureOf([nodeRow('a', {}), nodeRow('b', { pool: 'web' })], [poolRow('web')], {
    windows: [{ ...window, open: false }],
  });
  const after = pictureOf(
    [
      nodeRow('a', { state: 'held', wishes: [{ reason: 'Drifted', outcome: 'held', codes: ['PdbSpent'] }] }),
      nodeRow('c', { domain: 'x' }),
    ],
    [poolRow('web', { turns: [{ ...turn, domain: 'x' }] })],
    { windows: [{ ...window, open: true }] },
  );

  it('are described in sentences', () => {
    const told = describeChanges(before, after).map(({ node, text }) => `${node ?? ''} ${text}`.trim());
    expect(told).toEqual([
      'web: x has the turn',
      'freeze opens',
      'b was deleted (web)',
      'a was steady, is held: Drifted held by PdbSpent',
      'c was added (x)',
    ]);
  });

  it('of thousands of nodes are partly listed, and the rest is counted', () => {
    const many = pictureOf(
      Array.from({ length: 5000 }, (_, index) => nodeRow(`n${index}`, {})),
      [],
    );
    const told = describeChanges(emptyPicture, many);
    expect(told.length).toBe(31);
    expect(told.at(-1)?.text).toBe('and 4,970 more nodes');
  });
});
