import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { podScheduleNeverOpens } from './pod-schedule-never-opens.ts';

const changed = (from: string, to: string): string => podScheduleNeverOpens.example.replace(from, to);

describe('E5: pod-schedule-never-opens', () => {
  it('finds its example', () => {
    expect(found(podScheduleNeverOpens)).toEqual([
      {
        rule: 'pod-schedule-never-opens',
        severity: 'warning',
        object: 'Pod/web/cart',
        path: 'metadata.annotations[karpenter.sh/disruption-schedule]',
        message:
          'Pod web/cart may never be moved: its windows (0 2 * * * for 2h and not 0 1 * * * for 4h) are never open together.',
        suggestion: 'Let the windows in which it may be moved reach beyond those in which it may not.',
      },
    ]);
  });

  it('E6: finds a schedule that never fires, and says how never is written', () => {
    const [finding] = found(podScheduleNeverOpens, changed('0 2 * * *', '0 2 31 2 *'));
    expect(finding?.message).toBe('Pod web/cart may never be moved: its schedule never fires.');
    expect(finding?.suggestion).toContain('karpenter.sh/do-not-disrupt: "true"');
  });

  it('finds schedules from outside that never meet', () => {
    const schedule = (name: string, cron: string) =>
      `{apiVersion: karpenter.sh/v1alpha1, kind: PodDisruptionSchedule, metadata: {name: ${name}}, spec: {selector: {}, schedule: ${cron}, duration: 4h}}`;
    const pod = '{apiVersion: v1, kind: Pod, metadata: {namespace: web, name: cart}}';
    const text = [schedule('nights', '0 2 * * *'), schedule('days', '0 12 * * *'), pod].join('\n---\n');
    expect(places(podScheduleNeverOpens, text)).toEqual(['warning PodDisruptionSchedule/days spec.schedule']);
  });

  it.each([
    { name: 'a block that ends before', text: changed('block-duration: 4h', 'block-duration: 2h') },
    { name: 'windows that meet on some days alone', text: changed('0 1 * * *', '0 1 * * 1-6') },
    { name: 'a schedule that cannot be read and is ignored', text: changed('0 2 * * *', 'soon') },
    {
      name: 'a broken PodDisruptionSchedule, whose fault is told',
      text: '{apiVersion: karpenter.sh/v1alpha1, kind: PodDisruptionSchedule, metadata: {name: x}, spec: {selector: {}, schedule: soon}}\n---\n{apiVersion: v1, kind: Pod, metadata: {name: a}}',
    },
  ])('is silent about $name', ({ text }) => {
    expect(places(podScheduleNeverOpens, text)).toEqual([]);
  });
});
