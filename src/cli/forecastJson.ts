// A forecast as JSON: instants as RFC 3339 text, the rest as it is.
import type { Deadline } from '../forecast/deadline.ts';
import type { Expiry } from '../forecast/expiry.ts';
import type { Forecast, PoolForecast, Range } from '../forecast/forecast.ts';
import { formatInstant, type Instant } from '../time/instant.ts';
import { refusalAsJson } from './roundJson.ts';

export const forecastAsJson = ({
  at,
  until,
  horizon,
  runs,
  pools,
  goings,
  sure,
}: Forecast): Readonly<Record<string, unknown>> => ({
  at: formatInstant(at),
  until: formatInstant(until),
  horizon: formatInstant(horizon),
  runs,
  pools: pools.map(poolAsJson),
  goings: goings.map((going) => ({
    ...going,
    begunAt: formatInstant(going.begunAt),
    at: formatInstant(going.at),
    late: formatInstant(going.late),
  })),
  sure,
});

const poolAsJson = ({ pool, starts, finishes, domains, never, fit, expiring, taken }: PoolForecast): unknown => ({
  pool,
  ...(starts && { starts: rangeAsJson(starts) }),
  ...(finishes && { finishes: rangeAsJson(finishes) }),
  domains: domains.map(({ domain, starts: begin, finishes: its }) => ({
    ...(domain !== undefined && { domain }),
    ...(begin && { starts: rangeAsJson(begin) }),
    ...(its && { finishes: rangeAsJson(its) }),
  })),
  windows: taken.map(({ from, to, ...passage }) => ({
    ...passage,
    ...(from !== undefined && { from: text(from) }),
    ...(to !== undefined && { to: text(to) }),
  })),
  never: never.map(({ refusals, ...held }) => ({ ...held, refusals: refusals.map(refusalAsJson) })),
  ...(expiring && {
    expiry: {
      nodes: expiring.nodes,
      ...(expiring.finishes && { finishes: rangeAsJson(expiring.finishes) }),
      forced: expiring.forced.map(expiryAsJson),
    },
  }),
  ...(fit && {
    fits: fit.overtaken.length === 0,
    firstExpiry: formatInstant(fit.firstExpiry),
    expiring: fit.overtaken.map(({ node, at, goesAt }) => ({
      node,
      expiresAt: formatInstant(at),
      ...(goesAt !== undefined && { goesAt: formatInstant(goesAt) }),
    })),
  }),
});

const expiryAsJson = ({ node, at }: Expiry): unknown => ({ node, expiresAt: text(at) });

export const deadlineAsJson = ({ by, pools }: Deadline): unknown => ({
  by: text(by),
  pools: pools.map(({ pool, fits, finishes, forced, remedy }) => ({
    pool,
    fits,
    ...(finishes && { finishes: rangeAsJson(finishes) }),
    ...(forced && { forced: forced.map(expiryAsJson) }),
    ...(remedy && {
      remedy: { nodes: remedy.nodes, ...(remedy.finishes && { finishes: rangeAsJson(remedy.finishes) }) },
    }),
  })),
});

export const truthAsJson = ({ at, pools }: Forecast, truth: ReadonlyMap<string, Instant>): unknown =>
  pools.map(({ pool, finishes }) => {
    const really = truth.get(pool);
    const off = offBy(at, finishes, really);
    return { pool, ...(really !== undefined && { finished: text(really) }), ...(off !== undefined && { off }) };
  });

/** As a share of the way from then to the end. */
export const offBy = (at: Instant, told: Range | undefined, really: Instant | undefined): number | undefined =>
  told === undefined || really === undefined ? undefined : (told.likely - really) / Math.max(1, really - at);

const rangeAsJson = ({ early, likely, late }: Range): Readonly<Record<keyof Range, string>> => ({
  early: text(early),
  likely: text(likely),
  late: text(late),
});

const text = (at: Instant): string => formatInstant(at);
