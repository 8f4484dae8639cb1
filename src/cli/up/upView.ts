// The screen of `lull up`: the grid, the turn, commands under way, what is held and why, what comes next, and the last events.
import type { RefusalCode } from '../../engine/refusal.ts';
import type { Round, Verdict } from '../../engine/verdict.ts';
import { type CommandWhy, describeCommand, explainCommand, type WhyContext } from '../../engine/why/commandWhy.ts';
import { describeHold, nearestWish } from '../../engine/why/wishWhy.ts';
import type { DecidedRound } from '../../server/roundSource.ts';
import type { StoryEvent } from '../../sim/story/storyEvent.ts';
import { asDuration, asInstant, between, earliest, formatInstant, type Instant } from '../../time/instant.ts';
import { wallTime, type Zone } from '../../time/zone.ts';
import { answerInZone, dayOfMonth, formatLength, monthOf, type TimeView, weekdayOf } from '../formatTime.ts';
import type { Io } from '../io.ts';
import { eventLine } from '../simulate/simulateText.ts';
import { alignColumns, bold, dim, emptyLine, type Line, paint, plain, styled } from '../span.ts';
import { clip, countNodes, isWaiting, renderGrid, renderLegend } from './upGrid.ts';

export interface Showing {
  readonly title: string;
  readonly url: string;
  readonly now: Instant;
  readonly speed: number;
  readonly isOver: boolean;
  /** What the user should know about it. */
  readonly notes: readonly string[];
  /** The zone that times are printed in. */
  readonly zone: Zone;
  /** Absent before the first round. */
  readonly decided: Pick<DecidedRound, 'round' | 'cluster' | 'role'> | undefined;
  /** The newest last. */
  readonly events: readonly StoryEvent[];
}

interface ScreenSize {
  readonly rows: number;
  readonly columns: number;
}

/** At least this many lines show events, whatever else there is. */
const leastEvents = 3;

export function renderUp(showing: Showing, { rows, columns }: ScreenSize): Line[] {
  const top = [...head(showing), emptyLine, ...body(showing, columns), emptyLine];
  const room = Math.max(leastEvents, rows - 1 - top.length);
  const last = showing.events.slice(-room).map((event) => eventLine(event, showing.zone));
  const fitting = [...top.slice(0, Math.max(0, rows - 1 - Math.min(room, last.length))), ...last];
  return [...fitting, foot].map((line) => clip(line, columns));
}

const foot: Line = [dim('Ctrl-C quits. Elsewhere: lull why NODE, pause, resume')];

function head({ title, url, now, speed, isOver, notes, zone, decided }: Showing): Line[] {
  const nodes = decided ? `  ${countNodes(decided.cluster)}` : '';
  return [
    [
      bold('lull'),
      plain(`  ${title}  `),
      styled('cyan', sayClock(now, zone)),
      dim(zone.name === 'UTC' ? '' : ` ${zone.name}`),
      dim(isOver ? '  the scenario is over' : `  ×${speed}`),
      dim(nodes),
    ],
    // A line of its own: it must be readable in full on a narrow terminal.
    [dim(url)],
    ...notes.map((note): Line => [styled('yellow', note)]),
  ];
}

/** `Sat 21 Nov 21:50:15` */
function sayClock(now: Instant, zone: Zone): string {
  const wall = wallTime(zone, now);
  return `${weekdayOf(wall)} ${dayOfMonth(wall)} ${monthOf(wall)} ${timeOf(now, zone)}`;
}

function body({ decided, now, speed, zone }: Showing, width: number): Line[] {
  if (!decided) return [[dim('starting the cluster …')]];
  const { round, cluster, role } = decided;
  const rows: Line[][] = [
    ...turnRows(round),
    ...underwayRows({ round, role }, { now, zone }),
    ...heldRow(round, zone),
    [[dim('next')], nextChange(round, { now, zone, speed })],
  ];
  return [
    ...renderGrid(cluster, round, width),
    renderLegend(cluster, round),
    emptyLine,
    // Cut at the edge of the screen, not wrapped, so that the picture does not jump.
    ...alignColumns(rows, { indent: 0, width: Number.MAX_SAFE_INTEGER }),
  ];
}

function turnRows({ ledger, domains }: Round): Line[][] {
  return ledger.turns.map(({ pool, domain, topologyKey }) => {
    const mine = domains.filter((it) => it.pool === pool && it.topologyKey === topologyKey);
    const waiting = mine.filter(({ state }) => state === 'waiting').map((it) => it.domain ?? '-');
    const state = mine.find((it) => it.domain === domain)?.state;
    const then = waiting.length > 0 ? `, then ${waiting.join(', ')}` : ', the last one';
    return [
      [dim('turn')],
      [
        plain(`${pool}: `),
        styled('green', domain ?? 'unlabelled'),
        plain(`${state === 'settling' ? ' settles' : ''}${then}`),
      ],
    ];
  });
}

const mostUnderway = 4;

function underwayRows(told: WhyContext, view: TimeView): Line[][] {
  const { commands } = told.round;
  const rows = commands.slice(0, mostUnderway).map((command): Line[] => {
    const names = command.nodes.map(({ name }) => name).join(', ');
    return [
      [dim('under way')],
      [styled('yellow', names), plain(` ${describeInZone(explainCommand(command, told), view)}`)],
    ];
  });
  const more = commands.length - rows.length;
  return more > 0 ? [...rows, [[], [dim(`and ${more} more`)]]] : rows;
}

/** The sentence about a command, with its times in the zone. */
function describeInZone(command: CommandWhy, view: TimeView): string {
  return answerInZone({ command, text: describeCommand(command, view.now) }, view).text;
}

/** Holds that an owner can lift are shown before those that only wait in a queue. */
const queueing: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'NotItsTurn',
  'DomainSettling',
  'WaveSettling',
  'WaveFull',
  'Nominated',
] as const);

function heldRow(round: Round, zone: Zone): Line[][] {
  const held = round.verdicts.filter(isWaiting);
  const isRuled = ({ refusals }: Verdict): boolean => refusals.some(({ code }) => !queueing.has(code));
  const told = nearestWish(held.filter(isRuled)) ?? nearestWish(held);
  if (!told) return [];
  const nodes = new Set(held.map(({ node }) => node)).size;
  const title = nodes > 1 ? `held ${nodes}` : 'held';
  const { text } = answerInZone({ told, text: describeHold(told, round) }, { now: round.at, zone });
  return [[[dim(title)], [styled('yellow', told.node), plain(` ${text}`)]]];
}

interface PlayView extends TimeView {
  readonly speed: number;
}

/** The next window or budget that opens or closes, otherwise the next scheduled round. */
function nextChange(round: Round, view: PlayView): Line {
  const { now } = view;
  const windows = round.windows.filter(({ nextChange: at }) => at !== undefined && at > now);
  const pods = round.pods.filter(({ movableAt }) => movableAt !== undefined && movableAt > now);
  const [window] = windows.toSorted((a, b) => (a.nextChange ?? 0) - (b.nextChange ?? 0));
  const [pod] = pods.toSorted((a, b) => (a.movableAt ?? 0) - (b.movableAt ?? 0));
  const first = earliest(window?.nextChange, pod?.movableAt);
  if (first === undefined)
    return [plain(round.wakeAt === undefined ? 'nothing is scheduled' : `next round ${when(round.wakeAt, view)}`)];
  if (first === window?.nextChange)
    return [plain(`${window.name} ${window.open ? 'closes' : 'opens'} ${when(first, view)}`)];
  return [plain(`pod ${pod?.namespace}/${pod?.name} may be moved ${when(first, view)}`)];
}

/** `22:00:00, in 8m (24s here)` */
function when(at: Instant, { now, zone, speed }: PlayView): string {
  const length = asDuration(Math.max(0, between(now, at)));
  const here = speed === 1 ? '' : ` (${formatLength(asDuration(length / speed))} here)`;
  return `at ${timeOf(at, zone)}, in ${formatLength(length)}${here}`;
}

const timeOf = (at: Instant, zone: Zone): string =>
  formatInstant(asInstant(wallTime(zone, at))).slice('2026-11-21T'.length, -1);

const enter = '\x1b[?1049h\x1b[?25l';
const leave = '\x1b[?25h\x1b[?1049l';
const home = '\x1b[H';
const clearLine = '\x1b[K';
const clearBelow = '\x1b[J';

interface Screen {
  draw(lines: readonly Line[]): void;
  /** Safe to call twice. */
  close(): void;
}

/** Uses the terminal's alternate screen: the earlier content comes back when it is closed. */
export function openScreen(io: Io): Screen {
  let last = '';
  let isOpen = true;
  io.stdout(enter, 'screen');
  return {
    draw: (lines) => {
      const picture = paint(lines, io.color).replaceAll('\n', `${clearLine}\r\n`);
      if (!isOpen || picture === last) return;
      last = picture;
      // The last line break would scroll a full screen.
      io.stdout(`${home}${picture.replace(/\r\n$/, '')}${clearBelow}`, 'screen');
    },
    close: () => {
      if (isOpen) io.stdout(leave, 'screen');
      isOpen = false;
    },
  };
}
