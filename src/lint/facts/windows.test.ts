// Tests of the longest opening and closing of windows, and of windows that open together.
import { describe, expect, it } from 'vitest';
import { compileWindow } from '../../kinds/read/podAnnotations.ts';
import { not } from '../../time/combine.ts';
import { asInstant, day, hour, parseInstant } from '../../time/instant.ts';
import { always, never, type Window } from '../../time/window.ts';
import { everOpen, longestClosing, longestOpening } from './windows.ts';

const now = parseInstant('2026-11-17T10:20:00Z') ?? asInstant(0);
const window = (schedule: string, duration: string, timeZone = ''): Window =>
  compileWindow({ schedule, duration, timeZone }, { cutLong: false }).window ?? never;

describe('The longest opening and the longest time between two', () => {
  it.each([
    { name: 'a night', hours: window('0 2 * * *', '4h'), open: 4 * hour, closed: 20 * hour },
    { name: 'a week', hours: window('0 2 * * 6', '4h'), open: 4 * hour, closed: 7 * day - 4 * hour },
    {
      name: 'one that is open now, from its true start',
      hours: window('0 9 * * *', '2h'),
      open: 2 * hour,
      closed: 22 * hour,
    },
    { name: 'hits that run into each other', hours: window('0 2-5 * * *', '1h'), open: 4 * hour, closed: 20 * hour },
    // In October one night has an hour more.
    {
      name: 'clocks set back',
      hours: window('0 22 * * *', '8h', 'Europe/Berlin'),
      open: 8 * hour,
      closed: 17 * hour,
    },
    { name: 'always', hours: always, open: Infinity, closed: 0 },
    { name: 'never', hours: never, open: 0, closed: Infinity },
  ])('$name', ({ hours, open, closed }) => {
    expect([longestOpening(hours, now), longestClosing(hours, now)]).toEqual([open, closed]);
    expect([longestClosing(not(hours), now), longestOpening(not(hours), now)]).toEqual([open, closed]);
  });
});

describe('Windows that open together', () => {
  it.each([
    { name: 'meet', windows: [window('0 2 * * *', '4h'), window('0 5 * * 6', '1h')], meet: true },
    { name: 'touch, but do not meet', windows: [window('0 2 * * *', '4h'), window('0 6 * * *', '1h')], meet: false },
    {
      name: 'meet only when a month begins on a Sunday',
      windows: [window('0 2 1 * *', '1h'), window('0 2 * * 0', '1h')],
      meet: true,
    },
    { name: 'none: nothing is closed', windows: [], meet: true },
  ])('$name', ({ windows, meet }) => {
    expect(everOpen(windows, now)).toBe(meet);
  });
});
