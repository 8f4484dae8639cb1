import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { poolText } from '../facts/poolText.ts';
import { scheduleOverlap } from './schedule-overlap.ts';

const limit = (schedule: string, duration: string, zone = 'UTC'): string =>
  poolText(`- nodes: "10%"\n- {nodes: "1", schedule: "${schedule}", duration: ${duration}, timeZone: ${zone}}`);

describe('B4: schedule-overlap', () => {
  it('finds office hours that last until three in the morning', () => {
    expect(found(scheduleOverlap)).toEqual([
      {
        rule: 'schedule-overlap',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          '10 hits run into each other: each lasts 9h, so from the first to the end of the last this is open Monday to Friday 09:00 to 03:00 the next day UTC.',
        suggestion: 'schedule: "0 9 * * mon-fri"\nduration: 9h',
      },
    ]);
  });

  it.each([
    {
      name: 'a weekend that lasts until Tuesday',
      text: limit('0 0 * * sat-sun', '48h'),
      open: 'Saturday 00:00 to Tuesday 00:00 UTC',
      suggestion: 'schedule: "0 0 * * sat"\nduration: 48h',
    },
    {
      name: 'a star where a 0 was meant',
      text: limit('* 9 * * mon-fri', '8h', 'Europe/Berlin'),
      open: 'Monday to Friday 09:00 to 17:59 Europe/Berlin',
      suggestion: 'schedule: "0 9 * * mon-fri"\nduration: 8h',
    },
  ])('finds $name', ({ text, open, suggestion }) => {
    const [finding] = found(scheduleOverlap, text);
    expect(finding?.message).toContain(`this is open ${open}.`);
    expect(finding?.suggestion).toBe(suggestion);
  });

  it('names the annotations of a pod', () => {
    const pod = `apiVersion: v1
kind: Pod
metadata:
  name: p
  annotations:
    karpenter.sh/disruption-block-schedule: "0 9-17 * * mon-fri"
    karpenter.sh/disruption-block-duration: 8h
`;
    expect(found(scheduleOverlap, pod)).toMatchObject([
      {
        path: 'metadata.annotations[karpenter.sh/disruption-block-schedule]',
        suggestion:
          'karpenter.sh/disruption-block-schedule: "0 9 * * mon-fri"\nkarpenter.sh/disruption-block-duration: 8h',
      },
    ]);
  });

  it.each([
    { name: 'hits that touch', text: limit('0 9-16 * * mon-fri', '1h') },
    { name: 'two days of a weekend', text: limit('0 0 * * sat,sun', '24h') },
    { name: 'hits apart from each other', text: limit('0 9 * * mon-fri', '9h') },
    { name: 'an overlap that never ends, which schedule-always-open tells', text: limit('0 0 * * *', '48h') },
    { name: 'an hour that overlaps only where clocks change', text: limit('0 */12 * * mon', '12h', 'Europe/Berlin') },
  ])('is silent about $name', ({ text }) => {
    expect(places(scheduleOverlap, text)).toEqual([]);
  });
});
