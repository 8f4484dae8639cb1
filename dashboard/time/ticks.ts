// The ticks of a time axis, at round hours or days of the viewer's time zone.

const hour = 3_600_000;
const day = 24 * hour;
const steps = [
  hour / 4,
  hour / 2,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  7 * day,
  14 * day,
  28 * day,
];

export interface Tick {
  readonly at: number;
  readonly label: string;
}

export function ticksOf(from: number, to: number, most: number): Tick[] {
  const step = steps.find((it) => (to - from) / it <= most) ?? 28 * day;
  const ticks: Tick[] = [];
  for (let at = firstAfter(from, step); at < to; at = next(at, step)) ticks.push({ at, label: labelOf(at, step) });
  return ticks;
}

/** Local midnight plus whole steps, so that days with a clock change keep their hours. */
function firstAfter(from: number, step: number): number {
  const midnight = new Date(from);
  midnight.setHours(0, 0, 0, 0);
  let at = midnight.getTime();
  while (at <= from) at = next(at, step);
  return at;
}

function next(at: number, step: number): number {
  if (step < day) return at + step;
  const date = new Date(at);
  date.setDate(date.getDate() + Math.round(step / day));
  return date.getTime();
}

function labelOf(at: number, step: number): string {
  const date = new Date(at);
  const isMidnight = date.getHours() === 0 && date.getMinutes() === 0;
  const form: Intl.DateTimeFormatOptions =
    step >= 2 * day
      ? { day: 'numeric', month: 'short' }
      : isMidnight
        ? { weekday: 'short', day: 'numeric' }
        : { hour: '2-digit', minute: '2-digit', hour12: false };
  return new Intl.DateTimeFormat('en-GB', form).format(date);
}
