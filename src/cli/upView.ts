// What does `lull up` show? The cluster as a grid, whose turn it is, what is under way, what is held and why, what comes next, and what happened last.
import type { RefusalCode } from '../engine/refusal.ts';
import type { Round, Verdict } from '../engine/verdict.ts';
import { explainCommand, sayCommand, type Told } from '../engine/why/commandWhy.ts';
import { nearestWish, sayHeld } from '../engine/why/wishWhy.ts';
import type { Decided } from '../server/source.ts';
import type { StoryEvent } from '../sim/story/event.ts';
import { asDuration, between, earliest, formatInstant, type Instant } from '../time/instant.ts';
import { clip } from './clip.ts';
import { alignColumns } from './columns.ts';
import { dayOfMonth, monthOf, sayLength, weekdayOf } from './moment.ts';
import { eventLine } from './simulateText.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';
import { countNodes, isWaiting, renderGrid, renderLegend } from './upGrid.ts';

export interface Showing {
  readonly title: string;
  readonly url: string;
  readonly now: Instant;
  readonly speed: number;
  readonly isOver: boolean;
  /** What a person should know about it. */
  readonly notes: readonly string[];
  /** Absent before the first round. */
  readonly decided: Pick<Decided, 'round' | 'cluster' | 'role'> | undefined;
  /** The newest last. */
  readonly events: readonly StoryEvent[];
}

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

/** Events are worth at least so many lines, whatever else there is. */
const leastEvents = 3;

export function renderUp(showing: Showing, { rows, columns }: Size): Line[] {
  const top = [...head(showing), emptyLine, ...body(showing, columns), emptyLine];
  const room = Math.max(leastEvents, rows - 1 - top.length);
  const last = showing.events.slice(-room).map(eventLine);
  const fitting = [...top.slice(0, Math.max(0, rows - 1 - Math.min(room, last.length))), ...last];
  return [...fitting, foot].map((line) => clip(line, columns));
}

const foot: Line = [dim('Ctrl-C ends it. Elsewhere: lull why NODE · lull pause · lull resume · lull turn pass POOL')];

function head({ title, url, now, speed, isOver, notes, decided }: Showing): Line[] {
  const nodes = decided ? `  ${countNodes(decided.cluster)}` : '';
  return [
    [
      bold('lull'),
      plain(`  ${title}  `),
      styled('cyan', sayClock(now)),
      dim(isOver ? '  the scenario is over' : `  ×${speed}`),
      dim(`${nodes}  ${url}`),
    ],
    ...notes.map((note): Line => [styled('yellow', note)]),
  ];
}

/** `Sat 21 Nov 21:50:15` */
function sayClock(now: Instant): string {
  return `${weekdayOf(now)} ${dayOfMonth(now)} ${monthOf(now)} ${timeOf(now)}`;
}

function body({ decided, now, speed }: Showing, width: number): Line[] {
  if (!decided) return [[dim('the cluster comes up …')]];
  const { round, cluster, role } = decided;
  const rows: Line[][] = [
    ...turnRows(round),
    ...underwayRows({ round, role }, now),
    ...heldRow(round),
    [[dim('next')], nextChange(round, now, speed)],
  ];
  return [
    ...renderGrid(cluster, round, width),
    renderLegend(cluster, round),
    emptyLine,
    // Cut at the edge of the screen, not wrapped: the picture stands still while it changes.
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

function underwayRows(told: Told, now: Instant): Line[][] {
  const { commands } = told.round;
  const rows = commands.slice(0, mostUnderway).map((command): Line[] => {
    const names = command.nodes.map(({ name }) => name).join(', ');
    return [[dim('moving')], [styled('yellow', names), plain(` ${sayCommand(explainCommand(command, told), now)}`)]];
  });
  const more = commands.length - rows.length;
  return more > 0 ? [...rows, [[], [dim(`and ${more} more`)]]] : rows;
}

/** What its owner could do something about is told before what only waits for its place in the queue. */
const queueing: ReadonlySet<RefusalCode> = new Set([
  'BudgetSpent',
  'DomainBudgetSpent',
  'NotItsTurn',
  'DomainSettling',
  'Nominated',
] as const);

function heldRow(round: Round): Line[][] {
  const held = round.verdicts.filter(isWaiting);
  const isRuled = ({ refusals }: Verdict): boolean => refusals.some(({ code }) => !queueing.has(code));
  const told = nearestWish(held.filter(isRuled)) ?? nearestWish(held);
  if (!told) return [];
  const nodes = new Set(held.map(({ node }) => node)).size;
  const title = nodes > 1 ? `held ${nodes}` : 'held';
  return [[[dim(title)], [styled('yellow', told.node), plain(` ${sayHeld(told, round)}`)]]];
}

/** The next window or budget that opens or closes; else when it looks again by itself. */
function nextChange(round: Round, now: Instant, speed: number): Line {
  const windows = round.windows.filter(({ nextChange: at }) => at !== undefined && at > now);
  const pods = round.pods.filter(({ movableAt }) => movableAt !== undefined && movableAt > now);
  const [window] = windows.toSorted((a, b) => (a.nextChange ?? 0) - (b.nextChange ?? 0));
  const [pod] = pods.toSorted((a, b) => (a.movableAt ?? 0) - (b.movableAt ?? 0));
  const first = earliest(window?.nextChange, pod?.movableAt);
  if (first === undefined)
    return [
      plain(round.wakeAt === undefined ? 'nothing by time alone' : `looks again ${when(round.wakeAt, now, speed)}`),
    ];
  if (first === window?.nextChange)
    return [plain(`${window.name} ${window.open ? 'closes' : 'opens'} ${when(first, now, speed)}`)];
  return [plain(`pod ${pod?.namespace}/${pod?.name} may be moved ${when(first, now, speed)}`)];
}

/** `22:00:00, in 8m (24s here)` */
function when(at: Instant, now: Instant, speed: number): string {
  const length = asDuration(Math.max(0, between(now, at)));
  const here = speed === 1 ? '' : ` (${sayLength(asDuration(length / speed))} here)`;
  return `at ${timeOf(at)}, in ${sayLength(length)}${here}`;
}

const timeOf = (at: Instant): string => formatInstant(at).slice('2026-11-21T'.length, -1);
