// Through which window does a node go? Whatever is open by the clock and closes again: windows, and budgets with a schedule.
// What blocks by the clock leaves openings too: the time between two blocks.
import type { NodeCount, Pool } from '../cluster/model.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Instant } from '../time/instant.ts';
import type { Window } from '../time/window.ts';

export interface Passage {
  readonly kind: 'MaintenanceWindow' | 'Budget';
  /** Of the window, or of the pool. */
  readonly name: string;
  /** Of the budget. */
  readonly index?: number;
  readonly from?: Instant;
  readonly to?: Instant;
}

export interface Leaver {
  readonly view: NodeView;
  readonly pool: Pool | undefined;
  readonly reason: Reason;
}

export function passagesOf({ view, pool, reason }: Leaver, at: Instant): readonly Passage[] {
  const windows = view.windows.filter((it) => it.reasons.has(reason) && it.life.isOpen(at) && isBlunt(it.nodes));
  const budgets = (pool?.budgets ?? []).filter(({ reasons }) => reasons === undefined || reasons.has(reason));
  const all = [
    ...windows.map((it): Passage => ({ kind: 'MaintenanceWindow', name: it.name, ...openingOf(it.window, at) })),
    ...budgets.map((it): Passage => {
      const opening = it.window ? openingOf(it.window, at) : {};
      return { kind: 'Budget', name: pool?.name ?? '', index: it.index, ...opening };
    }),
  ];
  return all.filter(({ from, to }) => from !== undefined || to !== undefined);
}

/** D5: a window that lets some go is no door that opens and closes. */
const isBlunt = (nodes: NodeCount): boolean => 'count' in nodes && nodes.count === 0;

/** For as long as it says about this moment what it says now. */
function openingOf(window: Window, at: Instant): { from?: Instant; to?: Instant } {
  const [from, to] = [window.lastChange(at), window.nextChange(at)];
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}
