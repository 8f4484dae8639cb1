// What holds in each hour of a week? A state that changes by the clock, laid out from Monday to Sunday on the clock of a zone.
import { asDuration, asInstant, type Duration, day, type Instant, minute } from '../../time/instant.ts';
import { type WallTime, wallTime, type Zone } from '../../time/zone.ts';
import type { WeekHours } from './hourWords.ts';

/** States are compared by identity: whoever makes them makes each only once. */
export interface Changing<State> {
  readonly zone: Zone;
  stateAt(at: Instant): State;
  /** The next instant at which the state may change; undefined = it never does. */
  nextEdge(at: Instant): Instant | undefined;
}

/** From and to are milliseconds since Monday 00:00 as the clock shows them; end out. */
export interface Segment<State> {
  readonly from: number;
  readonly to: number;
  readonly state: State;
}

export interface Stretch<State> {
  readonly from: Instant;
  readonly to: Instant;
  readonly state: State;
}

export const week: Duration = asDuration(7 * day);
/** 5 January 1970 was a Monday. */
const firstMonday = 4 * day;

export const sinceMonday = (wall: WallTime): number => (((wall - firstMonday) % week) + week) % week;
export const mondayOf = (wall: WallTime): WallTime => wall - sinceMonday(wall);

/** The stretches between two instants, alike neighbours as one. */
export function* stretches<State>(
  changing: Changing<State>,
  start: Instant,
  end: Instant,
): Generator<Stretch<State>, void> {
  let [from, state] = [start, changing.stateAt(start)];
  for (let at = changing.nextEdge(start); at !== undefined && at < end; at = changing.nextEdge(at)) {
    const next = changing.stateAt(at);
    if (next === state) continue;
    yield { from, to: at, state };
    [from, state] = [at, next];
  }
  yield { from, to: end, state };
}

/** The week that begins at an instant, which need be no Monday; no clock must be changed in it. */
export function weekFrom<State>(changing: Changing<State>, start: Instant): Segment<State>[] {
  const segments: Segment<State>[] = [];
  for (const { from, to, state } of stretches(changing, start, asInstant(start + week))) {
    const begin = sinceMonday(wallTime(changing.zone, from));
    const end = begin + (to - from);
    segments.push({ from: begin, to: Math.min(end, week), state });
    if (end > week) segments.push({ from: 0, to: end - week, state });
  }
  return joined(segments.sort((a, b) => a.from - b.from));
}

function joined<State>(segments: readonly Segment<State>[]): Segment<State>[] {
  const whole: Segment<State>[] = [];
  for (const segment of segments) {
    const last = whole.at(-1);
    if (last?.state === segment.state && last.to === segment.from)
      whole[whole.length - 1] = { ...last, to: segment.to };
    else whole.push(segment);
  }
  return whole;
}

export const sameWeek = <State>(a: readonly Segment<State>[], b: readonly Segment<State>[]): boolean =>
  a.length === b.length && a.every(({ from, state }, index) => from === b[index]?.from && state === b[index]?.state);

/** What of a week lies within hours given, in milliseconds since Monday 00:00. */
export const within = <State>(
  segments: readonly Segment<State>[],
  hours: readonly Segment<unknown>[],
): Segment<State>[] =>
  joined(
    segments.flatMap(({ from, to, state }) =>
      hours
        .filter((it) => it.from < to && from < it.to)
        .map((it) => ({ from: Math.max(from, it.from), to: Math.min(to, it.to), state })),
    ),
  );

/** Where a week is other than the usual one. */
export function differences<State>(
  other: readonly Segment<State>[],
  usual: readonly Segment<State>[],
): Segment<State>[] {
  const cut = other.flatMap(({ from, to, state }) =>
    usual
      .filter((it) => it.from < to && from < it.to && it.state !== state)
      .map((it) => ({ from: Math.max(from, it.from), to: Math.min(to, it.to), state })),
  );
  return joined(cut);
}

/** How many instants of a week may be edges: more than that is no longer said by the hours of a week. */
const mostEdges = 60;

/** Whether the edges of a week are few enough to be told one by one. */
export function isTellable(nextEdge: Changing<unknown>['nextEdge'], now: Instant): boolean {
  let at: Instant | undefined = now;
  for (let edges = 0; edges <= mostEdges; edges++) {
    at = nextEdge(at);
    if (at === undefined || at > asInstant(now + week)) return true;
  }
  return false;
}

/** The hours of one state, in minutes since Monday 00:00; those over the end of Sunday in one piece. */
export function hoursOf<State>(segments: readonly Segment<State>[], state: State): WeekHours[] {
  const hours = segments
    .filter((it) => it.state === state)
    .map(({ from, to }) => ({ from: from / minute, to: to / minute }));
  const [first, last] = [hours[0], hours.at(-1)];
  if (!first || !last || first === last || first.from > 0 || last.to < week / minute) return hours;
  return [...hours.slice(1, -1), { from: last.from, to: week / minute + first.to }];
}
