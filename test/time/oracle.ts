// A slow reference for src/time: the same rules, minute by minute, with offsets from Intl.
import {
  asInstant,
  civilFromDays,
  day,
  daysFromCivil,
  hour,
  type Instant,
  minute,
  second,
} from '../../src/time/instant.ts';

/** The wall-clock time according to Intl, in milliseconds since 1970-01-01T00:00 wall-clock time. */
export function intlClock(timeZone: string): (at: Instant) => number {
  const numeric = 'numeric';
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    ...{ year: numeric, month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric },
  });
  return (at) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) as number;
    const days = daysFromCivil(part('year'), part('month'), part('day'));
    return days * day + part('hour') * hour + part('minute') * minute + part('second') * second;
  };
}

/** Some days, minute by minute: the instants and their wall-clock times in minutes. */
export interface Days {
  readonly zone: string;
  readonly instants: readonly Instant[];
  readonly walls: readonly number[];
}

export function daysAround(zone: string, middle: Instant, count: number): Days {
  const clock = intlClock(zone);
  const instants = Array.from({ length: count * 2 * 1440 }, (_, index) =>
    asInstant(middle + (index - count * 1440) * minute),
  );
  return { zone, instants, walls: instants.map((at) => clock(at) / minute) };
}

/** The values of the five fields; undefined is a star. */
export interface Sets {
  readonly minutes: readonly number[] | undefined;
  readonly hours: readonly number[] | undefined;
  readonly dates: readonly number[] | undefined;
  readonly months: readonly number[] | undefined;
  readonly weekdays: readonly number[] | undefined;
  /** Weekdays counted within the month; 0 is the last one. Besides `weekdays`. */
  readonly nth?: readonly (readonly [weekday: number, nth: number])[];
  /** The last day of the month. Besides `dates`. */
  readonly lastDay?: boolean;
}

export const cronText = ({ minutes, hours, dates, months, weekdays, nth = [], lastDay = false }: Sets): string => {
  const counted = nth.map(([weekday, count]) => `${weekday}${count === 0 ? 'L' : `#${count}`}`);
  const day = counted.length === 0 ? weekdays : [...(weekdays ?? []), ...counted];
  const date = lastDay ? [...(dates ?? []), 'L'] : dates;
  return [minutes, hours, date, months, day].map((values) => values?.join(',') ?? '*').join(' ');
};

/** The hits of a cron across clock changes, implemented directly from the text of clause B3. */
export function slowHits({ instants, walls }: Days, sets: Sets): Instant[] {
  const shown = new Set<number>();
  return instants.filter((_, index) => {
    const wall = walls[index] as number;
    const first = !shown.has(wall);
    shown.add(wall);
    if (index === 0) return matches(sets, wall);
    for (let skipped = (walls[index - 1] as number) + 1; skipped < wall; skipped++) {
      if (matches(sets, skipped)) return true;
    }
    return matches(sets, wall) && (first || hasNeighbouringHour(sets, wall));
  });
}

function matches({ minutes, hours, dates, months, weekdays, nth = [], lastDay = false }: Sets, wall: number): boolean {
  if (minutes && !minutes.includes(remainder(wall, 60))) return false;
  if (hours && !hours.includes(hourOf(wall))) return false;
  const days = Math.floor(wall / 1440);
  const date = civilFromDays(days);
  if (months && !months.includes(date.month)) return false;
  const [anyDate, anyWeekday] = [!dates && !lastDay, !weekdays && nth.length === 0];
  const byDate = anyDate || (dates ?? []).includes(date.day) || (lastDay && civilFromDays(days + 1).day === 1);
  const weekday = remainder(days + 4, 7);
  const byWeekday =
    anyWeekday ||
    (weekdays ?? []).includes(weekday) ||
    nth.some(([named, count]) => named === weekday && isNth(days, count));
  return anyDate || anyWeekday ? byDate && byWeekday : byDate || byWeekday;
}

/** Counts back, week by week, to the first one of the month; for 0 checks whether the next week is in another month. */
function isNth(days: number, nth: number): boolean {
  const { month } = civilFromDays(days);
  if (nth === 0) return civilFromDays(days + 7).month !== month;
  let found = 0;
  for (let each = days; civilFromDays(each).month === month; each -= 7) found++;
  return found === nth;
}

const hourOf = (wall: number): number => Math.floor(remainder(wall, 1440) / 60);
const remainder = (value: number, divisor: number): number => value - Math.floor(value / divisor) * divisor;

function hasNeighbouringHour({ hours }: Sets, wall: number): boolean {
  if (!hours) return true;
  return hours.includes((hourOf(wall) + 1) % 24) || hours.includes((hourOf(wall) + 23) % 24);
}
