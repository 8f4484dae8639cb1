// How long does a node wait for a pod's next window?
import { all } from '../../time/combine.ts';
import { asDuration, day, formatInstant } from '../../time/instant.ts';
import { opensAt } from '../../time/window.ts';
import { crowdsOf, nameCrowd } from '../facts/crowd.ts';
import { everOpen, longestClosing } from '../facts/hours.ts';
import { podFacts } from '../facts/pods.ts';
import { hoursOf, hoursText, isScheduled, scheduleOf } from '../facts/schedules.ts';
import type { Rule } from '../rule.ts';

const name = 'pod-schedule-rare';

/** A month, and as long as Karpenter lets a node live where nobody says otherwise. */
const rare = asDuration(31 * day);

export const podScheduleRare: Rule = {
  name,
  finds: 'A pod schedule that stays closed for more than a month at a time.',
  why: 'The node of such a pod misses image updates meanwhile, and often reaches its expiry first, which Karpenter enforces whatever the schedule says.',
  example: `apiVersion: v1
kind: Pod
metadata:
  namespace: erp
  name: ledger
  annotations:
    # The first of January, April, July and October.
    karpenter.sh/disruption-schedule: 0 2 1 */3 *
    karpenter.sh/disruption-schedule-duration: 4h
`,
  *check(policy) {
    const { now } = policy;
    for (const crowd of crowdsOf(podFacts(policy).pods.filter(isScheduled), hoursText)) {
      const [view] = crowd;
      if (!everOpen(hoursOf(view), now)) continue;
      const hours = all(hoursOf(view));
      const closed = longestClosing(hours, now);
      if (closed <= rare) continue;
      const next = opensAt(hours, now);
      const when = next === undefined || next === now ? '' : ` It opens next at ${formatInstant(next)}.`;
      yield {
        rule: name,
        severity: 'info',
        ...scheduleOf(view),
        message: `The node of ${nameCrowd(crowd)} has to wait up to ${Math.floor(closed / day)} days for its window (${hoursText(view)}).${when}`,
        suggestion: 'Open the window at least once a month.',
      };
    }
  },
};
