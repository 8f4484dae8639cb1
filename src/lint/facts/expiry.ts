// The expiry deadlines of nodes, and how many nodes can be replaced before them (N7).
import { emptyLedger } from '../../cluster/ledger.ts';
import { memo } from '../../cluster/memo.ts';
import type { MaintenanceWindow, Pool } from '../../cluster/model.ts';
import { createdAt, type NodeView } from '../../cluster/nodeView.ts';
import { amountOf, isZero, type LimitQuery, limitAt, nextLimitChange } from '../../engine/rules/budgets.ts';
import { activeHours, openByBudgets, windowRules } from '../../engine/rules/openHours.ts';
import { observe, type Situation } from '../../engine/situation.ts';
import { expired } from '../../engine/wishes/expired.ts';
import { all } from '../../time/combine.ts';
import { after, asDuration, type Duration, earliest, type Instant, minute } from '../../time/instant.ts';
import { always, type Window } from '../../time/window.ts';
import type { LintPolicy } from '../rule.ts';
import type { WrittenPool } from './writtenPools.ts';

export interface NodeExpiry {
  readonly view: NodeView;
  /** When Lull starts to disrupt it for its age; not before now. */
  readonly from: Instant;
  /** When Karpenter terminates it, regardless of budgets and windows. */
  readonly deadline: Instant;
}

/** The situation in guide or drive mode: observe mode has no deadlines to stay ahead of. */
export const actingSituation = memo(({ cluster, settings, now }: LintPolicy) => {
  const role = settings.role === 'observe' ? 'guide' : settings.role;
  return observe({ cluster, ledger: emptyLedger }, now, { ...settings, role });
});

/** The nodes of a pool that have a deadline ahead of them, the earliest first. */
export function expiriesOf({ pool, nodes }: WrittenPool, situation: Situation): NodeExpiry[] {
  const { cluster, now, settings } = situation;
  const group = cluster.nodesOf(pool.name);
  const expiries = nodes.flatMap((view): NodeExpiry[] => {
    const lifetime = view.claim?.spec.expireAfter;
    if (typeof lifetime !== 'number' || view.state.leaving) return [];
    const deadline = after(createdAt(view), lifetime);
    const finding = expired(view, pool, { group, now, settings });
    const from = finding && 'arisesAt' in finding ? finding.arisesAt : now;
    return deadline > now ? [{ view, from, deadline }] : [];
  });
  return expiries.sort((a, b) => a.deadline - b.deadline);
}

/** When budgets and windows permit disruption for Expired; computed once per set of windows. */
export function expiryHours(pool: Pool): (windows: readonly MaintenanceWindow[]) => Window {
  const known = new Map<readonly MaintenanceWindow[], Window>();
  return (windows) => {
    const hours = known.get(windows) ?? all([openByBudgets(pool, 'Expired'), windowRules(windows, 'Expired').hours]);
    known.set(windows, hours);
    return hours;
  };
}

/** Typical time from launch to Initialized; the automatic lead (N7) assumes the same. */
const replacementTime = asDuration(5 * minute);
/** Bounds the walk; a window that opens every hour has about 700 edges in a month. */
const mostEdges = 3000;

export interface ReplacementPlan {
  readonly query: LimitQuery;
  readonly hours: Window;
  /** Windows with `nodes` cap all pools together (D5). */
  readonly windows: readonly MaintenanceWindow[];
  /** The nodes that percentages of these windows refer to. */
  readonly nodes: readonly NodeView[];
}

/** How many nodes can be replaced: open time × limit ÷ replacement time, summed over the spans; infinite without a limit. */
export function replacementRoom(plan: ReplacementPlan, from: Instant, to: Instant): number {
  const { query, hours, windows } = plan;
  let room = 0;
  let at: Instant = from;
  for (let edges = 0; at < to && edges < mostEdges; edges++) {
    let next = earliest(hours.nextChange(at), nextLimitChange(query, at));
    for (const window of windows) next = earliest(next, activeHours(window).nextChange(at));
    const end = next !== undefined && next < to ? next : to;
    // A replacement may end after the span it started in, so a part counts as a whole.
    if (hours.isOpen(at)) room += limitOf(plan, at) * Math.ceil((end - at) / replacementTime);
    at = end;
  }
  return Math.min(room, ...rateRooms(plan, asDuration(to - from)));
}

/** How many nodes the rate limits without a schedule let begin in this time (P1, P2). */
function rateRooms({ query: { pool, counted }, windows, nodes }: ReplacementPlan, time: Duration): number[] {
  const periods = (per: Duration): number => Math.floor(time / per) + 1;
  const ofPool = pool.rates
    .filter(({ reasons, window }) => window === undefined && (reasons?.has('Expired') ?? true))
    .map((rate) => amountOf(rate.nodes, counted) * periods(rate.per));
  const ofWindows = windows.flatMap((window) => {
    const { per } = window;
    if (per === undefined || per === 'opening' || activeHours(window) !== always) return [];
    return [amountOf(window.nodes, nodes.filter((view) => view.windows.includes(window)).length) * periods(per)];
  });
  return [...ofPool, ...ofWindows];
}

function limitOf({ query, windows, nodes }: ReplacementPlan, at: Instant): number {
  const { limit = Infinity } = limitAt(query, at);
  const caps = windows.filter(
    (window) => !isZero(window.nodes) && window.per === undefined && activeHours(window).isOpen(at),
  );
  const amounts = caps.map((cap) => amountOf(cap.nodes, nodes.filter((view) => view.windows.includes(cap)).length));
  return Math.min(limit, ...amounts);
}
