import { describe, expect, it } from 'vitest';
import { describeHours, inZone, type WeekHours } from './describeClock.ts';
import { findZone, type Zone } from './zone.ts';

const [monday, tuesday, wednesday, thursday, friday, saturday, sunday] = [0, 1, 2, 3, 4, 5, 6];
const weekdays = [monday, tuesday, wednesday, thursday, friday];
const everyDay = [...weekdays, saturday, sunday];

const hours = (days: readonly number[], from: number, to: number): WeekHours[] =>
  days.map((day) => ({ from: (day * 24 + from) * 60, to: (day * 24 + to) * 60 }));

describe('Hours of the week in words', () => {
  it.each<[string, WeekHours[]]>([
    ['at all times', [{ from: 0, to: 7 * 1440 }]],
    ['every day 09:00–17:00', hours(everyDay, 9, 17)],
    ['Monday to Friday 09:00–17:00', hours(weekdays, 9, 17)],
    ['Monday to Friday 06:00–07:00 and 09:00–19:00', [...hours(weekdays, 6, 7), ...hours(weekdays, 9, 19)]],
    ['Monday to Friday from 17:00 until 09:00 the next day', hours(weekdays, 17, 33)],
    ['Saturday 22:00 until Sunday 02:00', hours([saturday], 22, 26)],
    ['Sunday 22:00 until Monday 02:00', hours([sunday], 22, 26)],
    ['Friday 17:00 until Monday 09:00', hours([friday], 17, 81)],
    ['Friday 17:00 until Sunday 24:00', hours([friday], 17, 72)],
    ['Sunday all day', hours([sunday], 0, 24)],
    ['Saturday and Sunday all day', hours([saturday], 0, 48)],
    ['Saturday to Monday all day', hours([saturday], 0, 72)],
    ['Monday 00:00 until Tuesday 09:00', hours([monday], 0, 33)],
    [
      'Tuesday to Friday 09:00–17:00 and Saturday 09:00 until Monday 17:00',
      [...hours([saturday], 9, 65), ...hours([tuesday, wednesday, thursday, friday], 9, 17)],
    ],
    [
      'Monday to Friday 06:00–07:00 and 09:00–19:00, and Saturday all day',
      [...hours(weekdays, 6, 7), ...hours(weekdays, 9, 19), ...hours([saturday], 0, 24)],
    ],
    [
      'Monday 01:00–02:00, Wednesday 03:00–04:00, and Friday 05:00–06:00',
      [...hours([monday], 1, 2), ...hours([wednesday], 3, 4), ...hours([friday], 5, 6)],
    ],
    ['Monday 00:00–00:01:30', [{ from: 0, to: 1.5 }]],
    ['all week except Tuesday 01:00–01:30', hours([tuesday], 1.5, 7 * 24 + 1)],
    ['all week except Monday 00:00–06:00', hours([monday], 6, 7 * 24)],
    ['all week except Sunday 22:00 until Monday 02:00', hours([monday], 2, 6 * 24 + 22)],
    [
      'all week except Saturday 02:00–03:00 and 04:00–05:00',
      [...hours([saturday], 5, 7 * 24 + 2), ...hours([saturday], 3, 4)],
    ],
    ['Saturday to Thursday all day', hours([saturday], 0, 6 * 24)],
  ])('%s', (words, its) => {
    expect(describeHours(its).text).toBe(words);
  });

  it('counts the pieces', () => {
    expect(describeHours(hours(weekdays, 9, 17)).pieces).toBe(1);
    expect(describeHours([...hours(weekdays, 9, 17), ...hours([saturday], 9, 33)]).pieces).toBe(2);
  });
});

describe('The zone they are in', () => {
  it.each([
    ['Europe/Berlin', 'every day 09:00–17:00', 'every day 09:00–17:00 Berlin'],
    ['America/Argentina/Buenos_Aires', 'every day 09:00–17:00', 'every day 09:00–17:00 Buenos Aires'],
    ['UTC', 'Sunday all day', 'Sunday all day (UTC)'],
    ['Etc/GMT+5', 'Sunday 09:00–17:00', 'Sunday 09:00–17:00 Etc/GMT+5'],
    ['US/Eastern', 'Sunday 09:00–17:00', 'Sunday 09:00–17:00 US/Eastern'],
    ['Europe/Berlin', 'at all times', 'at all times'],
  ])('%s: %s', (zone, words, text) => {
    expect(inZone(words, findZone(zone) as Zone)).toBe(text);
  });
});
