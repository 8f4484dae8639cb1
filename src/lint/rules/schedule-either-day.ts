// Which crons restrict both day fields, as if both had to match (B1)?
import { fieldsOf } from '../facts/cronText.ts';
import { writtenSchedules } from '../facts/writtenSchedules.ts';
import type { Rule } from '../rule.ts';
import { cronDays } from '../words/cronDays.ts';

const name = 'schedule-either-day';

export const scheduleEitherDay: Rule = {
  name,
  finds: 'A cron with both a day of the month and a day of the week.',
  why: 'Where both are given, either is enough: "the first Monday of the month" written so fires on seven dates and on every Monday. Cron cannot say the former.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: patch-day}
spec:
  mode: Allow
  # Meant: the first Monday of the month.
  schedules: [{cron: 0 6 1-7 * mon, duration: 6h}]
`,
  *check(policy) {
    for (const { cron, object, path } of writtenSchedules(policy)) {
      const fields = fieldsOf(cron.text);
      if (!fields || fields['day-of-month'].star || fields['day-of-week'].star) continue;
      const days = cronDays(fields);
      yield {
        rule: name,
        severity: 'warning',
        object,
        path,
        message: `A day of the month and a day of the week are both given, and either is enough: this fires ${days?.replace(/,$/, '') ?? 'on all of them'}.`,
        suggestion: 'Restrict one of the two and write * for the other; or, for a date, give notBefore and notAfter.',
      };
    }
  },
};
