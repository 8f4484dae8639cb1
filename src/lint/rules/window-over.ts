// Which windows have had their day (D4)?
import type { MaintenanceWindow } from '../../cluster/model.ts';
import { formatInstant } from '../../time/instant.ts';
import { covers, isOver, soundWindows, windowObject } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';

const name = 'window-over';

export const windowOver: Rule = {
  name,
  finds: 'A MaintenanceWindow whose notAfter has passed.',
  why: 'It does nothing any more and only misleads readers. Where it was of mode Allow, its nodes may now go at any hour.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: black-friday}
spec:
  notBefore: "2025-11-24T00:00:00Z"
  notAfter: "2025-12-02T00:00:00Z"
  note: shop team, sales week
`,
  *check(policy) {
    const windows = soundWindows(policy);
    const isReplaced = (window: MaintenanceWindow): boolean =>
      windows.some((other) => other.mode === 'Allow' && !isOver(other, policy.now) && covers(other, window));
    for (const window of windows.filter((each) => isOver(each, policy.now))) {
      const ended = window.life.lastChange(policy.now);
      const frees = window.mode === 'Allow' && !isReplaced(window);
      const since = ended === undefined ? 'Its time is over' : `Its time was over at ${formatInstant(ended)}`;
      yield {
        rule: name,
        severity: frees ? 'warning' : 'info',
        object: windowObject(window),
        path: 'spec.notAfter',
        message: frees
          ? `${since}: what it allowed only in its hours is now allowed at any hour.`
          : `${since}: it has no effect any more.`,
        suggestion: frees
          ? 'Remove notAfter, so that the window holds again; or remove the window.'
          : 'Remove the window.',
      };
    }
  },
};
