// What happens when an Allow window ends? Everything is allowed (D4).
import { formatInstant } from '../../time/instant.ts';
import { covers, endOfLife, soundWindows, windowObject } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';

const name = 'window-allow-ends';

export const windowAllowEnds: Rule = {
  name,
  finds: 'A MaintenanceWindow of mode Allow with a notAfter, and no other one that holds on after it.',
  why: 'Outside its life a window has no effect. After notAfter its nodes may go at any hour, which is the opposite of what an end seems to say.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: nights}
spec:
  mode: Allow
  schedules: [{cron: 0 22 * * *, duration: 8h}]
  notAfter: "2099-01-01T00:00:00Z"
`,
  *check(policy) {
    const allows = soundWindows(policy).filter(({ mode }) => mode === 'Allow');
    for (const window of allows) {
      const end = endOfLife(window, policy.now);
      if (end === undefined) continue;
      if (allows.some((other) => other !== window && covers(other, window) && other.life.isOpen(end))) continue;
      yield {
        rule: name,
        severity: 'warning',
        object: windowObject(window),
        path: 'spec.notAfter',
        message: `From ${formatInstant(end)} on this window has no effect any more: what it allows only in its hours may then happen at any hour.`,
        suggestion:
          'Remove notAfter. To stop everything from that date on, add a window of mode Block with that date as notBefore.',
      };
    }
  },
};
