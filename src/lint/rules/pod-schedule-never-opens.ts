// Is there a moment at which a pod with a schedule may be moved at all?
import { never } from '../../time/window.ts';
import { crowdsOf, nameCrowd } from '../facts/crowd.ts';
import { everOpen } from '../facts/hours.ts';
import { podFacts } from '../facts/pods.ts';
import { capital } from '../facts/say.ts';
import { hoursOf, hoursText, isScheduled, scheduleOf } from '../facts/schedules.ts';
import type { Rule } from '../rule.ts';

const name = 'pod-schedule-never-opens';

export const podScheduleNeverOpens: Rule = {
  name,
  finds:
    'Pod schedules that together never let a pod be moved: one that never fires, or an allow window that lies within a block window.',
  why: 'Such a pod holds its node for ever: only a terminationGracePeriod, an interruption or a person takes the node away.',
  example: `apiVersion: v1
kind: Pod
metadata:
  namespace: web
  name: cart
  annotations:
    # Allowed from 2 to 4, but blocked from 1 to 5.
    karpenter.sh/disruption-schedule: 0 2 * * *
    karpenter.sh/disruption-schedule-duration: 2h
    karpenter.sh/disruption-block-schedule: 0 1 * * *
    karpenter.sh/disruption-block-duration: 4h
`,
  *check(policy) {
    for (const crowd of crowdsOf(podFacts(policy).pods.filter(isScheduled), hoursText)) {
      const [view] = crowd;
      if (everOpen(hoursOf(view), policy.now)) continue;
      const fires = !hoursOf(view).includes(never);
      yield {
        rule: name,
        severity: 'warning',
        ...scheduleOf(view),
        message: fires
          ? `${capital(nameCrowd(crowd))} may never be moved: its windows (${hoursText(view)}) are never open together.`
          : `${capital(nameCrowd(crowd))} may never be moved: its schedule never fires.`,
        suggestion: fires
          ? 'Let the windows in which it may be moved reach beyond those in which it may not.'
          : 'Name a date that exists; or, if never is meant, write karpenter.sh/do-not-disrupt: "true" instead.',
      };
    }
  },
};
