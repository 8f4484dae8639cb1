// The answers to --by (is it done by then?) and --check (how far off was the forecast?).
import type { Deadline, PoolDeadline } from '../forecast/deadline.ts';
import type { Expiry } from '../forecast/expiry.ts';
import type { Forecast } from '../forecast/forecast.ts';
import { asDuration, type Instant } from '../time/instant.ts';
import { wrap } from './columns.ts';
import { offBy } from './forecastJson.ts';
import { sayLength, sayMoment, sayUtc } from './moment.ts';
import { count } from './scene.ts';
import { bold, emptyLine, type Line, plain, type Span, styled } from './span.ts';

export const renderDeadline = ({ by, pools }: Deadline, now: Instant, width: number): Line[] => [
  emptyLine,
  [bold(`By ${sayMoment(by, now)}`)],
  ...pools.flatMap((pool) => wrap([plain(`  ${pool.pool}  `), ...sayDeadline(pool)], width)),
];

function sayDeadline({ fits, finishes, forced = [], remedy }: PoolDeadline): Span[] {
  if (fits) return [styled('green', 'fits'), plain(finishes ? `, even at worst (${sayUtc(finishes.late)}).` : '.')];
  const no = [styled('red', 'does not fit'), plain('. '), ...sayForced(forced)];
  if (!remedy)
    return [...no, plain('No budget would make it fit: windows, settling or pods hold it longer than that.')];
  const { nodes, finishes: then } = remedy;
  const when = then ? `, about ${sayUtc(then.likely)}, at worst ${sayUtc(then.late)}` : '';
  return [...no, plain(`With nodes: "${nodes}" in its budgets it would fit${when}.`)];
}

function sayForced(forced: readonly Expiry[]): Span[] {
  const [first] = forced;
  if (!first) return [];
  const verb = forced.length === 1 ? 'expires' : 'expire';
  return [
    plain(
      `${count(forced.length, 'node')} ${verb} before then and would be deleted by Karpenter, the first ${sayUtc(first.at)} (${first.node}). `,
    ),
  ];
}

export const renderTruth = ({ at, pools }: Forecast, truth: ReadonlyMap<string, Instant>): Line[] => [
  emptyLine,
  [bold('What came of it')],
  ...pools.map(({ pool, finishes }): Line => {
    const really = truth.get(pool);
    const off = offBy(at, finishes, really);
    if (really === undefined) return [plain(`  ${pool}  was not done in the end`)];
    if (off === undefined) return [plain(`  ${pool}  was done ${sayUtc(really)}`)];
    const far = sayLength(asDuration(Math.abs((finishes?.likely ?? really) - really)));
    const word = off < 0 ? 'too early' : 'too late';
    return [
      plain(
        `  ${pool}  was done ${sayUtc(really)}: foretold ${far} ${word}, ${(100 * Math.abs(off)).toFixed(1)} % of the way`,
      ),
    ];
  }),
];
