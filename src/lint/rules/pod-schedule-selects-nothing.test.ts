import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podScheduleSelectsNothing } from './pod-schedule-selects-nothing.ts';

const { example } = podScheduleSelectsNothing;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('E7: pod-schedule-selects-nothing', () => {
  it('finds its example, and the label that was meant', () => {
    expect(found(podScheduleSelectsNothing)).toEqual([
      {
        rule: 'pod-schedule-selects-nothing',
        severity: 'warning',
        object: 'PodDisruptionSchedule/training',
        path: 'spec.selector',
        message: 'It selects no pod of the input, which holds 1 pod: it holds nothing back.',
        suggestion: 'Did you mean the label app?',
      },
    ]);
  });

  it('finds a value in another case', () => {
    expect(found(podScheduleSelectsNothing, changed('App: training', 'app: Training'))[0]?.suggestion).toBe(
      'Did you mean the value training of app?',
    );
  });

  it.each([
    { name: 'a schedule that selects a pod', text: changed('App', 'app') },
    { name: 'a schedule for every pod', text: changed('{matchLabels: {App: training}}', '{}') },
    { name: 'input without pods', text: example.slice(0, example.indexOf('---')) },
    { name: 'a schedule with a fault', text: changed('schedule: 0 2 * * 6', 'schedule: soon') },
  ])('is silent about $name', ({ text }) => {
    expect(places(podScheduleSelectsNothing, text)).toEqual([]);
  });
});
