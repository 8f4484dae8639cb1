// Crons with a step larger than its range, which match the first value alone (B1).
import { largeStepsIn } from '../facts/cronText.ts';
import { writtenSchedules } from '../facts/writtenSchedules.ts';
import type { Rule } from '../rule.ts';

const name = 'schedule-step-too-large';

export const scheduleStepTooLarge: Rule = {
  name,
  finds: 'A step in a cron that is larger than the range it counts through, such as */90 minutes.',
  why: 'Steps are counted within their field, and the field begins again with each hour, day or month. "*/90" does not fire every 90 minutes: it fires at minute 0 of every hour.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: breathing-space}
spec:
  mode: Block
  note: ask the platform team
  # Meant: every 90 minutes.
  schedules: [{cron: "*/90 * * * *", duration: 30m}]
`,
  *check(policy) {
    for (const { cron, object, path } of writtenSchedules(policy)) {
      for (const { field, item, size, value } of largeStepsIn(cron.text)) {
        yield {
          rule: name,
          severity: 'warning',
          object,
          path,
          message: `The step of "${item}" (${field}) is larger than its range of ${size}: only ${field} ${value} matches.`,
          suggestion: `Write ${value} if that is meant. Otherwise list the times: cron counts the steps of each ${field} field anew.`,
        };
      }
    }
  },
};
