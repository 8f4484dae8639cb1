// How is a simulation told to people? What it is about, the story in prose, and what came of it.
import type { Scenario } from '../sim/scenario/scenario.ts';
import type { Result, Simulation } from '../sim/simulate.ts';
import { type EventKind, instantAsText, type StoryEvent } from '../sim/story/event.ts';
import { type ProseLine, proseOf } from '../sim/story/prose.ts';
import type { Peak } from '../sim/story/summary.ts';
import { between, day, type Instant, minute, pad, second } from '../time/instant.ts';
import { alignColumns, wrap } from './columns.ts';
import { dayOfMonth, monthOf, sayLength, sayUtc, weekdayOf } from './moment.ts';
import { count } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, type Span, type Style, styled } from './span.ts';

export function opening(scenario: Scenario, { from, to }: Simulation, seed: number, width: number): Line[] {
  const crew = scenario.controllers > 1 ? `, ${scenario.controllers} controllers` : '';
  const when = `${weekdayOf(from)} ${sayUtc(from)}, ${sayLength(between(from, to))}, seed ${seed}${crew}`;
  const story = scenario.story.replace(/\s+/g, ' ');
  return [
    [bold(scenario.name), dim(`  ${when}`)],
    ...(story === '' ? [] : [emptyLine, ...wrap([plain(story)], width)]),
    emptyLine,
  ];
}

const styles: Partial<Readonly<Record<EventKind, Style>>> = {
  Fault: 'red',
  NodeNotReady: 'red',
  Happening: 'cyan',
  LoadChanged: 'cyan',
  WindowOpened: 'yellow',
  WindowClosed: 'yellow',
  TurnTaken: 'green',
  TurnPassed: 'green',
};

const spanOf = (kind: EventKind, text: string): Span => {
  const style = styles[kind];
  return style ? styled(style, text) : plain(text);
};

/** One event as it happens. */
export const eventLine = ({ at, kind, text }: StoryEvent): Line => [
  dim(`${timeOf(at)}:${pad(Math.floor((at % minute) / second))}  `),
  spanOf(kind, text),
];

export function storyLines(events: readonly StoryEvent[], width: number): Line[] {
  const prose = proseOf(events);
  if (prose.length === 0) return [[plain('Nothing happens.')], emptyLine];
  const days = Map.groupBy(prose, ({ at }) => Math.floor(at / day));
  return [...days.values()].flatMap((lines) => [
    [bold(dayName(lines[0]?.at as Instant))],
    ...alignColumns(lines.map(rowOf), { indent: 2, width }),
    emptyLine,
  ]);
}

const rowOf = ({ at, to, kind, text }: ProseLine): Line[] => [[dim(stretchOf(at, to ?? at))], [spanOf(kind, text)]];

/** `08:10`, `08:10–09:20`, and into another day `08:10–Wed 07:00`. */
function stretchOf(at: Instant, to: Instant): string {
  if (Math.floor(at / minute) === Math.floor(to / minute)) return timeOf(at);
  const sameDay = Math.floor(at / day) === Math.floor(to / day);
  return `${timeOf(at)}–${sameDay ? '' : `${weekdayOf(to)} `}${timeOf(to)}`;
}

const timeOf = (at: Instant): string => instantAsText(at).slice('2026-11-16T'.length, '2026-11-16T08:10'.length);

const dayName = (at: Instant): string => `${weekdayOf(at)} ${dayOfMonth(at)} ${monthOf(at)}`;

type Row = [name: string, says: Line];
const row = (name: string, says: string): Row => [name, [plain(says)]];

export function summaryLines({ expect }: Scenario, result: Result, width: number): Line[] {
  const { summary, rounds, requests, violations, broken, missing } = result;
  const { rolled, released, podsMoved, podsForced, hourly, longestWait, peaks, simulated } = summary;
  const rows: Row[] = [
    row('simulated', `${sayLength(simulated)}, in ${count(rounds, 'round')} and ${count(requests, 'request')}`),
    row('nodes rolled', rolledInWords(rolled)),
    ...(released > 0 ? [row('let go again', released === 1 ? 'once' : count(released, 'time'))] : []),
    row('pods moved', `${podsMoved}${podsForced > 0 ? `, and ${podsForced} deleted at their deadline` : ''}`),
    ...(hourly && hourly.from !== hourly.to
      ? [row('costs', `${hourly.to} an hour at the end, ${hourly.from} at the start`)]
      : []),
    ...(longestWait
      ? [row('longest wait', `${sayLength(longestWait.waited)}: ${longestWait.node}, ${longestWait.reason}`)]
      : []),
    ...(peaks.length > 0 ? [row('at once', peaksInWords(peaks))] : []),
    ['violations', violations.length === 0 ? [styled('green', 'none')] : [styled('red', String(violations.length))]],
    ...(expect.length > 0
      ? [['expected', expectedInWords(expect.length, broken.length, missing.length)] satisfies Row]
      : []),
  ];
  return [
    [bold('What came of it')],
    ...alignColumns(
      rows.map(([name, line]) => [[plain(name)], line]),
      { indent: 2, width },
    ),
    ...violations.flatMap(({ at, rule, message }) =>
      alignColumns([[[styled('red', `${instantAsText(at)}  ${rule}`)], [plain(message)]]], { indent: 2, width }),
    ),
    ...broken.flatMap((sentence) => alignColumns([[[styled('red', '✗')], [plain(sentence)]]], { indent: 2, width })),
  ];
}

function rolledInWords(rolled: Readonly<Record<string, number>>): string {
  const pools = Object.entries(rolled);
  return pools.length === 0 ? 'none' : pools.map(([pool, nodes]) => `${nodes} of ${pool}`).join(', ');
}

/** `web 2 of 3 (zone a 1 of 1, zone b 1 of 1); batch 1` */
function peaksInWords(peaks: readonly Peak[]): string {
  const pools = Map.groupBy(peaks, ({ pool }) => pool);
  return [...pools]
    .map(([pool, own]) => {
      const whole = own.filter(({ domain }) => domain === undefined).map((peak) => `${pool} ${share(peak)}`);
      const parts = own.filter(({ domain, limit }) => domain !== undefined && limit !== undefined);
      const domains = parts.map((peak) => `${peak.domain} ${share(peak)}`);
      return `${whole.join()}${domains.length > 0 ? ` (${domains.join(', ')})` : ''}`;
    })
    .join('; ');
}

const share = ({ nodes, limit }: Peak): string => `${nodes}${limit === undefined ? '' : ` of ${limit}`}`;

function expectedInWords(count: number, broken: number, missing: number): Line {
  if (broken > 0) return [styled('red', `not all of the ${count} came`)];
  if (missing > 0) return [styled('yellow', `${count - missing} of ${count} came so far`)];
  return [styled('green', count === 1 ? 'came' : `all ${count} came`)];
}
