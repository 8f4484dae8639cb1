// MaintenanceWindows that block nodes now, such as a pause: shown even while nothing wants to go (Q5).
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { budgetReasons } from '../../cluster/reason.ts';
import type { Instant } from '../../time/instant.ts';
import { isZero } from '../limits/budgets.ts';
import { activeHours } from '../limits/poolHours.ts';

export interface BlockedBy {
  /** Of the window. */
  readonly name: string;
  readonly author?: string;
  readonly note?: string;
  /** The reasons it blocks; absent = all but interruptions. */
  readonly reasons?: readonly string[];
  /** When it closes by itself; absent = never. */
  readonly until?: Instant;
}

/** Those of the windows that are in force now and let no node go. */
export function blockedBy(windows: Iterable<MaintenanceWindow>, now: Instant): BlockedBy[] {
  return [...new Set(windows)]
    .filter((window) => window.mode === 'Block' && isZero(window.nodes) && activeHours(window).isOpen(now))
    .map((window) => {
      const { name, author, note, reasons } = window;
      const until = activeHours(window).nextChange(now);
      return {
        name,
        ...(author !== undefined && { author }),
        ...(note !== undefined && { note }),
        ...(reasons.size < budgetReasons.length && { reasons: [...reasons] }),
        ...(until !== undefined && { until }),
      };
    });
}
