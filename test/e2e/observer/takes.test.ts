import { expect, it } from 'vitest';
import { emptiedTooEarly, takesOf } from './takes.ts';
import type { Seen, Timeline } from './timeline.ts';

const line = (at: number, kind: string, name: string, rest: object): Seen =>
  ({ at, kind, name, uid: name, what: 'changed', pool: 'web', taints: [], labels: {}, ...rest }) as unknown as Seen;
const told = (...lines: readonly Seen[]): Timeline => ({ lines, flushed: new Set() });
const taken = (at: number, name: string, rest: object = {}): Seen =>
  line(at, 'Node', name, { taints: ['karpenter.sh/disrupted'], ...rest });
const claim = (at: number, name: string, rest: object): Seen => line(at, 'NodeClaim', name, rest);

it('A node is taken once, when it is first disrupted', () => {
  const timeline = told(
    line(1, 'Node', 'n1', {}),
    taken(2, 'n1'),
    taken(3, 'n2', { pool: 'api' }),
    taken(4, 'n1', { deleting: 'now' }),
  );
  expect(takesOf(timeline).map(({ at, name }) => `${at} ${name}`)).toEqual(['2 n1', '3 n2']);
  expect(takesOf(timeline, { pool: 'api' }).map(({ name }) => name)).toEqual(['n2']);
});

it('A claim that is deleted before its successor is Initialized is found', () => {
  const before = [claim(0, 'old', { what: 'appeared', initialized: 'True' }), taken(1, 'n1')];
  const ready = claim(3, 'new', { initialized: 'True' });
  const came = claim(2, 'new', { what: 'appeared' });
  const goes = claim(4, 'old', { deleting: 'now' });
  expect(emptiedTooEarly(told(...before, came, ready, goes))).toEqual([]);
  expect(emptiedTooEarly(told(...before, came, goes, ready))).toHaveLength(1);
  expect(emptiedTooEarly(told(...before, goes))).toHaveLength(1);
  // One successor is not enough for two.
  const more = claim(5, 'older', { deleting: 'now' });
  expect(emptiedTooEarly(told(...before, came, ready, goes, more))).toHaveLength(1);
});
