// What holds for a reason, in sentences? Every hour of the week is named, so that none is overlooked.

import type { Budget } from '../../cluster/model.ts';
import { day, type Instant } from '../../time/instant.ts';
import { offsetAt, wallTime, type Zone } from '../../time/zone.ts';
import type { Bound } from './bound.ts';
import { type Size, sayBound } from './boundWords.ts';
import { minuteOfDay, sayClock, sayDate, sayPlainDate } from './clockWords.ts';
import { type HourWords, inZone, sayHours } from './hourWords.ts';
import { andList } from './lists.ts';
import type { Clause, ReasonRule } from './poolRule.ts';
import { differences, hoursOf, type Segment, type Stretch } from './week.ts';
import { sayWindow } from './windowWords.ts';
import type { Season } from './year.ts';

export interface Circumstances {
  readonly zone: Zone;
  readonly size: Size;
  readonly now: Instant;
}

interface Telling extends Circumstances {
  /** Whose details were said already. */
  readonly told: Set<Budget>;
}

/** One sentence for the week, and one for each thing that no week tells. Without the reason, and without full stops. */
export function sayRule({ year, clauses, windows, further }: ReasonRule, circumstances: Circumstances): string[] {
  const telling: Telling = { ...circumstances, told: new Set() };
  const included = windows.length > 0 ? `; ${sayNames(windows)} included` : '';
  const besides = further.length > 0 ? `; see ${sayNames(further)} too` : '';
  return [
    `${sayWeek(year.usual, telling)}${included}${besides}`,
    ...clauses.map((clause) => sayClause(clause, year.usual, telling)),
    ...year.seasons.map((season) => saySeason(season, year.usual, telling)),
    ...sayOdd(year.odd, telling),
  ];
}

const saySo = (bound: Bound, { size, told }: Telling): string => sayBound(bound, size, told);

const sayNames = (windows: ReasonRule['windows']): string =>
  `${windows.length === 1 ? 'window' : 'windows'} ${andList(windows.map(({ name }) => name))}`;

/** So many pieces of hours may follow “at all other times”. */
const mostPieces = 4;

type Week = readonly Segment<Bound>[];

function sayWeek(week: Week, telling: Telling): string {
  const told = hoursByState(week);
  const [only, ...more] = told;
  if (only && more.length === 0) return only.state.closed ? 'at no time' : `any time, ${saySo(only.state, telling)}`;
  const rest = told.pop() as Told;
  const restHours = rest.hours.pieces <= mostPieces && !rest.hours.most ? ` (${rest.hours.text})` : '';
  return [...sayAll(told, telling), `at all other times${restHours}, ${saySo(rest.state, telling)}`].join('; ');
}

interface Told {
  readonly state: Bound;
  readonly hours: HourWords;
}

/** Those of few pieces first, but what is nearly the whole week last; of two alike what is closed first. */
const hoursByState = (week: Week): Told[] =>
  [...new Set(week.map(({ state }) => state))]
    .map((state) => ({ state, hours: sayHours(hoursOf(week, state)) }))
    .sort(
      (a, b) =>
        Number(a.hours.most ?? false) - Number(b.hours.most ?? false) ||
        a.hours.pieces - b.hours.pieces ||
        Number(b.state.closed) - Number(a.state.closed),
    );

/** The clock is named once. */
const sayAll = (told: readonly Told[], telling: Telling): string[] =>
  told.map(
    ({ state, hours }, index) =>
      `${index === 0 ? inZone(hours.text, telling.zone) : hours.text}, ${saySo(state, telling)}`,
  );

function sayClause({ budget, week }: Clause, usual: Week, telling: Telling): string {
  return `But ${budget.window ? sayWindow(budget.window, telling.now) : ''}: ${sayInstead(week, usual, telling)}`;
}

function saySeason({ from, to, week }: Season<Bound>, usual: Week, telling: Telling): string {
  const [first, last] = [from, to].map((at) => sayPlainDate(wallTime(telling.zone, at)));
  return `From ${first} to ${last}, when clocks are set otherwise: ${sayInstead(week, usual, telling)}`;
}

/** Only what differs: who reads on knows the rest. */
function sayInstead(week: Week, usual: Week, telling: Telling): string {
  const [only, ...others] = new Set(week.map(({ state }) => state));
  if (only && others.length === 0) return saySo(only, telling);
  return sayAll(hoursByState(differences(week, usual)), telling).join('; ');
}

function sayOdd(odd: readonly Stretch<Bound>[], telling: Telling): string[] {
  const { zone } = telling;
  const byDay = Map.groupBy(odd, ({ from }) => Math.floor(wallTime(zone, from) / day));
  return [...byDay].map(([days, its]) => {
    const hours = its.map((stretch) => `${sayStretch(stretch, zone)} ${saySo(stretch.state, telling)}`);
    return `On ${sayDate(days * day)}, when clocks change, ${hours.join('; ')}`;
  });
}

function sayStretch({ from, to }: Stretch<Bound>, zone: Zone): string {
  const [start, end] = [from, to].map((at) => minuteOfDay(wallTime(zone, at))) as [number, number];
  const again = from < zone.stretchAt(from).repeatedUntil ? 'the second ' : '';
  const sameDay = Math.floor(wallTime(zone, from) / day) === Math.floor(wallTime(zone, to) / day);
  const lasts = offsetAt(zone, from) === offsetAt(zone, to) && (sameDay || end === 0);
  if (lasts) return `${again}${sayClock(start)}–${sayClock(end === 0 ? 1440 : end)}`;
  return `${again}${sayClock(start)} until ${sayDate(wallTime(zone, to))} ${sayClock(end)}`;
}
