// How is a forecast written for programs? Its instants as texts; the rest as it is.
import type { Forecast, PoolForecast, Range } from '../forecast/forecast.ts';
import { formatInstant, type Instant } from '../time/instant.ts';

export const forecastAsJson = ({ at, until, runs, pools, goings, sure }: Forecast): unknown => ({
  at: formatInstant(at),
  until: formatInstant(until),
  runs,
  pools: pools.map(poolAsJson),
  goings: goings.map((going) => ({ ...going, at: formatInstant(going.at) })),
  sure,
});

const poolAsJson = ({ pool, finishes, domains, never, fit }: PoolForecast): unknown => ({
  pool,
  ...(finishes && { finishes: rangeAsJson(finishes) }),
  domains: domains.map(({ domain, finishes: its }) => ({
    ...(domain !== undefined && { domain }),
    ...(its && { finishes: rangeAsJson(its) }),
  })),
  never,
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

const rangeAsJson = ({ early, likely, late }: Range): Readonly<Record<keyof Range, string>> => ({
  early: text(early),
  likely: text(likely),
  late: text(late),
});

const text = (at: Instant): string => formatInstant(at);
