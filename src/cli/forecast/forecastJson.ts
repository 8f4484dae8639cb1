// A forecast as JSON; its answer to a deadline and its error as JSON and as text.
import type { Deadline, PoolDeadline } from '../../forecast/deadline.ts';
import type { ForecastExpiry } from '../../forecast/forecastRun.ts';
import type { Forecast, InstantRange, PoolForecast } from '../../forecast/poolForecasts.ts';
import { asDuration, formatInstant, type Instant } from '../../time/instant.ts';
import type { Zone } from '../../time/zone.ts';
import { refusalAsJson } from '../decide/roundJson.ts';
import { formatLength, formatMoment, formatTime, type TimeView, timeAsJson } from '../formatTime.ts';
import { bold, count, emptyLine, type Line, plain, type Span, styled, wrap } from '../span.ts';
import type { ForecastView } from './forecastText.ts';

export const forecastAsJson = ({ goings, ...it }: Forecast): Readonly<Record<string, unknown>> => ({
  at: formatInstant(it.at),
  until: formatInstant(it.until),
  horizon: formatInstant(it.horizon),
  runs: it.runs,
  pools: it.pools.map(poolAsJson),
  goings: goings.map((going) => ({
    ...going,
    begunAt: formatInstant(going.begunAt),
    at: formatInstant(going.at),
    late: formatInstant(going.late),
  })),
  sure: it.sure,
});

const poolAsJson = ({ pool, starts, finishes, domains, never, fit, expiring, taken }: PoolForecast): unknown => ({
  pool,
  starts: rangeAsJson(starts),
  finishes: rangeAsJson(finishes),
  domains: domains.map((it) => ({
    domain: it.domain,
    starts: rangeAsJson(it.starts),
    finishes: rangeAsJson(it.finishes),
  })),
  windows: taken.map(({ from, to, ...passage }) => ({ ...passage, from: timeAsJson(from), to: timeAsJson(to) })),
  never: never.map(({ refusals, ...held }) => ({ ...held, refusals: refusals.map(refusalAsJson) })),
  expiry: expiring && {
    nodes: expiring.nodes,
    finishes: rangeAsJson(expiring.finishes),
    forced: expiring.forced.map(expiryAsJson),
  },
  ...(fit && {
    fits: fit.overtaken.length === 0,
    firstExpiry: formatInstant(fit.firstExpiry),
    expiring: fit.overtaken.map(({ goesAt, ...it }) => ({ ...expiryAsJson(it), goesAt: timeAsJson(goesAt) })),
  }),
});

const expiryAsJson = ({ node, at }: ForecastExpiry): object => ({ node, expiresAt: formatInstant(at) });

export const deadlineAsJson = ({ by, pools }: Deadline): unknown => ({
  by: formatInstant(by),
  pools: pools.map(({ pool, fits, finishes, forced, remedy }) => ({
    pool,
    fits,
    finishes: rangeAsJson(finishes),
    forced: forced?.map(expiryAsJson),
    remedy: remedy && { nodes: remedy.nodes, finishes: rangeAsJson(remedy.finishes) },
  })),
});

export const truthAsJson = ({ at, pools }: Forecast, truth: ReadonlyMap<string, Instant>): unknown =>
  pools.map(({ pool, finishes }) => {
    const actual = truth.get(pool);
    return { pool, finished: timeAsJson(actual), off: offBy(at, finishes, actual) };
  });

/** The error as a share of the time from the forecast to the actual end. */
const offBy = (at: Instant, range: InstantRange | undefined, actual: Instant | undefined): number | undefined =>
  range === undefined || actual === undefined ? undefined : (range.likely - actual) / Math.max(1, actual - at);

const rangeAsJson = (range: InstantRange | undefined): unknown =>
  range && {
    early: formatInstant(range.early),
    likely: formatInstant(range.likely),
    late: formatInstant(range.late),
  };

export const renderDeadline = ({ by, pools }: Deadline, view: ForecastView): Line[] => [
  emptyLine,
  [bold(`By ${formatMoment(by, view)}`)],
  ...pools.flatMap((pool) => wrap([plain(`  ${pool.pool}  `), ...deadlineSpans(pool, view)], view.width)),
];

function deadlineSpans({ fits, finishes, forced = [], remedy }: PoolDeadline, { zone }: TimeView): Span[] {
  if (fits)
    return [styled('green', 'done in time'), plain(finishes ? `, at worst ${formatTime(finishes.late, zone)}.` : '.')];
  const no = [styled('red', 'not done in time'), plain('. '), ...forcedSpans(forced, zone)];
  if (!remedy) return [...no, plain('No budget makes it fit: windows, settling or pods hold it longer.')];
  const { nodes, finishes: then } = remedy;
  const when = then ? `, about ${formatTime(then.likely, zone)}, at worst ${formatTime(then.late, zone)}` : '';
  return [...no, plain(`With nodes: "${nodes}" in its budgets it would be done in time${when}.`)];
}

function forcedSpans(forced: readonly ForecastExpiry[], zone: Zone): Span[] {
  const [first] = forced;
  if (!first) return [];
  const verb = forced.length === 1 ? 'expires' : 'expire';
  return [
    plain(
      `${count(forced.length, 'node')} ${verb} before then and would be deleted by Karpenter, the first at ${formatTime(first.at, zone)} (${first.node}). `,
    ),
  ];
}

export const renderTruth = ({ at, pools }: Forecast, truth: ReadonlyMap<string, Instant>, zone: Zone): Line[] => [
  emptyLine,
  [bold('Result')],
  ...pools.map(({ pool, finishes }): Line => {
    const actual = truth.get(pool);
    const off = offBy(at, finishes, actual);
    if (actual === undefined) return [plain(`  ${pool}  did not finish`)];
    if (off === undefined) return [plain(`  ${pool}  finished ${formatTime(actual, zone)}`)];
    const error = formatLength(asDuration(Math.abs((finishes?.likely ?? actual) - actual)));
    const word = off < 0 ? 'early' : 'late';
    const share = `${(100 * Math.abs(off)).toFixed(1)} % of its length`;
    return [plain(`  ${pool}  finished ${formatTime(actual, zone)}; the forecast was ${error} too ${word}, ${share}`)];
  }),
];
