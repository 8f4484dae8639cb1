// Which windows stop everything for ever?
import { isZero } from '../../engine/limits/budgets.ts';
import { always } from '../../time/window.ts';
import { endOfLife, isOver, reasonsText, soundWindows, windowObject } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';

const name = 'window-freeze-without-end';

export const windowFreezeWithoutEnd: Rule = {
  name,
  finds: 'A blocking MaintenanceWindow with neither schedules nor a notAfter.',
  why: 'No schedules means always: what it blocks never happens again, until somebody remembers to remove it.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: freeze}
spec:
  note: platform team, incident of last week
`,
  *check(policy) {
    const { now } = policy;
    for (const window of soundWindows(policy)) {
      // With nodes it is a cap over all pools (D5), which is meant to stay.
      if (window.mode !== 'Block' || window.window !== always || !isZero(window.nodes)) continue;
      if (isOver(window, now) || endOfLife(window, now) !== undefined) continue;
      const whom = window.selector ? 'the nodes it selects' : 'every node';
      yield {
        rule: name,
        severity: 'info',
        object: windowObject(window),
        path: 'spec.schedules',
        message: `It has no schedules, which means always, and no notAfter: it keeps ${whom} from going for ${reasonsText(window.reasons)} until it is removed.`,
        suggestion: 'Give it a notAfter, or schedules (cron and duration), unless a freeze without end is meant.',
      };
    }
  },
};
