// Tests of the lint rules about cron schedules.
import { describe, expect, it } from 'vitest';
import { annotatedText, found, places, poolText } from '../../../test/fixtures/lintPolicy.ts';

describe('B4: schedule-always-open', () => {
  const windowText = (schedules: string, mode = 'Block'): string => `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: w}
spec: {mode: ${mode}, schedules: [${schedules}]}
`;

  it('finds its example, and leaving the hours out means the same', () => {
    expect(found('schedule-always-open')).toEqual([
      {
        rule: 'schedule-always-open',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[0].schedule',
        message:
          'This schedule fires at least once in every 24h, its duration, so it is always open: the limit is 5 at any hour.',
        suggestion: 'Remove schedule and duration, or use a duration shorter than the time between two openings.',
        fix: [
          { path: 'spec.disruption.budgets[0].schedule', remove: true },
          { path: 'spec.disruption.budgets[0].duration', remove: true },
        ],
      },
    ]);
  });

  it('says that a freeze never ends', () => {
    const [finding] = found('schedule-always-open', poolText('- {nodes: "0", schedule: "@hourly", duration: 1h}'));
    expect(finding?.message).toContain('nothing is ever disrupted');
  });

  it('only notes every minute of every day, which means always', () => {
    expect(places('schedule-always-open', poolText('- {nodes: "5", schedule: "* * * * *", duration: 24h}'))).toEqual([
      'info NodePool/default spec.disruption.budgets[0].schedule',
    ]);
  });

  it('writes nothing into an annotation', () => {
    const [finding] = found('schedule-always-open', annotatedText('- {nodes: "1", schedule: "@hourly", duration: 2h}'));
    expect(finding?.path).toBe('metadata.annotations[lull.dev/budgets][0].schedule');
    expect(finding?.fix).toBeUndefined();
  });

  it('finds schedules of a maintenance window that are always open together', () => {
    const text = windowText('{cron: 0 9 * * *, duration: 8h}, {cron: 0 17 * * *, duration: 16h}');
    expect(found('schedule-always-open', text).map(({ path, message }) => [path, message])).toEqual([
      ['spec.schedules', 'Together these schedules cover every hour: the window blocks at all times.'],
    ]);
  });

  it('finds pod schedules, and reports pods with the same schedule once', () => {
    const pod = (name: string): string =>
      `apiVersion: v1\nkind: Pod\nmetadata: {namespace: web, name: ${name}, annotations: {karpenter.sh/disruption-schedule: "@daily", karpenter.sh/disruption-schedule-duration: 24h}}\n`;
    expect(places('schedule-always-open', `${pod('a')}---\n${pod('b')}`)).toEqual([
      'warning Pod/web/a metadata.annotations[karpenter.sh/disruption-schedule]',
    ]);
  });

  it.each([
    { name: 'a minute between two openings', text: poolText('- {nodes: "5", schedule: "@daily", duration: 23h59m}') },
    { name: 'no schedule at all', text: poolText('- nodes: "5"') },
    { name: 'a window without schedules, which means always', text: windowText('') },
    { name: 'a weekend', text: windowText('{cron: "0 0 * * sat,sun", duration: 24h}') },
  ])('is silent about $name', ({ text }) => {
    expect(places('schedule-always-open', text)).toEqual([]);
  });
});

describe('B1: schedule-either-day', () => {
  const freeze = (schedule: string): string =>
    poolText(`- {nodes: "0", schedule: "${schedule}", duration: 1h}\n- nodes: "10%"`);

  it('finds its example', () => {
    expect(found('schedule-either-day')).toMatchObject([
      {
        severity: 'warning',
        object: 'MaintenanceWindow/patch-day',
        path: 'spec.schedules[0].cron',
        message:
          'Day of month and day of week are both restricted, and either one is enough: this schedule fires on the 1st to 7th of the month, and also Monday.',
        suggestion: 'cron: "0 6 * * mon#1"',
      },
    ]);
  });

  it.each(['0 0 */2 * mon', '0 0 15 * 5'])('finds %s', (schedule) => {
    expect(places('schedule-either-day', freeze(schedule))).toHaveLength(1);
  });

  it('R1: does not suggest what Karpenter cannot read where Karpenter reads it', () => {
    const suggestion = (text: string) => found('schedule-either-day', text)[0]?.suggestion;
    expect(suggestion(freeze('0 2 8-14 * tue'))).toMatch(/^Restrict one of the two/);
    expect(suggestion(annotatedText('- {nodes: "0", schedule: "0 2 8-14 * tue", duration: 1h}'))).toBe(
      'schedule: "0 2 * * tue#2"',
    );
    expect(suggestion(annotatedText('- {nodes: "0", schedule: "0 2 8-15 * tue", duration: 1h}'))).toMatch(
      /^Restrict one of the two/,
    );
  });

  it.each([
    '0 0 1-7 * *',
    '0 0 * * mon#1',
    '0 0 L * *',
    '0 0 * * mon',
    '0 0 ? * mon',
    '0 0 1 * ?',
    '0 0 */1 * mon',
    '@monthly',
  ])('is silent about %s', (schedule) => {
    expect(places('schedule-either-day', freeze(schedule))).toEqual([]);
  });
});

describe('R2: schedule-dates', () => {
  it('finds its example', () => {
    expect(found('schedule-dates')).toMatchObject([
      {
        severity: 'info',
        object: 'MaintenanceWindow/other-saturdays',
        path: 'spec.schedules[0].exceptDates',
        message: '2025-12-24..2025-12-27 has passed.',
      },
      {
        path: 'spec.schedules[0].anchor',
        message: 'The anchor 2024-01-01 is more than a year away.',
        suggestion: 'Use a date of a week in which the schedule applies, such as 2026-11-17.',
      },
    ]);
  });

  const dated = (dates: string): string =>
    `apiVersion: karpenter.sh/v1alpha1\nkind: MaintenanceWindow\nmetadata: {name: w}\nspec: {mode: Allow, schedules: [{cron: 0 22 * * sat, duration: 4h, ${dates}}]}\n`;

  it('finds every week', () => {
    expect(places('schedule-dates', dated('every: 1w, anchor: 2026-11-02'))).toEqual([
      'info MaintenanceWindow/w spec.schedules[0].every',
    ]);
  });

  it('is silent about dates to come', () => {
    const text = dated('every: 2w, anchor: 2026-11-02, exceptDates: [2026-11-17, 2026-12-24]');
    expect(places('schedule-dates', text)).toEqual([]);
  });
});

describe('B4: schedule-overlap', () => {
  const limit = (schedule: string, duration: string, zone = 'UTC'): string =>
    poolText(`- nodes: "10%"\n- {nodes: "1", schedule: "${schedule}", duration: ${duration}, timeZone: ${zone}}`);

  it('finds office hours that last until three in the morning', () => {
    expect(found('schedule-overlap')).toEqual([
      {
        rule: 'schedule-overlap',
        severity: 'warning',
        object: 'NodePool/default',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          '10 openings overlap: each lasts 9h, so the schedule stays open Monday to Friday 09:00 to 03:00 the next day UTC.',
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
    const [finding] = found('schedule-overlap', text);
    expect(finding?.message).toContain(`the schedule stays open ${open}.`);
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
    expect(found('schedule-overlap', pod)).toMatchObject([
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
    { name: 'an overlap that never ends, which schedule-always-open reports', text: limit('0 0 * * *', '48h') },
    { name: 'an hour that overlaps only where clocks change', text: limit('0 */12 * * mon', '12h', 'Europe/Berlin') },
  ])('is silent about $name', ({ text }) => {
    expect(places('schedule-overlap', text)).toEqual([]);
  });
});

describe('B1: schedule-step-too-large', () => {
  const freeze = (schedule: string): string =>
    poolText(`- {nodes: "0", schedule: "${schedule}", duration: 1h}\n- nodes: "10%"`);

  it('finds its example', () => {
    expect(found('schedule-step-too-large')).toEqual([
      {
        rule: 'schedule-step-too-large',
        severity: 'warning',
        object: 'MaintenanceWindow/breathing-space',
        path: 'spec.schedules[0].cron',
        message: 'The step of "*/90" (minute) is larger than its range of 60: only minute 0 matches.',
        suggestion:
          'Write 0 if that is what you mean. If not, list the times: cron starts its steps over in every minute field.',
      },
    ]);
  });

  it.each([
    ['*/90 * * * *', 'only minute 0 matches'],
    ['0 */36 * * *', 'only hour 0 matches'],
    ['0 9-17/10 * * *', 'only hour 9 matches'],
    ['0,30/45 * * * *', 'only minute 30 matches'],
    ['0 0 */40 * *', 'only day-of-month 1 matches'],
    ['0 0 1 */13 *', 'only month 1 matches'],
    ['TZ=Europe/Berlin */90 * * * *', 'only minute 0 matches'],
    ['0 0 * * fri-mon/5', 'only day-of-week 5 matches'],
  ])('finds %s', (schedule, message) => {
    expect(found('schedule-step-too-large', freeze(schedule))[0]?.message).toContain(message);
  });

  it.each(['*/30 * * * *', '*/60 * * * *', '0 */24 * * *', '0 9-17/8 * * *', '0 22-6/4 * * *', '5 4 * * *', '@daily'])(
    'is silent about %s',
    (schedule) => {
      expect(places('schedule-step-too-large', freeze(schedule))).toEqual([]);
    },
  );
});

describe('B3: schedule-zone-missing', () => {
  const freeze = (schedule: string, duration: string, more = ''): string =>
    poolText(`- {nodes: "0", schedule: "${schedule}", duration: ${duration}${more}}\n- nodes: "10%"`);

  it('finds its example', () => {
    expect(found('schedule-zone-missing')).toMatchObject([
      {
        severity: 'info',
        path: 'spec.disruption.budgets[1].schedule',
        message:
          'Monday to Friday 09:00 to 17:00 UTC: this looks like office hours, but there is no time zone, so the schedule is in UTC.',
        suggestion:
          "Karpenter's CRD has no time zones. Move the budgets to the annotation lull.dev/budgets and set there: timeZone: Europe/Berlin, or the time zone of your office.",
      },
    ]);
  });

  it('finds office hours that a freeze leaves', () => {
    expect(found('schedule-zone-missing', freeze('0 17 * * mon-fri', '16h'))[0]?.message).toBe(
      'Monday to Friday 17:00 to 09:00 the next day UTC: the remaining time looks like office hours, but there is no time zone, so the schedule is in UTC.',
    );
  });

  it('finds office hours elsewhere, written in UTC by hand', () => {
    expect(found('schedule-zone-missing', freeze('0 0 * * mon-fri', '9h'))).toMatchObject([
      {
        message:
          'Monday to Friday 00:00 to 09:00 UTC: if these are office hours elsewhere (09:00 to 18:00 in Asia/Seoul), set timeZone so that they stay correct when clocks change.',
        suggestion:
          'Karpenter\'s CRD has no time zones. Move the budgets to the annotation lull.dev/budgets and set there: schedule: "0 9 * * mon-fri", timeZone: Asia/Seoul, or the time zone of your office.',
      },
    ]);
  });

  it('suggests the annotation of a pod, and no other place where Karpenter does not read', () => {
    const pod =
      'apiVersion: v1\nkind: Pod\nmetadata: {name: p, annotations: {karpenter.sh/disruption-block-schedule: "0 9 * * 1-5", karpenter.sh/disruption-block-duration: 8h}}\n';
    expect(found('schedule-zone-missing', pod)[0]?.suggestion).toBe(
      'karpenter.sh/disruption-schedule-timezone: Europe/Berlin  # or the time zone of your office',
    );
    const annotated = annotatedText('- {nodes: "0", schedule: "0 9 * * 1-5", duration: 8h}');
    expect(found('schedule-zone-missing', annotated)[0]?.suggestion).toBe(
      'timeZone: Europe/Berlin  # or the time zone of your office',
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
    expect(places('schedule-zone-missing', text)).toEqual([]);
  });
});
