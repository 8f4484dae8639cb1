import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podScheduleOutsidePoolHours } from './pod-schedule-outside-pool-hours.ts';

const { example } = podScheduleOutsidePoolHours;
const changed = (from: string, to: string): string => example.replace(from, to);

describe('E12: pod-schedule-outside-pool-hours', () => {
  it('finds its example', () => {
    expect(found(podScheduleOutsidePoolHours)).toEqual([
      {
        rule: 'pod-schedule-outside-pool-hours',
        severity: 'warning',
        object: 'Pod/web/cart',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'Pod web/cart may be moved only in its windows (0 10 * * * for 2h), in which the budgets and maintenance windows of default never let a node go for Drifted, Expired and Underutilized.',
        suggestion: 'Give it a window in the hours in which default is open.',
      },
    ]);
  });

  const window = `
---
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: nights}
spec: {mode: Allow, actions: [Drift], schedules: [{cron: 0 22 * * *, duration: 6h}]}
`;
  const unlimited = changed('\n      - {nodes: "0", schedule: 0 8 * * *, duration: 10h}', '');

  it('counts maintenance windows, and names the reasons they speak of', () => {
    expect(found(podScheduleOutsidePoolHours, unlimited + window)[0]?.message).toMatch(/go for Drifted\.$/);
  });

  it.each([
    { name: 'hours that meet', text: changed('0 10 * * *', '0 17 * * *') },
    { name: 'a freeze on weekdays alone', text: changed('schedule: 0 8 * * *', 'schedule: 0 8 * * 1-5') },
    {
      name: 'a pool that never opens: other rules say so',
      text: changed('{nodes: "0", schedule: 0 8 * * *, duration: 10h}', '{nodes: "0"}'),
    },
    { name: 'a pod that never may: another rule says so', text: changed('0 10 * * *', '0 10 31 2 *') },
    { name: 'no pool at all', text: example.slice(example.indexOf('---') + 4) },
  ])('is silent about $name', ({ text }) => {
    expect(places(podScheduleOutsidePoolHours, text)).toEqual([]);
  });

  it('A2: where a deadline stands behind drift and expiry, they do not wait for pods', () => {
    const text = changed('spec: {expireAfter: 720h}', 'spec: {expireAfter: 720h, terminationGracePeriod: 1h}');
    expect(found(podScheduleOutsidePoolHours, text)[0]?.message).toMatch(/go for Underutilized\.$/);
  });
});
