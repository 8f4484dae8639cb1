// The order of wishes (F1, F2): the least disruptive first, over all pools; independent of the order of the input.
import type { Declined } from '../cluster/ledger.ts';
import { compareText, type NodeView } from '../cluster/nodeView.ts';
import { type Reason, reasons } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import { priceOf } from './placement/price.ts';
import type { Wish } from './wish.ts';
import { type GatedWish, isCandidate } from './wishOutcome.ts';

export const compareReasons = (a: Reason, b: Reason): number => reasons.indexOf(a) - reasons.indexOf(b);

/** A sort key within a reason: smaller first, key by key; ties are broken by name. */
type SortKey = (view: NodeView, since: number, settings: Settings) => number;

const bySince: SortKey = (_, since) => since;
/** Price ÷ disruption cost, highest first. Unknown prices count as 1. */
const byWorth: SortKey = (view, _, settings) => -(priceOf(view, settings) ?? 1) / view.cost;

const keys: Record<Reason, readonly SortKey[]> = {
  Interrupted: [bySince],
  Unhealthy: [bySince, ({ cost }) => cost],
  Empty: [byWorth],
  Drifted: [({ reschedulable }) => Number(reschedulable.length > 0), bySince],
  Expired: [bySince],
  Rebalance: [bySince],
  Underutilized: [byWorth],
};

/** The candidates with their index in the list. Nodes that Karpenter declined come last within a reason (N3). */
export function leastPainfulFirst(
  asked: readonly GatedWish[],
  settings: Settings,
  declined: readonly Declined[] = [],
): readonly Candidate[] {
  const passedBy = new Map(declined.map(({ node, at }) => [node, at]));
  const byReason = new Map<Reason, Candidate[]>(reasons.map((reason) => [reason, []]));
  asked.forEach((it, index) => {
    if (!isCandidate(it)) return;
    const { view, since, reason } = it.wish;
    const own = keys[reason].map((key) => key(view, since, settings));
    const key = passedBy.size === 0 ? own : [passedBy.get(view.node.name) ?? 0, ...own];
    byReason.get(reason)?.push({ wish: it.wish, index, key });
  });
  return reasons.flatMap((reason) => byReason.get(reason)?.sort(compareKeys) ?? []);
}

export interface Candidate {
  readonly wish: Wish;
  readonly index: number;
  readonly key: readonly number[];
}

function compareKeys(a: Candidate, b: Candidate): number {
  for (const [place, key] of a.key.entries()) {
    const difference = key - (b.key[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareText(a.wish.view.node.name, b.wish.view.node.name);
}
