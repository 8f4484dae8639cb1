// A simulation as text: the scenario, its events by day, and the result.
import type { Scenario } from '../../sim/scenario/scenario.ts';
import type { Simulation, SimulationResult } from '../../sim/simulate.ts';
import { type ProseLine, proseOf } from '../../sim/story/prose.ts';
import type { EventKind, StoryEvent } from '../../sim/story/storyEvent.ts';
import type { Peak } from '../../sim/story/summary.ts';
import { between, day, hour, minute, pad, second } from '../../time/instant.ts';
import { type WallTime, wallTime, type Zone } from '../../time/zone.ts';
import { dayOfMonth, formatLength, formatTime, messageInZone, monthOf, weekdayOf } from '../formatTime.ts';
import {
  alignColumns,
  bold,
  count,
  dim,
  emptyLine,
  type Line,
  plain,
  type Span,
  type Style,
  styled,
  wrap,
} from '../span.ts';

export interface StoryView {
  readonly width: number;
  readonly zone: Zone;
}

export function opening(
  scenario: Scenario,
  { from, to }: Simulation,
  seed: number,
  { width, zone }: StoryView,
): Line[] {
  const controllers = scenario.controllers > 1 ? `, ${scenario.controllers} controllers` : '';
  const start = `${weekdayOf(wallTime(zone, from))} ${formatTime(from, zone)}`;
  const when = `${start}, ${formatLength(between(from, to))}, seed ${seed}${controllers}`;
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
  WaveBegun: 'green',
  RollHalted: 'yellow',
};

const spanOf = (kind: EventKind, text: string): Span => {
  const style = styles[kind];
  return style ? styled(style, text) : plain(text);
};

/** One event as it happens. */
export function eventLine({ at, kind, text }: StoryEvent, zone: Zone): Line {
  const wall = wallTime(zone, at);
  const seconds = pad(Math.floor((wall % minute) / second));
  return [dim(`${formatClock(wall)}:${seconds}  `), spanOf(kind, messageInZone(text, zone))];
}

export function storyLines(events: readonly StoryEvent[], { width, zone }: StoryView): Line[] {
  const prose = proseOf(events);
  if (prose.length === 0) return [[plain('Nothing happens.')], emptyLine];
  const days = Map.groupBy(prose, ({ at }) => Math.floor(wallTime(zone, at) / day));
  return [...days].flatMap(([number, lines]) => [
    [bold(dayName(number * day))],
    ...alignColumns(
      lines.map((line) => rowOf(line, zone)),
      { indent: 2, width },
    ),
    emptyLine,
  ]);
}

const rowOf = ({ at, to, kind, text }: ProseLine, zone: Zone): Line[] => [
  [dim(formatRange(wallTime(zone, at), wallTime(zone, to ?? at)))],
  [spanOf(kind, messageInZone(text, zone))],
];

/** `08:10`, `08:10–09:20`, and into another day `08:10–Wed 07:00`. */
function formatRange(from: WallTime, to: WallTime): string {
  if (Math.floor(from / minute) === Math.floor(to / minute)) return formatClock(from);
  const sameDay = Math.floor(from / day) === Math.floor(to / day);
  return `${formatClock(from)}–${sameDay ? '' : `${weekdayOf(to)} `}${formatClock(to)}`;
}

/** `08:10` */
function formatClock(wall: WallTime): string {
  const time = wall - Math.floor(wall / day) * day;
  return `${pad(Math.floor(time / hour))}:${pad(Math.floor((time % hour) / minute))}`;
}

const dayName = (wall: WallTime): string => `${weekdayOf(wall)} ${dayOfMonth(wall)} ${monthOf(wall)}`;

type SummaryRow = [name: string, text: Line];
const row = (name: string, text: string): SummaryRow => [name, [plain(text)]];

export function summaryLines({ expect }: Scenario, result: SimulationResult, { width, zone }: StoryView): Line[] {
  const { summary, rounds, requests, violations, broken, missing } = result;
  const { rolled, released, podsMoved, podsForced, hourly, longestWait, peaks, simulated } = summary;
  const rows: SummaryRow[] = [
    row('simulated', `${formatLength(simulated)}, in ${count(rounds, 'round')} and ${count(requests, 'request')}`),
    row('nodes rolled', describeRolled(rolled)),
    ...(released > 0 ? [row('released', released === 1 ? 'once' : count(released, 'time'))] : []),
    row('pods moved', `${podsMoved}${podsForced > 0 ? `, ${podsForced} deleted at their deadline` : ''}`),
    ...(hourly && hourly.from !== hourly.to
      ? [row('hourly cost', `${hourly.from} at the start, ${hourly.to} at the end`)]
      : []),
    ...(longestWait
      ? [row('longest wait', `${formatLength(longestWait.waited)}: ${longestWait.node}, ${longestWait.reason}`)]
      : []),
    ...(peaks.length > 0 ? [row('at a time', describePeaks(peaks))] : []),
    ['violations', violations.length === 0 ? [styled('green', 'none')] : [styled('red', String(violations.length))]],
    ...(expect.length > 0
      ? [['expectations', describeExpectations(expect.length, broken.length, missing.length)] satisfies SummaryRow]
      : []),
  ];
  return [
    [bold('Result')],
    ...alignColumns(
      rows.map(([name, line]) => [[plain(name)], line]),
      { indent: 2, width },
    ),
    ...violations.flatMap(({ at, rule, message }) =>
      alignColumns([[[styled('red', `${formatTime(at, zone)}  ${rule}`)], [plain(messageInZone(message, zone))]]], {
        indent: 2,
        width,
      }),
    ),
    ...broken.flatMap((sentence) => alignColumns([[[styled('red', '✗')], [plain(sentence)]]], { indent: 2, width })),
  ];
}

function describeRolled(rolled: Readonly<Record<string, number>>): string {
  const pools = Object.entries(rolled);
  return pools.length === 0 ? 'none' : pools.map(([pool, nodes]) => `${nodes} of ${pool}`).join(', ');
}

/** `web 2 of 3 (zone a 1 of 1, zone b 1 of 1); batch 1` */
function describePeaks(peaks: readonly Peak[]): string {
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

function describeExpectations(count: number, broken: number, missing: number): Line {
  if (broken > 0) return [styled('red', `not all ${count} met`)];
  if (missing > 0) return [styled('yellow', `${count - missing} of ${count} met so far`)];
  return [styled('green', count === 1 ? 'met' : `all ${count} met`)];
}
