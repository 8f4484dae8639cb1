// Lint rules about MaintenanceWindows (D2–D7).
import type { MaintenanceWindow } from '../../cluster/model.ts';
import type { NodeView } from '../../cluster/nodeView.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { isZero } from '../../engine/rules/budgets.ts';
import { activeHours, windowRules } from '../../engine/rules/openHours.ts';
import { utc } from '../../explain/describeWindow.ts';
import { schedulesOf } from '../../time/describeCron.ts';
import { formatInstant } from '../../time/instant.ts';
import { andList } from '../../time/lists.ts';
import { always } from '../../time/window.ts';
import { formatPattern, isOffHours, openPattern } from '../facts/weeklyPattern.ts';
import {
  checkEachWindow,
  covers,
  endOfLife,
  everOpen,
  isOver,
  permittingHours,
  reasonsText,
  selectsNothing,
  soundWindows,
  windowObject,
  windowSets,
} from '../facts/windows.ts';
import { writtenAt } from '../facts/writtenObjects.ts';
import { checkEach, type FieldLocation, type LintPolicy, type LintRule } from '../rule.ts';

export const maintenanceWindowsRules: readonly LintRule[] = [
  {
    name: 'schedule-never-open',
    severity: 'warning',
    finds: 'A MaintenanceWindow whose schedules never open between its notBefore and its notAfter.',
    why: 'Such a window does not work as intended: a blocking window never blocks, and an allowing one never allows, so its nodes are held until the window has ended.',
    check: checkEachWindow((window, policy) => {
      // window-over reports windows that have ended, fault reports schedules that never fire.
      if (isOver(window, policy.now) || everOpen([activeHours(window)], policy.now)) return undefined;
      return {
        message: `Its schedules (${window.window.text}) never open ${window.life.text}: ${window.mode === 'Allow' ? 'it never allows disruption, and its nodes are held until it ends' : window.mode === 'Approve' ? 'it never requires approval' : 'it never blocks anything'}.`,
        suggestion: 'Choose dates and schedules that overlap.',
      };
    }),
  },
  {
    name: 'window-allow-ends', // D4
    severity: 'warning',
    finds: 'A MaintenanceWindow of mode Allow with a notAfter, and no other window that continues after it.',
    why: 'Before notBefore and after notAfter a window has no effect. After notAfter its nodes may be disrupted at any hour, which is the opposite of what an end date suggests.',
    check: checkEachWindow((window, policy) => {
      const end = window.mode === 'Allow' ? endOfLife(window, policy.now) : undefined;
      const continues = (other: MaintenanceWindow): boolean =>
        other !== window &&
        other.mode === 'Allow' &&
        covers(other, window) &&
        end !== undefined &&
        other.life.isOpen(end);
      if (end === undefined || soundWindows(policy).some(continues)) return undefined;
      return {
        path: 'spec.notAfter',
        message: `From ${formatInstant(end)} on, this window has no effect: disruption that it allows only in its hours is then allowed at any hour.`,
        suggestion:
          'Remove notAfter. To stop everything from that date on, add a window of mode Block with that date as notBefore.',
      };
    }),
  },
  {
    name: 'window-contradiction',
    severity: 'warning',
    finds: 'MaintenanceWindows on the same nodes, some of which block whenever the others allow.',
    why: 'A node may be disrupted only if every window permits it. With such a combination, the nodes are never disrupted for these reasons.',
    check: checkEach(contradictions, ({ text, which, whose, reasons }) => ({
      message: `Nodes may be disrupted for ${reasonsText(reasons)} only while ${which} is open (${text}), and ${whose} blocks all of that time: they can never be disrupted.`,
      suggestion: `Open ${which} when ${whose} does not block, or exclude these nodes or actions from one of them.`,
    })),
  },
  {
    name: 'window-freeze-without-end',
    severity: 'info',
    finds: 'A blocking MaintenanceWindow with neither schedules nor a notAfter.',
    why: 'Without schedules a window is always open: what it blocks stays blocked until the window is removed.',
    check: checkEachWindow((window, { now }) => {
      // With nodes it is a cap across all pools (D5), which is meant to be permanent.
      if (window.mode !== 'Block' || window.window !== always || !isZero(window.nodes)) return undefined;
      if (isOver(window, now) || endOfLife(window, now) !== undefined) return undefined;
      const whom = window.selector ? 'the nodes it selects' : 'every node';
      return {
        message: `It has no schedules, which means always, and no notAfter: it keeps ${whom} from being disrupted for ${reasonsText(window.reasons)} until it is removed.`,
        suggestion: 'Add a notAfter, or schedules (cron and duration), unless the freeze is meant to be permanent.',
      };
    }),
  },
  {
    name: 'window-freeze-without-note',
    severity: 'info',
    finds: 'A blocking MaintenanceWindow with dates (notBefore, notAfter) but without a note.',
    why: 'The note is shown with every refusal, so that anyone waiting for a node can see who froze it and why.',
    check: checkEachWindow((window, policy) => {
      if (window.mode !== 'Block' || window.life === always || window.note !== undefined) return undefined;
      if (isOver(window, policy.now)) return undefined;
      return {
        path: 'spec.note',
        message: `It freezes nodes ${window.life.text}, but does not say who asked for it and why.`,
        suggestion: 'Add a note, such as note: shop team, sales week.',
      };
    }),
  },
  {
    name: 'window-mode-missing', // D2, D3
    severity: 'warning',
    finds: 'A MaintenanceWindow with schedules but no mode that is open only at night or on weekends.',
    why: 'Without a mode a window blocks while it is open. In most tools a maintenance window is the time when maintenance happens. If these hours are meant that way, nodes are disrupted at all other hours instead.',
    check: checkEachWindow((window, policy) => {
      const mode = writtenAt(policy, windowObject(window), 'spec', 'mode');
      if (window.mode !== 'Block' || window.window === always || !isZero(window.nodes) || mode !== undefined)
        return undefined;
      const zone = schedulesOf(window.window)?.[0]?.cron.zone ?? utc;
      if (!isOffHours(window.window, zone, policy.now)) return undefined;
      const hours = formatPattern(openPattern(window.window, zone, policy.now), zone);
      return {
        message: `Without a mode it blocks while it is open: ${hours}. At all other hours it permits disruption.`,
        suggestion: 'mode: Allow  # disruption in these hours only; to block in them, write mode: Block',
      };
    }),
  },
  {
    name: 'window-over', // D4
    severity: 'warning',
    finds: 'A MaintenanceWindow whose notAfter has passed.',
    why: 'It no longer has an effect and misleads readers. If its mode was Allow, its nodes may now be disrupted at any hour.',
    check: checkEachWindow((window, policy) => {
      if (!isOver(window, policy.now)) return undefined;
      const replaces = (other: MaintenanceWindow): boolean =>
        other.mode === 'Allow' && !isOver(other, policy.now) && covers(other, window);
      const ended = window.life.lastChange(policy.now);
      const since = ended === undefined ? 'It has ended' : `It ended at ${formatInstant(ended)}`;
      const path = 'spec.notAfter';
      if (window.mode === 'Allow' && !soundWindows(policy).some(replaces))
        return {
          path,
          message: `${since}: disruption that it allowed only in its hours is now allowed at any hour.`,
          suggestion: 'Remove notAfter so that the window applies again, or remove the window.',
        };
      return {
        severity: 'info',
        path,
        message: `${since}: it no longer has an effect.`,
        suggestion: 'Remove the window.',
      };
    }),
  },
  {
    name: 'window-selects-nothing',
    severity: 'warning',
    finds: 'A MaintenanceWindow that selects none of the nodes in the input.',
    why: 'It has no effect: the nodes it was written for may be disrupted at any time. Often the label is spelled differently on the nodes.',
    check: checkEachWindow((window, { cluster }) => {
      const isMeant = ({ windows }: NodeView): boolean => windows.includes(window);
      return selectsNothing(window, cluster, { isMeant, noun: 'window' });
    }),
  },
];

const names = (windows: readonly MaintenanceWindow[]): string => andList(windows.map((window) => window.name));

interface Contradiction extends FieldLocation {
  /** The hours of the first allowing window. */
  readonly text: string;
  /** The names of the allowing and of the blocking windows. */
  readonly which: string;
  readonly whose: string;
  readonly reasons: Set<Reason>;
}

/** Sets of windows that contradict each other, with all reasons for which they do. */
function contradictions(policy: LintPolicy): Contradiction[] {
  const found = new Map<string, Contradiction>();
  // An invalid window always blocks (D7), which is reported as its fault.
  for (const set of windowSets(policy).filter((each) => !each.some(({ fault }) => fault))) {
    for (const reason of budgetReasons) {
      const { allows, blocks } = windowRules(set, reason);
      const [first] = allows;
      if (!first || everOpen(permittingHours(set, reason), policy.now)) continue;
      const [which, whose] = [names(allows), names(blocks)];
      const place = { object: windowObject(first), path: 'spec.schedules' };
      const known = found.get(`${which} ${whose}`) ?? {
        ...place,
        text: first.window.text,
        which,
        whose,
        reasons: new Set(),
      };
      known.reasons.add(reason);
      found.set(`${which} ${whose}`, known);
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, contradiction]) => contradiction);
}
