// Who goes first (F1, F2)? The least painful move, over all pools alike; no order hangs on how things were listed.
import type { Declined } from '../cluster/ledger.ts';
import { compareText, type NodeView } from '../cluster/nodeView.ts';
import { type Reason, reasons } from '../cluster/reason.ts';
import type { Settings } from '../cluster/settings.ts';
import { type Asked, isCandidate } from './judged.ts';
import { priceOf } from './placement/price.ts';
import type { Wish } from './wish.ts';

const rank = Object.fromEntries(reasons.map((reason, index) => [reason, index])) as Record<Reason, number>;

export const compareReasons = (a: Reason, b: Reason): number => rank[a] - rank[b];

/** What the order within a reason goes by: smaller first, entry by entry; the name decides between equals. */
type Key = (view: NodeView, since: number, settings: Settings) => number;

const bySince: Key = (_, since) => since;
/** Price ÷ disruption cost, highest first. Where no price is known all count alike. */
const byWorth: Key = (view, _, settings) => -(priceOf(view, settings) ?? 1) / view.cost;

const keys: Record<Reason, readonly Key[]> = {
  Interrupted: [bySince],
  Unhealthy: [bySince, ({ cost }) => cost],
  Empty: [byWorth],
  Drifted: [({ reschedulable }) => Number(reschedulable.length > 0), bySince],
  Expired: [bySince],
  Rebalance: [bySince],
  Underutilized: [byWorth],
};

/** The candidates among those asked, with their places in the list. N3: those that Karpenter declined come after the others. */
export function leastPainfulFirst(
  asked: readonly Asked[],
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
  for (let place = 0; place < a.key.length; place++) {
    const difference = (a.key[place] as number) - (b.key[place] as number);
    if (difference !== 0) return difference;
  }
  return compareText(a.wish.view.node.name, b.wish.view.node.name);
}
