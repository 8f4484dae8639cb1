// What does the week look like for a reason? Seven rows of half-hours: full where nothing limits, shaded where something does, a dot where nothing goes.
import { amountOf } from '../engine/limits/budgets.ts';
import type { Bound } from '../lint/words/bound.ts';
import { type Size, sayBriefly } from '../lint/words/boundWords.ts';
import type { PoolWords } from '../lint/words/poolWords.ts';
import type { ReasonGroup } from '../lint/words/reasonGroup.ts';
import { type StripDay, stripOf } from '../lint/words/strip.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { dayOfMonth, monthOf, weekdayOf } from './moment.ts';
import { bold, dim, emptyLine, type Line, plain, type Span, styled } from './span.ts';

/** The more may go, the darker; letters where there are more limits than shades. */
const shades: Readonly<Record<number, string>> = { 1: '▒', 2: '▒░', 3: '▓▒░' };
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** A strip for each group whose hours differ; what holds all week needs none. */
export const renderStrips = ({ groups, size }: PoolWords, now: Instant, width: number): Line[] =>
  groups.flatMap((group) => renderStrip(group, size, now, width));

function renderStrip({ subject, rule }: ReasonGroup, size: Size, now: Instant, width: number): Line[] {
  if (!rule) return [];
  const days = stripOf(rule.changing, now);
  const states = [...new Set(days.flatMap(({ cells }) => cells))]
    .filter((state) => state !== undefined)
    .sort((a, b) => roomIn(b, size) - roomIn(a, size));
  if (states.length < 2) return [];
  const marks = marksOf(states);
  const hours = Array.from({ length: 8 }, (_, index) => String(index * 3).padEnd(6)).join('');
  return [
    emptyLine,
    [plain(' '.repeat(15)), bold(subject)],
    [plain(' '.repeat(15)), dim(hours)],
    ...days.map((day) => renderDay(day, marks)),
    ...alignColumns(
      states.map((state): Line[] => [[marks.get(state) ?? plain(' ')], [dim(sayBriefly(state, size))]]),
      { indent: 15, width },
    ),
  ];
}

function marksOf(states: readonly Bound[]): ReadonlyMap<Bound, Span> {
  const limits = states.filter((state) => !state.closed && isLimited(state));
  const marks = shades[limits.length] ?? letters;
  return new Map(
    states.map((state) => {
      if (state.closed) return [state, dim('·')];
      return [state, isLimited(state) ? styled('green', marks[limits.indexOf(state)] ?? '?') : styled('yellow', '█')];
    }),
  );
}

const isLimited = ({ cap, domains }: Bound): boolean => cap !== undefined || domains.length > 0;

/** Rough, but enough to tell darker from lighter: limits by domain are the narrower ones. */
function roomIn({ closed, cap, domains }: Bound, { counted }: Size): number {
  if (closed) return 0;
  const { count = Infinity, percent = 100 } = cap ?? {};
  const most = cap ? Math.min(count, amountOf({ percent }, counted || 100)) : Infinity;
  return domains.length > 0 ? Math.min(most, 1) / 2 : most;
}

function renderDay({ start, cells, isToday }: StripDay<Bound>, marks: ReadonlyMap<Bound, Span>): Line {
  const name = `${weekdayOf(start)} ${String(dayOfMonth(start)).padStart(2)} ${monthOf(start)}`;
  const spans = cells.map((state) => (state && marks.get(state)) ?? plain(' '));
  return [
    plain(isToday ? '  > ' : '    '),
    isToday ? bold(name) : plain(name),
    plain(' '),
    ...spans,
    plain(isToday ? '  today' : ''),
  ];
}
