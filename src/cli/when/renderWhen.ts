// When a schedule opens: its openings as JSON, as a table and as a calendar.
import type { Cron } from '../../time/cron.ts';
import { asInstant, between, day, formatInstant, hour, type Instant, minute } from '../../time/instant.ts';
import { openings, type Window } from '../../time/window.ts';
import { findZone, firstInstantOf, offsetAt, type WallTime, wallTime, type Zone } from '../../time/zone.ts';
import {
  dayOfMonth,
  formatDistance,
  formatEnd,
  formatLength,
  formatMoment,
  formatTime,
  formatWithOffset,
  monthOf,
  timeAsJson,
  weekdayOf,
  yearOf,
} from '../formatTime.ts';
import type { Io } from '../io.ts';
import { alignColumns, bold, dim, emptyLine, type Line, plain, type Span, styled } from '../span.ts';

/** One opening; without an end where it never closes (L4). */
interface ListedOpening {
  readonly from: Instant;
  readonly to?: Instant;
}

interface UpcomingOpenings {
  /** Absent for a schedule without a duration, which only fires. */
  readonly open?: boolean;
  readonly openings: readonly ListedOpening[];
}

/** When it fires, strictly after `from`. */
export function hitsAfter(cron: Cron, from: Instant, count: number): UpcomingOpenings {
  const hits: ListedOpening[] = [];
  for (let at = cron.next(from); at !== undefined && hits.length < count; at = cron.next(at)) hits.push({ from: at });
  return { openings: hits };
}

/** An opening in progress at `from` comes first, with its actual start; one without a start begins at `from`. */
export function openingsFrom(window: Window, from: Instant, count: number): UpcomingOpenings {
  const found: ListedOpening[] = [];
  for (const opening of openings(window, from)) {
    found.push({ ...opening, from: opening.from ?? from });
    if (found.length >= count) break;
  }
  return { open: window.isOpen(from), openings: found };
}

export const outlookAsJson = ({ open, openings: upcoming }: UpcomingOpenings): Record<string, unknown> => ({
  open,
  openings: upcoming.map(({ from, to }) => ({ from: formatInstant(from), to: timeAsJson(to) })),
});

export interface WhenView {
  /** Of the table, the calendar and every other time. */
  readonly zone: Zone;
  readonly from: Instant;
  readonly now: Instant;
  readonly localZone: Io['localZone'];
  readonly localOffset: Io['localOffset'];
  readonly width: number;
}

export function renderOutlook(
  title: string,
  outlook: UpcomingOpenings,
  view: WhenView,
  share: ShownCalendar['share'],
): Line[] {
  const { zone, from, now, width } = view;
  const next = outlook.openings[0]?.from;
  const word = outlook.open === undefined ? 'fires' : 'open';
  return [
    [bold(title)],
    renderState(outlook, view),
    emptyLine,
    ...renderTable(outlook, view),
    emptyLine,
    ...renderCalendar({ zone, from, now, share, next, word, width }),
  ];
}

function renderState({ open, openings: [first] }: UpcomingOpenings, { from, zone }: WhenView): Line {
  const times = { now: from, zone };
  if (open === undefined) return [plain(first ? `fires next ${formatMoment(first.from, times)}` : 'does not fire')];
  const change = open ? first?.to : first?.from;
  const when = change === undefined ? 'permanently' : `${open ? 'closes' : 'opens'} ${formatMoment(change, times)}`;
  return [styled(open ? 'green' : 'yellow', open ? 'open' : 'closed'), plain(` at ${formatTime(from, zone)}, ${when}`)];
}

/** Narrower tables leave out the column of the machine's own zone. */
const widthWithLocal = 92;

/** The machine's own zone, if the table has room for it and its times differ from those of the schedule's zone. */
function localColumn(upcoming: readonly ListedOpening[], view: WhenView): Zone | undefined {
  const { zone, width, localOffset, localZone } = view;
  if (width < widthWithLocal || upcoming.every(({ from }) => localOffset(from) === offsetAt(zone, from)))
    return undefined;
  return findZone(localZone());
}

function renderTable({ open, openings: upcoming }: UpcomingOpenings, view: WhenView): Line[] {
  const { zone, from, width } = view;
  if (upcoming.length === 0) return [[plain('  does not open')]];
  if (open && upcoming[0]?.to === undefined) return [[plain('  never closes')]];
  const own = localColumn(upcoming, view);
  const titles = [
    `${open === undefined ? 'fires' : 'opens'} (${zone.name})`,
    ...(open === undefined ? [] : ['closes', 'for']),
    ...(own ? [`local (${own.name})`] : []),
    '',
  ];
  const rows = upcoming.map((opening) => [
    [plain(formatWithOffset(opening.from, zone))],
    ...(open === undefined ? [] : closing(opening, zone)),
    ...(own ? [[plain(formatWithOffset(opening.from, own))]] : []),
    [dim(opening.from <= from ? 'now' : formatDistance(opening.from, from))],
  ]);
  return alignColumns([titles.map((title) => [dim(title)]), ...rows], { indent: 2, width });
}

const closing = ({ from, to }: ListedOpening, zone: Zone): Line[] =>
  to === undefined
    ? [[plain('never')], []]
    : [[plain(formatEnd(to, from, zone))], [plain(formatLength(between(from, to)))]];

interface ShownCalendar {
  readonly zone: Zone;
  readonly from: Instant;
  /** Its day is marked. */
  readonly now: Instant;
  /** How much of a span of time is open: 0 to 1. Where it only fires: 1 if it fires in it. */
  readonly share: (start: Instant, end: Instant) => number;
  /** The first opening that ends after `from`. */
  readonly next: Instant | undefined;
  /** What a marked cell means: `open` or `fires`. */
  readonly word: string;
  readonly width: number;
}

/** Half an hour per cell where the screen is wide enough for 48 of them, else an hour. */
const cellOf = ({ width }: ShownCalendar): number => (width >= 70 ? 30 : 60) * minute;
const week = 7 * day;
const weeksShown = 5;

function renderCalendar(calendar: ShownCalendar): Line[] {
  const { zone, from, next } = calendar;
  const today = startOfDay(wallTime(zone, from));
  const isSoon = next === undefined || wallTime(zone, next) < today + week;
  return isSoon ? renderWeek(calendar, today) : renderWeeks(calendar, today);
}

const startOfDay = (wall: WallTime): WallTime => Math.floor(wall / day) * day;

function renderWeek(calendar: ShownCalendar, first: WallTime): Line[] {
  const hours = Array.from({ length: 8 }, (_, index) => String(index * 3).padEnd((3 * hour) / cellOf(calendar))).join(
    '',
  );
  const rows = Array.from({ length: 7 }, (_, index) => renderDay(calendar, first + index * day));
  const [full, part, none] = cellsOf(calendar.word);
  const legend = `${full} ${calendar.word}${part === full ? '' : `  ${part} partly`}  ${none} not`;
  return [[plain(' '.repeat(15)), dim(hours)], ...rows, [plain(' '.repeat(15)), dim(legend)]];
}

/** A schedule that only fires has no partly open cells. */
const cellsOf = (word: string): [string, string, string] => (word === 'open' ? ['█', '▒', '·'] : ['●', '●', '·']);

function renderDay(calendar: ShownCalendar, start: WallTime): Line {
  const { word } = calendar;
  const [full, part, none] = cellsOf(word);
  const today = isToday(calendar, start);
  const cell = cellOf(calendar);
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

/** Undefined where the wall clock skips these hours. */
function shareOf({ zone, share }: ShownCalendar, start: WallTime, end: WallTime): number | undefined {
  const [first, last] = [firstInstantOf(zone, start), firstInstantOf(zone, end)];
  return last > first ? share(first, last) : undefined;
}

const isToday = ({ zone, now }: ShownCalendar, start: WallTime): boolean => startOfDay(wallTime(zone, now)) === start;

const levels = '▁▂▃▄▅▆▇█';
const weekdayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Five weeks from this Monday, or from the Monday of the next opening where that is later. */
function renderWeeks(calendar: ShownCalendar, today: WallTime): Line[] {
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

function renderWeekRow(calendar: ShownCalendar, monday: WallTime): Line {
  const days = weekdayNames.flatMap((_, index): Span[] => renderDate(calendar, monday + index * day));
  return [plain(`    ${monthOf(monday)} ${yearOf(monday)} `), ...days];
}

function renderDate(calendar: ShownCalendar, start: WallTime): Span[] {
  const share = shareOf(calendar, start, start + day) ?? 0;
  const number = String(dayOfMonth(start)).padStart(2);
  const text = isToday(calendar, start) ? `[${number}]` : number;
  const mark = calendar.word === 'open' ? (levels[Math.min(7, Math.ceil(share * 8) - 1)] ?? '█') : '●';
  if (share === 0) return [dim(text.padEnd(6))];
  return [styled('green', `${text}${mark}`.padEnd(6))];
}

/** How much of a span of time a window is open: 0 to 1. */
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
