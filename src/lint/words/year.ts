// Is every week of the coming year like this one? Where clocks are changed, hours move, are skipped or come twice.
import { asInstant, day, earliest, type Instant } from '../../time/instant.ts';
import { offsetAt, wallTime, type Zone } from '../../time/zone.ts';
import { type Changing, type Segment, type Stretch, sameWeek, sinceMonday, stretches, week, weekFrom } from './week.ts';

/** A time of the year whose weeks are unlike the usual one. */
export interface Season<State> {
  readonly from: Instant;
  readonly to: Instant;
  readonly week: readonly Segment<State>[];
}

export interface Year<State> {
  /** The week as it is now. */
  readonly usual: readonly Segment<State>[];
  readonly seasons: readonly Season<State>[];
  /** Stretches around a change of the clocks in which the week of that season does not hold. */
  readonly odd: readonly Stretch<State>[];
}

/** A year and a day either side of the weeks at its ends. */
const ahead = 53 * week;
const behind = week + day;

/** `zones`: all clocks that the state hangs on, its own among them. */
export function yearOf<State>(changing: Changing<State>, zones: readonly Zone[], now: Instant): Year<State> {
  const start = asInstant(now - behind);
  const end = asInstant(now + ahead);
  const spells = spellsOf(zones, start, end).map((spell) => ({ ...spell, week: weekIn(changing, spell) }));
  const usual = spells.find((spell) => spell.to > now && spell.week)?.week ?? weekFrom(changing, now);
  const seasons = spells.filter((spell) => spell.week !== undefined && !sameWeek(spell.week, usual)) as Season<State>[];
  // Where no clock is changed, one week is like another.
  const odd =
    spells.length < 2 ? [] : spells.flatMap((spell) => oddIn(changing, { ...spell, week: spell.week ?? usual }, now));
  return { usual, seasons: mergeSeasons(seasons).filter(({ to }) => to > now), odd };
}

/** A time during which no clock is changed. */
interface Spell {
  readonly from: Instant;
  readonly to: Instant;
}

export function spellsOf(zones: readonly Zone[], start: Instant, end: Instant): Spell[] {
  const spells: Spell[] = [];
  const offsets = (at: Instant): string => zones.map((zone) => offsetAt(zone, at)).join();
  for (let at = start; at < end; ) {
    const next = zones.map((zone) => zone.stretchAt(at).end).reduce(earliest, end) as Instant;
    const last = spells.at(-1);
    if (last && offsets(last.from) === offsets(at)) spells[spells.length - 1] = { from: last.from, to: next };
    else spells.push({ from: at, to: next });
    at = next;
  }
  return spells;
}

/** Its week; undefined where it is too short for one, and all that is unusual in it is told by the day. From its second Monday where it has one: openings from before it are over then. */
function weekIn<State>(changing: Changing<State>, { from, to }: Spell): readonly Segment<State>[] | undefined {
  if (to - from < week) return undefined;
  const nextMonday = asInstant(from + week - sinceMonday(wallTime(changing.zone, from)));
  const secondMonday = asInstant(nextMonday + week);
  return weekFrom(changing, [secondMonday, nextMonday].find((start) => start + week <= to) ?? from);
}

function mergeSeasons<State>(seasons: readonly Season<State>[]): Season<State>[] {
  const merged: Season<State>[] = [];
  for (const season of seasons) {
    const last = merged.at(-1);
    if (last && last.to === season.from && sameWeek(last.week, season.week))
      merged[merged.length - 1] = { ...last, to: season.to };
    else merged.push(season);
  }
  return merged;
}

/** What is otherwise than the week of the spell says: only where it begins, since what began before the clocks changed ends there. */
function oddIn<State>(
  changing: Changing<State>,
  { from, to, week: expected }: Season<State>,
  now: Instant,
): Stretch<State>[] {
  const odd: Stretch<State>[] = [];
  const offset = offsetAt(changing.zone, from);
  const settled = asInstant(Math.min(to, from + 2 * week));
  for (const stretch of stretches(changing, from, settled)) {
    for (let at = stretch.from; at < stretch.to; ) {
      const since = sinceMonday(at + offset);
      const segment = expected.find((it) => it.from <= since && since < it.to) as Segment<State>;
      const end = asInstant(Math.min(stretch.to, at + (segment.to - since)));
      if (segment.state !== stretch.state && end > now) append(odd, { from: at, to: end, state: stretch.state });
      at = end;
    }
  }
  return odd;
}

function append<State>(odd: Stretch<State>[], next: Stretch<State>): void {
  const last = odd.at(-1);
  if (last && last.to === next.from && last.state === next.state) odd[odd.length - 1] = { ...last, to: next.to };
  else odd.push(next);
}
