// A forecast as text: for each pool when it is done, zone by zone; what stays held; what expires; and how sure that is.
import type { Forecast, PoolForecast, Range } from '../forecast/forecast.ts';
import { byNode } from '../forecast/held.ts';
import { type Instant, minute } from '../time/instant.ts';
import { alignColumns, wrap } from './columns.ts';
import { renderStrip } from './forecastStrip.ts';
import { sayDistance, sayMoment, sayUtc } from './moment.ts';
import { count } from './scene.ts';
import { bold, dim, emptyLine, type Line, plain, styled } from './span.ts';

export interface ForecastView {
  readonly all: boolean;
  readonly width: number;
}

/** Of a list that may be long. */
const some = 10;

export function renderForecast(forecast: Forecast, view: ForecastView): Line[] {
  const { at, horizon, pools, sure } = forecast;
  if (pools.length === 0)
    return [
      [
        plain(
          `Nothing is drifted at ${sayUtc(at)}, and nothing expires by ${sayUtc(horizon)}: no rollout to forecast.`,
        ),
      ],
    ];
  const strip = renderStrip(forecast, view.width);
  return [
    ...pools.flatMap((pool) => [...renderPool(pool, forecast, view), emptyLine]),
    ...(strip.length > 0 ? [...strip, emptyLine] : []),
    ...renderGoings(forecast, view),
    ...sure.flatMap((sentence) => wrap([dim(sentence)], view.width)),
  ];
}

function renderPool(told: PoolForecast, { at: now, horizon }: Forecast, view: ForecastView): Line[] {
  const { pool, finishes, domains } = told;
  const rows = domains.map(({ domain, starts, finishes: its }): Line[] => [
    [plain(domain ?? '(without the label)')],
    [plain(starts ? `begins ${sayUtc(starts.likely)}` : '')],
    sayFinish(its, now),
  ]);
  const end: Line = domains.length === 0 ? [dim('nothing is drifted')] : sayFinish(finishes, now);
  return [
    [bold(pool), plain('  '), ...end],
    ...(domains.length > 1 ? alignColumns(rows, { indent: 2, width: view.width }) : []),
    ...renderTaken(told, now, view),
    ...renderHeld(told, horizon, view),
    ...renderFit(told, now, view),
    ...renderExpiring(told, horizon, view),
  ];
}

function renderTaken({ taken }: PoolForecast, now: Instant, { all, width }: ForecastView): Line[] {
  const shown = all ? taken : taken.slice(0, some);
  const rows = shown.map(({ kind, name, index, from, to, nodes }): Line[] => [
    [plain(kind === 'Budget' ? `budget ${index}` : `window ${name}`)],
    [plain(`takes ${count(nodes, 'node')}`)],
    [dim(sayOpening(from, to, now))],
  ]);
  return [...alignColumns(rows, { indent: 2, width }), ...more(taken.length - shown.length)];
}

function sayOpening(from: Instant | undefined, to: Instant | undefined, now: Instant): string {
  const since = from === undefined || from <= now ? 'open now' : `opens ${sayUtc(from)}`;
  return to === undefined ? since : `${since}, closes ${sayUtc(to)}`;
}

/** Less than that is chance. */
const worthTelling = minute / 2;

function sayFinish(finishes: Range | undefined, now: Instant): Line {
  if (!finishes) return [styled('yellow', 'no end in sight')];
  const { early, likely, late } = finishes;
  const spread = Math.max(late - likely, likely - early);
  const told = spread > worthTelling ? `; at worst ${sayUtc(late)}` : '';
  return [plain('done about '), styled('green', sayUtc(likely)), plain(` (${sayDistance(likely, now)}${told})`)];
}

function renderHeld({ never }: PoolForecast, horizon: Instant, { all, width }: ForecastView): Line[] {
  const held = byNode(never);
  if (held.length === 0) return [];
  const shown = all ? held : held.slice(0, some);
  const verb = held.length === 1 ? 'is' : 'are';
  return [
    [
      styled(
        'yellow',
        `  ${count(held.length, 'node')} ${verb} still held ${sayUtc(horizon)}, where the simulation ends:`,
      ),
    ],
    ...alignColumns(
      shown.map(({ node, why }) => [[plain(node)], [plain(why)]]),
      { indent: 4, width },
    ),
    ...more(held.length - shown.length),
  ];
}

function renderExpiring({ expiring }: PoolForecast, horizon: Instant, { all, width }: ForecastView): Line[] {
  if (!expiring) return [];
  const { nodes, forced, finishes } = expiring;
  const which = `${count(nodes, 'node')} ${nodes === 1 ? 'expires' : 'expire'} by ${sayUtc(horizon)}`;
  if (forced.length === 0) {
    const end = finishes
      ? `replaced before ${nodes === 1 ? 'its' : 'their'} deadline, the last about ${sayUtc(finishes.likely)}`
      : `not ${nodes === 1 ? 'replaced' : 'all replaced'} by then`;
    return wrap([plain(`  ${which}: ${end}.`)], width);
  }
  const shown = all ? forced : forced.slice(0, some);
  const verb = forced.length === 1 ? 'is' : 'are';
  return [
    ...wrap(
      [styled('red', `  ${which}: ${forced.length} ${verb} deleted by Karpenter at the deadline, held or not:`)],
      width,
    ),
    ...alignColumns(
      shown.map(({ node, at }) => [[plain(node)], [plain(`expires ${sayUtc(at)}`)]]),
      { indent: 4, width },
    ),
    ...more(forced.length - shown.length),
  ];
}

function renderFit({ fit, finishes }: PoolForecast, now: Instant, { all, width }: ForecastView): Line[] {
  if (!fit) return [];
  const { firstExpiry, overtaken } = fit;
  if (overtaken.length === 0) {
    const fits = finishes ? 'It fits: the' : 'The';
    return wrap([plain(`  ${fits} first of its old nodes expires ${sayMoment(firstExpiry, now)}.`)], width);
  }
  const shown = all ? overtaken : overtaken.slice(0, some);
  const verb = overtaken.length === 1 ? 'expires' : 'expire';
  return [
    [
      styled(
        'red',
        `  It does not fit: ${count(overtaken.length, 'node')} ${verb} before the roll comes to ${overtaken.length === 1 ? 'it' : 'them'}.`,
      ),
    ],
    ...alignColumns(
      shown.map(({ node, at, goesAt }) => [
        [plain(node)],
        [plain(`expires ${sayMoment(at, now)}`)],
        [dim(goesAt === undefined ? 'would not be renewed' : `would be renewed ${sayUtc(goesAt)}`)],
      ]),
      { indent: 4, width },
    ),
    ...more(overtaken.length - shown.length),
  ];
}

function renderGoings({ goings, at: now }: Forecast, { all, width }: ForecastView): Line[] {
  if (goings.length === 0) return [];
  const shown = all ? goings : goings.slice(0, some);
  return [
    [bold('What goes when'), dim('  likely; and at worst, where chance makes a difference')],
    ...alignColumns(
      shown.map(({ at, late, node, pool, domain, reason }) => [
        [plain(sayUtc(at))],
        [dim(`${sayDistance(at, now)}${late - at > worthTelling ? `; ${sayUtc(late)}` : ''}`)],
        [plain(reason)],
        [plain(`${pool}${domain === undefined ? '' : ` ${domain}`}`)],
        [plain(node)],
      ]),
      { indent: 2, width },
    ),
    ...more(goings.length - shown.length),
    emptyLine,
  ];
}

const more = (left: number): Line[] => (left > 0 ? [[dim(`    and ${left} more; --all shows them`)]] : []);
