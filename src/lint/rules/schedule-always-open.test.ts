import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { scheduleAlwaysOpen } from './schedule-always-open.ts';

const windowText = (schedules: string, mode = 'Block'): string => `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: w}
spec: {mode: ${mode}, schedules: [${schedules}]}
`;

describe('B4: schedule-always-open', () => {
  it('finds its example, and leaving the hours out means the same', () => {
    expect(found(scheduleAlwaysOpen)).toEqual([
      {
        rule: 'schedule-always-open',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'This fires again before, or just when, its 24h are over, so it is open at all times: 5 at once, whatever the hour.',
        suggestion: 'Leave schedule and duration out, or give a duration shorter than the time between two hits.',
        fix: [
          { path: 'spec.disruption.budgets[0].schedule', remove: true },
          { path: 'spec.disruption.budgets[0].duration', remove: true },
        ],
      },
    ]);
  });

  it('says so of a freeze', () => {
    const [finding] = found(scheduleAlwaysOpen, poolText('- {nodes: "0", schedule: "@hourly", duration: 1h}'));
    expect(finding?.message).toContain('nothing ever goes');
  });

  it('only notes every minute of every day, which means always', () => {
    expect(places(scheduleAlwaysOpen, poolText('- {nodes: "5", schedule: "* * * * *", duration: 24h}'))).toEqual([
      'info NodePool/default spec.disruption.budgets[0].schedule',
    ]);
  });

  it('writes nothing into an annotation', () => {
    const [finding] = found(scheduleAlwaysOpen, annotatedText('- {nodes: "1", schedule: "@hourly", duration: 2h}'));
    expect(finding?.path).toBe('metadata.annotations[lull.dev/budgets][0].schedule');
    expect(finding?.fix).toBeUndefined();
  });

  it('finds schedules of a maintenance window that are so together', () => {
    const text = windowText('{cron: 0 9 * * *, duration: 8h}, {cron: 0 17 * * *, duration: 16h}');
    expect(found(scheduleAlwaysOpen, text).map(({ path, message }) => [path, message])).toEqual([
      ['spec.schedules', 'Together these schedules leave no hour out: the window blocks at all times.'],
    ]);
  });

  it('finds pod schedules, and names pods that say the same once', () => {
    const pod = (name: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: {namespace: web, name: ${name}, annotations: {karpenter.sh/disruption-schedule: "@daily", karpenter.sh/disruption-schedule-duration: 24h}}\n`;
    expect(places(scheduleAlwaysOpen, `${pod('a')}---\n${pod('b')}`)).toEqual([
      'warning Pod/web/a metadata.annotations[karpenter.sh/disruption-schedule]',
    ]);
  });

  it.each([
    { name: 'a minute between two openings', text: poolText('- {nodes: "5", schedule: "@daily", duration: 23h59m}') },
    { name: 'no schedule at all', text: poolText('- nodes: "5"') },
    { name: 'a window without schedules, which means always', text: windowText('') },
    { name: 'a weekend', text: windowText('{cron: "0 0 * * sat,sun", duration: 24h}') },
  ])('is silent about $name', ({ text }) => {
    expect(places(scheduleAlwaysOpen, text)).toEqual([]);
  });
});
