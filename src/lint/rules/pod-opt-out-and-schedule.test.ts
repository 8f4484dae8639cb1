import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podOptOutAndSchedule } from './pod-opt-out-and-schedule.ts';

const changed = (from: string, to: string): string => podOptOutAndSchedule.example.replace(from, to);

describe('E8: pod-opt-out-and-schedule', () => {
  it('finds its example', () => {
    expect(found(podOptOutAndSchedule)).toEqual([
      {
        rule: 'pod-opt-out-and-schedule',
        severity: 'warning',
        object: 'Pod/ml/trainer',
        path: 'metadata.annotations[karpenter.sh/do-not-disrupt]',
        message:
          'Pod ml/trainer is annotated do-not-disrupt, which wins over its window (0 2 * * 6 for 4h): it is never moved.',
        suggestion: 'Remove karpenter.sh/do-not-disrupt and keep the schedule; or keep it and remove the schedule.',
      },
    ]);
  });

  it('finds the old name too', () => {
    expect(places(podOptOutAndSchedule, changed('do-not-disrupt', 'do-not-evict'))).toEqual([
      'warning Pod/ml/trainer metadata.annotations[karpenter.sh/do-not-evict]',
    ]);
  });

  it('finds a schedule from outside', () => {
    const text = `{apiVersion: karpenter.sh/v1alpha1, kind: PodDisruptionSchedule, metadata: {name: nights}, spec: {selector: {}, schedule: 0 2 * * *, duration: 4h}}
---
{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: cart, annotations: {karpenter.sh/do-not-disrupt: "true"}}}`;
    expect(found(podOptOutAndSchedule, text)[0]?.message).toContain(
      'wins over the window of nights (0 2 * * * for 4h)',
    );
  });

  it.each([
    { name: 'a protection that ends', text: changed('"true"', '8h') },
    {
      name: 'a protection from some reasons',
      text: changed('"true"', '"true"\n    karpenter.sh/do-not-disrupt-reasons: Underutilized'),
    },
    {
      name: 'N5: a protection that Lull wrote',
      text: changed('"true"', '"true"\n    lull.dev/parked: "2026-11-17T10:00:00Z"'),
    },
    { name: 'a value that protects nothing', text: changed('"true"', '"false"') },
    { name: 'a schedule that is ignored', text: changed('0 2 * * 6', 'soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places(podOptOutAndSchedule, text)).toEqual([]);
  });
});
