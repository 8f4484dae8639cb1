// How does a roll lie in time? A line for each zone, from now to the end of the last: when it waits, rolls, and is done.
import type { Forecast, Range } from '../forecast/forecast.ts';
import type { Instant } from '../time/instant.ts';
import { alignColumns } from './columns.ts';
import { sayUtc } from './moment.ts';
import { dim, type Line, plain, styled } from './span.ts';

interface Bar {
  readonly name: string;
  readonly starts?: Range;
  readonly finishes?: Range;
}

const widest = 60;
const narrowest = 20;
/** Beside the bar stands whose it is. */
const forNames = 30;

/** Nothing where nothing ends: there is no time to draw it in. */
export function renderStrip(forecast: Forecast, width: number): Line[] {
  const bars = forecast.pools.flatMap(({ pool, starts, finishes, domains }): Bar[] =>
    domains.length > 1
      ? domains.map(({ domain, ...its }) => ({ name: `${pool} ${domain ?? '(without the label)'}`, ...its }))
      : [{ name: pool, ...(starts && { starts }), ...(finishes && { finishes }) }],
  );
  const end = Math.max(...bars.map(({ finishes }) => finishes?.late ?? forecast.at)) as Instant;
  if (end <= forecast.at) return [];
  const columns = Math.max(narrowest, Math.min(widest, width - forNames));
  const rows = bars.map(({ name, ...bar }): Line[] => [
    [plain(name)],
    drawn(bar, { from: forecast.at, to: end, columns }),
  ]);
  const axis = `${sayUtc(forecast.at)} … ${sayUtc(end)}`;
  const legend = '· waits  █ rolls  ▒ perhaps';
  return [...alignColumns([...rows, [[], [dim(axis)]], [[], [dim(legend)]]], { indent: 2, width })];
}

interface Scale {
  readonly from: Instant;
  readonly to: Instant;
  readonly columns: number;
}

function drawn({ starts, finishes }: Omit<Bar, 'name'>, { from, to, columns }: Scale): Line {
  const at = (column: number): number => from + ((to - from) * column) / columns;
  const signs = Array.from({ length: columns }, (_, column) => {
    const [begin, end] = [at(column), at(column + 1)];
    if (!starts || starts.likely >= end) return '·';
    if (!finishes) return '▒';
    if (finishes.likely > begin) return '█';
    return finishes.late > begin ? '▒' : ' ';
  });
  return [styled('green', signs.join('').trimEnd())];
}
