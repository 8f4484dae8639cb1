// `lull explain`: reads a policy back in sentences, as the engine will read it, with the hours of the week as strips.

import type { Fault } from '../../cluster/fault.ts';
import { budgetReasons, type Reason } from '../../cluster/reason.ts';
import { amountOf } from '../../engine/rules/budgets.ts';
import { describeBoundBriefly, type PoolSize } from '../../explain/describeLimit.ts';
import { describePolicy, type NamedText, type PolicyText } from '../../explain/describePolicy.ts';
import type { PoolText } from '../../explain/describePool.ts';
import type { ReasonGroup } from '../../explain/describeRule.ts';
import type { Bound } from '../../explain/poolRule.ts';
import { type Segment, type StripDay, stripOf } from '../../explain/week.ts';
import { formatNodeCount } from '../../kinds/read/reader.ts';
import { formatTimeOfDay, weekdays, zoneLabel } from '../../time/describeClock.ts';
import { day, formatInstant, type Instant, minute } from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import type { ObjectFlags } from '../flags.ts';
import { dayOfMonth, formatTime, monthOf, weekdayOf } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { decisionTime, loadObjects, reportOrigin } from '../loadInput.ts';
import { type OutputFormat, printAnswer } from '../output.ts';
import { outputZone, type ZoneFlags, zoneLines } from '../outputZone.ts';
import {
  alignColumns,
  bold,
  count,
  dim,
  emptyLine,
  indented,
  type Line,
  plain,
  type Span,
  styled,
  wrap,
} from '../span.ts';

interface ExplainFlags extends ObjectFlags, ZoneFlags {
  readonly at?: Instant;
  readonly output: OutputFormat;
}

export async function explain(flags: ExplainFlags, io: Io): Promise<void> {
  const { input, settings, origin } = await loadObjects(flags, io);
  const now = decisionTime(flags, io);
  const words = describePolicy({ cluster: input.cluster, settings, now }, input.pods, input.templates);
  const zone = outputZone(flags, io);
  reportOrigin(origin, flags.output, io);
  await printAnswer(io, flags.output, {
    value: () => explanationAsJson(words, now),
    lines: () => [...renderExplanation(words, { now, width: io.width, zone }), ...zoneLines(zone)],
  });
}

const explanationAsJson = (words: PolicyText, now: Instant): Record<string, unknown> => ({
  at: formatInstant(now),
  pools: words.pools.map(poolAsJson),
  windows: words.windows.map(namedAsJson),
  ...(words.gates.length > 0 && { gates: words.gates.map(namedAsJson) }),
  podSchedules: words.podSchedules.map(namedAsJson),
  pods: words.pods,
  faults: words.faults.map(({ object, path, message, severity }) => ({ object, path, message, severity })),
  everywhere: words.everywhere,
});

const poolAsJson = ({ name, zone, size, blocked, groups, notes }: PoolText): Record<string, unknown> => ({
  name,
  zone: zone.name,
  nodes: size.counted,
  sentences: blocked === undefined ? [...groups.map(groupText), ...notes] : [`${name}: ${blocked}`],
  reasons: budgetReasons.flatMap((reason) => {
    const mine = groups.filter(({ reasons }) => reasons.includes(reason));
    const theirs = mine.find(({ reader }) => reader === 'Karpenter');
    return mine
      .filter((group) => group !== theirs)
      .map((group) => ({
        ...reasonAsJson(reason, group, size),
        ...(theirs && { karpenter: reasonAsJson(reason, theirs, size) }),
      }));
  }),
});

const groupText = ({ subject, text }: ReasonGroup): string => `${subject}: ${text}`;
const namedAsJson = ({ name, text }: NamedText): unknown => ({ name, sentence: `${name}: ${text}` });

function reasonAsJson(reason: Reason, group: ReasonGroup, size: PoolSize): Record<string, unknown> {
  const week = group.week.map((segment) => segmentAsJson(segment, size));
  return { reason, sentence: `${reason}: ${group.text}`, week };
}

/** Without closed, atMost and domains there is no limit. `limit` is today's number, if there are nodes to count. */
function segmentAsJson({ from, to, state }: Segment<Bound>, { counted }: PoolSize): Record<string, unknown> {
  const { count, percent } = state.cap ?? {};
  const limits = [count, percent === undefined || counted === 0 ? undefined : amountOf({ percent }, counted)];
  const known = limits.filter((limit) => limit !== undefined);
  const isKnown = state.cap && (counted > 0 || percent === undefined);
  return {
    from: formatWeekTime(from, 0),
    to: formatWeekTime(to, 1),
    ...(state.closed && { closed: true }),
    ...(isKnown && { limit: Math.min(...known) }),
    ...(state.cap && {
      atMost: [
        ...(count === undefined ? [] : [formatNodeCount({ count })]),
        ...(percent === undefined ? [] : [formatNodeCount({ percent })]),
      ],
    }),
    ...(state.domains.length > 0 && {
      domains: state.domains.map(({ topologyKey, nodes, sequential }) => ({
        topologyKey,
        nodes: formatNodeCount(nodes),
        sequential,
      })),
    }),
  };
}

/** `Mon 09:00`; an end at midnight is the day's `24:00`. */
function formatWeekTime(time: number, end: 0 | 1): string {
  const days = end ? Math.ceil(time / day) - 1 : Math.floor(time / day);
  return `${(weekdays[days] ?? '').slice(0, 3)} ${formatTimeOfDay((time - days * day) / minute)}`;
}

interface ExplainView {
  readonly now: Instant;
  readonly width: number;
  /** The zone of `now` only: hours are in the zone of their schedule. */
  readonly zone: Zone;
}

function renderExplanation(words: PolicyText, view: ExplainView): Line[] {
  const blocks = [
    ...words.pools.map((pool) => renderPool(pool, view)),
    renderNamed('windows', words.windows, view),
    renderNamed('health gates', words.gates, view),
    renderNamed('pod schedules', words.podSchedules, view),
    renderList(
      'pods',
      words.pods.map(({ sentence }) => sentence),
      view,
    ),
    renderFaults(words.faults, view),
    renderList('everywhere', words.everywhere, view),
  ].filter((block) => block.length > 0);
  if (blocks.length === 0)
    return [[plain('No policy in these objects: no pools, no windows, and no pods that restrict when they move.')]];
  return [[dim(`as of ${formatTime(view.now, view.zone)}`)], ...blocks.flatMap((block) => [emptyLine, ...block])];
}

function renderPool(pool: PoolText, { now, width }: ExplainView): Line[] {
  const { name, zone, size, blocked, groups, notes } = pool;
  if (blocked !== undefined) return renderSentence(`pool ${name}`, blocked, width);
  const hours = groups.some(({ week }) => week.length > 1) ? `, hours in ${zoneLabel(zone)}` : '';
  const summary = `${size.counted === 0 ? 'no nodes in the input' : count(size.counted, 'node')}${hours}`;
  return [
    [plain('pool '), bold(name), dim(`  ${summary}`)],
    ...groups.flatMap(({ subject, text }) => indented(renderSentence(subject, text, width - 2), 2)),
    ...bullets(notes, width),
    ...renderStrips(pool, now, width),
  ];
}

function renderSentence(subject: string, text: string, width: number): Line[] {
  const [first = [], ...others] = wrap([bold(`${subject}:`), plain(` ${text}`)], width - 2);
  return [first, ...indented(others, 2)];
}

const bullets = (sentences: readonly string[], width: number): Line[] =>
  alignColumns(
    sentences.map((sentence): Line[] => [[dim('-')], [plain(sentence)]]),
    { indent: 2, width },
  );

function renderNamed(title: string, its: readonly NamedText[], { width }: ExplainView): Line[] {
  const rows = its.map(({ name, text }): Line[] => [[bold(name)], [plain(text)]]);
  return rows.length === 0 ? [] : [[bold(title)], ...alignColumns(rows, { indent: 2, width })];
}

const renderList = (title: string, sentences: readonly string[], { width }: ExplainView): Line[] =>
  sentences.length === 0 ? [] : [[bold(title)], ...bullets(sentences, width)];

/** Invalid values that are not part of the texts above; `lull lint` reports the rest. */
function renderFaults(faults: readonly Fault[], { width }: ExplainView): Line[] {
  const rows = faults.map(({ object, path, message, severity }): Line[] => [
    [styled(severity === 'error' ? 'red' : 'yellow', severity)],
    [bold(`${object} ${path}`), plain(`: ${message}`)],
  ]);
  return rows.length === 0 ? [] : [[bold('invalid values')], ...alignColumns(rows, { indent: 2, width })];
}

/** Darker for larger limits; letters if there are more limits than shades. */
const shades: Readonly<Record<number, string>> = { 1: '▒', 2: '▒░', 3: '▓▒░' };
const letters = 'abcdefghijklmnopqrstuvwxyz';

/** One strip per group whose limit changes during the week. */
const renderStrips = ({ groups, size }: PoolText, now: Instant, width: number): Line[] =>
  groups.flatMap((group) => renderStrip(group, size, now, width));

function renderStrip({ subject, rule }: ReasonGroup, size: PoolSize, now: Instant, width: number): Line[] {
  if (!rule) return [];
  const days = stripOf(rule.changing, now);
  const states = [...new Set(days.flatMap(({ cells }) => cells))]
    .filter((state) => state !== undefined)
    .sort((a, b) => roomIn(b, size) - roomIn(a, size));
  if (states.length < 2) return [];
  const marks = marksOf(states);
  const hours = Array.from({ length: 8 }, (_, index) => String(index * 3).padEnd(6)).join('');
  const margin = width < fullWidth ? shortMargin : fullMargin;
  return [
    emptyLine,
    [plain(' '.repeat(margin)), bold(subject)],
    [plain(' '.repeat(margin)), dim(hours)],
    ...days.map((day) => renderDay(day, marks, width < fullWidth)),
    ...alignColumns(
      states.map((state): Line[] => [[marks.get(state) ?? plain(' ')], [dim(describeBoundBriefly(state, size))]]),
      { indent: margin, width },
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

/** A rough order for the shades: limits by domain are the smaller ones. */
function roomIn({ closed, cap, domains }: Bound, { counted }: PoolSize): number {
  if (closed) return 0;
  const { count = Infinity, percent = 100 } = cap ?? {};
  const most = cap ? Math.min(count, amountOf({ percent }, counted || 100)) : Infinity;
  return domains.length > 0 ? Math.min(most, 1) / 2 : most;
}

/** Narrower strips leave out the month and `today`. */
const fullWidth = 70;
const fullMargin = 15;
const shortMargin = 9;

function renderDay(
  { start, cells, isToday }: StripDay<Bound>,
  marks: ReadonlyMap<Bound, Span>,
  isShort: boolean,
): Line {
  const date = `${weekdayOf(start)} ${String(dayOfMonth(start)).padStart(2)}`;
  const name = isShort ? date : `${date} ${monthOf(start)}`;
  const spans = cells.map((state) => (state && marks.get(state)) ?? plain(' '));
  return [
    plain(`${isShort ? '' : '  '}${isToday ? '> ' : '  '}`),
    isToday ? bold(name) : plain(name),
    plain(' '),
    ...spans,
    plain(isToday && !isShort ? '  today' : ''),
  ];
}
