// A forecast as text: when each pool and domain is done, what stays held, and a chart.

import { byNode } from '../../forecast/aggregateRuns.ts';
import type { Forecast, InstantRange, PoolForecast } from '../../forecast/poolForecasts.ts';
import { asInstant, type Instant, minute } from '../../time/instant.ts';
import { formatDistance, formatMoment, formatTime, messageInZone, type TimeView } from '../formatTime.ts';
import { alignColumns, bold, count, dim, emptyLine, type Line, plain, styled, wrap } from '../span.ts';

export interface ForecastView extends TimeView {
  readonly all: boolean;
  readonly width: number;
}

/** Rows of a list that are printed without --all. */
const mostRows = 10;

export function renderForecast(forecast: Forecast, view: ForecastView): Line[] {
  const { at, horizon, pools, sure } = forecast;
  if (pools.length === 0)
    return [
      [
        plain(
          `No node is drifted at ${formatTime(at, view.zone)}, and none expires by ${formatTime(horizon, view.zone)}: no rollout to forecast.`,
        ),
      ],
    ];
  const strip = renderStrip(forecast, view);
  return [
    ...pools.flatMap((pool) => [...renderPool(pool, forecast, view), emptyLine]),
    ...(strip.length > 0 ? [...strip, emptyLine] : []),
    ...renderGoings(forecast, view),
    ...sure.flatMap((sentence) => wrap([dim(messageInZone(sentence, view.zone))], view.width)),
  ];
}

function renderPool(forecast: PoolForecast, { horizon }: Forecast, view: ForecastView): Line[] {
  const { pool, finishes, domains } = forecast;
  const rows = domains.map(({ domain, starts, finishes: its }): Line[] => [
    [plain(domain ?? '(without the label)')],
    [plain(starts ? `starts ${formatTime(starts.likely, view.zone)}` : '')],
    finishLine(its, view),
  ]);
  const end: Line = domains.length === 0 ? [dim('no drifted nodes')] : finishLine(finishes, view);
  return [
    [bold(pool), plain('  '), ...end],
    ...(domains.length > 1 ? alignColumns(rows, { indent: 2, width: view.width }) : []),
    ...renderTaken(forecast, view),
    ...renderHeld(forecast, horizon, view),
    ...renderFit(forecast, view),
    ...renderExpiring(forecast, horizon, view),
  ];
}

/** How many nodes each budget or window lets through, each time it is open. */
const renderTaken = ({ taken }: PoolForecast, view: ForecastView): Line[] =>
  listed(
    taken,
    ({ kind, name, index, from, to, nodes }) => [
      [plain(kind === 'Budget' ? `budgets[${index}]` : `window ${name}`)],
      [plain(count(nodes, 'node'))],
      [dim(describeOpening(from, to, view))],
    ],
    { ...view, indent: 2 },
  );

function describeOpening(from: Instant | undefined, to: Instant | undefined, { now, zone }: TimeView): string {
  const since = from === undefined || from <= now ? 'open now' : `opens ${formatTime(from, zone)}`;
  return to === undefined ? since : `${since}, closes ${formatTime(to, zone)}`;
}

/** Runs that differ by less count as equal. */
const leastSpread = minute / 2;

function finishLine(finishes: InstantRange | undefined, { now, zone }: TimeView): Line {
  if (!finishes) return [styled('yellow', 'does not finish')];
  const { early, likely, late } = finishes;
  const spread = Math.max(late - likely, likely - early);
  const worst = spread > leastSpread ? `; at worst ${formatTime(late, zone)}` : '';
  return [
    plain('done about '),
    styled('green', formatTime(likely, zone)),
    plain(` (${formatDistance(likely, now)}${worst})`),
  ];
}

function renderHeld({ never }: PoolForecast, horizon: Instant, view: ForecastView): Line[] {
  const held = byNode(never);
  if (held.length === 0) return [];
  const verb = held.length === 1 ? 'is' : 'are';
  return [
    [
      styled(
        'yellow',
        `  ${count(held.length, 'node')} ${verb} still held at ${formatTime(horizon, view.zone)}, when the simulation ends:`,
      ),
    ],
    ...listed(held, ({ node, why }) => [[plain(node)], [plain(messageInZone(why, view.zone))]], view),
  ];
}

function renderExpiring({ expiring }: PoolForecast, horizon: Instant, view: ForecastView): Line[] {
  if (!expiring) return [];
  const { nodes, forced, finishes } = expiring;
  const which = `${count(nodes, 'node')} ${nodes === 1 ? 'expires' : 'expire'} by ${formatTime(horizon, view.zone)}`;
  if (forced.length === 0) {
    const end = finishes
      ? `replaced before ${nodes === 1 ? 'its' : 'their'} deadline, the last about ${formatTime(finishes.likely, view.zone)}`
      : `not ${nodes === 1 ? 'replaced' : 'all replaced'} by then`;
    return wrap([plain(`  ${which}: ${end}.`)], view.width);
  }
  const verb = forced.length === 1 ? 'is' : 'are';
  return [
    ...wrap(
      [styled('red', `  ${which}: ${forced.length} ${verb} deleted by Karpenter at the deadline, held or not:`)],
      view.width,
    ),
    ...listed(forced, ({ node, at }) => [[plain(node)], [plain(`expires ${formatTime(at, view.zone)}`)]], view),
  ];
}

function renderFit({ fit, finishes }: PoolForecast, view: ForecastView): Line[] {
  if (!fit) return [];
  const { firstExpiry, overtaken } = fit;
  if (overtaken.length === 0) {
    const fits = finishes ? 'It finishes in time: the' : 'The';
    return wrap([plain(`  ${fits} first drifted node expires ${formatMoment(firstExpiry, view)}.`)], view.width);
  }
  const verb = overtaken.length === 1 ? 'expires' : 'expire';
  return [
    [
      styled(
        'red',
        `  It does not finish in time: ${count(overtaken.length, 'node')} ${verb} before the roll reaches ${overtaken.length === 1 ? 'it' : 'them'}.`,
      ),
    ],
    ...listed(
      overtaken,
      ({ node, at, goesAt }) => [
        [plain(node)],
        [plain(`expires ${formatMoment(at, view)}`)],
        [
          dim(
            goesAt === undefined ? 'not replaced by the roll' : `replaced by the roll ${formatTime(goesAt, view.zone)}`,
          ),
        ],
      ],
      view,
    ),
  ];
}

function renderGoings({ goings }: Forecast, view: ForecastView): Line[] {
  if (goings.length === 0) return [];
  return [
    [bold('Nodes by time'), dim('  likely; at worst, where the runs differ')],
    ...listed(
      goings,
      ({ at, late, node, pool, domain, reason }) => [
        [plain(formatTime(at, view.zone))],
        [dim(`${formatDistance(at, view.now)}${late - at > leastSpread ? `; ${formatTime(late, view.zone)}` : ''}`)],
        [plain(reason)],
        [plain(`${pool}${domain === undefined ? '' : ` ${domain}`}`)],
        [plain(node)],
      ],
      { ...view, indent: 2 },
    ),
    emptyLine,
  ];
}

/** The first rows of a list in columns, and how many follow. */
function listed<Item>(
  items: readonly Item[],
  row: (item: Item) => Line[],
  { all, width, indent = 4 }: ForecastView & { readonly indent?: number },
): Line[] {
  const left = all ? 0 : items.length - mostRows;
  const rows = alignColumns((all ? items : items.slice(0, mostRows)).map(row), { indent, width });
  return left > 0 ? [...rows, [dim(`    and ${left} more (--all prints them)`)]] : rows;
}

interface ForecastBar {
  readonly name: string;
  readonly starts?: InstantRange;
  readonly finishes?: InstantRange;
}

const widestBar = 60;
const narrowestBar = 20;
/** The name beside a bar, with indent and gap. */
const nameWidth = 30;

/** A bar for each pool or domain. Empty where nothing finishes: there is no end to scale to. */
function renderStrip(forecast: Forecast, { width, zone }: ForecastView): Line[] {
  const bars = forecast.pools.flatMap(({ pool, starts, finishes, domains }): ForecastBar[] =>
    domains.length > 1
      ? domains.map(({ domain, ...its }) => ({ name: `${pool} ${domain ?? '(without the label)'}`, ...its }))
      : [{ name: pool, ...(starts && { starts }), ...(finishes && { finishes }) }],
  );
  const end = asInstant(Math.max(...bars.map(({ finishes }) => finishes?.late ?? forecast.at)));
  if (end <= forecast.at) return [];
  const columns = Math.max(narrowestBar, Math.min(widestBar, width - nameWidth));
  const rows = bars.map(({ name, ...bar }): Line[] => [
    [plain(name)],
    drawBar(bar, { from: forecast.at, to: end, columns }),
  ]);
  const axis = `${formatTime(forecast.at, zone)} … ${formatTime(end, zone)}`;
  const legend = '· waiting  █ rolling  ▒ possibly rolling';
  return [...alignColumns([...rows, [[], [dim(axis)]], [[], [dim(legend)]]], { indent: 2, width })];
}

interface BarScale {
  readonly from: Instant;
  readonly to: Instant;
  readonly columns: number;
}

function drawBar({ starts, finishes }: Omit<ForecastBar, 'name'>, { from, to, columns }: BarScale): Line {
  const at = (column: number): number => from + ((to - from) * column) / columns;
  const cells = Array.from({ length: columns }, (_, column) => {
    const [begin, end] = [at(column), at(column + 1)];
    if (!starts || starts.likely >= end) return '·';
    if (!finishes) return '▒';
    if (finishes.likely > begin) return '█';
    return finishes.late > begin ? '▒' : ' ';
  });
  return [styled('green', cells.join('').trimEnd())];
}
