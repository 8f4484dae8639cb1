// Is there a pod that a PodDisruptionSchedule means?
import { countPods } from '../facts/crowd.ts';
import { nearLabel } from '../facts/nearLabel.ts';
import { podFacts } from '../facts/pods.ts';
import type { Rule } from '../rule.ts';

const name = 'pod-schedule-selects-nothing';

export const podScheduleSelectsNothing: Rule = {
  name,
  finds: 'A PodDisruptionSchedule that selects none of the pods in the input.',
  why: 'The pods it was written for have no schedule, and may be moved at any time.',
  example: `apiVersion: karpenter.sh/v1alpha1
kind: PodDisruptionSchedule
metadata: {name: training}
spec:
  selector: {matchLabels: {App: training}}
  schedule: 0 2 * * 6
  duration: 4h
---
apiVersion: v1
kind: Pod
metadata: {namespace: ml, name: trainer, labels: {app: training}}
`,
  *check(policy) {
    const { pods, under } = podFacts(policy);
    // A file cannot say that nothing is missing.
    if (pods.length === 0) return;
    for (const schedule of policy.cluster.podSchedules) {
      if (schedule.fault || under(schedule) > 0) continue;
      const labels = pods.map(({ pod }) => pod.labels);
      yield {
        rule: name,
        severity: 'warning',
        object: `PodDisruptionSchedule/${schedule.name}`,
        path: 'spec.selector',
        message: `It selects no pod of the input, which holds ${countPods(pods)}: it holds nothing back.`,
        suggestion:
          nearLabel(schedule.selector.requirements, labels) ?? 'Select pods by labels that they carry, or remove it.',
      };
    }
  },
};
