// Tests of `lull when`.
import { describe, expect, it } from 'vitest';
import { runInMemory } from '../../../test/inMemory.ts';

const friday = '2026-11-13T12:00:00Z';

async function when(...argv: string[]): Promise<unknown> {
  const { status, stdout, stderr } = await runInMemory(['when', ...argv, '-o', 'json']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

describe('L4: lull when', () => {
  it('without a duration prints five times after --from', async () => {
    expect(await when('0 12 * * *', '--from', friday)).toEqual({
      openings: ['14', '15', '16', '17', '18'].map((day) => ({ from: `2026-11-${day}T12:00:00Z` })),
    });
  });

  it.each([
    {
      name: 'closed at --from',
      argv: ['0 9 * * mon-fri', '--duration', '2h', '--count', '2'],
      want: {
        open: false,
        openings: [
          { from: '2026-11-16T09:00:00Z', to: '2026-11-16T11:00:00Z' },
          { from: '2026-11-17T09:00:00Z', to: '2026-11-17T11:00:00Z' },
        ],
      },
    },
    {
      name: 'open at --from comes first with its true start',
      argv: ['0 9 * * mon-fri', '--duration', '8h', '--count', '1'],
      want: { open: true, openings: [{ from: '2026-11-13T09:00:00Z', to: '2026-11-13T17:00:00Z' }] },
    },
    {
      name: 'just closing: the end is out',
      argv: ['0 9 * * mon-fri', '--duration', '3h', '--count', '1'],
      want: { open: false, openings: [{ from: '2026-11-16T09:00:00Z', to: '2026-11-16T12:00:00Z' }] },
    },
    {
      name: 'in a zone',
      argv: ['0 9 * * mon-fri', '-d', '8h', '-z', 'Europe/Berlin', '-n', '1'],
      want: { open: true, openings: [{ from: '2026-11-13T08:00:00Z', to: '2026-11-13T16:00:00Z' }] },
    },
    {
      name: 'a zone in the schedule itself wins',
      argv: ['CRON_TZ=Asia/Tokyo 0 9 * * *', '-d', '1h', '-z', 'Europe/Berlin', '-n', '1'],
      want: { open: false, openings: [{ from: '2026-11-14T00:00:00Z', to: '2026-11-14T01:00:00Z' }] },
    },
    {
      name: 'always open has no end',
      argv: ['* * * * *', '-d', '1m'],
      want: { open: true, openings: [{ from: friday }] },
    },
  ])('$name', async ({ argv, want }) => {
    expect(await when(...argv, '--from', friday)).toEqual(want);
  });

  it('accepts a schedule without quotes', async () => {
    expect(await when('0', '9', '1', '1', '?', '-n', '1')).toEqual({ openings: [{ from: '2027-01-01T09:00:00Z' }] });
  });

  it('--from defaults to now', async () => {
    expect(await when('0 11 * * *', '-n', '1')).toEqual({ openings: [{ from: '2026-11-17T11:00:00Z' }] });
  });

  it.each([
    { name: 'a bad schedule', argv: ['61 * * * *'], says: 'is not a valid schedule' },
    { name: 'one that never fires', argv: ['0 0 30 2 *'], says: '"0 0 30 2 *" never fires' },
    { name: 'one that never fires, as a window', argv: ['0 0 30 2 *', '-d', '1h'], says: 'never fires' },
    {
      name: 'a bad zone',
      argv: ['0 0 * * *', '-z', 'Mars/Base'],
      says: "'Mars/Base' is invalid. It is not a known time zone. Write an IANA name",
    },
    { name: 'a bad zone in the schedule', argv: ['TZ=Mars/Base 0 0 * * *'], says: 'Mars/Base' },
    { name: 'a bad duration', argv: ['0 0 * * *', '-d', '1d'], says: '"1d" is not a duration' },
    { name: 'a duration of nothing', argv: ['0 0 * * *', '-d', '0s'], says: 'a minute or more' },
    { name: 'a negative duration', argv: ['0 0 * * *', '--duration=-1h'], says: 'a minute or more' },
    { name: 'a bad count', argv: ['0 0 * * *', '-n', '0'], says: 'whole number from 1' },
    { name: 'a count in words', argv: ['0 0 * * *', '-n', 'all'], says: 'whole number from 1' },
    { name: 'a bad instant', argv: ['0 0 * * *', '--from', 'today'], says: 'RFC 3339' },
    { name: 'no schedule', argv: [], says: 'No schedule given' },
    { name: 'schedule and files together', argv: ['0 0 * * *', '-f', '-'], says: '-f cannot be combined' },
  ])('L7: $name exits with 2', async ({ argv, says }) => {
    const { status, stdout, stderr } = await runInMemory(['when', ...argv]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(says);
  });
});

const objects = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: blue
  annotations:
    lull.dev/budgets: '[{"nodes":"0","schedule":"0 8 * * *","duration":"1h","timeZone":"Europe/Berlin"},{"nodes":"1"}]'
spec:
  disruption:
    budgets:
      - nodes: 10%
      - { nodes: "0", schedule: "0 9 * * *", duration: 2h }
      - { nodes: "0", schedule: "9 o'clock", duration: 2h }
      - { nodes: "0", schedule: "0 9 * * *" }
      - { maxUnavailable: 1, crontab: "* * * * *" }
---
apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: { name: freeze }
spec:
  schedules:
    - { cron: "0 0 * * sat", duration: 48h }
---
apiVersion: karpenter.sh/v1alpha1
kind: PodDisruptionSchedule
metadata: { name: nights }
spec:
  selector: { matchLabels: { app: web } }
  schedule: 0 22 * * *
---
apiVersion: v1
kind: Pod
metadata:
  name: web
  namespace: shop
  annotations:
    karpenter.sh/disruption-schedule: 0 1 * * *; 0 3 * * *
    karpenter.sh/disruption-schedule-duration: 30m
    karpenter.sh/disruption-block-schedule: 0 0 31 2 *
`;

describe('L4: lull when -f', () => {
  it('answers for every schedule, or reports its fault', async () => {
    const { stdout } = await runInMemory(['when', '-f', '-', '--from', friday, '-n', '1', '-o', 'json'], {
      stdin: objects,
    });
    const found = JSON.parse(stdout) as {
      object: string;
      path: string;
      openings?: unknown[];
      fault?: string;
      open?: boolean;
    }[];
    expect(found.map(({ object, path, open, openings }) => [object, path, open, openings?.[0]])).toEqual([
      [
        'NodePool/blue',
        'spec.disruption.budgets[1].schedule',
        false,
        { from: '2026-11-14T09:00:00Z', to: '2026-11-14T11:00:00Z' },
      ],
      ['NodePool/blue', 'spec.disruption.budgets[2].schedule', undefined, undefined],
      ['NodePool/blue', 'spec.disruption.budgets[3].schedule', undefined, undefined],
      ['NodePool/blue', 'spec.disruption.budgets[4].crontab', true, { from: friday }],
      [
        'NodePool/blue',
        'metadata.annotations[lull.dev/budgets][0].schedule',
        false,
        { from: '2026-11-14T07:00:00Z', to: '2026-11-14T08:00:00Z' },
      ],
      [
        'MaintenanceWindow/freeze',
        'spec.schedules[0].cron',
        false,
        { from: '2026-11-14T00:00:00Z', to: '2026-11-16T00:00:00Z' },
      ],
      [
        'PodDisruptionSchedule/nights',
        'spec.schedule',
        false,
        { from: '2026-11-13T22:00:00Z', to: '2026-11-13T23:00:00Z' },
      ],
      [
        'Pod/shop/web',
        'metadata.annotations[karpenter.sh/disruption-schedule]',
        false,
        { from: '2026-11-14T01:00:00Z', to: '2026-11-14T01:30:00Z' },
      ],
      ['Pod/shop/web', 'metadata.annotations[karpenter.sh/disruption-block-schedule]', false, undefined],
    ]);
    expect(found[0]).toMatchObject({ schedule: '0 9 * * *', duration: '2h' });
    expect(found[4]).toMatchObject({ zone: 'Europe/Berlin' });
    expect(found[1]?.fault).toContain('is not a valid schedule');
    expect(found[2]?.fault).toContain('without duration');
  });

  it('E4: reads pod templates of workloads', async () => {
    const metadata = { annotations: { 'karpenter.sh/disruption-schedule': '0 1 * * *' } };
    const workload = (apiVersion: string, kind: string, spec: object) => ({
      ...{ apiVersion, kind, spec },
      metadata: { name: 'web', namespace: 'shop' },
    });
    const template = { template: { metadata } };
    const stdin = JSON.stringify([
      ...['Deployment', 'StatefulSet', 'DaemonSet'].map((kind) => workload('apps/v1', kind, template)),
      workload('batch/v1', 'Job', template),
      workload('batch/v1', 'CronJob', { jobTemplate: { spec: template } }),
    ]);
    const { stdout } = await runInMemory(['when', '-f', '-', '-o', 'json'], { stdin });
    const key = 'metadata.annotations[karpenter.sh/disruption-schedule]';
    expect(JSON.parse(stdout).map(({ object, path }: { object: string; path: string }) => [object, path])).toEqual([
      ['Deployment/shop/web', `spec.template.${key}`],
      ['StatefulSet/shop/web', `spec.template.${key}`],
      ['DaemonSet/shop/web', `spec.template.${key}`],
      ['Job/shop/web', `spec.template.${key}`],
      ['CronJob/shop/web', `spec.jobTemplate.spec.template.${key}`],
    ]);
  });

  it('D4: a window is never open outside its dates', async () => {
    const window = (name: string, spec: object) => ({
      ...{ apiVersion: 'karpenter.sh/v1alpha1', kind: 'MaintenanceWindow' },
      ...{ metadata: { name }, spec: { notBefore: '2026-12-20T12:00:00Z', notAfter: '2026-12-21T12:00:00Z', ...spec } },
    });
    const stdin = JSON.stringify([
      window('freeze', {}),
      window('nights', { schedules: [{ cron: '0 22 * * *', duration: '4h' }] }),
    ]);
    const answer = await runInMemory(['when', '-f', '-', '--from', friday, '-o', 'json'], { stdin });
    const dates = { notBefore: '2026-12-20T12:00:00Z', notAfter: '2026-12-21T12:00:00Z', open: false };
    expect(JSON.parse(answer.stdout)).toEqual([
      {
        object: 'MaintenanceWindow/freeze',
        path: 'spec.notBefore',
        ...dates,
        openings: [{ from: '2026-12-20T12:00:00Z', to: '2026-12-21T12:00:00Z' }],
      },
      {
        object: 'MaintenanceWindow/nights',
        path: 'spec.schedules[0].cron',
        schedule: '0 22 * * *',
        duration: '4h',
        ...dates,
        openings: [{ from: '2026-12-20T22:00:00Z', to: '2026-12-21T02:00:00Z' }],
      },
    ]);
    const { stdout } = await runInMemory(['when', '-f', '-', '--from', friday], { stdin });
    expect(stdout).toContain('always from 2026-12-20T12:00:00Z until 2026-12-21T12:00:00Z (UTC)');
  });

  it('R1, R2: a window opens on its dates only, and says which', async () => {
    const schedule = { cron: '0 22 * * sat', duration: '4h', every: '2w', anchor: '2026-11-02' };
    const window = (schedules: object[]) => ({
      ...{ apiVersion: 'karpenter.sh/v1alpha1', kind: 'MaintenanceWindow', metadata: { name: 'w' } },
      spec: { mode: 'Allow', schedules },
    });
    const ask = async (...schedules: object[]) =>
      runInMemory(['when', '-f', '-', '--from', friday, '--count', '2', '-o', 'json'], {
        stdin: JSON.stringify([window(schedules)]),
      });
    const { stdout } = await ask({ ...schedule, exceptDates: ['2026-11-21'] }, { ...schedule, anchor: 'soon' });
    expect(JSON.parse(stdout)).toMatchObject([
      {
        calendar: 'every 2 weeks (such as the week of 2 November 2026), except on 21 November 2026',
        openings: [
          { from: '2026-12-05T22:00:00Z', to: '2026-12-06T02:00:00Z' },
          { from: '2026-12-19T22:00:00Z', to: '2026-12-20T02:00:00Z' },
        ],
      },
      { fault: expect.stringContaining('"soon" is not a valid date') },
    ]);
  });

  it('prints equal schedules once', async () => {
    const pod = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace: 'shop', annotations: { 'karpenter.sh/disruption-schedule': '0 1 * * *' } },
    });
    const stdin = JSON.stringify(['a', 'b', 'c', 'd', 'e', 'f'].map(pod));
    const { stdout } = await runInMemory(['when', '-f', '-'], { stdin });
    expect(stdout.match(/0 1 \* \* \*/g)).toHaveLength(1);
    expect(stdout).toContain('and 2 more');
  });

  it('reports that there are no schedules', async () => {
    const { status, stdout } = await runInMemory(['when', '-f', '-'], { stdin: 'kind: Pod\nmetadata: {name: x}' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'These objects have no schedules.\n' });
  });
});

describe('lull when on a narrow terminal', () => {
  it('fits 60 columns: an hour per cell, without the column of the local zone', async () => {
    const argv = ['when', '0 9 * * mon-fri', '-d', '8h', '-z', 'Europe/Berlin', '-n', '2'];
    const { stdout } = await runInMemory(argv, { width: 60, localZone: () => 'America/New_York' });
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(60);
    expect(stdout).toContain('               0  3  6  9  12 15 18 21');
    expect(stdout).toContain('  > Tue 17 Nov ·········████████·······  today');
    expect(stdout).not.toContain('New_York');
  });
});

describe("lull when and the machine's own zone", () => {
  const argv = ['when', '0 9 * * *', '-z', 'Europe/Berlin', '-n', '1', '--from', '2026-03-27T00:00:00Z'];

  it('has no column where it would show the same times, and does not ask for its name', async () => {
    let asked = 0;
    const localZone = (): string => {
      asked++;
      return 'Europe/Paris';
    };
    const { stdout } = await runInMemory(argv, { localZone });
    expect(stdout).not.toContain('local (');
    const others = asked;
    await runInMemory(['version'], { localZone });
    // The clock of the test derives its offset from the name; nothing else asks.
    expect([others, asked]).toEqual([1, 1]);
  });

  it('has one if the times differ after a change of the clocks alone', async () => {
    const both = await runInMemory([...argv.slice(0, -3), '4', ...argv.slice(-2)], {
      localZone: () => 'Africa/Algiers',
    });
    expect(both.stdout).toContain('local (Africa/Algiers)');
  });
});

describe('lull when -f --zone', () => {
  it('prints every schedule in that zone', async () => {
    const argv = ['when', '-f', '-', '--from', friday, '-n', '1', '--zone', 'Asia/Tokyo'];
    const { stdout } = await runInMemory(argv, { stdin: objects });
    expect(stdout).toContain('0 9 * * * for 2h (UTC)');
    expect(stdout).toContain('closed at 2026-11-13 21:00, opens 2026-11-14 18:00 (in 21h)');
    expect(stdout.match(/opens \((.*?)\)/g)?.every((title) => title === 'opens (Asia/Tokyo)')).toBe(true);
    const json = await runInMemory([...argv, '-o', 'json'], { stdin: objects });
    expect(JSON.parse(json.stdout)[0]).toMatchObject({ openings: [{ from: '2026-11-14T09:00:00Z' }] });
  });
});

describe('lull when as text', () => {
  it('has a table in both zones and a week with today marked', async () => {
    const argv = ['when', '0 9 * * mon-fri', '-d', '8h', '-z', 'Europe/Berlin', '-n', '2'];
    const { stdout } = await runInMemory(argv, { localZone: () => 'America/New_York' });
    expect(stdout).toMatchInlineSnapshot(`
      "0 9 * * mon-fri for 8h (Europe/Berlin)
      open at 2026-11-17 11:20, closes 2026-11-17 17:00 (in 5h40m)

        opens (Europe/Berlin)        closes  for  local (America/New_York)
        Tue 2026-11-17 09:00 +01:00  17:00   8h   Tue 2026-11-17 03:00 -05:00  now
        Wed 2026-11-18 09:00 +01:00  17:00   8h   Wed 2026-11-18 03:00 -05:00  in 21h40m

                     0     3     6     9     12    15    18    21
        > Tue 17 Nov ··················████████████████··············  today
          Wed 18 Nov ··················████████████████··············
          Thu 19 Nov ··················████████████████··············
          Fri 20 Nov ··················████████████████··············
          Sat 21 Nov ················································
          Sun 22 Nov ················································
          Mon 23 Nov ··················████████████████··············
                     █ open  ▒ partly  · not
      "
    `);
  });

  it('has five weeks where the next seven days are closed', async () => {
    const { stdout } = await runInMemory(['when', '0 0 28 * *', '-d', '6h', '-n', '1']);
    expect(stdout).toMatchInlineSnapshot(`
      "0 0 28 * * for 6h (UTC)
      closed at 2026-11-17 10:20Z, opens 2026-11-28 00:00Z (in 10d13h)

        opens (UTC)            closes  for
        Sat 2026-11-28 00:00Z  06:00   6h   in 10d13h

                   Mon   Tue   Wed   Thu   Fri   Sat   Sun
          Nov 2026 16    [17]  18    19    20    21    22
          Nov 2026 23    24    25    26    27    28▂   29
          Nov 2026 30     1     2     3     4     5     6
          Dec 2026  7     8     9    10    11    12    13
          Dec 2026 14    15    16    17    18    19    20
                   ▁ to █ how much of the day is open  [ ] today
      "
    `);
  });

  it('has a gap for the hour that is skipped in spring', async () => {
    const argv = ['when', '30 * * * *', '-z', 'Europe/Berlin', '--from', '2026-03-28T12:00:00Z', '-n', '1'];
    const { stdout } = await runInMemory(argv, { now: '2026-03-29T12:00:00Z' });
    expect(stdout).toMatchInlineSnapshot(`
      "30 * * * * (Europe/Berlin)
      fires next 2026-03-28 13:30 (in 30m)

        fires (Europe/Berlin)        local (UTC)
        Sat 2026-03-28 13:30 +01:00  Sat 2026-03-28 12:30Z  in 30m

                     0     3     6     9     12    15    18    21
          Sat 28 Mar ·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●
        > Sun 29 Mar ·●·●  ●●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●  today
          Mon 30 Mar ·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●
          Tue 31 Mar ·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●
          Wed  1 Apr ·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●
          Thu  2 Apr ·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●
          Fri  3 Apr ·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●·●
                     ● fires  · not
      "
    `);
  });
});
