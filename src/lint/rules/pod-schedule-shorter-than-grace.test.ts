import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podScheduleShorterThanGrace } from './pod-schedule-shorter-than-grace.ts';

const changed = (from: string, to: string): string => podScheduleShorterThanGrace.example.replace(from, to);

describe('E4: pod-schedule-shorter-than-grace', () => {
  it('finds its example', () => {
    expect(found(podScheduleShorterThanGrace)).toEqual([
      {
        rule: 'pod-schedule-shorter-than-grace',
        severity: 'warning',
        object: 'Pod/ml/trainer',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'Pod ml/trainer may be moved only in windows of at most 30m (0 2 * * 6 for 30m), but may take 2h to end: it can still be ending when its window has closed.',
        suggestion: 'Make the windows at least 2h long, or terminationGracePeriodSeconds at most 1800.',
      },
    ]);
  });

  it('counts the default of an hour', () => {
    const text = changed('    karpenter.sh/disruption-schedule-duration: 30m\n', '');
    expect(found(podScheduleShorterThanGrace, text)[0]?.message).toContain('windows of at most 1h');
  });

  it('names a PodDisruptionSchedule, and replicas once', () => {
    const pod = (name: string) =>
      `{apiVersion: v1, kind: Pod, metadata: {namespace: ml, name: ${name}, labels: {app: ml}, ownerReferences: [{kind: ReplicaSet, name: trainer, uid: "1", controller: true}]}, spec: {terminationGracePeriodSeconds: 7200}}`;
    const text = `
apiVersion: karpenter.sh/v1alpha1
kind: PodDisruptionSchedule
metadata: {name: weekly}
spec: {selector: {matchLabels: {app: ml}}, schedule: 0 2 * * 6, duration: 30m}
---
${pod('a')}
---
${pod('b')}
`;
    const [finding, ...others] = found(podScheduleShorterThanGrace, text);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({ object: 'PodDisruptionSchedule/weekly', path: 'spec.schedule' });
    expect(finding?.message).toContain('Pod ml/a and 1 more pod of ReplicaSet trainer');
  });

  it.each([
    { name: 'a window just as long', text: changed('duration: 30m', 'duration: 2h') },
    { name: 'hits that run into each other', text: changed('0 2 * * 6', '"*/30 2-5 * * 6"') },
    { name: 'the usual half minute', text: changed('7200', '30') },
    {
      name: 'a block window, whose rest is long',
      text: changed('disruption-schedule: 0 2 * * 6', 'disruption-block-schedule: 0 2 * * 6').replace(
        'disruption-schedule-duration: 30m',
        'disruption-block-duration: 4h',
      ),
    },
    { name: 'a schedule that never opens', text: changed('0 2 * * 6', '0 2 30 2 *') },
    { name: 'a pod that has ended', text: `${podScheduleShorterThanGrace.example}status: {phase: Succeeded}\n` },
  ])('is silent about $name', ({ text }) => {
    expect(places(podScheduleShorterThanGrace, text)).toEqual([]);
  });
});
