// What do the coming days look like? A strip of seven days by the half or five weeks by the day where that shows nothing.
import { asInstant, day, type Instant, minute } from '../time/instant.ts';
import { firstInstantOf, type WallTime, wallTime, type Zone } from '../time/zone.ts';
import { dayOfMonth, monthOf, weekdayOf, yearOf } from './moment.ts';
import { bold, dim, type Line, plain, type Span, styled } from './span.ts';

export interface Calendar {
  readonly zone: Zone;
  readonly from: Instant;
  /** What the clock says: its day is marked. */
  readonly now: Instant;
  /** How much of a stretch is taken: 0 to 1. A hit takes all of it. */
  readonly share: (start: Instant, end: Instant) => number;
  /** The next stretch or hit that ends after `from`. */
  readonly next: Instant | undefined;
  /** What a taken cell is: `open` or `fires`. */
  readonly word: string;
}

const cell = 30 * minute;
const week = 7 * day;
const weeksShown = 5;

export function renderCalendar(calendar: Calendar): Line[] {
  const { zone, from, next } = calendar;
  const today = startOfDay(wallTime(zone, from));
  const isSoon = next === undefined || wallTime(zone, next) < today + week;
  return isSoon ? renderWeek(calendar, today) : renderWeeks(calendar, today);
}

const startOfDay = (wall: WallTime): WallTime => Math.floor(wall / day) * day;

function renderWeek(calendar: Calendar, first: WallTime): Line[] {
  const hours = Array.from({ length: 8 }, (_, index) => String(index * 3).padEnd(6)).join('');
  const rows = Array.from({ length: 7 }, (_, index) => renderDay(calendar, first + index * day));
  const [full, part, none] = cellsOf(calendar.word);
  const legend = `${full} ${calendar.word}${part === full ? '' : `  ${part} partly`}  ${none} not`;
  return [[plain(' '.repeat(15)), dim(hours)], ...rows, [plain(' '.repeat(15)), dim(legend)]];
}

/** A hit has no length, so there is nothing between taken and not. */
const cellsOf = (word: string): [string, string, string] => (word === 'open' ? ['█', '▒', '·'] : ['●', '●', '·']);

function renderDay(calendar: Calendar, start: WallTime): Line {
  const { word } = calendar;
  const [full, part, none] = cellsOf(word);
  const today = isToday(calendar, start);
  const cells = Array.from({ length: day / cell }, (_, index): Span => {
    const share = shareOf(calendar, start + index * cell, start + (index + 1) * cell);
    if (share === undefined) return plain(' ');
    if (share === 0) return dim(none);
    return styled('green', share >= 1 ? full : part);
  });
  const name = `${weekdayOf(start)} ${String(dayOfMonth(start)).padStart(2)} ${monthOf(start)}`;
  return [
    plain(today ? '  > ' : '    '),
    today ? bold(name) : plain(name),
    plain(' '),
    ...cells,
    plain(today ? '  today' : ''),
  ];
}

/** Undefined where the clock skips these hours. */
function shareOf({ zone, share }: Calendar, start: WallTime, end: WallTime): number | undefined {
  const [first, last] = [firstInstantOf(zone, start), firstInstantOf(zone, end)];
  return last > first ? share(first, last) : undefined;
}

const isToday = ({ zone, now }: Calendar, start: WallTime): boolean => startOfDay(wallTime(zone, now)) === start;

const levels = '▁▂▃▄▅▆▇█';
const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** From this week's Monday on, or from that of the next opening where it is further away. */
function renderWeeks(calendar: Calendar, today: WallTime): Line[] {
  const monday = mondayOf(today);
  const next = calendar.next === undefined ? monday : mondayOf(startOfDay(wallTime(calendar.zone, calendar.next)));
  const first = next < monday + weeksShown * week ? monday : next;
  const head = [plain(' '.repeat(13)), dim(weekdayNames.map((name) => name.padEnd(6)).join(''))];
  const rows = Array.from({ length: weeksShown }, (_, index) => renderWeekRow(calendar, first + index * week));
  const legend = calendar.word === 'open' ? '▁ to █ how much of the day is open' : '● fires that day';
  return [head, ...rows, [plain(' '.repeat(13)), dim(`${legend}  [ ] today`)]];
}

/** 5 January 1970 was a Monday. */
const mondayOf = (wall: WallTime): WallTime => Math.floor((wall - 4 * day) / week) * week + 4 * day;

function renderWeekRow(calendar: Calendar, monday: WallTime): Line {
  const days = weekdayNames.flatMap((_, index): Span[] => renderDate(calendar, monday + index * day));
  return [plain(`    ${monthOf(monday)} ${yearOf(monday)} `), ...days];
}

function renderDate(calendar: Calendar, start: WallTime): Span[] {
  const share = shareOf(calendar, start, start + day) ?? 0;
  const number = String(dayOfMonth(start)).padStart(2);
  const text = isToday(calendar, start) ? `[${number}]` : number;
  const mark = calendar.word === 'open' ? (levels[Math.min(7, Math.ceil(share * 8) - 1)] ?? '█') : '●';
  if (share === 0) return [dim(text.padEnd(6))];
  return [styled('green', `${text}${mark}`.padEnd(6))];
}

/** How much of a stretch a window is open. */
export function openShare(
  window: { isOpen(at: Instant): boolean; nextChange(at: Instant): Instant | undefined },
  start: Instant,
  end: Instant,
): number {
  let open = 0;
  for (let at = start; at < end; ) {
    const change = Math.min(window.nextChange(at) ?? end, end);
    if (window.isOpen(at)) open += change - at;
    at = asInstant(change);
  }
  return open / (end - start);
}
