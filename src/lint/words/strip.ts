// What holds in each half-hour of the week that a moment lies in? For strips on a screen; real dates, so that what comes once a month shows too.
import { day, type Instant, minute } from '../../time/instant.ts';
import { firstInstantOf, type WallTime, wallTime } from '../../time/zone.ts';
import { type Changing, mondayOf, stretches } from './week.ts';

export interface StripDay<State> {
  /** Its midnight on the wall. */
  readonly start: WallTime;
  /** The state that holds longest in each half-hour; undefined where the clock skips it. */
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
  for (const stretch of stretches(changing, from, to))
    lengths.set(stretch.state, (lengths.get(stretch.state) ?? 0) + stretch.to - stretch.from);
  return [...lengths].reduce((most, each) => (each[1] > most[1] ? each : most))[0];
}
