// Describes the changes between two rounds: nodes, states, turns and windows.
import { differencesOf, type EntryDifference } from '../../src/engine/changes/difference.ts';
import type { NodeRow } from '../../src/engine/picture/nodeRow.ts';
import type { Picture } from '../../src/engine/picture/picture.ts';
import type { PoolRow } from '../../src/engine/picture/poolRow.ts';
import { labelOfState } from '../parts/state.ts';
import { count, list } from '../parts/words.ts';

export interface ChangeText {
  readonly text: string;
  readonly node?: string;
  readonly kind: 'came' | 'gone' | 'state' | 'turn' | 'window' | 'reason';
}

/** Further nodes are only counted. */
const mostNodes = 30;

export const describeChanges = (before: Picture, after: Picture): ChangeText[] => [
  ...differences(before.pools, after.pools, (pool) => [pool.name, turnOf(pool) ?? '']).flatMap(describeTurn),
  ...differences(before.windows, after.windows, ({ kind, name, open }) => [`${kind} ${name}`, String(open)]).flatMap(
    ({ is }): ChangeText[] => (is ? [{ kind: 'window', text: `${is.name} ${is.open ? 'opens' : 'closes'}` }] : []),
  ),
  ...describeNodes(differences(before.nodes, after.nodes, (row) => [row.name, `${row.state}${reasonsOf(row)}`])),
];

/** Rows that are the same object in both rounds have not changed and are skipped. */
function differences<Row>(
  before: readonly Row[],
  after: readonly Row[],
  keyed: (row: Row) => readonly [id: string, says: string],
): readonly EntryDifference<Row>[] {
  if (before === after) return [];
  const others = (rows: readonly Row[], same: ReadonlySet<Row>) =>
    new Map(
      rows
        .filter((row) => !same.has(row))
        .map((value) => {
          const [id, says] = keyed(value);
          return [id, { says, value }];
        }),
    );
  return differencesOf(others(before, new Set(after)), others(after, new Set(before)));
}

function describeNodes(all: readonly EntryDifference<NodeRow>[]): ChangeText[] {
  const texts = all.slice(0, mostNodes).map(describeNode);
  return all.length <= mostNodes
    ? texts
    : [...texts, { kind: 'state', text: `and ${count(all.length - mostNodes, 'more node')}` }];
}

function describeNode({ id: node, was, is }: EntryDifference<NodeRow>): ChangeText {
  if (!is) return { kind: 'gone', node, text: `was deleted${was ? locationOf(was) : ''}` };
  if (!was) return { kind: 'came', node, text: `was added${locationOf(is)}` };
  const [reasons, state] = [reasonsOf(is), labelOfState(is.state).name];
  return was.state === is.state
    ? { kind: 'reason', node, text: `${state}${reasons || ', no longer has a reason to be disrupted'}` }
    : { kind: 'state', node, text: `was ${labelOfState(was.state).name}, is ${state}${reasons}` };
}

const locationOf = ({ pool, domain }: NodeRow): string => {
  const parts = [...(pool === undefined ? [] : [pool]), ...(domain === undefined ? [] : [domain])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
};

function reasonsOf({ wishes = [], interruption }: NodeRow): string {
  if (interruption !== undefined) return `: ${interruption}`;
  if (wishes.length === 0) return '';
  const texts = wishes.map(({ reason, codes }) => (codes.length === 0 ? reason : `${reason} held by ${list(codes)}`));
  return `: ${texts.join('; ')}`;
}

const turnOf = ({ turns }: Pick<PoolRow, 'turns'>): string | undefined => {
  const [turn] = turns ?? [];
  return turn && (turn.domain ?? 'the nodes without the label');
};

function describeTurn({ id, was, is }: EntryDifference<PoolRow>): ChangeText[] {
  const [before, now] = [was && turnOf(was), is && turnOf(is)];
  if (!is || before === now) return [];
  const text =
    now === undefined
      ? `${id}: the roll is finished`
      : `${id}: ${now} has the turn${before ? `, after ${before}` : ''}`;
  return [{ kind: 'turn', text }];
}
