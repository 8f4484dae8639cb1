// How many nodes of a pool can be replaced between two instants, within its limits and open hours? Roughly.
import type { MaintenanceWindow } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { amountOf, isZero, type LimitQuery, limitAt, nextLimitChange } from '../../engine/limits/budgets.ts';
import { activeHours } from '../../engine/limits/poolHours.ts';
import { asDuration, earliest, type Instant, minute } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';

/** What clouds commonly take from launch to Initialized; the lead of N7 is reckoned with the same. */
const replacementTime = asDuration(5 * minute);
/** So many edges are walked; a window that opens every hour has about 700 in a month. */
const mostEdges = 3000;

export interface Rolling {
  readonly query: LimitQuery;
  readonly hours: Window;
  /** D5: windows with `nodes` limit all pools together. */
  readonly windows: readonly MaintenanceWindow[];
  /** What their percentages are of. */
  readonly nodes: readonly NodeView[];
}

/** Open time × limit ÷ replacement time, stretch by stretch; infinite where nothing limits it. */
export function rollingRoom(rolling: Rolling, from: Instant, to: Instant): number {
  const { query, hours, windows } = rolling;
  let room = 0;
  let at: Instant = from;
  for (let edges = 0; at < to && edges < mostEdges; edges++) {
    let next = earliest(hours.nextChange(at), nextLimitChange(query, at));
    for (const window of windows) next = earliest(next, activeHours(window).nextChange(at));
    const end = earliest(next, to) as Instant;
    // What is started in time may end later, so a part of a turn counts as one.
    if (hours.isOpen(at)) room += limitOf(rolling, at) * Math.ceil((end - at) / replacementTime);
    at = end;
  }
  return room;
}

function limitOf({ query, windows, nodes }: Rolling, at: Instant): number {
  const { limit = Infinity } = limitAt(query, at);
  const caps = windows.filter((window) => !isZero(window.nodes) && activeHours(window).isOpen(at));
  const amounts = caps.map((cap) => amountOf(cap.nodes, nodes.filter((view) => view.windows.includes(cap)).length));
  return Math.min(limit, ...amounts);
}
