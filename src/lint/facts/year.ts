// Which hours of a year are alike? The year of an instant, cut wherever one of some windows opens or closes.
import { asInstant, civilFromDays, day, daysFromCivil, earliest, type Instant } from '../../time/instant.ts';
import type { Window } from '../../time/window.ts';

/** Start in, end out. */
export interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

const daysAside = 7;

/** The calendar year, with both changes of its clocks, and a week on either side so that its stretches are seen whole. */
export function yearAround(now: Instant): Span {
  const { year } = civilFromDays(Math.floor(now / day));
  return {
    from: asInstant((daysFromCivil(year, 1, 1) - daysAside) * day),
    to: asInstant((daysFromCivil(year + 1, 1, 1) + daysAside) * day),
  };
}

/** What opens every few minutes is followed for so many changes, not for the whole year. */
const mostCuts = 6000;

/** Within each of these spans none of the windows changes. */
export function* cutAtChanges(windows: readonly Window[], { from, to }: Span): Generator<Span> {
  let at = from;
  for (let cut = 0; at < to && cut < mostCuts; cut++) {
    let next: Instant | undefined;
    for (const window of windows) next = earliest(next, window.nextChange(at));
    const end = next === undefined || next > to ? to : next;
    yield { from: at, to: end };
    at = end;
  }
}

/** The hours of a year at which a window is open. */
export const openSpans = (window: Window, year: Span): Span[] =>
  joinTouching([...cutAtChanges([window], year)].filter(({ from }) => window.isOpen(from)));

/** Spans in order, those that touch as one. */
export function joinTouching(spans: readonly Span[]): Span[] {
  const joined: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1);
    if (last && last.to >= span.from) joined[joined.length - 1] = { from: last.from, to: span.to };
    else joined.push(span);
  }
  return joined;
}

/** What is left of a year without these hours. */
export function otherHours(spans: readonly Span[], { from, to }: Span): Span[] {
  const others: Span[] = [];
  let at = from;
  for (const span of spans) {
    if (span.from > at) others.push({ from: at, to: span.from });
    at = span.to;
  }
  return at < to ? [...others, { from: at, to }] : others;
}
