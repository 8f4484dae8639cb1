import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { annotatedText, poolText } from '../facts/poolText.ts';
import { scheduleZoneMissing } from './schedule-zone-missing.ts';

const freeze = (schedule: string, duration: string, more = ''): string =>
  poolText(`- {nodes: "0", schedule: "${schedule}", duration: ${duration}${more}}\n- nodes: "10%"`);

describe('B3: schedule-zone-missing', () => {
  it('finds its example', () => {
    expect(found(scheduleZoneMissing)).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          'Monday to Friday 09:00 to 17:00 UTC: these look like office hours, but no time zone is given, and UTC is meant then.',
        suggestion:
          "Karpenter's CRD knows no time zones. Move the budgets to the annotation lull.dev/budgets, and write there: timeZone: Europe/Berlin, or where the office is.",
      },
    ]);
  });

  it('finds office hours that a freeze leaves', () => {
    expect(found(scheduleZoneMissing, freeze('0 17 * * mon-fri', '16h'))[0]?.message).toBe(
      'Monday to Friday 17:00 to 09:00 the next day UTC: what is left looks like office hours, but no time zone is given, and UTC is meant then.',
    );
  });

  it('finds office hours elsewhere, written in UTC by hand', () => {
    expect(found(scheduleZoneMissing, freeze('0 0 * * mon-fri', '9h'))).toMatchObject([
      {
        message:
          'Monday to Friday 00:00 to 09:00 UTC: if these are office hours elsewhere (09:00 to 18:00 in Asia/Seoul), timeZone says so, and keeps them where clocks change.',
        suggestion:
          'Karpenter\'s CRD knows no time zones. Move the budgets to the annotation lull.dev/budgets, and write there: schedule: "0 9 * * mon-fri", timeZone: Asia/Seoul, or where the office is.',
      },
    ]);
  });

  it('suggests the annotation of a pod, and no other place where Karpenter does not read', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {karpenter.sh/disruption-block-schedule: "0 9 * * 1-5", karpenter.sh/disruption-block-duration: 8h}}\n';
    expect(found(scheduleZoneMissing, pod)[0]?.suggestion).toBe(
      'karpenter.sh/disruption-schedule-timezone: Europe/Berlin  # or where the office is',
    );
    const annotated = annotatedText('- {nodes: "0", schedule: "0 9 * * 1-5", duration: 8h}');
    expect(found(scheduleZoneMissing, annotated)[0]?.suggestion).toBe(
      'timeZone: Europe/Berlin  # or where the office is',
    );
  });

  it.each([
    { name: 'a zone', text: freeze('0 9 * * mon-fri', '8h', ', timeZone: America/New_York') },
    { name: 'UTC, if it is said', text: freeze('0 9 * * mon-fri', '8h', ', timeZone: UTC') },
    { name: 'a zone in the cron itself', text: freeze('TZ=Asia/Tokyo 0 9 * * mon-fri', '8h') },
    { name: 'every day', text: freeze('0 9 * * *', '8h') },
    { name: 'nights', text: freeze('0 22 * * mon-fri', '8h') },
    { name: 'a weekend', text: freeze('0 0 * * sat', '48h') },
    { name: 'an hour', text: freeze('0 9 * * mon-fri', '1h') },
  ])('is silent about $name', ({ text }) => {
    expect(places(scheduleZoneMissing, text)).toEqual([]);
  });
});
