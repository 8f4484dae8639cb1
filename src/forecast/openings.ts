// The openings in which a node may be disrupted: maintenance windows and budgets with a schedule.
// Blocking windows have openings too: the time between two blocks.
import { defined } from '../cluster/defined.ts';
import type { NodeCount, Pool } from '../cluster/model.ts';
import type { NodeView } from '../cluster/nodeView.ts';
import type { Reason } from '../cluster/reason.ts';
import type { Instant } from '../time/instant.ts';
import type { Window } from '../time/window.ts';

export interface DisruptionOpening {
  readonly kind: 'MaintenanceWindow' | 'Budget';
  /** The name of the window or pool. */
  readonly name: string;
  /** The index of the budget. */
  readonly index?: number;
  readonly from?: Instant;
  readonly to?: Instant;
}

export interface OpeningQuery {
  readonly view: NodeView;
  readonly pool: Pool | undefined;
  readonly reason: Reason;
}

export function openingsOf({ view, pool, reason }: OpeningQuery, at: Instant): readonly DisruptionOpening[] {
  const windows = view.windows.filter((it) => it.reasons.has(reason) && it.life.isOpen(at) && blocksAll(it.nodes));
  const budgets = (pool?.budgets ?? []).filter(({ reasons }) => reasons === undefined || reasons.has(reason));
  const all = [
    ...windows.map(
      (it): DisruptionOpening => ({ kind: 'MaintenanceWindow', name: it.name, ...openingOf(it.window, at) }),
    ),
    ...budgets.map((it): DisruptionOpening => {
      const opening = it.window ? openingOf(it.window, at) : {};
      return { kind: 'Budget', name: pool?.name ?? '', index: it.index, ...opening };
    }),
  ];
  return all.filter(({ from, to }) => from !== undefined || to !== undefined);
}

/** A window that allows some nodes (D5) does not open and close, so it has no openings. */
const blocksAll = (nodes: NodeCount): boolean => 'count' in nodes && nodes.count === 0;

/** The time around `at` during which the window does not change. */
function openingOf(window: Window, at: Instant): { from?: Instant; to?: Instant } {
  return defined({ from: window.lastChange(at), to: window.nextChange(at) });
}
