// Which windows never open within the dates they are given?
import { activeHours } from '../../engine/limits/poolHours.ts';
import { everOpen } from '../facts/hours.ts';
import { isOver, soundWindows, windowObject } from '../facts/windows.ts';
import type { Rule } from '../rule.ts';

const name = 'schedule-never-open';

export const scheduleNeverOpen: Rule = {
  name,
  finds: 'A MaintenanceWindow whose schedules do not open once between its notBefore and its notAfter.',
  why: 'Such a window does not do what it is there for: one that blocks never blocks, and one that allows never allows, so that its nodes stay until its time is over.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: upgrade-week}
spec:
  mode: Allow
  # From Monday to Friday, but the schedule is for Saturdays.
  notBefore: "2026-11-23T00:00:00Z"
  notAfter: "2026-11-28T00:00:00Z"
  schedules: [{cron: 0 2 * * sat, duration: 4h}]
`,
  *check(policy) {
    for (const window of soundWindows(policy)) {
      // One that is over, and schedules that never fire, are told elsewhere.
      if (isOver(window, policy.now) || everOpen([activeHours(window)], policy.now)) continue;
      yield {
        rule: name,
        severity: 'warning',
        object: windowObject(window),
        path: 'spec.schedules',
        message: `Its schedules (${window.window.text}) do not open once ${window.life.text}: ${window.mode === 'Allow' ? 'it never allows anything, and its nodes stay until its time is over' : 'it never blocks anything'}.`,
        suggestion: 'Give dates and schedules that meet.',
      };
    }
  },
};
