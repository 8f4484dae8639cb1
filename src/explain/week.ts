// A state that changes over time as the hours of a week, and the weeks of the coming year that differ.
import type { WeekHours } from '../time/describeClock.ts';
import { asDuration, asInstant, type Duration, day, earliest, type Instant, minute } from '../time/instant.ts';
import { openings, type Window } from '../time/window.ts';
import { firstInstantOf, offsetAt, type WallTime, wallTime, type Zone } from '../time/zone.ts';

/** States are compared by identity, so equal states must be the same object. */
export interface Changing<State> {
  readonly zone: Zone;
  stateAt(at: Instant): State;
  /** The next instant at which the state may change; undefined = it never does. */
  nextEdge(at: Instant): Instant | undefined;
}

/** Milliseconds since Monday 00:00 of wall-clock time; the end is exclusive. */
export interface Segment<State> {
  readonly from: number;
  readonly to: number;
  readonly state: State;
}

export interface StateSpan<State> {
  readonly from: Instant;
  readonly to: Instant;
  readonly state: State;
}

export const week: Duration = asDuration(7 * day);
/** 5 January 1970 was a Monday. */
const firstMonday = 4 * day;

export const sinceMonday = (wall: WallTime): number => (((wall - firstMonday) % week) + week) % week;
const mondayOf = (wall: WallTime): WallTime => wall - sinceMonday(wall);

/** The spans between two instants, neighbours with the same state joined. */
export function* spansOf<State>(
  changing: Changing<State>,
  start: Instant,
  end: Instant,
): Generator<StateSpan<State>, void> {
  let [from, state] = [start, changing.stateAt(start)];
  for (let at = changing.nextEdge(start); at !== undefined && at < end; at = changing.nextEdge(at)) {
    const next = changing.stateAt(at);
    if (next === state) continue;
    yield { from, to: at, state };
    [from, state] = [at, next];
  }
  yield { from, to: end, state };
}

/** The week that starts at an instant, on any weekday. No clock change may fall into it. */
function weekFrom<State>(changing: Changing<State>, start: Instant): Segment<State>[] {
  const segments: Segment<State>[] = [];
  for (const { from, to, state } of spansOf(changing, start, asInstant(start + week))) {
    segments.push(...inWeek(wallTime(changing.zone, from), to - from, state));
  }
  return joined(
    segments.sort((a, b) => a.from - b.from),
    sameState,
  );
}

/** A span in hours of the week: two pieces if it crosses the end of Sunday. */
function inWeek<State>(wall: WallTime, length: number, state: State): Segment<State>[] {
  const from = sinceMonday(wall);
  const to = from + length;
  return to > week
    ? [
        { from, to: week, state },
        { from: 0, to: to - week, state },
      ]
    : [{ from, to, state }];
}

/** Ordered pieces, with touching equal neighbours joined. */
export function joined<Piece extends { readonly from: number; readonly to: number }>(
  pieces: Iterable<Piece>,
  isEqual: (a: Piece, b: Piece) => boolean,
): Piece[] {
  const whole: Piece[] = [];
  for (const piece of pieces) {
    const last = whole.at(-1);
    if (!last || last.to < piece.from || !isEqual(last, piece)) whole.push(piece);
    else if (last.to < piece.to) whole[whole.length - 1] = { ...last, to: piece.to };
  }
  return whole;
}

const sameState = <State>(a: { readonly state: State }, b: { readonly state: State }): boolean => a.state === b.state;

export const sameWeek = <State>(a: readonly Segment<State>[], b: readonly Segment<State>[]): boolean =>
  a.length === b.length && a.every(({ from, state }, index) => from === b[index]?.from && state === b[index]?.state);

/** The part of a week that lies within the given hours. */
export const within = <State>(
  segments: readonly Segment<State>[],
  hours: readonly Segment<unknown>[],
  isIncluded = (_state: State, _other: unknown): boolean => true,
): Segment<State>[] =>
  joined(
    segments.flatMap(({ from, to, state }) =>
      hours
        .filter((it) => it.from < to && from < it.to && isIncluded(state, it.state))
        .map((it) => ({ from: Math.max(from, it.from), to: Math.min(to, it.to), state })),
    ),
    sameState,
  );

/** The hours in which a week differs from the usual one. */
export const differences = <State>(
  other: readonly Segment<State>[],
  usual: readonly Segment<State>[],
): Segment<State>[] => within(other, usual, (state, known) => state !== known);

/** With more edges than this, a week is not described by its hours. */
const mostEdges = 60;

/** Whether a week has few enough edges to list its hours. */
export function hasFewEdges(nextEdge: Changing<unknown>['nextEdge'], now: Instant): boolean {
  let at: Instant | undefined = now;
  for (let edges = 0; edges <= mostEdges; edges++) {
    at = nextEdge(at);
    if (at === undefined || at > asInstant(now + week)) return true;
  }
  return false;
}

/** The hours of one state, in minutes since Monday 00:00; hours across the end of Sunday in one piece. */
export function hoursOf<State>(segments: readonly Segment<State>[], state: State): WeekHours[] {
  const hours = segments
    .filter((it) => it.state === state)
    .map(({ from, to }) => ({ from: from / minute, to: to / minute }));
  const [first, last] = [hours[0], hours.at(-1)];
  if (!first || !last || first === last || first.from > 0 || last.to < week / minute) return hours;
  return [...hours.slice(1, -1), { from: last.from, to: week / minute + first.to }];
}

/** A part of the year whose weeks differ from the usual one. */
export interface Season<State> {
  readonly from: Instant;
  readonly to: Instant;
  readonly week: readonly Segment<State>[];
}

export interface Year<State> {
  /** The week as it is now. */
  readonly usual: readonly Segment<State>[];
  readonly seasons: readonly Season<State>[];
  /** Spans around a clock change that differ from the week of their season. */
  readonly odd: readonly StateSpan<State>[];
}

/** A year, with enough margin for whole weeks at both ends. */
const ahead = 53 * week;
const behind = week + day;

/** `zones`: all time zones that the state depends on, including its own. */
export function yearOf<State>(changing: Changing<State>, zones: readonly Zone[], now: Instant): Year<State> {
  const start = asInstant(now - behind);
  const end = asInstant(now + ahead);
  const periods = clockPeriods(zones, start, end).map((period) => ({ ...period, week: weekIn(changing, period) }));
  const usual = periods.find((period) => period.to > now && period.week)?.week ?? weekFrom(changing, now);
  const seasons = periods.flatMap((period) =>
    period.week && !sameWeek(period.week, usual) ? [{ ...period, week: period.week }] : [],
  );
  const merged = joined<Season<State>>(seasons, (a, b) => sameWeek(a.week, b.week));
  // Without clock changes all weeks are the same.
  const odd =
    periods.length < 2
      ? []
      : periods.flatMap((period) => oddIn(changing, { ...period, week: period.week ?? usual }, now));
  return { usual, seasons: merged.filter(({ to }) => to > now), odd };
}

/** A period without a clock change in any of the zones. */
interface ClockPeriod {
  readonly from: Instant;
  readonly to: Instant;
}

export function clockPeriods(zones: readonly Zone[], start: Instant, end: Instant): ClockPeriod[] {
  const periods: ClockPeriod[] = [];
  const offsets = (at: Instant): string => zones.map((zone) => offsetAt(zone, at)).join();
  for (let at = start; at < end; ) {
    const next = zones.map((zone) => zone.periodAt(at).end).reduce(earliest, end) ?? end;
    periods.push({ from: at, to: next });
    at = next;
  }
  return joined(periods, (a, b) => offsets(a.from) === offsets(b.from));
}

/**
 * The week of a period; undefined if the period is shorter than a week: its differences are then listed by day.
 * Starts at the second Monday if there is one, when openings from before the period have ended.
 */
function weekIn<State>(changing: Changing<State>, { from, to }: ClockPeriod): readonly Segment<State>[] | undefined {
  if (to - from < week) return undefined;
  const nextMonday = asInstant(from + week - sinceMonday(wallTime(changing.zone, from)));
  const secondMonday = asInstant(nextMonday + week);
  return weekFrom(changing, [secondMonday, nextMonday].find((start) => start + week <= to) ?? from);
}

/** Differences from the period's week. They occur only at its start, where openings from before the clock change end. */
function oddIn<State>(
  changing: Changing<State>,
  { from, to, week: expected }: Season<State>,
  now: Instant,
): StateSpan<State>[] {
  const odd: StateSpan<State>[] = [];
  const offset = offsetAt(changing.zone, from);
  const stable = asInstant(Math.min(to, from + 2 * week));
  for (const span of spansOf(changing, from, stable)) {
    for (let at = span.from; at < span.to; ) {
      const since = sinceMonday(at + offset);
      const segment = expected.find((it) => it.from <= since && since < it.to);
      const end = asInstant(Math.min(span.to, at + ((segment?.to ?? week) - since)));
      if (segment?.state !== span.state && end > now) odd.push({ from: at, to: end, state: span.state });
      at = end;
    }
  }
  return joined(odd, sameState);
}

/** A monthly window falls on every weekday within this many openings. A window that opens more often may be open at any hour. */
const mostOpenings = 400;
/** Long enough for a yearly window to open a few times. */
const yearsAhead = 5 * 53 * week;

const anyHour: readonly Segment<true>[] = [{ from: 0, to: week, state: true }];

export function reachOf(window: Window, zone: Zone, now: Instant): readonly Segment<true>[] {
  const hours: Segment<true>[] = [];
  let opened = 0;
  for (const { from = now, to = asInstant(from + week) } of openings(window, now)) {
    if (from > now + yearsAhead) break;
    if (to - from >= week || ++opened > mostOpenings) return anyHour;
    hours.push(...inWeek(from + offsetAt(zone, from), to - from, true as const));
  }
  return hours.length === 0
    ? anyHour
    : joined(
        hours.sort((a, b) => a.from - b.from),
        sameState,
      );
}

export interface StripDay<State> {
  /** Midnight in wall-clock time. */
  readonly start: WallTime;
  /** The longest state in each half-hour; undefined if the clock skips it. */
  readonly cells: readonly (State | undefined)[];
  readonly isToday: boolean;
}

const cell = 30 * minute;

export function stripOf<State>(changing: Changing<State>, now: Instant): StripDay<State>[] {
  const wall = wallTime(changing.zone, now);
  const monday = mondayOf(wall);
  return Array.from({ length: 7 }, (_, index) => {
    const start = monday + index * day;
    const cells = Array.from({ length: day / cell }, (_each, half) => longestIn(changing, start + half * cell));
    return { start, cells, isToday: wall >= start && wall < start + day };
  });
}

function longestIn<State>(changing: Changing<State>, start: WallTime): State | undefined {
  const [from, to] = [firstInstantOf(changing.zone, start), firstInstantOf(changing.zone, start + cell)];
  if (to <= from) return undefined;
  const lengths = new Map<State, number>();
  for (const span of spansOf(changing, from, to))
    lengths.set(span.state, (lengths.get(span.state) ?? 0) + span.to - span.from);
  return [...lengths].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}
