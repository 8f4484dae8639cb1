// Who waits for whom? All reasons share one count (C4, C6), so that those with a smaller number wait while others use it up.
import { budgetReasons } from '../../cluster/reason.ts';
import { amountOf } from '../../engine/limits/budgets.ts';
import type { Cap } from './bound.ts';
import { andList, count } from './lists.ts';
import type { ReasonGroup } from './reasonGroup.ts';

/** Nothing where all have the same number. */
export function sayShared(groups: readonly ReasonGroup[], counted: number): string[] {
  const going = groups.filter(({ rule, week }) => rule && week.some(({ state }) => !state.closed));
  const caps = going.map((group) => leastOf(group, counted));
  const sizes = caps.map((cap) => sizeOf(cap, counted));
  const smallest = Math.min(...sizes);
  const cap = caps[sizes.indexOf(smallest)];
  if (!cap || smallest === Math.max(...sizes)) return [];
  const waiting = going.filter((_, index) => sizes[index] === smallest).flatMap(({ reasons }) => reasons);
  const subject = andList(budgetReasons.filter((reason) => waiting.includes(reason)));
  const begin = waiting.length === 1 ? 'begins' : 'begin';
  return [`All reasons share one count: ${subject} ${begin} only while ${sayRoom(cap, counted)}, for whatever reason.`];
}

/** The smallest number of the week, since that is when it waits; undefined where there is none. */
function leastOf({ week }: ReasonGroup, counted: number): Cap | undefined {
  const caps = week.map(({ state }) => state.cap).filter((cap) => cap !== undefined);
  return caps.toSorted((a, b) => sizeOf(a, counted) - sizeOf(b, counted))[0];
}

/** Of a hundred nodes where there are none to count. */
function sizeOf(cap: Cap | undefined, counted: number): number {
  if (!cap) return Infinity;
  const { count: most = Infinity, percent = 100 } = cap;
  return Math.min(most, amountOf({ percent }, counted || 100));
}

function sayRoom(cap: Cap, counted: number): string {
  const most = counted > 0 || cap.percent === undefined ? sizeOf(cap, counted) : undefined;
  if (most === undefined) return `less than ${cap.percent}% of the pool is going or not Ready`;
  return most === 1
    ? 'no other node of the pool is going or not Ready'
    : `fewer than ${count(most, 'node')} of the pool are going or not Ready`;
}
