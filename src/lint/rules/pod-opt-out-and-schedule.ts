// Does a pod say both "never" and "only then"? Never wins (E8).
import { crowdsOf, nameCrowd } from '../facts/crowd.ts';
import { optOutKey } from '../facts/optOuts.ts';
import { annotationPath, podFacts } from '../facts/pods.ts';
import { capital } from '../facts/say.ts';
import { hoursText, isScheduled } from '../facts/schedules.ts';
import type { Rule } from '../rule.ts';

const name = 'pod-opt-out-and-schedule';

export const podOptOutAndSchedule: Rule = {
  name,
  finds: 'A pod that is annotated do-not-disrupt and has a schedule as well.',
  why: 'do-not-disrupt wins: the schedule is never asked, and the pod holds its node for ever.',
  example: `apiVersion: v1
kind: Pod
metadata:
  namespace: ml
  name: trainer
  annotations:
    karpenter.sh/do-not-disrupt: "true"
    karpenter.sh/disruption-schedule: 0 2 * * 6
    karpenter.sh/disruption-schedule-duration: 4h
`,
  *check(policy) {
    const both = podFacts(policy).pods.filter((view) => isScheduled(view) && optOutKey(view, policy));
    for (const crowd of crowdsOf(both, hoursText)) {
      const [first] = crowd;
      const key = optOutKey(first, policy) ?? '';
      const [schedule] = first.schedules;
      const whose = schedule ? `the window of ${schedule.name}` : 'its window';
      yield {
        rule: name,
        severity: 'warning',
        object: first.object,
        path: annotationPath(key, first.within),
        message: `${capital(nameCrowd(crowd))} is annotated do-not-disrupt, which wins over ${whose} (${hoursText(first)}): it is never moved.`,
        suggestion: `Remove ${key} and keep the schedule; or keep it and remove the schedule.`,
      };
    }
  },
};
