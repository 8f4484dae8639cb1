// Do windows that allow and windows that block ever leave a moment in common?
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { windowRules } from '../../engine/limits/poolHours.ts';
import type { Instant } from '../../time/instant.ts';
import { everOpen } from '../facts/hours.ts';
import { permittingHours, reasonsText, windowObject, windowSets } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';
import { andList } from '../words/lists.ts';

const name = 'window-contradiction';

export const windowContradiction: Rule = {
  name,
  finds: 'MaintenanceWindows over the same nodes of which some block whenever the others allow.',
  why: 'A node goes only if every window permits it: with such a pair, nothing they speak of ever happens on these nodes.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: nights-only}
spec:
  mode: Allow
  schedules: [{cron: 0 22 * * *, duration: 6h}]
---
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: backups}
spec:
  schedules: [{cron: 0 20 * * *, duration: 10h}]
`,
  *check(policy) {
    for (const { allows, blocks, reasons } of contradictions(windowSets(policy), policy.now)) {
      const first = allows[0] as MaintenanceWindow;
      const [which, whose] = [names(allows), names(blocks)];
      yield {
        rule: name,
        severity: 'warning',
        object: windowObject(first),
        path: 'spec.schedules',
        message: `Nodes may go for ${reasonsText(new Set(reasons))} only while ${which} is open (${first.window.text}), and ${whose} blocks all of that time: they never may.`,
        suggestion: `Let ${which} open when ${whose} does not block, or take these nodes or actions out of one of them.`,
      };
    }
  },
};

const names = (windows: readonly MaintenanceWindow[]): string => andList(windows.map((window) => window.name));

interface Contradiction {
  readonly allows: readonly MaintenanceWindow[];
  readonly blocks: readonly MaintenanceWindow[];
  readonly reasons: readonly Reason[];
}

/** By the windows that contradict each other, with all reasons for which they do. */
function contradictions(sets: readonly (readonly MaintenanceWindow[])[], now: Instant): Contradiction[] {
  const found = new Map<string, Contradiction>();
  for (const set of sets) {
    // A window that cannot be read blocks by itself (D7): that is its fault, and told.
    if (set.some(({ fault }) => fault)) continue;
    for (const reason of budgetReasons) {
      const { allows, blocks } = windowRules(set, reason);
      if (allows.length === 0 || everOpen(permittingHours(set, reason), now)) continue;
      const key = `${names(allows)} ${names(blocks)}`;
      const known = new Set([...(found.get(key)?.reasons ?? []), reason]);
      found.set(key, { allows, blocks, reasons: budgetReasons.filter((each) => known.has(each)) });
    }
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, contradiction]) => contradiction);
}
