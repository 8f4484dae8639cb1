// What changed between two moments? In sentences: who came, who went, who is in another state, whose turn it is now.
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import { sayingOf } from '../parts/state.ts';
import { count, list } from '../parts/words.ts';

export interface Told {
  readonly text: string;
  readonly node?: string;
  readonly kind: 'came' | 'gone' | 'state' | 'turn' | 'window' | 'reason';
}

/** Beyond that they are counted. */
const mostNodes = 30;

export function sayDifference(before: Picture, after: Picture): Told[] {
  return [...sayTurns(before, after), ...sayWindows(before, after), ...sayNodes(before, after)];
}

function sayNodes(before: Picture, after: Picture): Told[] {
  if (before.nodes === after.nodes) return [];
  const was = new Map(before.nodes.map((row) => [row.name, row]));
  const is = new Set(after.nodes.map(({ name }) => name));
  const gone = before.nodes
    .filter(({ name }) => !is.has(name))
    .map((row): Told => ({ kind: 'gone', node: row.name, text: `is gone${inPlace(row)}` }));
  const others = after.nodes.flatMap((row): Told[] => {
    const old = was.get(row.name);
    if (old === row) return [];
    if (!old) return [{ kind: 'came', node: row.name, text: `came${inPlace(row)}` }];
    if (old.state !== row.state)
      return [
        {
          kind: 'state',
          node: row.name,
          text: `was ${sayingOf(old.state).name}, is ${sayingOf(row.state).name}${reasonsOf(row)}`,
        },
      ];
    const [a, b] = [reasonsOf(old), reasonsOf(row)];
    return a === b
      ? []
      : [
          {
            kind: 'reason',
            node: row.name,
            text: `${sayingOf(row.state).name}${b || ', with no reason to go any more'}`,
          },
        ];
  });
  const all = [...gone, ...others];
  if (all.length <= mostNodes) return all;
  return [...all.slice(0, mostNodes), { kind: 'state', text: `and ${count(all.length - mostNodes, 'more node')}` }];
}

const inPlace = ({ pool, domain }: NodeRow): string => {
  const parts = [...(pool === undefined ? [] : [pool]), ...(domain === undefined ? [] : [domain])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

function reasonsOf({ wishes = [] }: NodeRow): string {
  if (wishes.length === 0) return '';
  const told = wishes.map(({ reason, codes }) => (codes.length === 0 ? reason : `${reason} held by ${list(codes)}`));
  return `: ${told.join('; ')}`;
}

function sayTurns(before: Picture, after: Picture): Told[] {
  const turnOf = (picture: Picture, pool: string): string | undefined => {
    const [turn] = picture.pools.find(({ name }) => name === pool)?.turns ?? [];
    return turn && (turn.domain ?? 'the nodes without the label');
  };
  return after.pools.flatMap(({ name }): Told[] => {
    const [was, is] = [turnOf(before, name), turnOf(after, name)];
    if (was === is) return [];
    return [
      {
        kind: 'turn',
        text:
          is === undefined ? `${name}: the roll is over` : `${name}: ${is} has the turn${was ? `, after ${was}` : ''}`,
      },
    ];
  });
}

function sayWindows(before: Picture, after: Picture): Told[] {
  const was = new Map(before.windows.map((it) => [`${it.kind} ${it.name}`, it.open]));
  return after.windows.flatMap((it): Told[] => {
    const open = was.get(`${it.kind} ${it.name}`);
    return open === it.open ? [] : [{ kind: 'window', text: `${it.name} ${it.open ? 'opens' : 'closes'}` }];
  });
}
