import { describe, expect, it } from 'vitest';
import type { PodRules } from '../../cluster/model.ts';
import { asInstant, hour, type Instant, parseInstant } from '../../time/instant.ts';
import { never } from '../../time/window.ts';
import { readObject } from '../readObject.ts';

const instant = (text: string): Instant => parseInstant(text) ?? asInstant(NaN);
const start = '2026-11-15T10:00:00Z';
const prefix = 'karpenter.sh/';

/** Annotations without their prefix. */
function pod(annotations: Record<string, string>, startTime: string | undefined = start) {
  const named = Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [key.includes('/') ? key : prefix + key, value]),
  );
  const result = readObject({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'ns', annotations: named },
    status: startTime === 'none' ? {} : { startTime },
  });
  if (result.kind !== 'Pod') throw new Error(result.kind);
  return { rules: result.record.rules, faults: result.faults, paths: result.faults.map((fault) => fault.path) };
}

const pathOf = (key: string): string => `metadata.annotations[${prefix}${key}]`;

describe('E1: do-not-disrupt', () => {
  it.each([
    { value: 'true', rules: { optOut: {} } },
    { value: '15m', rules: { optOut: { until: instant('2026-11-15T10:15:00Z') } } },
    { value: '+1h', rules: { optOut: { until: instant('2026-11-15T11:00:00Z') } } },
    { value: '15m', startTime: 'none', rules: { optOut: {} } },
  ])('$value', ({ value, startTime, rules }) => {
    const read = pod({ 'do-not-disrupt': value }, startTime);
    expect([read.rules, read.faults]).toEqual([rules, []]);
  });

  it.each(['false', 'True', 'yes', '', '0', '-5m', '1d', ' true'])('%j protects nothing, with a warning', (value) => {
    const { rules, faults } = pod({ 'do-not-disrupt': value });
    expect(rules).toBeUndefined();
    expect(faults).toMatchObject([{ object: 'Pod/ns/p', path: pathOf('do-not-disrupt'), value, severity: 'warning' }]);
  });

  it('do-not-evict is the old name of true', () => {
    expect(pod({ 'do-not-evict': 'true' })).toMatchObject({ rules: { optOut: {} }, faults: [] });
    expect(pod({ 'do-not-evict': 'false' })).toMatchObject({ rules: undefined, faults: [] });
  });

  it('N5: beside the marker it is Lull’s own', () => {
    expect(pod({ 'do-not-disrupt': 'true', 'lull.dev/parked': start })).toMatchObject({ rules: undefined, faults: [] });
  });
});

describe('E3: for some reasons only', () => {
  it.each([
    { value: 'Underutilized,Empty', reasons: ['Underutilized', 'Empty'], warned: 0 },
    { value: ' drift , expired', reasons: ['Drifted', 'Expired'], warned: 0 },
    { value: 'Empty,Tired', reasons: ['Empty'], warned: 1 },
    { value: 'Empty,Interrupted', reasons: ['Empty'], warned: 1 },
    { value: 'Tired', reasons: undefined, warned: 1 },
    { value: '', reasons: undefined, warned: 1 },
  ])('$value', ({ value, reasons, warned }) => {
    const { rules, faults } = pod({ 'do-not-disrupt': 'true', 'do-not-disrupt-reasons': value });
    expect(rules?.optOut).toEqual(reasons ? { reasons: new Set(reasons) } : {});
    expect(faults).toHaveLength(warned);
  });

  it('has no effect without do-not-disrupt', () => {
    expect(pod({ 'do-not-disrupt-reasons': 'Empty' }).rules).toBeUndefined();
  });
});

const saturday = instant('2026-11-14T02:00:00Z');
const sunday = instant('2026-11-15T02:00:00Z');

/** How long the first opening from an instant on lasts, in hours. */
function hoursOpen(rules: PodRules | undefined, at: Instant, mode: 'allow' | 'block' = 'allow'): number {
  const window = rules?.[mode];
  if (!window?.isOpen(at)) return 0;
  return ((window.nextChange(at) ?? Infinity) - at) / hour;
}

describe('E4: when a pod may be moved', () => {
  it.each([
    { name: 'one expression', schedule: '0 2 * * 6', duration: '4h', saturday: 4, sunday: 0 },
    { name: 'an hour by default', schedule: '0 2 * * 6', saturday: 1, sunday: 0 },
    { name: 'several, with one duration', schedule: '0 2 * * 6; 0 2 * * 0', duration: '4h', saturday: 4, sunday: 4 },
    { name: 'several, with one each', schedule: '0 2 * * 6;0 2 * * 0', duration: '4h;2h', saturday: 4, sunday: 2 },
    { name: 'a trailing separator', schedule: '0 2 * * 6;', duration: '4h', saturday: 4, sunday: 0 },
    { name: 'seconds', schedule: '0 2 * * 6', duration: '5400s', saturday: 1.5, sunday: 0 },
  ])('$name', ({ name: _, schedule, duration, ...want }) => {
    const { rules, faults } = pod({
      'disruption-schedule': schedule,
      ...(duration && { 'disruption-schedule-duration': duration }),
    });
    expect(faults).toEqual([]);
    expect({ saturday: hoursOpen(rules, saturday), sunday: hoursOpen(rules, sunday) }).toEqual(want);
  });

  it('in a time zone', () => {
    const { rules, faults } = pod({
      'disruption-schedule': '0 11 * * *',
      'disruption-schedule-timezone': 'Asia/Seoul',
    });
    expect([faults, hoursOpen(rules, sunday)]).toEqual([[], 1]);
  });

  it('an empty text sets no schedule', () => {
    expect(pod({ 'disruption-schedule': '' })).toMatchObject({ rules: undefined, faults: [] });
  });

  it('E5: a block schedule is read beside it', () => {
    const { rules } = pod({
      'disruption-schedule': '0 2 * * 6',
      'disruption-block-schedule': '0 2 * * 0',
      'disruption-block-duration': '8h',
    });
    expect([hoursOpen(rules, saturday), hoursOpen(rules, sunday, 'block')]).toEqual([1, 8]);
  });

  it('pods with the same text share one window', () => {
    const read = () => pod({ 'disruption-schedule': '0 3 * * 6', 'disruption-schedule-duration': '4h' }).rules?.allow;
    expect(read()).toBe(read());
    expect(pod({ 'disruption-schedule': '0 3 * * 6' }).rules?.allow).not.toBe(read());
  });
});

describe('E6: schedules that are broken', () => {
  it.each([
    { name: 'a bad cron leaves no schedule', schedule: 'saturdays', open: undefined, paths: ['disruption-schedule'] },
    { name: 'only separators leave no schedule', schedule: ';;', open: undefined, paths: ['disruption-schedule'] },
    { name: 'one bad expression is left out', schedule: '0 2 * * 6;often', open: 1, paths: ['disruption-schedule'] },
    {
      name: 'a bad zone leaves no schedule',
      schedule: '0 2 * * 6',
      zone: 'Mars/Base',
      open: undefined,
      paths: ['disruption-schedule-timezone'],
    },
    {
      name: 'a bad zone in the text leaves none',
      schedule: 'TZ=Mars/Base 0 2 * * 6',
      open: undefined,
      paths: ['disruption-schedule'],
    },
    {
      name: 'a bad duration is an hour',
      schedule: '0 2 * * 6',
      duration: 'long',
      open: 1,
      paths: ['disruption-schedule-duration'],
    },
    {
      name: 'below a minute is an hour',
      schedule: '0 2 * * 6',
      duration: '59s',
      open: 1,
      paths: ['disruption-schedule-duration'],
    },
    {
      name: 'above 168h is an hour',
      schedule: '0 2 * * 6',
      duration: '169h',
      open: 1,
      paths: ['disruption-schedule-duration'],
    },
    {
      name: 'fewer durations: the rest an hour',
      schedule: '0 2 * * 1;0 2 * * 2;0 2 * * 6',
      duration: '4h;5h',
      open: 1,
      paths: ['disruption-schedule-duration'],
    },
  ])('$name', ({ schedule, duration, zone, open, paths }) => {
    const read = pod({
      'disruption-schedule': schedule,
      ...(duration && { 'disruption-schedule-duration': duration }),
      ...(zone && { 'disruption-schedule-timezone': zone }),
    });
    expect(read.rules === undefined ? undefined : hoursOpen(read.rules, saturday)).toBe(open);
    expect(read.paths).toEqual(paths.map(pathOf));
    for (const fault of read.faults)
      expect(fault).toMatchObject({ severity: 'warning', message: expect.stringMatching(/(Use|Write) /) });
  });

  it('a cron that never fires is closed for ever, with a warning', () => {
    const { rules, faults } = pod({ 'disruption-schedule': '0 0 31 2 *' });
    expect(rules?.allow).toBe(never);
    expect(faults).toMatchObject([{ severity: 'warning', path: pathOf('disruption-schedule') }]);
  });

  it('one that never fires beside one that does adds nothing', () => {
    const { rules } = pod({ 'disruption-schedule': '0 0 31 2 *;0 2 * * 6' });
    expect(hoursOpen(rules, saturday)).toBe(1);
  });

  it('a block above 168h is 168h', () => {
    const { rules, paths } = pod({ 'disruption-block-schedule': '0 2 14 11 *', 'disruption-block-duration': '400h' });
    expect(hoursOpen(rules, saturday, 'block')).toBe(168);
    expect(paths).toEqual([pathOf('disruption-block-duration')]);
  });

  it('every pod with the text has the warning, not only the first', () => {
    const bad = () => pod({ 'disruption-schedule': 'never ever' }).faults;
    expect([bad().length, bad().length]).toEqual([1, 1]);
  });
});

describe('E6: every fault is reported', () => {
  it('including those beside an invalid time zone', () => {
    const { rules, paths } = pod({
      'disruption-schedule': '0 2 * * x',
      'disruption-schedule-duration': 'soon',
      'disruption-schedule-timezone': 'Europe/Berln',
      'disruption-block-schedule': '0 25 * * *',
      'disruption-block-duration': 'never',
      'do-not-disrupt': 'yes',
    });
    expect(rules).toBeUndefined();
    expect(paths.sort()).toEqual(
      [
        'disruption-block-duration',
        'disruption-block-schedule',
        'disruption-schedule',
        'disruption-schedule-duration',
        'disruption-schedule-timezone',
        'do-not-disrupt',
      ]
        .map(pathOf)
        .sort(),
    );
  });
});
