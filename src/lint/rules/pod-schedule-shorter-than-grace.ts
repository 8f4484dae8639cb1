// Can a pod end within the window in which it may be moved?
import type { PodView } from '../../cluster/nodeView.ts';
import { all } from '../../time/combine.ts';
import { formatDuration } from '../../time/duration.ts';
import { asDuration, second } from '../../time/instant.ts';
import { crowdsOf, nameCrowd } from '../facts/crowd.ts';
import { everOpen, longestOpening } from '../facts/hours.ts';
import { podFacts } from '../facts/pods.ts';
import { capital } from '../facts/say.ts';
import { hoursOf, hoursText, isScheduled, scheduleOf } from '../facts/schedules.ts';
import type { Rule } from '../rule.ts';

const name = 'pod-schedule-shorter-than-grace';

export const podScheduleShorterThanGrace: Rule = {
  name,
  finds: 'A pod schedule whose windows are all shorter than the pod may take to end (terminationGracePeriodSeconds).',
  why: 'The window says when a pod may be evicted, not when it is gone: such a pod may still be ending after its window has closed.',
  example: `apiVersion: v1
kind: Pod
metadata:
  namespace: ml
  name: trainer
  annotations:
    karpenter.sh/disruption-schedule: 0 2 * * 6
    karpenter.sh/disruption-schedule-duration: 30m
spec:
  terminationGracePeriodSeconds: 7200
`,
  *check(policy) {
    for (const crowd of crowdsOf(podFacts(policy).pods.filter(isScheduled), likeness)) {
      const [view] = crowd;
      const grace = asDuration(view.pod.graceSeconds * second);
      // One that never opens is another rule's.
      if (!everOpen(hoursOf(view), policy.now)) continue;
      const longest = longestOpening(all(hoursOf(view)), policy.now);
      if (longest >= grace) continue;
      yield {
        rule: name,
        severity: 'warning',
        ...scheduleOf(view),
        message: `${capital(nameCrowd(crowd))} may be moved only in windows of at most ${formatDuration(longest)} (${hoursText(view)}), but may take ${formatDuration(grace)} to end: it can still be ending when its window has closed.`,
        suggestion: `Make the windows at least ${formatDuration(grace)} long, or terminationGracePeriodSeconds at most ${longest / second}.`,
      };
    }
  },
};

const likeness = (view: PodView): string => `${view.pod.graceSeconds} ${hoursText(view)}`;
