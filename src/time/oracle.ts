// What ought the fast code to say? The same rules, slowly: minute by minute, straight from Intl. For tests alone.
import { asInstant, civilFromDays, day, daysFromCivil, hour, type Instant, minute, second } from './instant.ts';

/** What Intl says the wall clock shows, in milliseconds since 1970-01-01T00:00 on the wall. */
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

/** Some days, minute by minute: the instants and what the wall clock shows, in minutes. */
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
}

export const cronText = ({ minutes, hours, dates, months, weekdays }: Sets): string =>
  [minutes, hours, dates, months, weekdays].map((values) => values?.join(',') ?? '*').join(' ');

/** Clause B3, word for word. */
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

function matches({ minutes, hours, dates, months, weekdays }: Sets, wall: number): boolean {
  if (minutes && !minutes.includes(remainder(wall, 60))) return false;
  if (hours && !hours.includes(hourOf(wall))) return false;
  const days = Math.floor(wall / 1440);
  const date = civilFromDays(days);
  if (months && !months.includes(date.month)) return false;
  const byDate = dates?.includes(date.day) ?? true;
  const byWeekday = weekdays?.includes(remainder(days + 4, 7)) ?? true;
  return dates && weekdays ? byDate || byWeekday : byDate && byWeekday;
}

const hourOf = (wall: number): number => Math.floor(remainder(wall, 1440) / 60);
const remainder = (value: number, divisor: number): number => value - Math.floor(value / divisor) * divisor;

function hasNeighbouringHour({ hours }: Sets, wall: number): boolean {
  if (!hours) return true;
  return hours.includes((hourOf(wall) + 1) % 24) || hours.includes((hourOf(wall) + 23) % 24);
}
