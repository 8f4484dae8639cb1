import { describe, expect, it } from 'vitest';
import { found, places } from '../facts/policyOf.ts';
import { windowModeMissing } from './window-mode-missing.ts';

const window = (spec: string) => `apiVersion: karpenter.sh/v1alpha1
kind: MaintenanceWindow
metadata: {name: it}
spec: ${spec}
`;

describe('D2: window-mode-missing', () => {
  it('finds its example', () => {
    expect(found(windowModeMissing)).toEqual([
      {
        rule: 'window-mode-missing',
        severity: 'warning',
        object: 'MaintenanceWindow/nightly',
        path: 'spec.schedules',
        message:
          'Without a mode it blocks while it is open: every day 22:00 to 06:00 the next day UTC. At all other hours it permits disruption.',
        suggestion: 'mode: Allow  # disruption in these hours only; to block in them, write mode: Block',
      },
    ]);
  });

  it.each([
    { name: 'a weekend', spec: '{schedules: [{cron: "0 0 * * sat", duration: 48h}]}' },
    { name: 'a night of a zone', spec: '{schedules: [{cron: "0 1 * * *", duration: 4h, timeZone: Asia/Tokyo}]}' },
    { name: 'the first night of a month', spec: '{schedules: [{cron: "0 2 1 * *", duration: 2h}]}' },
  ])('finds $name', ({ spec }) => {
    expect(places(windowModeMissing, window(spec))).toEqual(['warning MaintenanceWindow/it spec.schedules']);
  });

  it.each([
    {
      name: 'a window that says that it blocks',
      spec: '{mode: Block, schedules: [{cron: "0 22 * * *", duration: 8h}]}',
    },
    { name: 'a window that allows', spec: '{mode: Allow, schedules: [{cron: "0 22 * * *", duration: 8h}]}' },
    { name: 'working hours', spec: '{schedules: [{cron: "0 9 * * mon-fri", duration: 8h}]}' },
    { name: 'a night that reaches into the morning', spec: '{schedules: [{cron: "0 22 * * *", duration: 12h}]}' },
    { name: 'a cap, which is none of both', spec: '{nodes: "2", schedules: [{cron: "0 22 * * *", duration: 8h}]}' },
    { name: 'a freeze', spec: '{note: sale}' },
  ])('is silent about $name', ({ spec }) => {
    expect(places(windowModeMissing, window(spec))).toEqual([]);
  });
});
