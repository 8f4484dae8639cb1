// MaintenanceWindows without a mode, over nights or weekends: they block in the hours that look like an opening (D2, D3).
import { isZero } from '../../engine/limits/budgets.ts';
import { day, hour } from '../../time/instant.ts';
import { always } from '../../time/window.ts';
import { wallTime, type Zone } from '../../time/zone.ts';
import { habitOf, weekdayOf } from '../facts/habit.ts';
import { sayHabit } from '../facts/spanWords.ts';
import { utc } from '../facts/unlimited.ts';
import { soundWindows, windowObject } from '../facts/windows.ts';
import { valueAt, writtenAs } from '../facts/written.ts';
import { openSpans, type Span, yearAround } from '../facts/year.ts';
import type { Rule } from '../rule.ts';
import { schedulesOf } from '../words/schedulesOf.ts';

const name = 'window-mode-missing';

export const windowModeMissing: Rule = {
  name,
  finds: 'A MaintenanceWindow with schedules but no mode, which is open at nights or weekends only.',
  why: 'Without a mode a window blocks while it is open. Elsewhere a maintenance window is when maintenance happens: hours such as these are probably meant so, and then nodes would be disrupted at all other hours instead.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: nightly}
spec:
  schedules: [{cron: 0 22 * * *, duration: 8h}]
`,
  *check(policy) {
    const year = yearAround(policy.now);
    for (const window of soundWindows(policy)) {
      const object = windowObject(window);
      const spec = valueAt(writtenAs(policy, object)?.object, 'spec');
      if (window.window === always || !isZero(window.nodes) || valueAt(spec, 'mode') !== undefined) continue;
      const zone = schedulesOf(window.window)?.[0]?.cron.zone ?? utc;
      const spans = openSpans(window.window, year);
      if (spans.length === 0 || !spans.slice(0, mostSpans).every((span) => isAtRest(span, zone))) continue;
      yield {
        rule: name,
        severity: 'warning',
        object,
        path: 'spec.schedules',
        message: `Without a mode it blocks while it is open: ${sayHabit(habitOf(spans, zone, year), zone)}. At all other hours it permits disruption.`,
        suggestion: 'mode: Allow  # disruption in these hours only; to block in them, write mode: Block',
      };
    }
  },
};

/** A year of nights. */
const mostSpans = 400;
const [workBegins, workEnds] = [8 * hour, 18 * hour];
const saturday = 5;

/** Whether none of it is within working hours, Monday to Friday 08:00 to 18:00. */
function isAtRest({ from, to }: Span, zone: Zone): boolean {
  const [start, end] = [wallTime(zone, from), wallTime(zone, to)];
  for (let midnight = Math.floor(start / day) * day; midnight < end; midnight += day) {
    const works = weekdayOf(midnight) < saturday;
    if (works && start < midnight + workEnds && midnight + workBegins < end) return false;
  }
  return true;
}
