import { expect, it } from 'vitest';
import { flawsOf } from './flaws.ts';
import type { Seen, Timeline } from './timeline.ts';

const line = (at: number, kind: string, name: string, rest: object): Seen =>
  ({ at, kind, name, uid: name, what: 'changed', pool: 'web', taints: [], labels: {}, ...rest }) as unknown as Seen;
const told = (...lines: readonly Seen[]): Timeline => ({ lines, flushed: new Set() });

/** One node is replaced correctly. */
const exchange = (at: number, zone: string, name: string): Seen[] => [
  line(at, 'Node', name, { zone, taints: ['karpenter.sh/disrupted'] }),
  line(at + 1, 'NodeClaim', `${name}-next`, { what: 'appeared' }),
  line(at + 2, 'NodeClaim', `${name}-next`, { initialized: 'True' }),
  line(at + 3, 'NodeClaim', name, { node: name, deleting: 'now' }),
  line(at + 4, 'Node', name, { zone, what: 'gone', taints: ['karpenter.sh/disrupted'] }),
];
const first = exchange(10, 'a', 'n1');
const second = exchange(20, 'b', 'n2');

it('A correct roll has no flaws', () => expect(flawsOf(told(...first, ...second), 2)).toEqual([]));

it.each<[string, Seen[], RegExp]>([
  ['too few', first, /1 nodes were taken instead of 2/],
  [
    'two claims for one',
    [...first, line(15, 'NodeClaim', 'more', { what: 'appeared' }), ...second],
    /3 claims were created/,
  ],
  ['a zone that was left', [...first, ...second, ...exchange(30, 'a', 'n3')], /n3 is taken in a, which was left/],
  ['two at once', [...first.slice(0, 4), ...second, ...first.slice(4)], /2 in flight, 1 allowed/],
  ['emptied too early', [...first.slice(0, 2), ...first.slice(3), ...second], /only 0 new ones are ready/],
])('Found: %s', (_, lines, says) => {
  expect(flawsOf(told(...lines), 2)).toContainEqual(expect.stringMatching(says));
});
